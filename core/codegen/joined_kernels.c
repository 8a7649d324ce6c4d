#include "core/codegen/joined_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/codegen/kernel_body.h"
#include "core/model/expr.h"

/* Work-groups of a launch and of a joined one, and work-items that fill a GPU by themselves. */
enum { MOST_GROUPS = 1056, MANY_ITEMS = 132 * 1024, MOST_LAUNCHES = 1024 };

/*
 * Work-items of work-groups that kernels of different sizes share, with registers for all of them;
 * bytes of kernels that are compiled again as parts of joined ones, which takes some seconds.
 */
enum { SMALL_GROUP = 256, MOST_ARGS = 48, MOST_KERNELS = 6, MOST_BYTES = 144 << 10 };

struct launch {
    const struct json *json;
    size_t kernel;     /* index, or the number of kernels if it is unknown */
    int64_t groups[3]; /* work-groups along each axis */
    int64_t count;     /* work-groups */
    int items;         /* of a work-group */
    bool is_small;     /* it may share a launch */
    size_t level;      /* launches of a level do not depend on each other */
    size_t join;       /* the join that it belongs to, or SIZE_MAX */
};

/* Launches that become one. */
struct join {
    size_t first; /* launch */
    int items;
    int64_t count;
    size_t args, kernels;
    size_t bytes; /* of its kernels; they count once there are two launches */
    bool is_counted;
    double shared;
};

/* The levels at which a buffer was read and written last. */
struct use {
    const char *name;
    size_t read, written;
};

struct joining {
    struct writer *writer;
    struct kernel_bodies kernels;
    struct {
        struct launch *items;
        size_t count, capacity;
    } launches;
    struct {
        struct join *items;
        size_t count, capacity;
    } joins;
    struct {
        struct use *items;
        size_t count, capacity;
    } uses;
    size_t bytes; /* of all joined kernels */
};

/* The values of a list of three sizes at most; false if one of them is not a number. */
static bool read_sizes(const struct json *list, int64_t sizes[3])
{
    const struct scope none = {0};
    size_t i = 0;

    sizes[0] = sizes[1] = sizes[2] = 1;
    for (const struct json *size = json_first(list); size; size = json_next(size))
        if (i == 3 || !json_string(size, NULL) ||
            expr_eval(json_string(size, NULL), &none, &sizes[i++], NULL))
            return false;
    return i > 0;
}

static bool has_plain_args(const struct json *args)
{
    for (const struct json *arg = json_first(args); arg; arg = json_next(arg))
        if (!json_string(arg, NULL) && !json_get(arg, "i32"))
            return false;
    return true;
}

/* Find the work-groups of the launch, and whether it may share them with another one. */
static void measure(struct joining *j, struct launch *l)
{
    const struct json *args = json_get(l->json, "args");
    struct kernel_body *kernel;
    int64_t all[3], group[3];

    if (l->kernel == j->kernels.count || !read_sizes(json_get(l->json, "global"), all) ||
        !read_sizes(json_get(l->json, "local"), group))
        return;
    kernel = &j->kernels.items[l->kernel];
    for (size_t i = 0; i < 3; i++)
        l->groups[i] = all[i] / group[i];
    l->count = l->groups[0] * l->groups[1] * l->groups[2];
    l->items = (int)(group[0] * group[1] * group[2]);
    l->is_small = kernel->can_join && !json_get(l->json, "cluster") && has_plain_args(args) &&
                  json_count(args) == kernel->parameters.count && l->count <= MOST_GROUPS &&
                  l->count * l->items <= MANY_ITEMS && l->items % 32 == 0 &&
                  kernel_body_has_group(kernel, group);
}

static struct use *use_of(struct joining *j, const char *name)
{
    for (size_t i = 0; i < j->uses.count; i++)
        if (strcmp(j->uses.items[i].name, name) == 0)
            return &j->uses.items[i];
    vec_push(&j->uses, ((struct use){name, 0, 0}));
    return &j->uses.items[j->uses.count - 1];
}

/* The buffer that an argument names; NULL for numbers. */
static const char *buffer_of(const struct json *arg)
{
    return json_string(arg, json_get_string(json_get(arg, "tensor_map"), "of", NULL));
}

/* True if the launch may write the buffer. */
static bool may_write(const struct joining *j, const struct launch *l, size_t arg)
{
    const struct kernel_body *kernel =
        l->kernel < j->kernels.count ? &j->kernels.items[l->kernel] : NULL;

    return !kernel || !l->is_small || arg >= kernel->parameters.count ||
           !kernel->parameters.items[arg].is_const;
}

