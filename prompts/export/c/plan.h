#ifndef PROMPTS_EXPORT_C_PLAN_H
#define PROMPTS_EXPORT_C_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The problem and the launch plan as plan.c has them: every expression is a number. */

enum role { INPUT, PARAM, OUTPUT };
enum dtype { F32, F16, BF16, F64, I32, I64, BOOL };
enum fill { UNIFORM, NORMAL, INTEGERS, CONSTANT, PERMUTATION, MASK };

struct tensor {
    const char *name;
    enum role role;
    enum dtype dtype;
    size_t elements, row; /* how many in all, and along the last axis */
    enum fill fill;       /* of inputs and params */
    double a, b;
};

enum kind { BUFFER, VALUE, LOCAL, TENSOR_MAP };

struct argument {
    enum kind kind;
    size_t index;  /* of the buffer, or of the launch's tensor map */
    size_t bytes;  /* of a value, or of local memory */
    uint64_t bits; /* of a value, in the memory of a little-endian processor */
};

/* How CUDA's bulk copy engine sees a buffer; the contiguous axis is the first. */
struct tensor_map {
    size_t buffer;
    int type; /* CUtensorMapDataType */
    unsigned rank;
    uint64_t sizes[5], strides[5]; /* elements, bytes */
    uint32_t box[5];
    int swizzle; /* CUtensorMapSwizzle */
};

struct launch {
    const char *kernel;
    unsigned rank;
    size_t global[3], local[3]; /* work-items; local all zero: the driver chooses */
    size_t shared;              /* bytes, CUDA */
    unsigned cluster[3];        /* blocks, CUDA; all zero: there are none */
    const struct argument *arguments;
    size_t argument_count;
    const struct tensor_map *maps;
};

struct launches {
    const struct launch *items;
    size_t count;
};

/* The tensors are the first buffers, scratch follows. */
struct program {
    const char *file, *options;
    const size_t *buffer_bytes;
    size_t buffer_count;
    struct launches prepare, each; /* once for each set of params; every time */
};

struct tolerance {
    double atol, rtol;
    bool is_scaled; /* atol counts in root mean squares of the expected output */
};

extern const struct tensor tensors[];
extern const size_t tensor_count;
extern const struct program candidate;
extern const struct program
    *const reference; /* plain kernels to check with; NULL: there are none */
extern const struct tolerance tolerance;

#endif
