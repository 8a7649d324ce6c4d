#include "core/template/jinja_predicate.h"

#include "core/base/array.h"

enum {
    IS_UNDEFINED = 1 << JINJA_UNDEFINED,
    IS_NONE = 1 << JINJA_NONE,
    IS_BOOL = 1 << JINJA_BOOL,
    IS_INT = 1 << JINJA_INT,
    IS_FLOAT = 1 << JINJA_FLOAT,
    IS_NUMBER = IS_BOOL | IS_INT | IS_FLOAT,
    IS_STRING = 1 << JINJA_STRING,
    IS_DICT = 1 << JINJA_DICT,
    IS_SEQUENCE = IS_STRING | IS_DICT | 1 << JINJA_LIST | 1 << JINJA_TUPLE,
    IS_DEFINED = IS_NONE | IS_NUMBER | IS_SEQUENCE | 1 << JINJA_MACRO,
};

enum { ANY, ODD, EVEN };

static const struct jinja_predicate predicates[] = {
    {"boolean", IS_BOOL, ANY, true},         {"defined", IS_DEFINED, ANY, true},
    {"even", IS_BOOL | IS_INT, EVEN, false}, {"float", IS_FLOAT, ANY, true},
    {"integer", IS_INT, ANY, true},          {"iterable", IS_SEQUENCE, ANY, false},
    {"mapping", IS_DICT, ANY, true},         {"none", IS_NONE, ANY, true},
    {"number", IS_NUMBER, ANY, true},        {"odd", IS_BOOL | IS_INT, ODD, false},
    {"sequence", IS_SEQUENCE, ANY, true},    {"string", IS_STRING, ANY, true},
    {"undefined", IS_UNDEFINED, ANY, true},
};

const struct jinja_predicate *jinja_predicate_find(struct jinja_text name)
{
    for (size_t i = 0; i < COUNT(predicates); i++)
        if (jinja_text_is(name, predicates[i].name))
            return &predicates[i];
    return NULL;
}

void jinja_predicate_list(struct strbuf *out)
{
    for (size_t i = 0; i < COUNT(predicates); i++)
        strbuf_add_item(out, predicates[i].name);
}

bool jinja_predicate_holds(const struct jinja_predicate *predicate, struct jinja_value value)
{
    if (!(predicate->types & 1U << value.type))
        return false;
    return predicate->parity == ANY ||
           (jinja_to_integer(value) % 2 != 0) == (predicate->parity == ODD);
}