/* The level after all launches that write what this one uses, or use what it writes. */
static void find_level(struct joining *j, struct launch *l)
{
    size_t n = 0;

    for (const struct json *arg = json_first(json_get(l->json, "args")); arg;
         arg = json_next(arg), n++) {
        const struct use *use = buffer_of(arg) ? use_of(j, buffer_of(arg)) : NULL;

        if (use && l->level <= use->written)
            l->level = use->written + 1;
        if (use && may_write(j, l, n) && l->level <= use->read)
            l->level = use->read + 1;
    }
    n = 0;
    for (const struct json *arg = json_first(json_get(l->json, "args")); arg;
         arg = json_next(arg), n++) {
        struct use *use = buffer_of(arg) ? use_of(j, buffer_of(arg)) : NULL;

        if (use && may_write(j, l, n))
            use->written = l->level;
        if (use && use->read < l->level)
            use->read = l->level;
    }
}

static void read_launches(struct joining *j)
{
    for (const struct json *at = json_first(j->writer->launches); at; at = json_next(at)) {
        struct launch l = {.json = at, .level = 1, .join = SIZE_MAX};

        l.kernel = kernel_bodies_find(&j->kernels, json_get_string(at, "kernel", ""));
        measure(j, &l);
        find_level(j, &l);
        vec_push(&j->launches, l);
    }
}

/* True if a launch of the join has the kernel. */
static bool has_kernel(const struct joining *j, size_t join, size_t kernel)
{
    for (size_t i = 0; i < j->launches.count; i++)
        if (j->launches.items[i].join == join && j->launches.items[i].kernel == kernel)
            return true;
    return false;
}

/* True if all work-items of a work-group, or the first of a larger one, can run the kernel. */
static bool fits_group(const struct joining *j, const struct launch *l, int items)
{
    return l->items == items ||
           (items <= SMALL_GROUP &&
            (j->writer->dialect->part_barrier || !j->kernels.items[l->kernel].has_barrier));
}

static bool fit_all(const struct joining *j, size_t join, int items)
{
    for (size_t i = 0; i < j->launches.count; i++)
        if (j->launches.items[i].join == join && !fits_group(j, &j->launches.items[i], items))
            return false;
    return true;
}

/* Add the launch to the join; false if it does not fit. */
static bool add_launch(struct joining *j, size_t number, struct launch *l)
{
    struct join *join = &j->joins.items[number];
    size_t args = json_count(json_get(l->json, "args"));
    bool is_new = !has_kernel(j, number, l->kernel);
    size_t added = is_new ? j->kernels.items[l->kernel].len : 0;
    size_t more = added + (join->is_counted ? 0 : join->bytes);
    int items = join->items > l->items ? join->items : l->items;
    double shared = json_get_number(l->json, "shared", 0);

    if (j->launches.items[join->first].level != l->level || join->args + args > MOST_ARGS ||
        join->kernels + is_new > MOST_KERNELS || join->count + l->count > MOST_GROUPS ||
        j->bytes + more > MOST_BYTES || !fits_group(j, l, items) || !fit_all(j, number, items))
        return false;
    join->items = items;
    join->count += l->count;
    join->args += args;
    join->kernels += is_new;
    join->bytes += added;
    join->is_counted = true;
    j->bytes += more;
    join->shared = shared > join->shared ? shared : join->shared;
    l->join = number;
    return true;
}

static void find_joins(struct joining *j)
{
    for (size_t i = 0; i < j->launches.count; i++) {
        struct launch *l = &j->launches.items[i];
        size_t n = 0;

        if (!l->is_small)
            continue;
        while (n < j->joins.count && !add_launch(j, n, l))
            n++;
        if (n < j->joins.count)
            continue;
        l->join = n;
        vec_push(&j->joins, ((struct join){.first = i,
                                           .items = l->items,
                                           .count = l->count,
                                           .args = json_count(json_get(l->json, "args")),
                                           .kernels = 1,
                                           .bytes = j->kernels.items[l->kernel].len,
                                           .shared = json_get_number(l->json, "shared", 0)}));
    }
}

/* Leave the launches alone that nothing joins. */
static void drop_single(struct joining *j)
{
    for (size_t i = 0; i < j->launches.count; i++) {
        struct launch *l = &j->launches.items[i];
        struct kernel_body *kernel =
            l->kernel < j->kernels.count ? &j->kernels.items[l->kernel] : NULL;

        if (l->join != SIZE_MAX && !j->joins.items[l->join].is_counted)
            l->join = SIZE_MAX;
        if (l->join != SIZE_MAX) {
            kernel->is_joined = true;
            kernel->is_part |= l->items < j->joins.items[l->join].items;
        } else if (kernel) {
            kernel->is_launched = true;
        }
    }
}

