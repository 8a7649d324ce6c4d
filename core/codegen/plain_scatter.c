#include <string.h>

#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_lookup.h"

/*
 * Elements of a source are added to those of a copy of x that an index names, or replace smaller
 * ones, in time proportional to both. On a GPU each work-item adds one element, atomically, so the
 * order of a sum is left to the device. Elsewhere a work-item adds all elements along the axis of
 * the index, in order, for some neighbouring columns.
 */

enum { COLUMNS = 16 };

/* The axis of the index, and the operands of the call. */
enum { TABLE, INDEX, SOURCE };

struct scatter {
    struct plain *p;
    size_t axis;
    bool is_largest; /* of each and those that are named for it; else their sum */
    bool is_each;    /* each element of the source has an index of its own */
};

/* Write a kernel that copies x. */
static void write_copy(const struct scatter *s)
{
    struct plain *p = s->p;
    struct kernel kernel = {.name = plain_text(p, "%s_copy", p->kernel.name)};
    struct strbuf global = {0};

    kernel_add_value(&kernel, p->call.in[TABLE], false);
    kernel_add_value(&kernel, p->call.out, true);
    writer_head(p->writer, &kernel);
    plain_add(p, "    const int i = get_global_id(0);\n");
    plain_store(p, "i", plain_load(p, TABLE, "i"), "    ");
    plain_add(p, "}\n\n");
    extents_product(&p->writer->extents, p->node->out, value_axes(p->call.out), &global);
    writer_launch(p->writer, p->writer->launches, &kernel,
                  &(struct space){.global = {strbuf_cstr(&global)}, .rank = 1});
    strbuf_release(&global);
    kernel_release(&kernel);
}

static void begin(const struct scatter *s)
{
    struct plain *p = s->p;

    kernel_add_value(&p->kernel, p->call.in[INDEX], false);
    kernel_add_value(&p->kernel, p->call.in[SOURCE], false);
    kernel_add_value(&p->kernel, p->call.out, true);
    writer_head(p->writer, &p->kernel);
    plain_add(p, "    const int i = get_global_id(0);\n");
}

/* Declare `row`, and leave out one that there is not by `leave`. */
static void add_row(const struct scatter *s, const struct coordinates *at, const char *indent,
                    const char *leave)
{
    struct plain *p = s->p;
    struct coordinates index = *at;

    if (!s->is_each)
        coordinates_set(&index, 0, at->at[s->axis]);
    plain_add(p, "%sconst int row = %s;\n\n%sif (row < 0 || row >= %s)\n%s    %s;\n", indent,
              plain_load(p, INDEX, plain_index(p, p->node->in[INDEX], &index)), indent,
              plain_size(p, p->node->out, s->axis), indent, leave);
}

/* True if the device adds elements of this type atomically. */
static bool is_atomic(const struct plain *p)
{
    enum dtype dtype = p->call.out->dtype;

    return p->writer->is_gpu && p->writer->dialect->additions &&
           (dtype == DTYPE_F32 || dtype == DTYPE_I32);
}

static void write_atomic(const struct scatter *s)
{
    struct plain *p = s->p;
    size_t source = p->node->in[SOURCE];
    struct coordinates at = {0};

    begin(s);
    coordinates_axes(&at, value_axes(p->call.in[SOURCE]), "i");
    writer_axes(p->writer, source, value_axes(p->call.in[SOURCE]), "i", "    ");
    add_row(s, &at, "    ", "return");
    coordinates_set(&at, s->axis, "row");
    plain_add(p, "    %s(p_%s + %s, %s);\n", s->is_largest ? "raise_to" : "add_to",
              p->call.out->name, plain_index(p, p->node->out, &at), plain_load(p, SOURCE, "i"));
    plain_launch_over(p, source, value_axes(p->call.in[SOURCE]));
}

/* Begin a loop over some columns of the last axis, and name the column. */
static const char *add_columns(const struct scatter *s, struct coordinates *at)
{
    struct plain *p = s->p;
    size_t source = p->node->in[SOURCE], last = p->call.in[SOURCE]->shape.rank - 1;

    coordinates_set(at, last, "c");
    plain_add(p, "        for (int c = first; c < first + %d && c < %s; c++) {\n", COLUMNS,
              plain_size(p, source, last));
    return "        }\n";
}

/* Combine the element of the source with that of the result in row `row`. */
static void write_element(const struct scatter *s, const struct coordinates *from)
{
    struct plain *p = s->p;
    struct coordinates at = *from;
    struct strbuf old = {0};
    const char *to;

    coordinates_set(&at, s->axis, "row");
    to = plain_index(p, p->node->out, &at);
    writer_load(p->call.out, to, &old);
    plain_store(p, to,
                plain_text(p, s->is_largest ? "larger(%s, %s)" : "%s + %s", strbuf_cstr(&old),
                           plain_operand_at(p, SOURCE, from)),
                "            ");
    strbuf_release(&old);
}

static void write_in_order(const struct scatter *s)
{
    struct plain *p = s->p;
    size_t source = p->node->in[SOURCE], last = p->call.in[SOURCE]->shape.rank - 1;
    bool has_columns = s->axis != last;
    unsigned lines = value_axes(p->call.in[SOURCE]) & ~(1U << s->axis);
    const char *size = plain_size(p, source, last), *end = "";
    const char *blocks = plain_text(p, "((%s + %d) / %d)", size, COLUMNS - 1, COLUMNS);
    struct coordinates at = {0};
    struct strbuf global = {0};

    lines &= has_columns ? ~(1U << last) : ~0U;
    begin(s);
    if (has_columns)
        plain_add(p, "    const int line = i / %s, first = i %% %s * %d;\n", blocks, blocks,
                  COLUMNS);
    else
        plain_add(p, "    const int line = i;\n");
    writer_axes(p->writer, source, lines, "line", "    ");
    coordinates_axes(&at, lines, "line");
    coordinates_set(&at, s->axis, "j");
    plain_add(p, "\n    for (int j = 0; j < %s; j++) {\n", plain_size(p, source, s->axis));
    if (has_columns && s->is_each)
        end = add_columns(s, &at);
    add_row(s, &at, "        ", "continue");
    if (has_columns && !s->is_each)
        end = add_columns(s, &at);
    write_element(s, &at);
    plain_add(p, "%s    }\n", end);
    extents_product(&p->writer->extents, source, lines, &global);
    plain_launch(p, has_columns ? plain_text(p, "%s * %s", strbuf_cstr(&global), blocks)
                                : plain_text(p, "%s", strbuf_cstr(&global)));
    strbuf_release(&global);
}

bool plain_scatter(struct plain *p)
{
    struct scatter s = {p, call_axis(&p->call, "dim", 0),
                        op_attribute(&p->call, "reduce")->integers[0] != 0,
                        strcmp(p->call.op->name, "scatter_reduce") == 0};

    write_copy(&s);
    if (is_atomic(p))
        write_atomic(&s);
    else
        write_in_order(&s);
    return true;
}
