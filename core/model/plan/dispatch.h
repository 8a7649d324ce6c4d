#ifndef CORE_MODEL_PLAN_DISPATCH_H
#define CORE_MODEL_PLAN_DISPATCH_H

#include "core/model/dtype.h"

/*
 * What a device is asked to do: a launch plan in which every expression has
 * become a number.  The judge makes it from a plan (plan.h) and sends it to
 * the executor as JSON; a back end launches it as it stands.
 */

/* A piece of device memory, by name.  Tensors of the problem come first, scratch follows. */
struct buffer_spec {
    char *name;
    enum dtype dtype;
    int64_t elements;
};

enum launch_arg_kind {
    ARG_BUFFER,     /* `buffer` */
    ARG_INTEGER,    /* `integer`, as a 32-bit int */
    ARG_NUMBER,     /* `number`, converted to `dtype` */
    ARG_LOCAL,      /* `integer` bytes of local (shared) memory */
    ARG_TENSOR_MAP, /* CUDA: number `integer` of the launch's tensor maps, by value */
};

/*
 * How the bulk copy engine (TMA) reads and writes a buffer: as a row-major
 * tensor, of which it copies boxes.  Outside of the tensor it reads zeros and
 * writes nothing.
 */
enum { TENSOR_MAP_MAX_RANK = 5, LAUNCH_MAX_TENSOR_MAPS = 8 };

struct tensor_map {
    size_t buffer;
    enum dtype dtype;                                             /* of the buffer */
    size_t rank;                                                  /* 1 to 5 */
    int64_t shape[TENSOR_MAP_MAX_RANK], box[TENSOR_MAP_MAX_RANK]; /* the last axis is contiguous */
    int64_t swizzle; /* bytes over which a box is permuted in shared memory: 0, 32, 64 or 128 */
};

struct launch_arg {
    enum launch_arg_kind kind;
    enum dtype dtype;
    size_t buffer; /* index into the dispatch's buffers */
    int64_t integer;
    double number;
};

enum { LAUNCH_MAX_ARGS = 64, LAUNCH_MAX_RANK = 3 };

struct launch {
    char *kernel;
    unsigned rank;
    size_t global[LAUNCH_MAX_RANK];  /* work-items, not groups */
    size_t local[LAUNCH_MAX_RANK];   /* all zero: the driver chooses */
    int64_t shared;                  /* CUDA, HIP: bytes of memory that a group shares, beside those
                                        that its source declares */
    size_t cluster[LAUNCH_MAX_RANK]; /* CUDA: groups in a cluster; all zero: there are none */
    size_t arg_count;
    struct launch_arg args[LAUNCH_MAX_ARGS];
    size_t tensor_map_count;
    struct tensor_map tensor_maps[LAUNCH_MAX_TENSOR_MAPS];
};

struct launch_list {
    struct launch *items;
    size_t count, capacity;
};

struct dispatch {
    char *options; /* for the compiler */
    struct {
        struct buffer_spec *items;
        size_t count, capacity;
    } buffers;
    size_t tensor_count;         /* how many of the buffers are tensors of the problem */
    struct launch_list prepare;  /* once for each set of params; reads params, writes scratch */
    struct launch_list launches; /* every time */
};

/*
 * The work-items of a group along each axis.  Where the plan leaves them open,
 * as many as divide the first axis, up to 256: OpenCL's drivers choose for
 * themselves, CUDA's do not.
 */
void launch_group(const struct launch *launch, size_t group[LAUNCH_MAX_RANK]);

/* CUtensorMapDataType and CUtensorMapSwizzle of cuda.h. */
int tensor_map_type(enum dtype dtype);
int tensor_map_swizzle(int64_t bytes);

/* Frees everything in it; all zeros afterwards. */
void dispatch_release(struct dispatch *dispatch);

/* Index of the buffer called `name`, or buffers.count. */
size_t dispatch_find(const struct dispatch *dispatch, const char *name);

/* An object, the caller's. */
struct json *dispatch_encode(const struct dispatch *dispatch);
enum status dispatch_decode(struct dispatch *dispatch, const struct json_ref *at,
                            struct error *err) MUST_CHECK;

#endif
