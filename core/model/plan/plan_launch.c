#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/plan/plan_resolution.h"

/*
 * The usual number of warps of a program; the maximum numbers of warps, stages and groups of one.
 */
enum { PROGRAM_USUAL_WARPS = 4, PROGRAM_MAX_COUNT = 64 };

static enum status read_sizes(const struct resolution *r, const struct json_ref *at,
                              size_t sizes[LAUNCH_MAX_RANK], unsigned *rank)
{
    enum status st = json_expect(at, JSON_ARRAY, r->err);
    size_t count = json_count(at->value);

    if (!st && (count < 1 || count > LAUNCH_MAX_RANK))
        st = json_ref_error(at, r->err, "%zu sizes, expected 1 to %d", count, LAUNCH_MAX_RANK);
    if (!st && *rank && count != *rank)
        st = json_ref_error(at, r->err, "%zu sizes, expected %u as above", count, *rank);
    if (st)
        return st;
    *rank = (unsigned)count;
    for (struct json_ref s = json_ref_first(at); !st && s.value; s = json_ref_next(&s)) {
        int64_t size = 0;

        st = resolution_expr(r, &s, 1, &size);
        sizes[s.index] = (size_t)size;
    }
    return st;
}

/* Read sizes in OpenCL's terms: all work-items, and those of a group. */
static enum status read_global_local(const struct resolution *r, const struct json_ref *at,
                                     struct launch *launch)
{
    struct json_ref global = json_ref_member(at, "global"), local = json_ref_member(at, "local");
    enum status st = read_sizes(r, &global, launch->global, &launch->rank);

    if (!st && local.value)
        st = read_sizes(r, &local, launch->local, &launch->rank);
    for (unsigned i = 0; !st && local.value && i < launch->rank; i++) {
        struct json_ref size = json_ref_element(&local, i);

        if (launch->local[i] > 0 && launch->global[i] % launch->local[i] != 0)
            st = json_ref_error(&size, r->err,
                                "%zu does not divide the global size %zu: round that up, "
                                "align(..., %zu)",
                                launch->local[i], launch->global[i], launch->local[i]);
    }
    return st;
}

/* Read sizes in CUDA's terms: blocks, and threads per block. */
static enum status read_grid_block(const struct resolution *r, const struct json_ref *at,
                                   struct launch *launch)
{
    struct json_ref grid = json_ref_member(at, "grid"), block = json_ref_member(at, "block");
    enum status st = read_sizes(r, &grid, launch->global, &launch->rank);

    if (!st)
        st = read_sizes(r, &block, launch->local, &launch->rank);
    for (unsigned i = 0; !st && i < launch->rank; i++)
        launch->global[i] *= launch->local[i];
    return st;
}

static bool has_any(const struct json_ref *at, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_get(at->value, *keys))
            return true;
    return false;
}

/*
 * True if the launch is of programs on tiles: it has one of these keys, or a grid without a block.
 */
static bool has_programs(const struct json_ref *at)
{
    static const char *const keys[] = {"constants", "num_warps", "num_stages", "num_ctas", NULL};

    return has_any(at, keys) || (json_get(at->value, "grid") && !json_get(at->value, "block"));
}

static enum status read_count(const struct resolution *r, const struct json_ref *at,
                              const char *key, unsigned *count)
{
    struct json_ref member = json_ref_member(at, key);
    int64_t value = 0;
    enum status st = member.value ? resolution_expr(r, &member, 1, &value) : STATUS_OK;

    if (!st && value > PROGRAM_MAX_COUNT)
        st = json_ref_error(&member, r->err, "is %lld, expected at most %d", (long long)value,
                            PROGRAM_MAX_COUNT);
    if (!st && member.value)
        *count = (unsigned)value;
    return st;
}

/* A constant is true, false, a number, or an expression, which gives an integer. */
static enum status read_constant(const struct resolution *r, const struct json_ref *at,
                                 struct json *constants)
{
    double number = json_number(at->value, 0);
    int64_t value = 0;
    enum status st = STATUS_OK;