/* A kernel of a join while it is written. */
struct joined {
    const struct joining *j;
    size_t number; /* of the join */
    size_t *run;   /* launches with the same kernel and sizes */
    size_t run_count;
    struct json *args;  /* of its launch */
    struct strbuf head; /* its parameters */
    struct {
        const struct kernel_parameter **items;
        size_t count, capacity;
    } types; /* of the parameters */
};

/* The number of the parameter for an argument, which is added if it is new. */
static size_t parameter_of(struct joined *w, const struct json *arg,
                           const struct kernel_parameter *type)
{
    const char *name = json_string(arg, "");

    for (size_t i = 0; i < w->types.count; i++)
        if (strcmp(json_string(json_at(w->args, i), ""), name) == 0 &&
            w->types.items[i]->type_len == type->type_len &&
            strncmp(w->types.items[i]->type, type->type, type->type_len) == 0)
            return i;
    strbuf_addf(&w->head, "%s%.*sp%zu", w->types.count ? ", " : "", (int)type->type_len, type->type,
                w->types.count);
    vec_push(&w->types, type);
    json_push(w->args, json_string_new(name));
    return w->types.count - 1;
}

/* Argument `a` of a launch: a parameter of the joined kernel, or a number. */
static void add_argument(struct joined *w, const struct launch *l, size_t a, struct strbuf *out)
{
    const struct json *arg = json_at(json_get(l->json, "args"), a);
    const struct kernel_body *kernel = &w->j->kernels.items[l->kernel];

    if (json_string(arg, NULL))
        strbuf_addf(out, "p%zu", parameter_of(w, arg, &kernel->parameters.items[a]));
    else
        strbuf_addf(out, "%.0f", json_get_number(arg, "i32", 0));
}

/* True if all launches of the run have the same argument `a`. */
static bool is_common(const struct joined *w, size_t a)
{
    const struct launch *l = w->j->launches.items;
    const char *name = json_string(json_at(json_get(l[w->run[0]].json, "args"), a), NULL);

    for (size_t n = 1; n < w->run_count; n++)
        if (!text_equals(json_string(json_at(json_get(l[w->run[n]].json, "args"), a), NULL), name))
            return false;
    return name != NULL;
}

/* Argument `a` of the launch of the run whose work-group this is. */
static void add_choice(struct joined *w, size_t a, int64_t begin, struct strbuf *out)
{
    const struct launch *l = w->j->launches.items;

    int64_t end = begin;

    for (size_t n = is_common(w, a) ? w->run_count - 1 : 0; n < w->run_count; n++) {
        end += l[w->run[n]].count;
        if (n + 1 < w->run_count)
            strbuf_addf(out, "joined < %lld ? ", (long long)end);
        add_argument(w, &l[w->run[n]], a, out);
        strbuf_adds(out, n + 1 < w->run_count ? " : " : ", ");
    }
}

/* The launches of the join that are like the first one, which were not written yet. */
static void find_run(struct joined *w, size_t first)
{
    const struct launch *l = w->j->launches.items;

    w->run_count = 0;
    for (size_t i = first; i < w->j->launches.count; i++)
        if (l[i].join == w->number && l[i].kernel == l[first].kernel &&
            memcmp(l[i].groups, l[first].groups, sizeof(l->groups)) == 0)
            w->run[w->run_count++] = i;
}

/* Append the work of the run, whose work-groups begin at `begin`. */
static void add_run(struct joined *w, int64_t begin, struct strbuf *out)
{
    const struct launch *l = w->j->launches.items, *one = &l[w->run[0]];
    const struct kernel_body *kernel = &w->j->kernels.items[one->kernel];

    if (one->items < w->j->joins.items[w->number].items)
        strbuf_addf(out, "        if (threadIdx.x < %d)\n    ", one->items);
    strbuf_addf(out, "        %.*s_part(", (int)kernel->name_len, kernel->name);
    for (size_t a = 0; a < kernel->parameters.count; a++)
        add_choice(w, a, begin, out);
    strbuf_addf(out, "(joined - %lld) %% %lld, %lld, %lld);\n", (long long)begin,
                (long long)one->count, (long long)one->groups[0], (long long)one->groups[1]);
}

