#include "core/model/plan.h"

#include <ctype.h>
#include <string.h>

#include "core/base/vec.h"

/* What resolving works with.  `err` is in here because every step may fail. */
struct resolution {
    const struct graph *graph;
    const struct scope *scope;
    struct dispatch *dispatch;
    bool in_prepare;
    struct error *err;
};

static enum status read_expr(const struct resolution *r, const struct json_ref *at, int64_t lowest,
                             int64_t *value)
{
    int64_t result = 0;
    enum status st = expr_read(at, r->scope, &result, r->err);

    if (st)
        return st;
    if (result < lowest || result > INT32_MAX)
        return json_ref_error(at, r->err, "is %lld, expected %lld to %d", (long long)result,
                              (long long)lowest, INT32_MAX);
    *value = result;
    return STATUS_OK;
}

static void add_tensors(struct resolution *r)
{
    for (size_t i = 0; i < r->graph->values.count; i++) {
        const struct value *value = &r->graph->values.items[i];
        struct buffer_spec buffer = {.dtype = value->dtype};

        if (value->role != TENSOR_INPUT && value->role != TENSOR_PARAM &&
            value->role != TENSOR_OUTPUT)
            continue;
        buffer.name = mem_strdup(value->name);
        buffer.elements = shape_elements(&value->shape);
        vec_push(&r->dispatch->buffers, buffer);
    }
    r->dispatch->tensor_count = r->dispatch->buffers.count;
}

/* A name of the plan's own must not mean two things. */
static enum status check_new_name(const struct resolution *r, const struct json_ref *at,
                                  const struct scope *scope)
{
    if (dispatch_find(r->dispatch, at->name) < r->dispatch->buffers.count)
        return json_ref_error(at, r->err, "there is a tensor or scratch of this name already");
    if (scope_find(scope, at->name))
        return json_ref_error(at, r->err, "there is a dimension or tunable of this name already");
    return STATUS_OK;
}

static enum status check_tunables(const struct resolution *r, const struct json_ref *root)
{
    struct json_ref tune = json_ref_member(root, "tune");
    enum status st = STATUS_OK;

    for (struct json_ref t = json_ref_first(&tune); !st && t.value; t = json_ref_next(&t))
        st = check_new_name(r, &t, r->scope->outer);
    return st;
}

static enum status read_elements(const struct resolution *r, const struct json_ref *at,
                                 int64_t *elements)
{
    struct shape shape = {0};
    enum status st = json_expect(at, JSON_ARRAY, r->err);

    if (!st && json_count(at->value) > SHAPE_MAX_RANK)
        st = json_ref_error(at, r->err, "more than %d dimensions", SHAPE_MAX_RANK);
    if (st)
        return st;
    for (struct json_ref d = json_ref_first(at); !st && d.value; d = json_ref_next(&d))
        st = read_expr(r, &d, 1, &shape.dims[shape.rank++]);
    if (!st && !shape_is_valid(&shape))
        st = json_ref_error(at, r->err, "more than %d elements", SHAPE_MAX_ELEMENTS);
    if (!st)
        *elements = shape_elements(&shape);
    return st;
}

static enum status add_scratch(struct resolution *r, const struct json_ref *at)
{
    struct json_ref dtype = json_ref_member(at, "dtype"), shape = json_ref_member(at, "shape");
    struct buffer_spec buffer = {0};
    enum status st = name_check(at, at->name, r->err);

    if (!st)
        st = check_new_name(r, at, r->scope);
    if (!st)
        st = dtype_read(&dtype, &buffer.dtype, r->err);
    if (!st)
        st = read_elements(r, &shape, &buffer.elements);
    if (st)
        return st;
    buffer.name = mem_strdup(at->name);
    vec_push(&r->dispatch->buffers, buffer);
    return STATUS_OK;
}

static enum status add_buffers(struct resolution *r, const struct json_ref *root)
{
    struct json_ref scratch = json_ref_member(root, "scratch");
    enum status st;

    add_tensors(r);
    st = check_tunables(r, root);
    for (struct json_ref s = json_ref_first(&scratch); !st && s.value; s = json_ref_next(&s))
        st = add_scratch(r, &s);
    return st;
}