    if (json_type(at->value) == JSON_BOOL)
        json_put_bool(constants, at->name, json_bool(at->value, false));
    else if (json_type(at->value) == JSON_NUMBER && number != (double)(int64_t)number)
        json_put_number(constants, at->name, number);
    else if (!(st = expr_read(at, r->scope, &value, r->err)))
        json_put_number(constants, at->name, (double)value);
    return st;
}

static enum status read_constants(const struct resolution *r, const struct json_ref *at,
                                  struct launch *launch)
{
    struct json_ref list = json_ref_member(at, "constants");
    struct json *constants = json_object_new();
    struct strbuf text = {0};
    enum status st = list.value ? json_expect(&list, JSON_OBJECT, r->err) : STATUS_OK;

    for (struct json_ref c = json_ref_first(&list); !st && c.value; c = json_ref_next(&c))
        st = read_constant(r, &c, constants);
    json_print(constants, &text);
    json_free(constants);
    if (!st)
        launch->constants = strbuf_take(&text);
    strbuf_release(&text);
    return st;
}

/* Read programs, and how each is compiled. The compiler chooses the threads of a program. */
static enum status read_programs(const struct resolution *r, const struct json_ref *at,
                                 struct launch *launch)
{
    static const char *const others[] = {"global", "local", "block", "shared", "cluster", NULL};
    struct json_ref grid = json_ref_member(at, "grid");
    enum status st;

    if (has_any(at, others))
        return json_ref_error(at, r->err,
                              "with \"constants\", \"num_warps\", \"num_stages\" or "
                              "\"num_ctas\" a launch has a \"grid\" of programs alone: the "
                              "compiler chooses threads and shared memory");
    launch->warps = PROGRAM_USUAL_WARPS;
    launch->ctas = 1;
    st = read_sizes(r, &grid, launch->global, &launch->rank);
    if (!st)
        st = read_count(r, at, "num_warps", &launch->warps);
    if (!st)
        st = read_count(r, at, "num_stages", &launch->stages);
    if (!st)
        st = read_count(r, at, "num_ctas", &launch->ctas);
    return st ? st : read_constants(r, at, launch);
}

/*
 * Read the threads of a call in C: a number, or "all" that the device has. The back end knows how
 * many that is.
 */
static enum status read_threads(const struct resolution *r, const struct json_ref *at,
                                struct launch *launch)
{
    struct json_ref threads = json_ref_member(at, "threads");
    int64_t count = LAUNCH_ALL_THREADS;
    enum status st = STATUS_OK;

    if (strcmp(json_string(threads.value, ""), "all") != 0)
        st = resolution_expr(r, &threads, 1, &count);
    launch->rank = 1;
    launch->global[0] = (size_t)count;
    return st;
}

static enum status read_space(const struct resolution *r, const struct json_ref *at,
                              struct launch *launch)
{
    bool has_global = json_get(at->value, "global") || json_get(at->value, "local");
    bool has_grid = json_get(at->value, "grid") || json_get(at->value, "block");
    size_t left = (size_t)PLAN_MAX_WORK_ITEMS;
    enum status st;

    if (has_global && has_grid)
        return json_ref_error(at, r->err,
                              "give \"global\" and \"local\", or \"grid\" and "
                              "\"block\", not both");
    if (json_get(at->value, "threads") && (has_global || has_grid))
        return json_ref_error(at, r->err, "give \"threads\", or \"global\" or \"grid\", not both");
    if (json_get(at->value, "threads"))
        return read_threads(r, at, launch);
    if (has_programs(at))
        st = read_programs(r, at, launch);
    else
        st = has_grid ? read_grid_block(r, at, launch) : read_global_local(r, at, launch);
    for (unsigned i = 0; !st && i < launch->rank; i++) {
        left /= launch->global[i] > 0 ? launch->global[i] : 1;
        if (left == 0)
            st = json_ref_error(at, r->err, "more than 2^40 work-items");
    }
    return st;
}

