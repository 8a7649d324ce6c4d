#ifndef CORE_MODEL_EXPR_H
#define CORE_MODEL_EXPR_H

#include <stdint.h>

#include "core/base/json.h"
#include "core/base/strbuf.h"

/*
 * Integer expressions in files: shapes in a problem, sizes in a launch plan.
 *
 *	sum     = product { ("+" | "-") product }
 *	product = unary { ("*" | "/" | "%") unary }       division and remainder floor
 *	unary   = "-" unary | integer | name | "(" sum ")" | function "(" sum { "," sum } ")"
 *	function = "min" | "max" | "ceildiv" | "align"
 *
 * min and max take two arguments or more; align(n, m) is n rounded up to a multiple of m.
 * Overflow of 64 bits, division by zero and unknown names are errors.
 */

struct binding {
    const char *name;
    int64_t value;
};

/* What names mean: the first match in `items`, then in `outer`. */
struct scope {
    const struct binding *items;
    size_t count;
    const struct scope *outer;
};

/* NULL when the name is unknown. */
const struct binding *scope_find(const struct scope *scope, const char *name);

/* Append the names that have a meaning. */
void scope_list(const struct scope *scope, struct strbuf *names);

/* The value of an expression.  STATUS_INVALID names the character that is wrong. */
enum status expr_eval(const char *text, const struct scope *scope, int64_t *value,
                      struct error *err) MUST_CHECK;

/* The same for a value in a file: a number, or a text that holds an expression. */
enum status expr_read(const struct json_ref *at, const struct scope *scope, int64_t *value,
                      struct error *err) MUST_CHECK;

#endif