/* Append the option with every {NAME} replaced by its value. */
static enum status expand(const struct resolution *r, const struct json_ref *at, struct strbuf *out)
{
    const char *text = NULL, *open;
    enum status st = json_read_string(at, &text, r->err);

    if (st)
        return st;
    for (; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
        char name[NAME_MAX_LENGTH + 1] = "";
        size_t len = strcspn(open + 1, "}");
        const struct binding *binding;

        if (len < sizeof(name))
            memcpy(name, open + 1, len);
        binding = scope_find(r->scope, name);
        if (!binding || !open[1 + len])
            return json_ref_error(at, r->err, "no dimension or tunable \"%s\"", name);
        strbuf_add(out, text, (size_t)(open - text));
        strbuf_addf(out, "%lld", (long long)binding->value);
    }
    strbuf_adds(out, text);
    return STATUS_OK;
}

/* Nothing that reads files, and nothing that could be two options. */
static bool option_is_allowed(const char *option)
{
    const char *rest = option + 2;

    if (strncmp(option, "-cl-", 4) != 0 &&
        (strncmp(option, "-D", 2) != 0 || !(isalpha((unsigned char)*rest) || *rest == '_')))
        return false;
    while (isalnum((unsigned char)*rest) || (*rest && strchr("_-+=.,*/()", *rest)))
        rest++;
    return *rest == '\0';
}

static enum status add_option(const struct resolution *r, const struct json_ref *at,
                              struct strbuf *options)
{
    struct strbuf option = {0};
    enum status st = expand(r, at, &option);

    if (!st && !option_is_allowed(strbuf_cstr(&option)))
        st = json_ref_error(at, r->err,
                            "\"%.80s\" is not allowed: an option is -DNAME, -DNAME=VALUE or "
                            "-cl-..., without blanks and quotes",
                            strbuf_cstr(&option));
    if (!st)
        strbuf_addf(options, "%s%s", options->len ? " " : "", strbuf_cstr(&option));
    strbuf_release(&option);
    return st;
}

static enum status add_options(struct resolution *r, const struct json_ref *root)
{
    struct json_ref build = json_ref_member(root, "build");
    struct strbuf options = {0};
    enum status st = STATUS_OK;

    for (struct json_ref o = json_ref_first(&build); !st && o.value; o = json_ref_next(&o))
        st = add_option(r, &o, &options);
    r->dispatch->options = mem_strdup(strbuf_cstr(&options));
    strbuf_release(&options);
    return st;
}

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

        st = read_expr(r, &s, 1, &size);
        sizes[s.index] = (size_t)size;
    }
    return st;
}

/* In OpenCL's words: work-items in all, and in a group. */
static enum status read_global_local(const struct resolution *r, const struct json_ref *at,
                                     struct launch *launch)
{
    struct json_ref global = json_ref_member(at, "global"), local = json_ref_member(at, "local");
    enum status st = read_sizes(r, &global, launch->global, &launch->rank);

    if (!st && local.value)
        st = read_sizes(r, &local, launch->local, &launch->rank);
    for (unsigned i = 0; !st && local.value && i < launch->rank; i++) {
        struct json_ref size = json_ref_element(&local, i);

        if (launch->global[i] % launch->local[i] != 0)
            st = json_ref_error(&size, r->err,
                                "%zu does not divide the global size %zu: round that up, "
                                "align(..., %zu)",
                                launch->local[i], launch->global[i], launch->local[i]);
    }
    return st;
}

/* In CUDA's words: blocks, and threads in a block. */
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

static enum status read_space(const struct resolution *r, const struct json_ref *at,
                              struct launch *launch)
{
    bool has_global = json_get(at->value, "global") || json_get(at->value, "local");
    bool has_grid = json_get(at->value, "grid") || json_get(at->value, "block");
    size_t left = PLAN_MAX_WORK_ITEMS;
    enum status st;

