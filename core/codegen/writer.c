#include "core/codegen/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/codegen/decisive_values.h"

/*
 * True if a dimension is an argument of the kernels. Others are macros, which are constants for the
 * compiler.
 */
static bool is_argument(const struct writer *w, const struct dim *dim)
{
    return dim->is_dynamic || !w->is_specialized;
}

enum status writer_open(struct writer *writer, const struct problem *problem, const char *language,
                        struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct writer opened = {
        .problem = problem, .language = language, .dialect = dialect_of(language)};
    enum status st = graph_build(&opened.graph, problem, &scope, err);

    free(bindings);
    if (!st && !opened.dialect)
        st = error_set(err, STATUS_UNAVAILABLE, "kforge writes no kernels in %s", language);
    if (!st && opened.graph.nodes.count == 0)
        st = error_set(err, STATUS_UNAVAILABLE, "%s: the problem has no graph", problem->name);
    if (!st)
        st = extents_find(problem, &opened.graph, &opened.extents, err);
    if (st) {
        graph_release(&opened.graph);
        return st;
    }
    opened.decides = decisive_values_of(&opened.graph);
    opened.scratch = json_object_new();
    opened.prepare = json_array_new();
    opened.launches = json_array_new();
    *writer = opened;
    return STATUS_OK;
}

void writer_release(struct writer *writer)
{
    graph_release(&writer->graph);
    extents_release(&writer->extents);
    free(writer->decides);
    strbuf_release(&writer->source);
    strbuf_release(&writer->calls);
    json_free(writer->scratch);
    json_free(writer->prepare);
    json_free(writer->launches);
    for (size_t i = 0; i < writer->narrow.count; i++)
        free(writer->narrow.items[i]);
    vec_release(&writer->narrow);
    vec_release(&writer->views);
    *writer = (struct writer){0};
}

static struct json *list_macros(const struct writer *w)
{
    struct json *build = json_array_new();

    for (size_t i = 0; i < w->problem->dims.count; i++) {
        const struct dim *dim = &w->problem->dims.items[i];
        struct strbuf option = {0};

        if (is_argument(w, dim))
            continue;
        strbuf_addf(&option, "-D%s={%s}", dim->name, dim->name);
        json_push(build, json_string_new(strbuf_cstr(&option)));
        strbuf_release(&option);
    }
    if (w->option)
        json_push(build, json_string_new(w->option));
    return build;
}

/* Move a part to the plan, unless it is empty. */
static void put_part(struct json *plan, const char *key, struct json **part)
{
    if (json_count(*part) > 0)
        json_put(plan, key, *part);
    else
        json_free(*part);
    *part = NULL;
}

/* Compilers of C have no `#pragma unroll` in common; the prelude has UNROLL(). */
static void rewrite_pragmas(struct strbuf *source)
{
    static const char pragma[] = "#pragma unroll";
    struct strbuf out = {0};
    const char *text = strbuf_cstr(source), *found;

    while ((found = strstr(text, pragma))) {
        const char *count = found + strlen(pragma), *end = count + strcspn(count, "\n");

        strbuf_add(&out, text, (size_t)(found - text));
        strbuf_addf(&out, "UNROLL(%.*s)", (int)(end > count ? end - count - 1 : 2),
                    end > count ? count + 1 : "64");
        text = end;
    }
    strbuf_adds(&out, text);
    strbuf_release(source);
    *source = out;
}

void writer_take(struct writer *writer, struct candidate *candidate)
{
    struct json *plan = json_object_new();
    struct json *build = list_macros(writer);
    struct strbuf text = {0};

    strbuf_adds(&writer->source, strbuf_cstr(&writer->calls));
    if (writer->dialect->has_calls)
        rewrite_pragmas(&writer->source);
    put_part(plan, "scratch", &writer->scratch);
    put_part(plan, "build", &build);
    put_part(plan, "prepare", &writer->prepare);
    put_part(plan, "launches", &writer->launches);
    json_print_pretty(plan, &text);
    json_free(plan);
    *candidate = (struct candidate){
        .language = mem_strdup(writer->language),
        .source = strbuf_take(&writer->source),
        .plan = strbuf_take(&text),
    };
}

