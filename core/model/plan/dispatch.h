#ifndef CORE_MODEL_PLAN_DISPATCH_H
#define CORE_MODEL_PLAN_DISPATCH_H

#include "core/model/dtype.h"

/*
 * A dispatch is a launch plan in which every expression has become a number. The judge makes it
 * from a plan (plan.h) and sends it to the executor as JSON; a back end runs it without further
 * decisions.
 */

/* A named piece of device memory. The problem's tensors come first, then scratch. */
struct buffer_spec {
    char *name;
    enum dtype dtype;
    int64_t elements;
};

enum launch_arg_kind {
    ARG_BUFFER,     /* the buffer with index `buffer` */
    ARG_INTEGER,    /* `integer`, as a 32-bit int */
    ARG_NUMBER,     /* `number`, converted to the type `dtype` */
    ARG_LOCAL,      /* `integer` bytes of local (shared) memory */
    ARG_TENSOR_MAP, /* CUDA: the launch's tensor map with index `integer`, by value */
};

/*
 * A tensor map tells CUDA's bulk copy engine (TMA) to treat a buffer as a row-major tensor and to
 * copy boxes of it. Outside the tensor the engine reads zeros and writes nothing.
 */
enum { TENSOR_MAP_MAX_RANK = 5, LAUNCH_MAX_TENSOR_MAPS = 8 };

struct tensor_map {
    size_t buffer;
    enum dtype dtype;                                             /* element type of the buffer */
    size_t rank;                                                  /* 1 to 5 */
    int64_t shape[TENSOR_MAP_MAX_RANK], box[TENSOR_MAP_MAX_RANK]; /* the last axis is contiguous */
    int64_t swizzle; /* bytes in which a box is permuted in shared memory: 0, 32, 64 or 128 */
};

struct launch_arg {
    enum launch_arg_kind kind;
    enum dtype dtype;
    size_t buffer; /* index into the dispatch's buffers */
    int64_t integer;
    double number;
};

enum { LAUNCH_MAX_ARGS = 64, LAUNCH_MAX_RANK = 3 };

/*
 * In C a launch is a call. `global[0]` is the maximum number of its threads; this value means all
 * threads of the device.
 */
enum { LAUNCH_ALL_THREADS = 1 << 16 };

struct launch {
    char *kernel;
    unsigned rank;
    size_t global[LAUNCH_MAX_RANK];  /* work-items, not groups */
    size_t local[LAUNCH_MAX_RANK];   /* all zero when the driver chooses */
    int64_t shared;                  /* CUDA: bytes of dynamic shared memory of a group */
    size_t cluster[LAUNCH_MAX_RANK]; /* CUDA: groups in a cluster; all zero for none */
    /*
     * For languages whose kernels are programs on tiles (language.h): `global` counts programs, and
     * the compiler chooses the threads. All zeros in other languages.
     */
    unsigned warps, stages, ctas; /* 0 stages: the compiler's choice */
    char *constants;              /* by name, a JSON object of numbers and booleans, or NULL */
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
    size_t tensor_count; /* the first buffers, which are the problem's tensors */
    struct launch_list
        prepare; /* run once for each set of params; it reads params and writes scratch */
    struct launch_list launches; /* run every time */
};

/*
 * The work-items of a group along each axis. When the plan leaves them open, the group takes up to
 * 256 work-items that divide the first axis. This is for CUDA; OpenCL's drivers choose by
 * themselves.
 */
void launch_group(const struct launch *launch, size_t group[LAUNCH_MAX_RANK]);

/* True for a launch of programs on tiles. */
static inline bool launch_has_programs(const struct launch *launch)
{
    return launch->warps > 0;
}

/* The numbers of CUtensorMapDataType and CUtensorMapSwizzle in cuda.h. */
int tensor_map_type(enum dtype dtype);
int tensor_map_swizzle(int64_t bytes);

/* Free everything in it; all zeros afterwards. */
void dispatch_release(struct dispatch *dispatch);

/*
 * Check that the launches count programs on tiles if the language demands it, and otherwise do not.
 * STATUS_INVALID if not; the error says what a launch needs.
 */
enum status dispatch_check_programs(const struct dispatch *dispatch, bool has_programs,
                                    struct error *err) MUST_CHECK;

/*
 * The part of the dispatch that a compiler gets besides the source, as text. Dispatches of one
 * source with equal texts are compiled once. The caller frees the text.
 */
char *dispatch_program(const struct dispatch *dispatch);
bool dispatch_has_program(const struct dispatch *dispatch, const char *program);

/* The index of the buffer called `name`, or buffers.count. */
size_t dispatch_find(const struct dispatch *dispatch, const char *name);

/* To JSON, an object that the caller owns, and back; STATUS_INVALID if it is not a dispatch. */
struct json *dispatch_encode(const struct dispatch *dispatch);
enum status dispatch_decode(struct dispatch *dispatch, const struct json_ref *at,
                            struct error *err) MUST_CHECK;

#endif
