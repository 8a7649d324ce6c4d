#ifndef CORE_MODEL_OP_ATTRIBUTE_H
#define CORE_MODEL_OP_ATTRIBUTE_H

#include "core/model/dtype.h"
#include "core/model/expr.h"

/*
 * Attributes of operations: the keys of a node beside "op", "in" and "out". Each operation has a
 * list of attributes. Reading a node against this list checks types, evaluates expressions over the
 * dimensions and fills in defaults, so that no other code needs the node's JSON.
 */

enum attribute_kind {
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_INTEGER,  /* an expression over the dimensions */
    ATTRIBUTE_INTEGERS, /* an array of such; a single one stands for an array of one */
    ATTRIBUTE_FLAG,
    ATTRIBUTE_CHOICE, /* one of the words in `choices` */
};

struct attribute_spec {
    const char *name;
    enum attribute_kind kind;
    bool is_required;
    double fallback;            /* the default: number, integer, flag or index of a choice */
    const char *const *choices; /* NULL-terminated */
    const char *absent;         /* for people: the meaning of an absent value, if not `fallback` */
};

/* The value in one node. */
struct attribute {
    bool is_given;
    double number; /* for ATTRIBUTE_NUMBER */
    int64_t
        integers[SHAPE_MAX_RANK]; /* [0] also holds an integer, a flag or the index of a choice */
    size_t count;                 /* number of integers; 0 for a list that is not given */
};

enum { ATTRIBUTES_MAX = 8 };

/*
 * Read the attributes of `node` against `specs`, which ends with a row without a name. `attributes`
 * gets one value for each row, in the same order.
 */
enum status attributes_read(const struct json_ref *node, const struct attribute_spec *specs,
                            const struct scope *scope, struct attribute attributes[ATTRIBUTES_MAX],
                            struct error *err) MUST_CHECK;

#endif
