#ifndef CORE_MODEL_DTYPE_H
#define CORE_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"

/* Element types and shapes. */

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F64, DTYPE_I32, DTYPE_I64, DTYPE_BOOL };

enum { DTYPE_COUNT = DTYPE_BOOL + 1 };

/* The names in files, such as "f32"; indexed by the enum, NULL-terminated. */
extern const char *const dtype_names[];

/* The name in files, "f32". Static. */
const char *dtype_name(enum dtype dtype);
size_t dtype_bytes(enum dtype dtype); /* bool takes one byte */
bool dtype_is_float(enum dtype dtype);
enum status dtype_read(const struct json_ref *at, enum dtype *dtype, struct error *err) MUST_CHECK;

/*
 * The common type of two operands: the wider one, where floating types come before integers and
 * these before bool. f16 and bf16 have f32 in common.
 */
enum dtype dtype_promote(enum dtype a, enum dtype b);

/*
 * Convert `count` elements between storage of `dtype` and doubles. Storing rounds to nearest even.
 * Numbers outside the range of an integer type are clamped, and NaN becomes 0. A double represents
 * integers exactly up to 2^53.
 */
void dtype_to_double(enum dtype dtype, const void *from, double *to, size_t count);
void dtype_from_double(enum dtype dtype, const double *from, void *to, size_t count);

/*
 * The distance from the finite `number` to the next larger magnitude of a floating type, one unit
 * in the last place; that of the smallest numbers for subnormal ones.
 */
double dtype_spacing(enum dtype dtype, double number);

/*
 * True when the type represents the number: finite in a floating type, unchanged in an integer
 * type.
 */
bool dtype_holds(enum dtype dtype, double number);

/*
 * The maximum number of elements of a tensor and of one dimension. No device's memory holds as many
 * (4 TiB in f32), and their bytes, and sums of a few such numbers, are exact in 64 bits and in a
 * double.
 */
#define SHAPE_MAX_ELEMENTS (INT64_C(1) << 40)

enum { SHAPE_MAX_RANK = 8 };

/* Row-major; rank 0 is a scalar. */
struct shape {
    size_t rank;
    int64_t dims[SHAPE_MAX_RANK];
};

/* True when every dimension is at least 1 and the shape has at most SHAPE_MAX_ELEMENTS elements. */
bool shape_is_valid(const struct shape *shape);
int64_t shape_elements(const struct shape *shape); /* the shape must be valid */

/* The distance in elements between neighbours along each axis. */
void shape_strides(const struct shape *shape, ptrdiff_t strides[SHAPE_MAX_RANK]);
bool shape_equals(const struct shape *a, const struct shape *b);

enum { SHAPE_TEXT_SIZE = 128 };

/* Write "[512, 768]", for messages. Returns `text`. */
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_SIZE]);

#endif
