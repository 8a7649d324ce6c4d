#ifndef CORE_TEMPLATE_JINJA_RENDER_H
#define CORE_TEMPLATE_JINJA_RENDER_H

#include "core/base/attr.h"
#include "core/base/status.h"
#include "core/template/jinja_value.h"

/*
 * The state of one rendering, which every part of it shares.
 *
 * After its first error a rendering continues with undefined values until the running statement
 * checks jinja_failed(). So functions that compute a value return the value and no status. Nesting,
 * steps, memory and output have limits: a template that would never end gives an error instead.
 */

struct jinja_binding {
    const char *name;
    struct jinja_value value;
    struct jinja_binding *next;
};

/* Variables.  A name that is not found here is looked up in the parent; `set` binds it here. */
struct jinja_scope {
    struct jinja_scope *parent;
    struct jinja_binding *bindings;
};

struct jinja_render {
    const char *folder; /* folder of the templates that can be included, or NULL */
    const char *name;   /* name of the template that runs now, for errors */
    int line;           /* line of the node that runs now; 0 before the first */
    struct arena arena;
    size_t steps; /* counter of steps; expensive operations add more than one */
    int depth;    /* depth of the nodes that run now */
    int includes; /* number of includes that are open now */
    struct jinja_scope *scope;
    struct jinja_sink *out;
    struct jinja_unit *units; /* the template files parsed so far */
    struct error error;       /* the first error; code STATUS_OK if there is none */
};

/* True after the first error. */
bool jinja_failed(const struct jinja_render *r);

/* Fail on the current line, unless the rendering has failed before.  Returns an absent value. */
struct jinja_value jinja_fail(struct jinja_render *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Make an undefined value; using it is an error with this message. */
struct jinja_value jinja_undefined(struct jinja_render *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Fail if the value is undefined, or absent after an error; true if it may be used. */
bool jinja_require(struct jinja_render *r, struct jinja_value value);

/* Enter a node on `line`, one level deeper; false, with an error, beyond a limit. */
bool jinja_enter(struct jinja_render *r, int line);

/* An empty scope inside of `parent`, which may be NULL. */
struct jinja_scope *jinja_scope_new(struct jinja_render *r, struct jinja_scope *parent);

/* Bind the name in the current scope.  Borrows the name. */
void jinja_bind(struct jinja_render *r, const char *name, struct jinja_value value);

/* The variable, or an undefined value. */
struct jinja_value jinja_lookup(struct jinja_render *r, const char *name);

/* Move the text of the sink into a string; an error if the sink is full.  Releases the sink. */
struct jinja_value jinja_take(struct jinja_render *r, struct jinja_sink *sink);

#endif