void writer_prelude(struct writer *writer, const char *kernels)
{
    bool has_additions = strstr(kernels, "add_to(") || strstr(kernels, "raise_to(");
    unsigned written = 0;

    strbuf_adds(&writer->source, writer->dialect->prelude);
    if (strstr(kernels, "larger(") || strstr(kernels, "smaller(") || strstr(kernels, "log_add(") ||
        has_additions)
        strbuf_adds(&writer->source, writer->dialect->order);
    if (has_additions)
        strbuf_adds(&writer->source, writer->dialect->additions);
    for (size_t i = 0; i < writer->graph.values.count; i++) {
        enum dtype dtype = writer->graph.values.items[i].dtype;

        if (!(written >> dtype & 1))
            strbuf_adds(&writer->source, formula_type_prelude(dtype));
        written |= 1U << dtype;
    }
}

void kernel_add_arg(struct kernel *kernel, const struct kernel_arg *arg)
{
    for (size_t i = 0; i < kernel->args.count; i++)
        if (strcmp(kernel->args.items[i].name, arg->name) == 0) {
            kernel->args.items[i].is_written |= arg->is_written;
            return;
        }
    vec_push(&kernel->args, *arg);
}

void kernel_add_value(struct kernel *kernel, const struct value *value, bool is_written)
{
    if (value->role != TENSOR_CONSTANT)
        kernel_add_arg(kernel, &(struct kernel_arg){value->name, value->dtype, is_written, NULL});
}

void kernel_release(struct kernel *kernel)
{
    vec_release(&kernel->args);
    *kernel = (struct kernel){0};
}

/* Append the parameters of a kernel: its arguments, and the dimensions that are arguments. */
static void add_parameters(const struct writer *writer, const struct kernel *kernel,
                           struct strbuf *head)
{
    const char *between = "";

    for (size_t i = 0; i < kernel->args.count; i++) {
        const struct kernel_arg *arg = &kernel->args.items[i];

        if (arg->box)
            strbuf_addf(head, "%sconst __grid_constant__ tensor_map %s", between, arg->name);
        else
            strbuf_addf(head, "%s$argument %s%s *restrict p_%s", between,
                        arg->is_written ? "" : "const ", formula_type(arg->dtype)->storage,
                        arg->name);
        between = ", ";
    }
    for (size_t i = 0; i < writer->problem->dims.count; i++)
        if (is_argument(writer, &writer->problem->dims.items[i]))
            strbuf_addf(head, ", const int %s", writer->problem->dims.items[i].name);
}

void writer_head(struct writer *writer, const struct kernel *kernel)
{
    bool has_calls = writer->dialect->has_calls;
    struct strbuf head = {0};

    strbuf_adds(&head, "$kernel ");
    if (kernel->work_items && writer->dialect->bounds)
        strbuf_addf(&head, kernel->residents ? "%s(%d, %d) " : "%s(%d) ", writer->dialect->bounds,
                    kernel->work_items, kernel->residents);
    strbuf_addf(&head, "%s%s(", kernel->name, has_calls ? "_item" : "");
    add_parameters(writer, kernel, &head);
    strbuf_addf(&head, "%s)\n{\n", has_calls ? ", const struct place item_at" : "");
    dialect_translate(writer->dialect, strbuf_cstr(&head), &writer->source);
    strbuf_release(&head);
}

static void put_sizes(struct json *launch, const char *key, const char *const *sizes, size_t rank)
{
    struct json *array = json_put(launch, key, json_array_new());

    for (size_t i = 0; i < rank; i++)
        json_push(array, json_string_new(sizes[i]));
}