/* Read the size of the dynamic shared memory, which only CUDA has. */
static enum status read_shared(const struct resolution *r, const struct json_ref *at,
                               struct launch *launch)
{
    struct json_ref shared = json_ref_member(at, "shared");

    return shared.value ? resolution_expr(r, &shared, 0, &launch->shared) : STATUS_OK;
}

/* Read the cluster. It consists of whole groups and has as many axes as the launch. */
static enum status read_cluster(const struct resolution *r, const struct json_ref *at,
                                struct launch *launch)
{
    struct json_ref cluster = json_ref_member(at, "cluster");
    enum status st = STATUS_OK;

    if (cluster.value && !launch->local[0])
        return json_ref_error(&cluster, r->err, "needs \"block\" or \"local\" beside it");
    if (cluster.value)
        st = read_sizes(r, &cluster, launch->cluster, &launch->rank);
    for (unsigned i = 0; !st && cluster.value && i < launch->rank; i++) {
        struct json_ref size = json_ref_element(&cluster, i);
        size_t groups = launch->local[i] > 0 ? launch->global[i] / launch->local[i] : 0;

        if (groups % launch->cluster[i] != 0)
            st = json_ref_error(&size, r->err, "%zu does not divide the %zu groups of this axis",
                                launch->cluster[i], groups);
    }
    return st;
}

static enum status bind_buffer(const struct resolution *r, const struct json_ref *at, size_t buffer,
                               struct launch_arg *arg)
{
    const char *name = r->dispatch->buffers.items[buffer].name;

    if (r->in_prepare && buffer < r->dispatch->tensor_count) {
        const struct value *value = &r->graph->values.items[graph_find(r->graph, name)];

        if (value->role != TENSOR_PARAM)
            return json_ref_error(
                at, r->err,
                "\"%s\" is not a param: prepare runs once for each set of params, "
                "before there are inputs and outputs",
                name);
    }
    *arg = (struct launch_arg){
        .kind = ARG_BUFFER, .dtype = r->dispatch->buffers.items[buffer].dtype, .buffer = buffer};
    return STATUS_OK;
}

static enum status no_such_arg(const struct resolution *r, const struct json_ref *at,
                               const char *name)
{
    struct strbuf known = {0};

    for (size_t i = 0; i < r->dispatch->buffers.count; i++)
        strbuf_add_item(&known, r->dispatch->buffers.items[i].name);
    scope_list(r->scope, &known);
    if (strpbrk(name, "+-*/%( "))
        strbuf_adds(&known, "; an expression needs a type, such as {\"i32\": \"M*N\"}");
    json_ref_error(at, r->err,
                   "no tensor, scratch, dimension or tunable \"%.80s\": expected one of %s", name,
                   strbuf_cstr(&known));
    strbuf_release(&known);
    return STATUS_INVALID;
}

static enum status read_named_arg(const struct resolution *r, const struct json_ref *at,
                                  struct launch_arg *arg)
{
    const char *name = json_string(at->value, "");
    size_t buffer = dispatch_find(r->dispatch, name);
    const struct binding *binding = scope_find(r->scope, name);

    if (buffer < r->dispatch->buffers.count)
        return bind_buffer(r, at, buffer, arg);
    if (!binding)
        return no_such_arg(r, at, name);
    if (binding->value < INT32_MIN || binding->value > INT32_MAX)
        return json_ref_error(at, r->err, "%lld does not fit into 32 bits",
                              (long long)binding->value);
    *arg = (struct launch_arg){.kind = ARG_INTEGER, .dtype = DTYPE_I32, .integer = binding->value};
    return STATUS_OK;
}

