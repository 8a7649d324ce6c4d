#ifndef CORE_TEMPLATE_JINJA_VALUE_H
#define CORE_TEMPLATE_JINJA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/template/jinja_text.h"

/*
 * The values of templates, with the meaning that Python gives them.
 *
 * A value is small, passed by copy and never changed; what it points at lives
 * in the heap of the rendering until that ends.  A JSON number without a
 * fraction, up to 2^53, is an int, whichever way its text was written.
 */
enum jinja_type {
    JINJA_ABSENT, /* no value at all: an argument that was not given */
    JINJA_UNDEFINED,
    JINJA_NONE,
    JINJA_BOOL,
    JINJA_INT,
    JINJA_FLOAT,
    JINJA_STRING,
    JINJA_LIST,
    JINJA_TUPLE,
    JINJA_VIEW, /* what items(), keys() and values() of a dict return */
    JINJA_RANGE,
    JINJA_DICT,
    JINJA_LOOP,
    JINJA_MACRO,
    JINJA_FUNCTION, /* of jinja_globals */
};

struct jinja_value {
    enum jinja_type type;
    union {
        const char *missing; /* UNDEFINED: what its use is answered with; NULL if use is fine */
        bool truth;
        int64_t integer;
        double real;
        struct jinja_text text;
        struct {
            const struct jinja_list *list; /* LIST, TUPLE, VIEW, RANGE */
            const char *view; /* VIEW: Python's name of its type; RANGE: what it prints */
        };
        const struct jinja_dict *dict;
        const struct jinja_loop *loop;
        const struct jinja_macro *macro;
        const struct jinja_function *function;
    };
};

struct jinja_list {
    struct jinja_value *items;
    size_t count;
};

struct jinja_pair {
    struct jinja_value key, value;
};

/* In the order in which the keys came. */
struct jinja_dict {
    struct jinja_pair *pairs;
    size_t count;
};

/* The variable `loop`. */
struct jinja_loop {
    const struct jinja_list *items;
    size_t index; /* from zero */
};

/* Steps, of which a million take some 50 ms, and bytes that one rendering may use. */
enum { JINJA_STEPS_MAX = 20 * 1000 * 1000, JINJA_BYTES_MAX = 256 << 20 };

/* What it has used.  Whoever works counts; the evaluator fails when it is too much. */
struct jinja_heap {
    struct arena arena;
    size_t steps;
};

/* Values of each type; texts and lists are borrowed and live as long as the heap. */
struct jinja_value jinja_bool(bool truth);
struct jinja_value jinja_int(int64_t integer);
struct jinja_value jinja_float(double real);
struct jinja_value jinja_string(struct jinja_text text);
struct jinja_list *jinja_list_new(struct jinja_heap *heap, size_t count);
struct jinja_value jinja_from_json(struct jinja_heap *heap, const struct json *json);

const char *jinja_type_name(struct jinja_value value); /* Python's */

/* Whether it counts as a number, which in Python True and False do. */
bool jinja_is_number(struct jinja_value value);
bool jinja_is_integer(struct jinja_value value);
double jinja_to_float(struct jinja_value number);
int64_t jinja_to_integer(struct jinja_value integer);

/* Fail if the value is undefined in a way that makes its use an error. */
enum status jinja_require(struct jinja_value value, struct error *err) MUST_CHECK;
enum status jinja_truth(struct jinja_value value, bool *truth, struct error *err) MUST_CHECK;

/* The elements of anything that Python iterates over: of a dict its keys, of a string its
 * characters. */
enum status jinja_elements(struct jinja_heap *heap, struct jinja_value value,
                           const struct jinja_list **elements, struct error *err) MUST_CHECK;

/* The value of `key` in a dict, NULL without. */
const struct jinja_value *jinja_dict_get(struct jinja_heap *heap, const struct jinja_dict *dict,
                                         struct jinja_value key);

/* container[key], false where there is none. */
bool jinja_subscript(struct jinja_heap *heap, struct jinja_value container, struct jinja_value key,
                     struct jinja_value *out);

#endif
