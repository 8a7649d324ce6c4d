#ifndef CORE_MODEL_OP_OP_FAMILY_H
#define CORE_MODEL_OP_OP_FAMILY_H

#include "core/model/op/op.h"

/*
 * What the families of operations share, for the op_*.c files only: their
 * tables, each ended by a row without a name, and the rules of inference.
 */

extern const struct op op_elementwise[];
extern const struct op op_reduction[];
extern const struct op op_rowwise[];
extern const struct op op_channelwise[];
extern const struct op op_product[];
extern const struct op op_convolution[];
extern const struct op op_pooling[];
extern const struct op op_attention[];
extern const struct op op_movement[];
extern const struct op op_lookup[];

/* For operations without attributes. */
extern const struct attribute_spec op_no_attributes[];

/* Fail with "<place>: <op> of <operands>: <message>". */
enum status op_error(const struct op_call *call, const struct json_ref *place, struct error *err,
                     const char *fmt, ...) PRINTF_LIKE(4, 5);

/* NumPy's rule: aligned at the last axis, extents equal or 1.  False where they do not fit. */
bool op_broadcast(const struct shape *a, const struct shape *b, struct shape *result);

/* The shape of all operands broadcast against each other, and the type in which they meet. */
enum status op_infer_broadcast(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err);

/* The type of a result that is a real number: integers give f32. */
enum dtype op_real_type(enum dtype dtype);

/* Whether `axis` names one of `rank` axes, negative ones counting from the end, and which. */
bool op_axis(int64_t axis, size_t rank, size_t *index);

/* The axes in attribute "dim", all where it is not given, as `axes` of an op and checked. */
unsigned op_dim_axes(const struct op_call *call);
enum status op_check_dim(const struct op_call *call, const struct json_ref *place,
                         struct error *err);

/* The axis in attribute `name`, a single one. */
enum status op_check_axis(const struct op_call *call, const char *name,
                          const struct json_ref *place, size_t *axis, struct error *err);

/* The first `count` operands must be floating; the result has the type in which they meet. */
enum status op_infer_float(const struct op_call *call, size_t count, const struct json_ref *place,
                           struct value *out, struct error *err);

/* Shape and type of the first operand. */
enum status op_infer_same(const struct op_call *call, const struct json_ref *place,
                          struct value *out, struct error *err);

#endif