/* Read an expression of an integer type. Beyond 2^53 a double cannot represent every integer. */
static enum status read_integer_arg(const struct resolution *r, const struct json_ref *at,
                                    struct launch_arg *arg)
{
    const int64_t limit = arg->dtype == DTYPE_I32 ? INT32_MAX : INT64_C(1) << 53;
    int64_t integer = 0;
    enum status st = expr_read(at, r->scope, &integer, r->err);

    if (!st && (integer > limit || integer < -limit))
        st =
            json_ref_error(at, r->err, "%lld is beyond %lld", (long long)integer, (long long)limit);
    arg->number = (double)integer;
    return st;
}

/* {"f32": 0.5}, {"i32": "M*N"} */
static enum status read_number_arg(const struct resolution *r, const struct json_ref *at,
                                   struct launch_arg *arg)
{
    size_t dtype = 0;

    while (dtype_names[dtype] && strcmp(dtype_names[dtype], at->name) != 0)
        dtype++;
    if (!dtype_names[dtype] || dtype == DTYPE_BOOL)
        return json_ref_error(at, r->err, "\"%.80s\" is neither a number type nor \"local\"",
                              at->name);
    *arg = (struct launch_arg){.kind = ARG_NUMBER, .dtype = (enum dtype)dtype};
    return dtype_is_float(arg->dtype) ? json_read_number(at, &arg->number, r->err)
                                      : read_integer_arg(r, at, arg);
}

static enum status read_local_arg(const struct resolution *r, const struct json_ref *at,
                                  struct launch_arg *arg)
{
    int64_t bytes = 0;
    enum status st = resolution_expr(r, at, 1, &bytes);

    if (!st)
        *arg = (struct launch_arg){.kind = ARG_LOCAL, .integer = bytes};
    return st;
}

/* Read a list of expressions. It must have `*rank` of them unless that is 0. */
static enum status read_axes(const struct resolution *r, const struct json_ref *at, size_t *rank,
                             int64_t axes[TENSOR_MAP_MAX_RANK])
{
    enum status st = json_expect(at, JSON_ARRAY, r->err);
    size_t count = json_count(at->value);

    if (!st && (count < 1 || count > TENSOR_MAP_MAX_RANK))
        st = json_ref_error(at, r->err, "%zu sizes, expected 1 to %d", count, TENSOR_MAP_MAX_RANK);
    if (!st && *rank && count != *rank)
        st = json_ref_error(at, r->err, "%zu sizes, expected %zu as the shape has", count, *rank);
    if (st)
        return st;
    *rank = count;
    for (struct json_ref a = json_ref_first(at); !st && a.value; a = json_ref_next(&a))
        st = resolution_expr(r, &a, 1, &axes[a.index]);
    return st;
}

/* The map's shape must not have more elements than its buffer. */
static enum status check_map(const struct resolution *r, const struct json_ref *shape,
                             const struct tensor_map *map)
{
    int64_t elements = r->dispatch->buffers.items[map->buffer].elements;

    for (size_t axis = 0; axis < map->rank; axis++)
        elements /= map->shape[axis];
    return elements > 0 ? STATUS_OK
                        : json_ref_error(shape, r->err, "has more elements than \"%s\"",
                                         r->dispatch->buffers.items[map->buffer].name);
}

static enum status read_map_buffer(const struct resolution *r, const struct json_ref *at,
                                   struct tensor_map *map)
{
    struct launch_arg arg = {0};
    enum status st = json_expect(at, JSON_STRING, r->err);

    if (!st)
        st = read_named_arg(r, at, &arg);
    if (!st && arg.kind != ARG_BUFFER)
        st = json_ref_error(at, r->err, "is not a tensor or scratch");
    map->buffer = arg.buffer;
    return st;
}

