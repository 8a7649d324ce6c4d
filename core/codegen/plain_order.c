#include <string.h>

#include "core/codegen/plain_kernel.h"

/*
 * The places of a row's elements in order; equal ones keep theirs, and NaN is the largest.
 *
 * On a GPU a work-group sorts a row, or several short ones, in local memory by a bitonic network
 * (Batcher, "Sorting networks and their applications", 1968). Pieces of a longer row are sorted so,
 * and merged in pairs: each element finds its place by a binary search in the other piece.
 * Elsewhere a work-item sorts a row by a heap.
 */

/* The bytes of local memory for rows, and the fewest elements that a work-group sorts. */
enum { MOST_BYTES = 32768, LEAST_ELEMENTS = 2 * PLAIN_GROUP };

struct order {
    struct plain *p;
    size_t axis;
    unsigned lines; /* the other axes, as bits */
    bool is_falling;
    const char *size;   /* of a row */
    const char *rows;   /* their number */
    const char *loaded; /* the type of an element that is loaded */
};

/* The index of element `place` in the row with the coordinates line0, line1 ... */
static const char *index_of(const struct order *o, size_t value, const char *place)
{
    struct coordinates at = {0};

    coordinates_axes(&at, o->lines, "line");
    coordinates_set(&at, o->axis, place);
    return plain_index(o->p, value, &at);
}

static const char *element_of(const struct order *o, const char *place)
{
    return plain_load(o->p, 0, index_of(o, o->p->node->in[0], place));
}

static const char *place_at(const struct order *o, const char *buffer, const char *number)
{
    return plain_text(o->p, "p_%s[%s]", buffer, index_of(o, o->p->node->out, number));
}

/* Declare the elements at places a and b, and `name`: whether that at a comes before that at b. */
static void add_before(const struct order *o, const char *name, const char *indent)
{
    struct plain *p = o->p;

    plain_add(p, "%sconst %s x_a = %s, x_b = %s;\n", indent, o->loaded, element_of(o, "a"),
              element_of(o, "b"));
    plain_add(p,
              "%sconst int %s = x_a == x_b || (x_a != x_a && x_b != x_b) ? a < b\n"
              "%s    : x_%s != x_%s || x_a %c x_b;\n",
              indent, name, indent, o->is_falling ? "a" : "b", o->is_falling ? "a" : "b",
              o->is_falling ? '>' : '<');
}

/* Write the heap sort: `held` sinks to its place below its larger children. */
static void write_heap(const struct order *o)
{
    struct plain *p = o->p;
    const char *out = p->call.out->name;

    plain_head(p);
    plain_add(p, "    const int line = i;\n");
    writer_axes(p->writer, p->node->out, o->lines, "line", "    ");
    plain_add(p, "\n    for (int j = 0; j < %s; j++)\n        %s = j;\n", o->size,
              place_at(o, out, "j"));
    plain_add(p,
              "    for (int end = %s, start = %s / 2; end > 1;) {\n        long held;\n"
              "        int root = 0;\n\n        if (start > 0) {\n            root = --start;\n"
              "            held = %s;\n        } else {\n            end--;\n"
              "            held = %s;\n            %s = %s;\n        }\n",
              o->size, o->size, place_at(o, out, "root"), place_at(o, out, "end"),
              place_at(o, out, "end"), place_at(o, out, "0"));
    plain_add(p, "        for (int child = 2 * root + 1; child < end; child = 2 * root + 1) {\n");
    plain_add(p, "            if (child + 1 < end) {\n                const int a = %s, b = %s;\n",
              place_at(o, out, "child"), place_at(o, out, "(child + 1)"));
    add_before(o, "is_less", "                ");
    plain_add(p,
              "                child += is_less;\n            }\n"
              "            const int a = held, b = %s;\n",
              place_at(o, out, "child"));
    add_before(o, "sinks", "            ");
    plain_add(p,
              "            if (!sinks)\n                break;\n            %s = %s;\n"
              "            root = child;\n        }\n        %s = held;\n    }\n",
              place_at(o, out, "root"), place_at(o, out, "child"), place_at(o, out, "root"));
    plain_launch(p, o->rows);
}

/* A work-item counts the elements before its own: for rows whose length may change. */
static void write_count(const struct order *o)
{
    struct plain *p = o->p;

    plain_head(p);
    plain_add(p, "    const int line = i / %s, b = i %% %s;\n    int place = 0;\n\n", o->size,
              o->size);
    writer_axes(p->writer, p->node->out, o->lines, "line", "    ");
    plain_add(p, "    for (int a = 0; a < %s; a++) {\n", o->size);
    add_before(o, "is_before", "        ");
    plain_add(p, "        place += is_before;\n    }\n    %s = b;\n",
              place_at(o, p->call.out->name, "place"));
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
}

