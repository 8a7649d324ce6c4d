#include "core/codegen/wide_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"

enum { GROUP = 256 }; /* work-items */

/* The kernels to be changed. */
struct wide {
    struct writer *writer;
    struct {
        const char **items;
        size_t count, capacity;
    } buffers, macros; /* the large ones; dimensions that are macros, NULL-terminated */
    struct {
        char **items;
        size_t count, capacity;
    } kernels; /* that take a large buffer */
};

static bool is_large_buffer(const struct wide *w, const char *name)
{
    for (size_t i = 0; i < w->buffers.count; i++)
        if (strcmp(w->buffers.items[i], name) == 0)
            return true;
    return false;
}

static bool is_wide(const struct wide *w, const struct json *launch)
{
    for (size_t i = 0; i < w->kernels.count; i++)
        if (strcmp(w->kernels.items[i], json_get_string(launch, "kernel", "")) == 0)
            return true;
    return false;
}

/* Add the tensors and inner values that are large in the graph. */
static void add_values(struct wide *w, const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++)
        if (shape_elements(&graph->values.items[i].shape) > WIDE_ELEMENTS)
            vec_push(&w->buffers, w->writer->graph.values.items[i].name);
}

/* True if the product of the sizes, which are expressions, is large. */
static bool is_large(const struct json *sizes, const struct scope *scope)
{
    double product = 1;

    for (const struct json *size = json_first(sizes); size; size = json_next(size)) {
        int64_t value = 1;

        if (json_type(size) == JSON_NUMBER)
            product *= json_number(size, 1);
        else if (!expr_eval(json_string(size, "1"), scope, &value, NULL))
            product *= (double)value;
    }
    return product > (double)WIDE_ELEMENTS;
}

static void add_scratch(struct wide *w, const struct scope *scope)
{
    for (const struct json *s = json_first(w->writer->scratch); s; s = json_next(s))
        if (is_large(json_get(s, "shape"), scope))
            vec_push(&w->buffers, json_key(s));
}

static bool takes_large(const struct wide *w, const struct json *launch)
{
    for (const struct json *a = json_first(json_get(launch, "args")); a; a = json_next(a)) {
        const struct json *map = json_get(a, "tensor_map");
        const char *name = map ? json_get_string(map, "of", "") : json_string(a, "");

        if (is_large_buffer(w, name))
            return true;
    }
    return false;
}

static bool is_narrow(const struct wide *w, const char *kernel)
{
    for (size_t i = 0; i < w->writer->narrow.count; i++)
        if (strcmp(w->writer->narrow.items[i], kernel) == 0)
            return true;
    return false;
}

/* Add the kernels of launches with a large buffer, or with many work-items. */
static void add_kernels(struct wide *w, const struct json *launches, const struct scope *scope)
{
    for (const struct json *l = json_first(launches); l; l = json_next(l)) {
        const char *kernel = json_get_string(l, "kernel", "");

        if (!is_narrow(w, kernel) && (takes_large(w, l) || is_large(json_get(l, "global"), scope)))
            vec_push(&w->kernels, mem_strdup(kernel));
    }
}

/* Find what is large at the main dimensions and at the problem's further ones. */
static void find_large(struct wide *w)
{
    const struct problem *problem = w->writer->problem;
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));

    for (size_t also = 0; also <= problem->also.count; also++) {
        struct scope scope = problem_scope(problem, also, bindings);
        struct graph graph = {0};

        if (also == 0)
            add_values(w, &w->writer->graph);
        else if (!graph_build(&graph, problem, &scope, NULL))
            add_values(w, &graph);
        add_scratch(w, &scope);
        add_kernels(w, w->writer->prepare, &scope);
        add_kernels(w, w->writer->launches, &scope);
        graph_release(&graph);
    }
    free(bindings);
}

static void find_macros(struct wide *w)
{
    for (size_t i = 0; i < w->writer->problem->dims.count; i++) {
        const struct dim *dim = &w->writer->problem->dims.items[i];

        if (w->writer->is_specialized && !dim->is_dynamic)
            vec_push(&w->macros, dim->name);
    }
    vec_push(&w->macros, NULL);
}

/* True if the first line of a function names the kernel. */
static bool is_head_of(const char *head, const char *kernel)
{
    size_t len = strcspn(head, "\n");
    const char *at = head;

    while ((at = memmem(at, len - (size_t)(at - head), kernel, strlen(kernel)))) {
        const char *next = at + strlen(kernel);

        if (at[-1] == ' ' && (*next == '(' || strncmp(next, "_item(", strlen("_item(")) == 0))
            return true;
        at = next;
    }
    return false;
}

