#ifndef CORE_TEMPLATE_JINJA_FILTER_H
#define CORE_TEMPLATE_JINJA_FILTER_H

#include "core/template/jinja_render.h"

enum { JINJA_FILTER_PARAMETERS = 2 };

struct jinja_filter {
    const char *name;
    /* arguments[0] is the value before the bar; an argument that is not given is absent. */
    struct jinja_value (*apply)(struct jinja_render *r, const struct jinja_value *arguments);
    size_t least, most;   /* number of arguments after the bar */
    bool takes_undefined; /* for all others an undefined value is an error */
};

/* The filter with a name, or NULL; and append the names of all filters, for an error. */
const struct jinja_filter *jinja_filter_find(struct jinja_text name);
void jinja_filter_list(struct strbuf *out);

#endif