/* The unsigned type of keys whose order is that of elements; NULL if there is none. */
static const char *key_type(enum dtype dtype)
{
    return dtype == DTYPE_I64 ? "ulong" : dtype == DTYPE_F64 ? NULL : "uint";
}

/* The longest row, or piece of a row, for the local memory. */
static int64_t most_elements(const struct order *o)
{
    bool is_wide = o->p->call.in[0]->dtype == DTYPE_I64;

    return is_wide ? MOST_BYTES / 16 : MOST_BYTES / 8;
}

/* Add `key`, by which element `x` is put in order. */
static void add_key(const struct order *o, const char *indent)
{
    struct plain *p = o->p;
    enum dtype dtype = p->call.in[0]->dtype;
    const char *turn = o->is_falling ? "~" : "";

    if (!dtype_is_float(dtype)) {
        plain_add(p, "%skey = %s((%s)x ^ %s);\n", indent, turn, key_type(dtype),
                  dtype == DTYPE_I64 ? "0x8000000000000000ul" : "0x80000000u");
        return;
    }
    plain_add(p,
              "%sconst uint bits = as_uint(x == 0 ? 0.0f : x);\n"
              "%skey = %s(x != x ? ~0u : bits ^ (bits >> 31 ? ~0u : 0x80000000u));\n",
              indent, indent, turn);
}

/* Write the network for `lines` rows, or pieces of a row, of `length` elements, a power of two. */
static void add_network(const struct order *o, int64_t length, int64_t lines)
{
    plain_add_words(o->p,
                    plain_text(o->p,
                               "    $barrier;\n"
                               "    for (int size = 2; size <= %lld; size *= 2)\n"
                               "        for (int step = size / 2; step > 0; step /= 2) {\n"
                               "            for (int pair = lane; pair < %lld; pair += %d) {\n"
                               "                const int a = 2 * pair - (pair & (step - 1));\n"
                               "                const int b = a + step, at = places[a];\n"
                               "                const %s key = keys[a];\n"
                               "                const bool is_later = key > keys[b] ||\n"
                               "                    (key == keys[b] && at > places[b]);\n\n"
                               "                if (is_later != ((a & %lld & size) != 0)) {\n"
                               "                    keys[a] = keys[b];\n"
                               "                    keys[b] = key;\n"
                               "                    places[a] = places[b];\n"
                               "                    places[b] = at;\n"
                               "                }\n            }\n            $barrier;\n"
                               "        }\n",
                               (long long)length, (long long)length * lines / 2, PLAIN_GROUP,
                               key_type(o->p->call.in[0]->dtype), (long long)length - 1));
}

/* Sort rows, or pieces of `length` elements of rows, into `to`. */
static void write_network(const struct order *o, const char *to, int64_t length, int64_t pieces)
{
    struct plain *p = o->p;
    const char *key = key_type(p->call.in[0]->dtype);
    int64_t lines = length < LEAST_ELEMENTS ? LEAST_ELEMENTS / length : 1;
    const char *groups = plain_text(p, "((%s * %lld + %lld) / %lld)", o->rows, (long long)pieces,
                                    (long long)lines - 1, (long long)lines);
    const char *loop =
        plain_text(p,
                   "    for (int e = lane; e < %lld; e += %d) {\n"
                   "        const int piece = i * %lld + e / %lld, line = piece / %lld;\n"
                   "        const int j = piece %% %lld * %lld + e %% %lld;\n",
                   (long long)length * lines, PLAIN_GROUP, (long long)lines, (long long)length,
                   (long long)pieces, (long long)pieces, (long long)length, (long long)length);

    plain_head_of_groups(p);
    plain_add_words(p, plain_text(p, "    $local %s keys[%lld];\n    $local int places[%lld];\n\n",
                                  key, (long long)length * lines, (long long)length * lines));
    plain_add(p, "%s        %s key = ~(%s)0;\n\n        if (line < %s && j < %s) {\n", loop, key,
              key, o->rows, o->size);
    writer_axes(p->writer, p->node->out, o->lines, "line", "            ");
    plain_add(p, "            const %s x = %s;\n", o->loaded, element_of(o, "j"));
    add_key(o, "            ");
    plain_add(p, "        }\n        keys[e] = key;\n        places[e] = j;\n    }\n");
    add_network(o, length, lines);
    plain_add(p, "%s        if (line < %s && j < %s) {\n", loop, o->rows, o->size);
    writer_axes(p->writer, p->node->out, o->lines, "line", "            ");
    plain_add(p, "            %s = places[e];\n        }\n    }\n", place_at(o, to, "j"));
    plain_launch_groups(p, groups);
}

