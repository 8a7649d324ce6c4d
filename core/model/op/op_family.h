#ifndef CORE_MODEL_OP_OP_FAMILY_H
#define CORE_MODEL_OP_OP_FAMILY_H

#include "core/model/op/op.h"

/*
 * Shared by the families of operations, the op_*.c files: their tables, each ended by a row without
 * a name, and common rules of inference.
 */

extern const struct op op_elementwise[];
extern const struct op op_reduction[];
extern const struct op op_rowwise[];
extern const struct op op_channelwise[];
extern const struct op op_product[];
extern const struct op op_convolution[];
extern const struct op op_pooling[];
extern const struct op op_attention[];
extern const struct op op_recurrence[];
extern const struct op op_movement[];
extern const struct op op_lookup[];

/* For operations without attributes. */
extern const struct attribute_spec op_no_attributes[];

/* Fail with "<place>: <op> of <operands>: <message>". */
enum status op_error(const struct op_call *call, const struct json_ref *place, struct error *err,
                     const char *fmt, ...) PRINTF_LIKE(4, 5);

/*
 * Broadcast two shapes by NumPy's rule: aligned at the last axis, sizes equal or 1. False when they
 * do not match.
 */
bool op_broadcast(const struct shape *a, const struct shape *b, struct shape *result);

/* Infer the broadcast shape of all operands and their common type. */
enum status op_infer_broadcast(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err);

/* The type of a real-valued result: f32 for integers, otherwise `dtype`. */
enum dtype op_real_type(enum dtype dtype);

/*
 * Convert an axis, which counts from the end when negative, to an index; false when it is not one
 * of `rank` axes.
 */
bool op_axis(int64_t axis, size_t rank, size_t *index);

/* The axes in attribute "dim" as a bit mask, all when it is not given; and their check. */
unsigned op_dim_axes(const struct op_call *call);
enum status op_check_dim(const struct op_call *call, const struct json_ref *place,
                         struct error *err);

/* Read and check the single axis in attribute `name`. */
enum status op_check_axis(const struct op_call *call, const char *name,
                          const struct json_ref *place, size_t *axis, struct error *err);

/* Check that the first `count` operands are floating, and infer their common type. */
enum status op_infer_float(const struct op_call *call, size_t count, const struct json_ref *place,
                           struct value *out, struct error *err);

/* For `needs`: add the operand's elements that are broadcast to the wanted ones. */
void op_needs_each(const struct op_call *call, const struct op_demand *demand,
                   struct region_list *needed);

/* For `needs`: add all elements of the first operand that lie along axes() of the wanted ones. */
void op_needs_lines(const struct op_call *call, const struct op_demand *demand,
                    struct region_list *needed);

/* Infer shape and type of the first operand. */
enum status op_infer_same(const struct op_call *call, const struct json_ref *place,
                          struct value *out, struct error *err);

#endif
