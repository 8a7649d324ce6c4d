#include "core/codegen/flat_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/codegen/kernel_body.h"

enum { MOST_GROUPS = 65535 }; /* along the second and the third axis */

/* The kernels to be changed, by their names. */
struct flat {
    struct writer *writer;
    struct {
        char **items;
        size_t count, capacity;
    } kernels;
};

static const char *size_at(const struct json *sizes, size_t axis)
{
    return json_string(json_at(sizes, axis), "1");
}

/* The number of work-groups along an axis, as an expression. */
static void add_groups(const struct json *launch, size_t axis, struct strbuf *out)
{
    strbuf_addf(out, "ceildiv(%s, %s)", size_at(json_get(launch, "global"), axis),
                size_at(json_get(launch, "local"), axis));
}

static bool has_many_groups(const struct json *launch, const struct scope *scope)
{
    size_t rank = json_count(json_get(launch, "global"));
    bool is_found = false;

    for (size_t axis = 1; axis < rank && !is_found; axis++) {
        struct strbuf groups = {0};
        int64_t count = 0;

        add_groups(launch, axis, &groups);
        is_found =
            !expr_eval(strbuf_cstr(&groups), scope, &count, NULL) && count > (int64_t)MOST_GROUPS;
        strbuf_release(&groups);
    }
    return is_found;
}

static bool is_flat(const struct flat *f, const char *kernel)
{
    for (size_t i = 0; i < f->kernels.count; i++)
        if (strcmp(f->kernels.items[i], kernel) == 0)
            return true;
    return false;
}

static void add_kernels(struct flat *f, const struct json *launches, const struct scope *scope)
{
    for (const struct json *l = json_first(launches); l; l = json_next(l)) {
        const char *kernel = json_get_string(l, "kernel", "");

        if (json_get(l, "local") && !json_get(l, "cluster") && !is_flat(f, kernel) &&
            has_many_groups(l, scope))
            vec_push(&f->kernels, mem_strdup(kernel));
    }
}

/* Find the launches at the main dimensions and at the problem's further ones. */
static void find_kernels(struct flat *f)
{
    const struct problem *problem = f->writer->problem;
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));

    for (size_t also = 0; also <= problem->also.count; also++) {
        const struct scope scope = problem_scope(problem, also, bindings);

        add_kernels(f, f->writer->prepare, &scope);
        add_kernels(f, f->writer->launches, &scope);
    }
    free(bindings);
}

/* The text that takes the place of a word of the index space; NULL for other words. */
static const char *place_of(const char *at, size_t *len)
{
    static const struct {
        const char *word, *text;
    } places[] = {
        {"blockIdx.x", "(blockIdx.x % (uint)flat_across)"},
        {"blockIdx.y", "(blockIdx.x / (uint)flat_across % (uint)flat_down)"},
        {"blockIdx.z", "(blockIdx.x / (uint)(flat_across * flat_down))"},
        {"gridDim.x", "(uint)flat_across"},
        {"gridDim.y", "(uint)flat_down"},
        {"gridDim.z", "(gridDim.x / (uint)(flat_across * flat_down))"},
    };

    for (size_t i = 0; i < COUNT(places); i++)
        if (text_begins(at, places[i].word)) {
            *len = strlen(places[i].word);
            return places[i].text;
        }
    return NULL;
}

static void write_kernel(const struct kernel_body *k, struct strbuf *out)
{
    const char *close = k->body - strlen(")\n{"), *end = k->text + k->len;

    strbuf_add(out, k->text, (size_t)(close - k->text));
    strbuf_adds(out, ", const long flat_across, const long flat_down");
    for (const char *at = close; at < end;) {
        size_t len = 1;
        const char *place = text_is_of_name(at[-1]) ? NULL : place_of(at, &len);

        if (place)
            strbuf_adds(out, place);
        else
            strbuf_add(out, at, 1);
        at += len;
    }
}

static void change_source(const struct flat *f)
{
    struct strbuf *source = &f->writer->source, out = {0};
    struct kernel_bodies kernels = {0};
    const char *from = strbuf_cstr(source);

    kernel_bodies_read(&kernels, from, f->writer->dialect);
    for (size_t i = 0; i < kernels.count; i++) {
        const struct kernel_body *k = &kernels.items[i];
        char *name = mem_strndup(k->name, k->name_len);

        if (is_flat(f, name)) {
            strbuf_add(&out, from, (size_t)(k->text - from));
            write_kernel(k, &out);
            from = k->text + k->len;
        }
        free(name);
    }
    strbuf_adds(&out, from);
    kernel_bodies_release(&kernels);
    strbuf_release(source);
    *source = out;
}

/* The launch with all of its work-groups along the first axis. */
static struct json *change_launch(const struct json *launch)
{
    const struct json *local = json_get(launch, "local");
    struct json *changed = json_dup(launch), *global = json_array_new();
    struct json *args = json_dup(json_get(launch, "args"));
    struct strbuf groups[3] = {0}, across = {0};

    for (size_t axis = 0; axis < COUNT(groups); axis++)
        add_groups(launch, axis, &groups[axis]);
    strbuf_addf(&across, "%s * %s * %s * %s", strbuf_cstr(&groups[0]), strbuf_cstr(&groups[1]),
                strbuf_cstr(&groups[2]), size_at(local, 0));
    json_push(global, json_string_new(strbuf_cstr(&across)));
    for (size_t axis = 1; axis < json_count(local); axis++)
        json_push(global, json_string_new(size_at(local, axis)));
    for (size_t axis = 0; axis < 2; axis++)
        json_put_string(json_push(args, json_object_new()), "i64", strbuf_cstr(&groups[axis]));
    json_put(changed, "global", global);
    json_put(changed, "args", args);
    for (size_t axis = 0; axis < COUNT(groups); axis++)
        strbuf_release(&groups[axis]);
    strbuf_release(&across);
    return changed;
}

static void change_launches(const struct flat *f, struct json **launches)
{
    struct json *changed = json_array_new();

    for (const struct json *l = json_first(*launches); l; l = json_next(l))
        json_push(changed,
                  is_flat(f, json_get_string(l, "kernel", "")) ? change_launch(l) : json_dup(l));
    json_free(*launches);
    *launches = changed;
}

void flat_kernels(struct writer *writer)
{
    struct flat f = {.writer = writer};

    if (writer->dialect->warp > 0)
        find_kernels(&f);
    if (f.kernels.count > 0) {
        change_source(&f);
        change_launches(&f, &writer->prepare);
        change_launches(&f, &writer->launches);
    }
    for (size_t i = 0; i < f.kernels.count; i++)
        free(f.kernels.items[i]);
    vec_release(&f.kernels);
}