static void put_numbers(struct json *object, const char *key, const int *numbers, size_t count)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < count; i++)
        json_push(array, json_number_new(numbers[i]));
}

/* The buffer that holds a value. */
static const char *buffer_of(const struct writer *writer, const char *name)
{
    for (size_t i = 0; i < writer->views.count; i++)
        if (strcmp(writer->views.items[i].name, name) == 0)
            return writer->views.items[i].of;
    return name;
}

/* The swizzle spans one line of the box. */
static struct json *box_new(const struct writer *writer, const struct box *box, enum dtype dtype)
{
    struct json *arg = json_object_new(), *map = json_put(arg, "tensor_map", json_object_new());

    json_put_string(map, "of", buffer_of(writer, box->of));
    put_sizes(map, "shape", box->shape, 2);
    put_numbers(map, "box", box->box, 2);
    json_put_number(map, "swizzle", (double)box->box[1] * (double)dtype_bytes(dtype));
    return arg;
}

/* Append the names of a kernel's parameters. */
static void add_names(const struct writer *writer, const struct kernel *kernel, struct strbuf *out)
{
    for (size_t i = 0; i < kernel->args.count; i++)
        strbuf_addf(out, "%sp_%s", i ? ", " : "", kernel->args.items[i].name);
    for (size_t i = 0; i < writer->problem->dims.count; i++)
        if (is_argument(writer, &writer->problem->dims.items[i]))
            strbuf_addf(out, ", %s", writer->problem->dims.items[i].name);
}

/* Write the function that calls the kernel for all work-items, once. */
static void write_calls(struct writer *writer, const struct kernel *kernel,
                        const struct space *space)
{
    struct strbuf head = {0};
    const char *const *local = space->local;

    strbuf_addf(&head, "void %s(", kernel->name);
    if (strstr(strbuf_cstr(&writer->calls), strbuf_cstr(&head))) {
        strbuf_release(&head);
        return;
    }
    add_parameters(writer, kernel, &head);
    for (size_t axis = 0; axis < space->rank; axis++)
        strbuf_addf(&head, ", const long items%zu", axis);
    strbuf_adds(&head, ")\n{\n    ");
    if (space->rank == 1 && !local[0])
        strbuf_adds(&head, "FOR_ITEMS(items0");
    else if (!local[0])
        strbuf_addf(&head, "FOR_LINES(items0, items1, %s", space->rank > 2 ? "items2" : "1");
    else
        strbuf_addf(&head, "FOR_GROUPS(items0, %s, %s, %s, %s, %s",
                    space->rank > 1 ? "items1" : "1", space->rank > 2 ? "items2" : "1",
                    local[0] ? local[0] : "1", space->rank > 1 && local[0] ? local[1] : "1",
                    space->rank > 2 && local[0] ? local[2] : "1");
    strbuf_addf(&head, ", %s_item(", kernel->name);
    add_names(writer, kernel, &head);
    strbuf_adds(&head, ", item_at))\n}\n\n");
    dialect_translate(writer->dialect, strbuf_cstr(&head), &writer->calls);
    strbuf_release(&head);
}

static void put_space(struct json *launch, const struct space *space)
{
    put_sizes(launch, "global", space->global, space->rank);
    if (space->local[0])
        put_sizes(launch, "local", space->local, space->rank);
    if (space->cluster[0])
        put_numbers(launch, "cluster", space->cluster, space->rank);
    if (space->shared_bytes)
        json_put_number(launch, "shared", space->shared_bytes);
}