/* {"of": "x", "shape": ["M", "K"], "box": [64, 64], "swizzle": 128} */
static enum status read_map(const struct resolution *r, const struct json_ref *at,
                            struct tensor_map *map)
{
    static const char *const keys[] = {"of", "shape", "box", "swizzle", NULL};
    struct json_ref of = json_ref_member(at, "of"), shape = json_ref_member(at, "shape");
    struct json_ref box = json_ref_member(at, "box"), swizzle = json_ref_member(at, "swizzle");
    enum status st = json_expect_keys(at, keys, r->err);

    if (!st)
        st = read_map_buffer(r, &of, map);
    if (!st)
        st = read_axes(r, &shape, &map->rank, map->shape);
    if (!st)
        st = check_map(r, &shape, map);
    if (!st)
        st = read_axes(r, &box, &map->rank, map->box);
    if (!st && swizzle.value)
        st = resolution_expr(r, &swizzle, 0, &map->swizzle);
    map->dtype = st ? DTYPE_F32 : r->dispatch->buffers.items[map->buffer].dtype;
    return st;
}

static enum status add_map(const struct resolution *r, const struct json_ref *at,
                           struct launch *launch, struct launch_arg *arg)
{
    if (launch->tensor_map_count == LAUNCH_MAX_TENSOR_MAPS)
        return json_ref_error(at, r->err, "more than %d tensor maps", LAUNCH_MAX_TENSOR_MAPS);
    *arg =
        (struct launch_arg){.kind = ARG_TENSOR_MAP, .integer = (int64_t)launch->tensor_map_count};
    return read_map(r, at, &launch->tensor_maps[launch->tensor_map_count++]);
}

static enum status read_arg(const struct resolution *r, const struct json_ref *at,
                            struct launch *launch, struct launch_arg *arg)
{
    struct json_ref member = json_ref_first(at);

    if (json_type(at->value) == JSON_STRING)
        return read_named_arg(r, at, arg);
    if (json_type(at->value) != JSON_OBJECT || json_count(at->value) != 1)
        return json_ref_error(at, r->err,
                              "expected a name, {\"local\": bytes} or a number with its type, "
                              "such as {\"f32\": 0.5}");
    if (strcmp(member.name, "local") == 0)
        return read_local_arg(r, &member, arg);
    if (strcmp(member.name, "tensor_map") == 0)
        return add_map(r, &member, launch, arg);
    return read_number_arg(r, &member, arg);
}

static enum status read_args(const struct resolution *r, const struct json_ref *at,
                             struct launch *launch)
{
    enum status st = json_expect(at, JSON_ARRAY, r->err);

    if (!st && json_count(at->value) > LAUNCH_MAX_ARGS)
        st = json_ref_error(at, r->err, "more than %d arguments", LAUNCH_MAX_ARGS);
    if (st)
        return st;
    for (struct json_ref a = json_ref_first(at); !st && a.value; a = json_ref_next(&a))
        st = read_arg(r, &a, launch, &launch->args[launch->arg_count++]);
    return st;
}

static enum status add_launch(const struct resolution *r, const struct json_ref *at,
                              struct launch_list *list)
{
    struct json_ref kernel = json_ref_member(at, "kernel"), args = json_ref_member(at, "args");
    struct launch launch = {0};
    const char *name = NULL;
    enum status st = json_read_string(&kernel, &name, r->err);

    if (!st)
        st = name_check(&kernel, name, r->err);
    if (!st)
        st = read_space(r, at, &launch);
    if (!st)
        st = read_shared(r, at, &launch);
    if (!st)
        st = read_cluster(r, at, &launch);
    if (!st)
        st = read_args(r, &args, &launch);
    if (st) {
        free(launch.constants);
        return st;
    }
    launch.kernel = mem_strdup(name);
    vec_push(list, launch);
    return STATUS_OK;
}

enum status resolution_launches(const struct resolution *r, const struct json_ref *at,
                                struct launch_list *list)
{
    enum status st = STATUS_OK;

    for (struct json_ref l = json_ref_first(at); !st && l.value; l = json_ref_next(&l))
        st = add_launch(r, &l, list);
    return st;
}
