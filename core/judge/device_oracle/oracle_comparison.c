#include "core/judge/device_oracle/oracle_comparison.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/codegen/dialect.h"
#include "core/judge/compare/findings.h"
#include "core/judge/compare/heatmap.h"
#include "core/judge/device_oracle/comparison.cl.h"
#include "core/judge/device_oracle/functions.cl.h"
#include "core/judge/device_oracle/oracle_kernel.h"

/*
 * The most work-items that compare elements, the most that merge their results, and the number that
 * share a cell of the map.
 */
enum { MAX_PARTS = 1 << 18, MAX_FOUND = 1 << 12, LANES = 64 };

/* The numbers that a work-item writes, in the order of COMPARE_ELEMENTS. */
enum found_field {
    MISMATCHED,
    NONFINITE,
    MAX_ABS,
    MAX_REL,
    WORST,
    OFF_SQUARES,
    WANT_SQUARES,
    WORST_NUMBER, /* index of the worst element; below 0 if no element is wrong */
    WORST_GOT,
    WORST_WANT,
    FIELDS
};

static int64_t count_parts(const struct shape *shape)
{
    int64_t elements = shape_elements(shape);

    return elements < MAX_PARTS ? elements : MAX_PARTS;
}

static int64_t count_found(const struct shape *shape)
{
    int64_t elements = shape_elements(shape);

    return elements < MAX_FOUND ? elements : MAX_FOUND;
}

/* Make an empty error map for an output of this shape. */
static struct heatmap make_map(const struct shape *shape)
{
    struct heatmap heatmap;

    heatmap_start(&heatmap, shape, 0);
    return heatmap;
}

int64_t oracle_comparison_found(const struct shape *shape)
{
    return FIELDS * count_found(shape);
}

int64_t oracle_comparison_cells(const struct shape *shape)
{
    struct heatmap heatmap = make_map(shape);
    int64_t cells = (int64_t)(heatmap.map.rows * heatmap.map.cols);

    error_map_release(&heatmap.map);
    return cells * LANES;
}

/* Add the tensors of the oracle program as the first buffers. */
static void add_tensors(const struct dispatch *from, struct dispatch *to)
{
    for (size_t i = 0; i < from->tensor_count; i++) {
        struct buffer_spec tensor = from->buffers.items[i];

        tensor.name = mem_strdup(tensor.name);
        vec_push(&to->buffers, tensor);
    }
    to->tensor_count = from->tensor_count;
    to->options = mem_strdup(from->options);
}

/* Define the macros for the type and the size of an output. */
static void define_output(struct oracle_writer *w, const struct value *value)
{
    struct heatmap heatmap = make_map(&value->shape);
    const struct error_map *map = &heatmap.map;
    size_t rank = value->shape.rank;
    long long count = shape_elements(&value->shape);
    long long cols = rank ? value->shape.dims[rank - 1] : 1;

    strbuf_adds(w->source, "#define GOT(i) ((double)");
    oracle_load(w->source, "b2", value->dtype);
    strbuf_addf(w->source,
                ")\n#define KEPT(x) f_cast_%s(x, 0, 0, 0, 0)\n"
                "#define RELATIVE %.17g\n#define SMALLEST %.17g\n"
                "#define COUNT %lldL\n#define PARTS %lldL\n#define FOUND %lldL\n#define LANES %d\n"
                "#define ROWS %lldL\n#define COLS %lldL\n"
                "#define MAP_ROWS %zu\n#define MAP_COLS %zu\n",
                dtype_name(value->dtype), dtype_spacing(value->dtype, 1),
                dtype_spacing(value->dtype, 0), count, (long long)count_parts(&value->shape),
                (long long)count_found(&value->shape), LANES, count / cols, cols, map->rows,
                map->cols);
    error_map_release(&heatmap.map);
}