/* The launch of the kernel whose first line this is; NULL if the kernel is not changed. */
static const struct json *find_launch(const struct wide *w, const char *head)
{
    const struct json *lists[] = {w->writer->prepare, w->writer->launches};

    for (size_t i = 0; i < COUNT(lists); i++)
        for (const struct json *l = json_first(lists[i]); l; l = json_next(l))
            if (is_wide(w, l) && is_head_of(head, json_get_string(l, "kernel", "")))
                return l;
    return NULL;
}

/*
 * The number of work-items of a launch that leaves their groups to the driver, or NULL. So many
 * may have no divisor that a device takes, so they get groups, and a last one that is not full.
 */
static const char *ungrouped(const struct json *launch)
{
    const struct json *global = json_get(launch, "global");
    const char *items = json_string(json_first(global), NULL);

    if (json_count(global) != 1 || json_get(launch, "local") || !items)
        return NULL;
    return strstr(items, "ceildiv") || strstr(items, "align") ? NULL : items;
}

/* The function's text; in one of ungrouped work-items the last ones return. */
static void add_text(const struct wide *w, const struct json *launch, const char *from,
                     const char *end, struct strbuf *out)
{
    const char *body = strstr(from, "{\n") + strlen("{\n"), *items = ungrouped(launch);
    struct strbuf text = {0}, guard = {0};

    strbuf_add(&text, from, (size_t)(body - from));
    if (items) {
        strbuf_addf(&guard, "    if ($global_id0 >= %s)\n        return;\n", items);
        dialect_translate(w->writer->dialect, strbuf_cstr(&guard), &text);
    }
    strbuf_add(&text, body, (size_t)(end - body));
    wide_text(strbuf_cstr(&text), text.len, w->macros.items, out);
    strbuf_release(&guard);
    strbuf_release(&text);
}

/* Change the functions that begin a line with `word`; each ends with a bracket that begins one. */
static void change_functions(const struct wide *w, const char *word, struct strbuf *source)
{
    struct strbuf out = {0};
    const char *text = strbuf_cstr(source), *done = text, *at = text;

    while ((at = strstr(at, word))) {
        const char *end = strstr(at, "\n}\n");
        const struct json *launch =
            end && (at == text || at[-1] == '\n') ? find_launch(w, at) : NULL;

        if (launch) {
            strbuf_add(&out, done, (size_t)(at - done));
            add_text(w, launch, at, end, &out);
            done = at = end;
        } else {
            at++;
        }
    }
    strbuf_adds(&out, done);
    strbuf_release(source);
    *source = out;
}

static bool is_dim(const struct writer *writer, const struct json *arg)
{
    for (size_t i = 0; i < writer->problem->dims.count; i++)
        if (strcmp(json_string(arg, ""), writer->problem->dims.items[i].name) == 0)
            return true;
    return false;
}

static void put_groups(struct json *launch, const char *items)
{
    struct strbuf global = {0};

    strbuf_addf(&global, "align(%s, %d)", items, GROUP);
    json_push(json_put(launch, "global", json_array_new()), json_string_new(strbuf_cstr(&global)));
    json_push(json_put(launch, "local", json_array_new()), json_number_new(GROUP));
    strbuf_release(&global);
}

/* The launch, with its dimensions in 64 bits, and in groups. */
static struct json *change_launch(const struct writer *writer, const struct json *launch)
{
    struct json *changed = json_dup(launch), *args = json_array_new();

    if (ungrouped(launch))
        put_groups(changed, ungrouped(launch));

    for (const struct json *a = json_first(json_get(launch, "args")); a; a = json_next(a))
        if (is_dim(writer, a))
            json_put_string(json_push(args, json_object_new()), "i64", json_string(a, ""));
        else
            json_push(args, json_dup(a));
    json_put(changed, "args", args);
    return changed;
}

static void change_launches(const struct wide *w, struct json **launches)
{
    struct json *changed = json_array_new();

    for (const struct json *l = json_first(*launches); l; l = json_next(l))
        json_push(changed, is_wide(w, l) ? change_launch(w->writer, l) : json_dup(l));
    json_free(*launches);
    *launches = changed;
}

void wide_kernels(struct writer *writer)
{
    struct wide w = {.writer = writer};

    find_large(&w);
    find_macros(&w);
    if (w.kernels.count > 0) {
        change_functions(&w, writer->dialect->words[WORD_KERNEL], &writer->source);
        change_functions(&w, "void ", &writer->calls);
        change_launches(&w, &writer->prepare);
        change_launches(&w, &writer->launches);
    }
    for (size_t i = 0; i < w.kernels.count; i++)
        free(w.kernels.items[i]);
    vec_release(&w.kernels);
    vec_release(&w.buffers);
    vec_release(&w.macros);
}
