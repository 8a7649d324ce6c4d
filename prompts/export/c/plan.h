#ifndef PROMPTS_EXPORT_C_PLAN_H
#define PROMPTS_EXPORT_C_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of plan.c: the problem and the launch plan, with all expressions evaluated. */

enum role { INPUT, PARAM, OUTPUT };
enum dtype { F32, F16, BF16, F64, I32, I64, BOOL };
enum fill { UNIFORM, NORMAL, INTEGERS, CONSTANT, PERMUTATION, MASK };

struct tensor {
    const char *name;
    enum role role;
    enum dtype dtype;
    size_t elements, row; /* number of elements in all, and along the last axis */
    enum fill fill;       /* the random contents of inputs and params */
    double a, b;          /* parameters of the fill */
};

enum kind { BUFFER, VALUE, LOCAL, TENSOR_MAP };

struct argument {
    enum kind kind;
    size_t index;  /* of the buffer, or of the launch's tensor map */
    size_t bytes;  /* of a value, or of local memory */
    uint64_t bits; /* of a value, in little-endian order */
    bool is_real;  /* C: a float or a double, which calls pass in registers of their own */
};

/* A buffer as CUDA's bulk copy engine (TMA) sees it; the first axis is the contiguous one. */
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
    size_t global[3], local[3]; /* work-items; local all zero: the driver chooses the group size */
    size_t shared;              /* bytes, CUDA */
    unsigned cluster[3];        /* blocks, CUDA; all zero: no clusters */
    const struct argument *arguments;
    size_t argument_count;
    const struct tensor_map *maps;
};

struct launches {
    const struct launch *items;
    size_t count;
};

/* The kernels and their launches.  The first buffers are the tensors, then comes scratch. */
struct program {
    const char *file, *options;
    const size_t *buffer_bytes;
    size_t buffer_count;
    struct launches prepare, each; /* once for each set of params; every time */
};

struct tolerance {
    double atol, rtol;
    bool is_scaled; /* atol is in units of the root mean square of the expected output */
};

extern const struct tensor tensors[];
extern const size_t tensor_count;
extern const struct program candidate;
extern const struct program *const reference; /* plain kernels to compare with; NULL: none */
extern const struct tolerance tolerance;

#endif