static void undefine_output(struct oracle_writer *w)
{
    static const char *const names[] = {"GOT",   "KEPT",  "RELATIVE", "SMALLEST",
                                        "COUNT", "PARTS", "FOUND",    "LANES",
                                        "ROWS",  "COLS",  "MAP_ROWS", "MAP_COLS"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        strbuf_addf(w->source, "#undef %s\n", names[i]);
}

static void write_kernel(struct oracle_writer *w, const size_t *buffers, size_t count,
                         int64_t work_items, const char *body)
{
    oracle_writer_begin(w, &(struct oracle_call_of_buffers){buffers, count, work_items});
    strbuf_addf(w->source, "    %s\n}\n", body);
}

static void write_numbers(struct oracle_writer *w, const struct oracle_compared *compared,
                          const struct shape *shape)
{
    int64_t parts = count_parts(shape);
    size_t scratch = oracle_writer_take(w, FIELDS * parts);
    const size_t elements[] = {compared->value, compared->allowed, compared->got, scratch};
    const size_t merged[] = {scratch, compared->found};

    write_kernel(w, elements, 4, parts, "COMPARE_ELEMENTS");
    write_kernel(w, merged, 2, count_found(shape), "MERGE_PARTS");
    oracle_writer_give(w, scratch);
}

static void write_map(struct oracle_writer *w, const struct oracle_compared *compared,
                      const struct shape *shape)
{
    const size_t cells[] = {compared->value, compared->allowed, compared->got, compared->cells};

    write_kernel(w, cells, 4, oracle_comparison_cells(shape), "COMPARE_CELLS");
}

static void write_digest(struct oracle_writer *w, const struct oracle_compared *compared,
                         const struct value *value)
{
    static const char *const words[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    int64_t parts = count_parts(&value->shape);
    size_t scratch = oracle_writer_take(w, 2 * parts);
    const size_t elements[] = {compared->got, scratch}, merged[] = {scratch, compared->found};

    strbuf_addf(w->source, "#define WORD %s\n", words[dtype_bytes(value->dtype)]);
    write_kernel(w, elements, 2, parts, "DIGEST_ELEMENTS");
    write_kernel(w, merged, 2, count_found(&value->shape), "MERGE_DIGESTS");
    strbuf_adds(w->source, "#undef WORD\n");
    oracle_writer_give(w, scratch);
}

static void write_output(struct oracle_writer *w, const struct oracle_compared *compared,
                         const struct oracle_comparison_request *request)
{
    const struct value *value = &request->values[compared->got];

    define_output(w, value);
    if (request->kind == COMPARISON_MAP)
        write_map(w, compared, &value->shape);
    else if (request->kind == COMPARISON_DIGEST)
        write_digest(w, compared, value);
    else
        write_numbers(w, compared, &value->shape);
    undefine_output(w);
}

void oracle_comparison_write(const struct oracle_comparison_request *request,
                             struct oracle_comparison *comparison)
{
    struct oracle_comparison made = {.dispatch = {.options = NULL}};
    struct oracle_writer w = {.source = &made.source, .dispatch = &made.dispatch};

    add_tensors(request->tensors, &made.dispatch);
    strbuf_adds(w.source, dialect_of(request->language)->prelude);
    strbuf_adds(w.source, functions_cl);
    strbuf_adds(w.source, comparison_cl);
    for (size_t i = 0; i < request->count; i++)
        write_output(&w, &request->compared[i], request);
    free(w.is_free);
    *comparison = made;
}

void oracle_comparison_release(struct oracle_comparison *comparison)
{
    strbuf_release(&comparison->source);
    dispatch_release(&comparison->dispatch);
    *comparison = (struct oracle_comparison){0};
}

static double field_of(const struct oracle_found *found, enum found_field field, size_t part)
{
    return found->found[field * (size_t)count_found(&found->value->shape) + part];
}

/* Read the results of one work-item. */
static struct findings read_part(const struct oracle_found *found, size_t part)
{
    struct findings read = {
        .trial = {.mismatched = (int64_t)field_of(found, MISMATCHED, part),
                  .nonfinite = (int64_t)field_of(found, NONFINITE, part),
                  .max_abs = field_of(found, MAX_ABS, part),
                  .max_rel = field_of(found, MAX_REL, part),
                  .worst_over_tolerance = field_of(found, WORST, part)},
        .off_squares = field_of(found, OFF_SQUARES, part),
    };
    double over = read.trial.worst_over_tolerance;

    if (over > 1)
        findings_add(&read, &found->value->shape,
                     &(struct wrong_element){(size_t)field_of(found, WORST_NUMBER, part),
                                             field_of(found, WORST_GOT, part),
                                             field_of(found, WORST_WANT, part), over});
    return read;
}

static void read_map(const struct oracle_found *found, struct error_map *map)
{
    struct heatmap heatmap = make_map(&found->value->shape);
    size_t cells = heatmap.map.rows * heatmap.map.cols;

    for (size_t i = 0; i < cells * LANES; i++) {
        double *cell = &heatmap.map.cells[i / LANES];

        *cell = fmax(*cell, found->cells[i]);
    }
    error_map_release(map);
    *map = heatmap_take(&heatmap);
}

void oracle_comparison_read(const struct oracle_found *found, struct trial *trial,
                            struct error_map *map)
{
    struct findings all = {.trial = {.output = trial->output,
                                     .dims = trial->dims,
                                     .seed_id = trial->seed_id,
                                     .elements = shape_elements(&found->value->shape)}};
    double want_squares = 0;

    for (size_t part = 0; part < (size_t)count_found(&found->value->shape); part++) {
        const struct findings read = read_part(found, part);

        findings_merge(&all, &read);
        want_squares += field_of(found, WANT_SQUARES, part);
    }
    *trial = all.trial;
    trial->rel_norm = findings_relative_norm(all.off_squares, want_squares);
    if (map)
        read_map(found, map);
}

uint64_t oracle_comparison_digest(const struct oracle_found *found)
{
    size_t count = (size_t)count_found(&found->value->shape);
    uint64_t digest = 0;

    for (size_t part = 0; part < count; part++)
        digest += ((uint64_t)found->found[part] << 32) + (uint64_t)found->found[count + part];
    return digest;
}