/* Append the works of all launches of the join, each for its work-groups. */
static void add_runs(struct joined *w, struct strbuf *out)
{
    const struct joining *j = w->j;
    bool *is_written = mem_alloc_zeroed(j->launches.count, sizeof(*is_written));
    int64_t begin = 0;

    for (size_t i = 0; i < j->launches.count; i++) {
        int64_t end;

        if (j->launches.items[i].join != w->number || is_written[i])
            continue;
        find_run(w, i);
        for (size_t n = 0; n < w->run_count; n++)
            is_written[w->run[n]] = true;
        end = begin + j->launches.items[i].count * (int64_t)w->run_count;
        strbuf_addf(out, begin ? "    } else if (joined < %lld) {\n" : "    if (joined < %lld) {\n",
                    (long long)end);
        add_run(w, begin, out);
        begin = end;
    }
    strbuf_adds(out, "    }\n");
    free(is_written);
}

/* Write the kernel of a join, and return its launch. */
static struct json *write_join(const struct joining *j, size_t number, struct strbuf *out)
{
    const struct join *join = &j->joins.items[number];
    struct joined w = {.j = j, .number = number, .args = json_array_new()};
    struct json *launch = json_object_new();
    struct strbuf body = {0}, name = {0}, global = {0}, local = {0};

    w.run = mem_alloc_zeroed(j->launches.count, sizeof(*w.run));
    add_runs(&w, &body);
    strbuf_addf(&name, "joined_%zu", number);
    strbuf_addf(&global, "%lld * %d", (long long)join->count, join->items);
    strbuf_addf(&local, "%d", join->items);
    strbuf_addf(
        out, "\n%s __launch_bounds__(%d) %s(%s)\n{\n    const uint joined = blockIdx.x;\n\n%s}\n",
        j->writer->dialect->words[WORD_KERNEL], join->items, strbuf_cstr(&name),
        strbuf_cstr(&w.head), strbuf_cstr(&body));
    json_put_string(launch, "kernel", strbuf_cstr(&name));
    json_push(json_put(launch, "global", json_array_new()), json_string_new(strbuf_cstr(&global)));
    json_push(json_put(launch, "local", json_array_new()), json_string_new(strbuf_cstr(&local)));
    if (join->shared > 0)
        json_put_number(launch, "shared", join->shared);
    json_put(launch, "args", w.args);
    strbuf_release(&body);
    strbuf_release(&name);
    strbuf_release(&global);
    strbuf_release(&local);
    strbuf_release(&w.head);
    vec_release(&w.types);
    free(w.run);
    return launch;
}

/* Write the source again, with functions in place of the kernels that are joined. */
static void write_kernels(struct joining *j, struct strbuf *out)
{
    const char *from = strbuf_cstr(&j->writer->source);

    for (size_t i = 0; i < j->kernels.count; i++) {
        const struct kernel_body *kernel = &j->kernels.items[i];

        strbuf_add(out, from, (size_t)(kernel->text - from));
        if (kernel->is_joined)
            kernel_body_write(kernel, j->writer->dialect, out);
        if (!kernel->is_joined || kernel->is_launched)
            strbuf_add(out, kernel->text, kernel->len);
        from = kernel->text + kernel->len;
    }
    strbuf_adds(out, from);
}

/* The launches of each level, the joined ones in the place of their first. */
static struct json *order_launches(struct joining *j, struct strbuf *out)
{
    struct json *launches = json_array_new();
    size_t most = 0;

    for (size_t i = 0; i < j->launches.count; i++)
        most = j->launches.items[i].level > most ? j->launches.items[i].level : most;
    for (size_t level = 1; level <= most; level++)
        for (size_t i = 0; i < j->launches.count; i++) {
            const struct launch *l = &j->launches.items[i];

            if (l->level != level)
                continue;
            if (l->join == SIZE_MAX)
                json_push(launches, json_dup(l->json));
            else if (j->joins.items[l->join].first == i)
                json_push(launches, write_join(j, l->join, out));
        }
    return launches;
}

static void write_all(struct joining *j)
{
    struct strbuf source = {0};
    struct json *launches;

    write_kernels(j, &source);
    launches = order_launches(j, &source);
    json_free(j->writer->launches);
    j->writer->launches = launches;
    strbuf_release(&j->writer->source);
    j->writer->source = source;
}

void joined_kernels(struct writer *writer)
{
    struct joining j = {.writer = writer};

    if (writer->dialect->warp == 0 || json_count(writer->launches) > MOST_LAUNCHES)
        return;
    kernel_bodies_read(&j.kernels, strbuf_cstr(&writer->source), writer->dialect);
    kernel_bodies_launch(&j.kernels, writer->prepare);
    read_launches(&j);
    find_joins(&j);
    drop_single(&j);
    if (j.bytes > 0)
        write_all(&j);
    kernel_bodies_release(&j.kernels);
    vec_release(&j.launches);
    vec_release(&j.joins);
    vec_release(&j.uses);
}
