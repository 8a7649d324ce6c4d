#ifndef CORE_MODEL_EXPR_H
#define CORE_MODEL_EXPR_H

#include <stdint.h>

#include "core/base/json.h"
#include "core/base/strbuf.h"

/*
 * Evaluates integer expressions in files: shapes in a problem, sizes in a launch plan.
 *
 *	sum      = product { ("+" | "-") product }
 *	product  = unary { ("*" | "/" | "%") unary }
 *	unary    = "-" unary | integer | name | "(" sum ")" | function "(" sum { "," sum } ")"
 *	function = "min" | "max" | "ceildiv" | "align" | "pow2"
 *
 * min and max take two or more arguments; align(n, m) is n rounded up to a multiple of m,
 * pow2(n, m) the next power of two that is not below either. Division
 * and remainder round toward minus infinity. Overflow of 64 bits, division by zero and unknown
 * names are errors.
 */

struct binding {
    const char *name;
    int64_t value;
};

/* The values of names: the first match in `items`, otherwise in `outer`. */
struct scope {
    const struct binding *items;
    size_t count;
    const struct scope *outer;
};

/* The binding of that name; NULL when it is unknown. */
const struct binding *scope_find(const struct scope *scope, const char *name);

/* Append all names of the scope and of its outer scopes. */
void scope_list(const struct scope *scope, struct strbuf *names);

/* Evaluate an expression. The error names the position of the wrong character. */
enum status expr_eval(const char *text, const struct scope *scope, int64_t *value,
                      struct error *err) MUST_CHECK;

/* Read a value in a file, a number or a text with an expression; STATUS_INVALID if it is neither.
 */
enum status expr_read(const struct json_ref *at, const struct scope *scope, int64_t *value,
                      struct error *err) MUST_CHECK;

#endif