void writer_launch(struct writer *writer, struct json *list, const struct kernel *kernel,
                   const struct space *space)
{
    struct json *launch = json_push(list, json_object_new());
    bool has_calls = writer->dialect->has_calls;
    struct json *args;

    json_put_string(launch, "kernel", kernel->name);
    if (kernel->is_narrow)
        vec_push(&writer->narrow, mem_strdup(kernel->name));
    if (has_calls)
        json_put_string(launch, "threads", writer->threads ? writer->threads : "all");
    else
        put_space(launch, space);
    args = json_put(launch, "args", json_array_new());
    for (size_t i = 0; i < kernel->args.count; i++) {
        const struct kernel_arg *arg = &kernel->args.items[i];

        json_push(args, arg->box ? box_new(writer, arg->box, arg->dtype)
                                 : json_string_new(buffer_of(writer, arg->name)));
    }
    for (size_t i = 0; i < writer->problem->dims.count; i++)
        if (is_argument(writer, &writer->problem->dims.items[i]))
            json_push(args, json_string_new(writer->problem->dims.items[i].name));
    for (size_t axis = 0; has_calls && axis < space->rank; axis++)
        json_put_string(json_push(args, json_object_new()), "i64", space->global[axis]);
    if (has_calls)
        write_calls(writer, kernel, space);
}

void writer_scratch(struct writer *writer, const char *name, enum dtype dtype,
                    const char *const *shape, size_t rank)
{
    struct json *scratch = json_put(writer->scratch, name, json_object_new());

    json_put_string(scratch, "dtype", dtype_name(dtype));
    put_sizes(scratch, "shape", shape, rank);
}

void writer_view(struct writer *writer, size_t value, size_t of)
{
    const struct value *values = writer->graph.values.items;

    vec_push(&writer->views, ((struct view){values[value].name, values[of].name}));
}

void writer_scratch_value(struct writer *writer, size_t value, enum dtype dtype)
{
    const struct value *v = &writer->graph.values.items[value];
    const char *shape[SHAPE_MAX_RANK];

    for (size_t axis = 0; axis < v->shape.rank; axis++)
        shape[axis] = writer->extents.of[value][axis];
    writer_scratch(writer, v->name, dtype, shape, v->shape.rank);
}

void writer_number(const struct writer *writer, const struct graph_node *node,
                   const char *attribute, size_t index, struct strbuf *out)
{
    size_t number = (size_t)(node - writer->graph.nodes.items);
    struct op_call call = graph_call(&writer->graph, number);
    const struct json *given = json_get(writer->problem->nodes.items[number].attributes, attribute);

    if (json_type(given) == JSON_ARRAY)
        given = json_at(given, index);
    if (json_type(given) == JSON_STRING)
        strbuf_addf(out, "(%s)", json_string(given, ""));
    else
        strbuf_addf(out, "%lld", (long long)op_attribute(&call, attribute)->integers[index]);
}

bool writer_is_fixed(const struct writer *writer, const char *expression)
{
    for (size_t i = 0; i < writer->problem->dims.count; i++) {
        const struct dim *dim = &writer->problem->dims.items[i];

        if (dim->is_dynamic && strstr(expression, dim->name))
            return false;
    }
    return true;
}

bool writer_same_size(const struct writer *writer, size_t a, size_t i, size_t b, size_t j)
{
    const struct value *values = writer->graph.values.items;

    if (strcmp(writer->extents.of[a][i], writer->extents.of[b][j]) == 0)
        return true;
    return writer->extents.is_fixed[a][i] && writer->extents.is_fixed[b][j] &&
           values[a].shape.dims[i] == values[b].shape.dims[j];
}

bool writer_same_shape(const struct writer *writer, size_t a, size_t b)
{
    const struct value *values = writer->graph.values.items;

    if (values[a].shape.rank != values[b].shape.rank)
        return false;
    for (size_t axis = 0; axis < values[a].shape.rank; axis++)
        if (!writer_same_size(writer, a, axis, b, axis))
            return false;
    return true;
}

unsigned value_axes(const struct value *value)
{
    return (1U << value->shape.rank) - 1;
}

size_t call_axis(const struct op_call *call, const char *attribute, size_t index)
{
    int64_t axis = op_attribute(call, attribute)->integers[index];

    return (size_t)(axis < 0 ? axis + (int64_t)call->in[0]->shape.rank : axis);
}
