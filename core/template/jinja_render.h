#ifndef CORE_TEMPLATE_JINJA_RENDER_H
#define CORE_TEMPLATE_JINJA_RENDER_H

#include "core/base/status.h"
#include "core/template/jinja_text.h"
#include "core/template/jinja_tree.h"
#include "core/template/jinja_value.h"

/*
 * Running a parsed template.
 *
 * Expressions (jinja_eval.c, jinja_call.c) and statements (jinja_run.c) need
 * each other: a call runs the statements of a macro.  A hostile template ends with an
 * error, as nesting, steps, memory and output all have a limit.
 */

struct jinja_binding {
    const char *name;
    struct jinja_value value;
    struct jinja_binding *next;
};

/* Variables.  What is not found is looked for in the parent; `set` stays in its own scope. */
struct jinja_scope {
    struct jinja_scope *parent;
    struct jinja_binding *bindings;
};

/* A template that is parsed already. */
struct jinja_unit {
    const char *name;
    struct jinja_node *statements;
    struct jinja_unit *next;
};

struct jinja_render {
    const char *folder; /* of the templates that can be included; NULL: none can */
    const char *name;   /* of the template that is running */
    struct jinja_heap heap;
    struct jinja_scope *scope;
    struct jinja_sink *out;
    struct jinja_unit *units;
    int depth;    /* of nested nodes that are running */
    int includes; /* nested ones */
    struct error error;
    bool located; /* the error says where it happened */
};

/* One level deeper, if limits allow it; then one level up, and the place put into the error. */
enum status jinja_enter(struct jinja_render *r) MUST_CHECK;
enum status jinja_leave(struct jinja_render *r, const struct jinja_node *node, enum status st);

/* An undefined value whose use fails with the message. */
struct jinja_value jinja_undefined(struct jinja_render *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A scope inside of `parent`, which may be NULL; and a name in the scope under way. */
struct jinja_scope *jinja_scope_new(struct jinja_render *r, struct jinja_scope *parent);
void jinja_bind_name(struct jinja_render *r, const char *name, struct jinja_value value);

/* The value of an expression in the scope of `r`; the error is kept in `r`. */
enum status jinja_eval(struct jinja_render *r, const struct jinja_node *expression,
                       struct jinja_value *out) MUST_CHECK;

/* Nodes that have arguments, and the attribute `node` of a value that is evaluated already. */
enum status jinja_eval_call(struct jinja_render *r, const struct jinja_node *node,
                            struct jinja_value *out) MUST_CHECK;
enum status jinja_eval_apply(struct jinja_render *r, const struct jinja_node *node,
                             struct jinja_value *out) MUST_CHECK;
enum status jinja_eval_attribute_of(struct jinja_render *r, const struct jinja_node *node,
                                    struct jinja_value of, struct jinja_value *out) MUST_CHECK;

/* Run the node and those behind it. */
enum status jinja_run(struct jinja_render *r, const struct jinja_node *statements) MUST_CHECK;

/* Run them in `scope`, and return what they print. */
enum status jinja_capture(struct jinja_render *r, struct jinja_scope *scope,
                          const struct jinja_node *statements, struct jinja_value *out) MUST_CHECK;

/* Call the macro; `caller` NULL: not from a call block. */
enum status jinja_call_macro(struct jinja_render *r, const struct jinja_macro *macro,
                             const struct jinja_arguments *arguments,
                             const struct jinja_macro *caller, struct jinja_value *out) MUST_CHECK;

/* The parsed template file, read once. */
enum status jinja_load(struct jinja_render *r, const char *name,
                       const struct jinja_unit **unit) MUST_CHECK;

#endif
