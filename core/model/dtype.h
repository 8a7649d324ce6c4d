#ifndef CORE_MODEL_DTYPE_H
#define CORE_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"

/* Element types and shapes. */

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F64, DTYPE_I32, DTYPE_I64, DTYPE_BOOL };

/* As in files: "f32". */
const char *dtype_name(enum dtype dtype);
size_t dtype_bytes(enum dtype dtype); /* bool takes one byte */
bool dtype_is_float(enum dtype dtype);
enum status dtype_read(const struct json_ref *at, enum dtype *dtype, struct error *err) MUST_CHECK;

/* Convert `count` elements between storage of `dtype` and doubles; rounds to nearest even. */
void dtype_to_double(enum dtype dtype, const void *from, double *to, size_t count);
void dtype_from_double(enum dtype dtype, const double *from, void *to, size_t count);

enum { SHAPE_MAX_RANK = 8 };

/* Row-major; rank 0 is a scalar. */
struct shape {
    size_t rank;
    int64_t dims[SHAPE_MAX_RANK];
};

int64_t shape_elements(const struct shape *shape);
bool shape_equals(const struct shape *a, const struct shape *b);

enum { SHAPE_TEXT_SIZE = 128 };

/* "[512, 768]", for messages. */
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_SIZE]);

#endif