    if (has_global && has_grid)
        return json_ref_error(at, r->err,
                              "give \"global\" and \"local\", or \"grid\" and "
                              "\"block\", not both");
    st = has_grid ? read_grid_block(r, at, launch) : read_global_local(r, at, launch);
    for (unsigned i = 0; !st && i < launch->rank; i++) {
        left /= launch->global[i];
        if (left == 0)
            st = json_ref_error(at, r->err, "more than 2^40 work-items");
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
            return json_ref_error(at, r->err,
                                  "\"%s\" is no param: prepare runs once for each set of params, "
                                  "before there are inputs and outputs",
                                  name);
    }
    *arg = (struct launch_arg){.kind = ARG_BUFFER, .buffer = buffer};
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
    json_ref_error(at, r->err, "no tensor, scratch, dimension or tunable \"%.80s\": there is %s",
                   name, strbuf_cstr(&known));
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

/* An expression for an integer type; beyond 2^53 a double skips integers. */
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
        return json_ref_error(at, r->err, "\"%.80s\" is no type of numbers, and not \"local\"",
                              at->name);
    *arg = (struct launch_arg){.kind = ARG_NUMBER, .dtype = (enum dtype)dtype};
    return dtype_is_float(arg->dtype) ? json_read_number(at, &arg->number, r->err)
                                      : read_integer_arg(r, at, arg);
}

static enum status read_local_arg(const struct resolution *r, const struct json_ref *at,
                                  struct launch_arg *arg)
{
    int64_t bytes = 0;
    enum status st = read_expr(r, at, 1, &bytes);

    if (!st)
        *arg = (struct launch_arg){.kind = ARG_LOCAL, .integer = bytes};
    return st;
}

static enum status read_arg(const struct resolution *r, const struct json_ref *at,
                            struct launch_arg *arg)
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
        st = read_arg(r, &a, &launch->args[launch->arg_count++]);
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
        st = read_args(r, &args, &launch);
    if (st)
        return st;
    launch.kernel = mem_strdup(name);
    vec_push(list, launch);
    return STATUS_OK;
}

static enum status add_launches(const struct resolution *r, const struct json_ref *at,
                                struct launch_list *list)
{
    enum status st = STATUS_OK;

    for (struct json_ref l = json_ref_first(at); !st && l.value; l = json_ref_next(&l))
        st = add_launch(r, &l, list);
    return st;
}

static bool takes_buffer(const struct launch_list *list, size_t buffer)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < list->items[i].arg_count; j++)
            if (list->items[i].args[j].kind == ARG_BUFFER &&
                list->items[i].args[j].buffer == buffer)
                return true;
    return false;
}

/* An output that no kernel can reach stays unwritten. */
static enum status check_outputs(const struct resolution *r, const struct json_ref *launches)
{
    for (size_t i = 0; i < r->graph->values.count; i++) {
        const struct value *value = &r->graph->values.items[i];

        if (value->role == TENSOR_OUTPUT &&
            !takes_buffer(&r->dispatch->launches, dispatch_find(r->dispatch, value->name)))
            return json_ref_error(launches, r->err, "none takes the output \"%s\"", value->name);
    }
    return STATUS_OK;
}

static enum status resolve_launches(struct resolution *r, const struct json_ref *root)
{
    struct json_ref prepare = json_ref_member(root, "prepare");
    struct json_ref launches = json_ref_member(root, "launches");
    enum status st;

    r->in_prepare = true;
    st = add_launches(r, &prepare, &r->dispatch->prepare);
    r->in_prepare = false;
    if (!st)
        st = add_launches(r, &launches, &r->dispatch->launches);
    return st ? st : check_outputs(r, &launches);
}

enum status plan_resolve(const struct plan *plan, const struct graph *graph,
                         const struct scope *scope, struct dispatch *dispatch, struct error *err)
{
    struct dispatch made = {0};
    struct json_ref root = json_ref_root(plan->document, "plan");
    struct resolution r = {.graph = graph, .scope = scope, .dispatch = &made, .err = err};
    enum status st = add_buffers(&r, &root);

    if (!st)
        st = add_options(&r, &root);
    if (!st)
        st = resolve_launches(&r, &root);
    if (st)
        dispatch_release(&made);
    else
        *dispatch = made;
    return st;
}