/* Merge neighbouring pieces of `length` elements of `from` in pairs. */
static void write_merge(const struct order *o, const struct kernel_arg *from,
                        const struct kernel_arg *to, int64_t length)
{
    struct plain *p = o->p;
    struct kernel kernel = {.name = plain_text(p, "%s_%lld", p->kernel.name, (long long)length)};
    struct strbuf global = {0};
    long long n = (long long)length;

    kernel_add_value(&kernel, p->call.in[0], false);
    kernel_add_arg(&kernel, from);
    kernel_add_arg(&kernel, to);
    plain_add(p, "}\n\n");
    writer_head(p->writer, &kernel);
    plain_add(p, "    const int i = get_global_id(0);\n    const int line = i / %s, j = i %% %s;\n",
              o->size, o->size);
    writer_axes(p->writer, p->node->out, o->lines, "line", "    ");
    plain_add(p,
              "    const int b = %s, other = (j / %lld ^ 1) * %lld;\n"
              "    int low = other < %s ? other : %s;\n"
              "    int high = other + %lld < %s ? other + %lld : %s;\n"
              "    const int first = low;\n\n    while (low < high) {\n"
              "        const int middle = (low + high) / 2, a = %s;\n",
              place_at(o, from->name, "j"), n, n, o->size, o->size, n, o->size, n, o->size,
              place_at(o, from->name, "middle"));
    add_before(o, "is_before", "        ");
    plain_add(p,
              "        if (is_before)\n            low = middle + 1;\n        else\n"
              "            high = middle;\n    }\n"
              "    const int place = j / %lld * %lld + j %% %lld + low - first;\n    %s = b;\n",
              2 * n, 2 * n, n, place_at(o, to->name, "place"));
    extents_product(&p->writer->extents, p->node->out, value_axes(p->call.out), &global);
    writer_launch(p->writer, p->writer->launches, &kernel,
                  &(struct space){.global = {strbuf_cstr(&global)}, .rank = 1});
    strbuf_release(&global);
    kernel_release(&kernel);
}

/* Sort pieces of rows, and merge them in turn from one buffer into another; the last is the result.
 */
static void write_long(struct order *o, int64_t length, int64_t pieces)
{
    struct plain *p = o->p;
    const char *other = plain_text(p, "%s_order", p->call.out->name), *sizes[SHAPE_MAX_RANK];
    const char *names[] = {p->call.out->name, other};
    size_t merges = 0, at;

    while (((int64_t)1 << merges) < pieces)
        merges++;
    for (size_t axis = 0; axis < p->call.out->shape.rank; axis++)
        sizes[axis] = plain_size(p, p->node->out, axis);
    writer_scratch(p->writer, other, DTYPE_I64, sizes, p->call.out->shape.rank);
    at = merges % 2;
    if (at)
        kernel_add_arg(&p->kernel, &(struct kernel_arg){other, DTYPE_I64, true, NULL});
    write_network(o, names[at], length, pieces);
    for (size_t merge = 0; merge < merges; merge++, at = 1 - at)
        write_merge(o, &(struct kernel_arg){names[at], DTYPE_I64, false, NULL},
                    &(struct kernel_arg){names[1 - at], DTYPE_I64, true, NULL}, length << merge);
}

static void write_on_gpu(struct order *o)
{
    int64_t n = o->p->call.out->shape.dims[o->axis], length = 2, most = most_elements(o);

    while (length < n && length < most)
        length *= 2;
    if (length < n)
        write_long(o, length, (n + length - 1) / length);
    else
        write_network(o, o->p->call.out->name, length, 1);
}

bool plain_order(struct plain *p)
{
    size_t axis = (size_t)__builtin_ctz(p->call.op->axes(&p->call));
    struct strbuf rows = {0};
    struct order o = {.p = p,
                      .axis = axis,
                      .lines = value_axes(p->call.out) & ~(1U << axis),
                      .is_falling = op_attribute(&p->call, "descending")->integers[0] != 0,
                      .size = plain_size(p, p->node->out, axis),
                      .loaded = formula_type(p->call.in[0]->dtype)->compute};

    extents_product(&p->writer->extents, p->node->out, o.lines, &rows);
    o.rows = plain_text(p, "%s", strbuf_cstr(&rows));
    strbuf_release(&rows);
    if (strchr(o.rows, '*'))
        o.rows = plain_text(p, "(%s)", o.rows);
    if (!p->writer->is_gpu)
        write_heap(&o);
    else if (!p->writer->extents.is_fixed[p->node->out][axis] || !key_type(p->call.in[0]->dtype))
        write_count(&o);
    else
        write_on_gpu(&o);
    return true;
}
