#ifndef CORE_TEMPLATE_JINJA_PREDICATE_H
#define CORE_TEMPLATE_JINJA_PREDICATE_H

#include "core/base/strbuf.h"
#include "core/template/jinja_value.h"

/* The words that may follow `is`; Jinja calls them tests. */
struct jinja_predicate {
    const char *name;
    unsigned types;       /* the types for which it holds: bit 1 << enum jinja_type */
    unsigned parity;      /* 1: the integer has to be odd, 2: even, 0: any value */
    bool takes_undefined; /* for all others an undefined value is an error */
};

/* The predicate, or NULL; and the names of all, for an error. */
const struct jinja_predicate *jinja_predicate_find(struct jinja_text name);
void jinja_predicate_list(struct strbuf *out);

/* True if the value has one of the types, and the parity.  Parity needs an integer. */
bool jinja_predicate_holds(const struct jinja_predicate *predicate, struct jinja_value value);

#endif
