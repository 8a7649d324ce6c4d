#ifndef CORE_TEMPLATE_JINJA_VALUE_H
#define CORE_TEMPLATE_JINJA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/template/jinja_text.h"

/*
 * The values of templates.
 *
 * A value is small and passed by copy.  The text, list or dict it points to
 * lives in the arena of the rendering and is never changed.  A JSON number
 * without a fraction, up to 2^53, is an int, however the file writes it.
 */
enum jinja_type {
    JINJA_ABSENT, /* an argument that was not given */
    JINJA_UNDEFINED,
    JINJA_NONE,
    JINJA_BOOL,
    JINJA_INT,
    JINJA_FLOAT,
    JINJA_STRING,
    JINJA_LIST,
    JINJA_DICT, /* a dict with strings as keys */
    JINJA_MACRO,
};

struct jinja_value {
    enum jinja_type type;
    union {
        const char *missing; /* UNDEFINED: the error that a use of the value gives, or NULL */
        bool truth;
        int64_t integer;
        double real;
        struct jinja_text text;
        const struct jinja_list *list;
        const struct jinja_dict *dict;
        const struct jinja_macro *macro;
    };
};

struct jinja_list {
    struct jinja_value *items;
    size_t count;
};

struct jinja_pair {
    struct jinja_text key;
    struct jinja_value value;
};

struct jinja_dict {
    struct jinja_pair *pairs; /* in the order of the JSON object */
    size_t count;
};

/* A value of each type. */
struct jinja_value jinja_bool(bool truth);
struct jinja_value jinja_int(int64_t integer);
struct jinja_value jinja_float(double real);
struct jinja_value jinja_string(struct jinja_text text); /* borrows the text */

/* A list of `count` absent values, for the caller to fill, and the value that holds it. */
struct jinja_list *jinja_list_new(struct arena *arena, size_t count);
struct jinja_value jinja_list_value(const struct jinja_list *list);

/* A copy of a JSON value; an absent one becomes none. */
struct jinja_value jinja_from_json(struct arena *arena, const struct json *json);

/* Python's name of the type: "int", "str". */
const char *jinja_type_name(struct jinja_value value);

/* A bool is an integer, and an integer is a number, as in Python. */
bool jinja_is_integer(struct jinja_value value);
bool jinja_is_number(struct jinja_value value);
int64_t jinja_to_integer(struct jinja_value integer);
double jinja_to_float(struct jinja_value number);

/* The truth of a value: false for none, undefined, zero and every empty text, list or dict. */
bool jinja_truth(struct jinja_value value);

/* The elements of a list, or the keys of a dict; else NULL. */
const struct jinja_list *jinja_elements(struct arena *arena, struct jinja_value value);

/* The value of `key` in a dict, or NULL. */
const struct jinja_value *jinja_dict_get(const struct jinja_dict *dict, struct jinja_text key);

/* Store container[key] in `out`; false if the container has no such element. */
bool jinja_subscript(struct arena *arena, struct jinja_value container, struct jinja_value key,
                     struct jinja_value *out);

#endif
