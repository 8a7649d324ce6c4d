#ifndef CORE_MODEL_OP_ATTRIBUTE_H
#define CORE_MODEL_OP_ATTRIBUTE_H

#include "core/model/dtype.h"
#include "core/model/expr.h"

/*
 * Attributes of operations: what may stand in a node beside "op", "in" and
 * "out".  An operation lists what it takes; reading a node against the list
 * checks types, evaluates expressions over the dimensions and fills in the
 * defaults, so that whoever works with a node never sees its JSON.
 */

enum attribute_kind {
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_INTEGER,  /* an expression over the dimensions */
    ATTRIBUTE_INTEGERS, /* an array of them; one alone stands for an array of one */
    ATTRIBUTE_FLAG,
    ATTRIBUTE_CHOICE, /* one of some words */
};

struct attribute_spec {
    const char *name;
    enum attribute_kind kind;
    bool is_required;
    double fallback;            /* number, integer, flag or index of a choice, where not given */
    const char *const *choices; /* NULL-terminated */
};

/* As one node has it. */
struct attribute {
    bool is_given;
    double number;                    /* of a number */
    int64_t integers[SHAPE_MAX_RANK]; /* [0] also holds a flag and the index of a choice */
    size_t count;                     /* of integers; 0 where a list is not given */
};

enum { ATTRIBUTES_MAX = 8 };

/*
 * Read the attributes of `node` against `specs`, which ends with a row
 * without a name.  `attributes` gets one for each row, in that order.
 */
enum status attributes_read(const struct json_ref *node, const struct attribute_spec *specs,
                            const struct scope *scope, struct attribute attributes[ATTRIBUTES_MAX],
                            struct error *err) MUST_CHECK;

#endif
