#ifndef CORE_TEMPLATE_JINJA_FILTER_H
#define CORE_TEMPLATE_JINJA_FILTER_H

#include "core/template/jinja_render.h"

enum { JINJA_FILTER_PARAMETERS = 3 };

/* A filter, with Jinja's names for its parameters. */
struct jinja_filter {
    const char *name;
    /* arguments[0] is the value before the bar; a parameter without an argument is absent. */
    struct jinja_value (*apply)(struct jinja_render *r, const struct jinja_value *arguments);
    size_t required; /* how many of the parameters need an argument */
    const char *parameters[JINJA_FILTER_PARAMETERS + 1]; /* NULL after the last */
    bool takes_undefined; /* for all others an undefined value is an error */
};

/* The filter, or NULL; and the names of all, for an error. */
const struct jinja_filter *jinja_filter_find(struct jinja_text name);
void jinja_filter_list(struct strbuf *out);

#endif
