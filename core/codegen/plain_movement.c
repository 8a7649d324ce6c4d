#include <string.h>

#include "core/base/array.h"
#include "core/codegen/plain_kernel.h"
#include "core/codegen/slice_first.h"
#include "core/model/op/op_lookup.h"

/* Store the operand's element at the coordinates. */
static void copy_from(struct plain *p, const struct coordinates *coords)
{
    plain_store(p, "i", plain_operand_at(p, 0, coords), "    ");
}

static void write_in_order(struct plain *p)
{
    plain_head(p);
    plain_store(p, "i", plain_operand(p, 0, "i"), "    ");
}

static void write_permute(struct plain *p)
{
    struct coordinates coords = {0};

    for (size_t i = 0; i < p->call.out->shape.rank; i++)
        coordinates_set(&coords, call_axis(&p->call, "dims", i), plain_text(p, "i%zu", i));
    plain_head_of_elements(p);
    copy_from(p, &coords);
}

static void write_transpose(struct plain *p)
{
    size_t a = call_axis(&p->call, "dim0", 0), b = call_axis(&p->call, "dim1", 0);
    struct coordinates coords = plain_coordinates(p);

    coordinates_set(&coords, a, plain_text(p, "i%zu", b));
    coordinates_set(&coords, b, plain_text(p, "i%zu", a));
    plain_head_of_elements(p);
    copy_from(p, &coords);
}

static void write_slice(struct plain *p)
{
    size_t axis = call_axis(&p->call, "dim", 0);
    struct coordinates coords = plain_coordinates(p);
    struct strbuf first = {0};

    slice_first(p->writer, p->node, &p->call, &first);
    coordinates_set(&coords, axis, "(first + at)");
    plain_head_of_elements(p);
    plain_add(p, "    const int first = %s, at = i%zu * %s;\n", strbuf_cstr(&first), axis,
              plain_number(p, "step", 0));
    copy_from(p, &coords);
    strbuf_release(&first);
}

static void write_expand(struct plain *p)
{
    struct coordinates coords = plain_coordinates(p);

    plain_head_of_elements(p);
    coords = writer_broadcast(p->writer, p->node->in[0], p->node->out, &coords);
    copy_from(p, &coords);
}

/*
 * For each operand but the last, write a test of `at`: before the operand's end, the element is the
 * operand's.
 */
static void write_concat(struct plain *p)
{
    size_t axis = call_axis(&p->call, "dim", 0), last = p->call.in_count - 1;
    struct coordinates coords = plain_coordinates(p);

    coordinates_set(&coords, axis, "at");
    plain_head_of_elements(p);
    plain_add(p, "    int at = i%zu;\n", axis);
    for (size_t k = 0; k <= last; k++) {
        const char *size = plain_size(p, p->node->in[k], axis);

        if (k < last)
            plain_add(p, "    if (at < %s) {\n", size);
        plain_store(p, "i", plain_operand_at(p, k, &coords), k < last ? "        " : "    ");
        if (k < last)
            plain_add(p, "        return;\n    }\n    at -= %s;\n", size);
    }
}

static void write_pad(struct plain *p)
{
    const struct attribute *pad = op_attribute(&p->call, "pad");
    struct coordinates coords = plain_coordinates(p);
    char value[32];

    formula_number(p->call.out->dtype, op_attribute(&p->call, "value")->number, value);
    plain_head_of_elements(p);
    plain_add(p, "    bool is_inside = true;\n");
    for (size_t i = 0; i < pad->count; i += 2) {
        size_t axis = p->call.out->shape.rank - 1 - i / 2;

        plain_add(p, "    const int x%zu = i%zu - %s;\n", axis, axis, plain_number(p, "pad", i));
        plain_add(p, "    is_inside = is_inside && x%zu >= 0 && x%zu < %s;\n", axis, axis,
                  plain_size(p, p->node->in[0], axis));
        coordinates_set(&coords, axis, plain_text(p, "x%zu", axis));
    }
    plain_store(p, "i",
                plain_text(p, "is_inside ? %s : %s", plain_operand_at(p, 0, &coords), value),
                "    ");
}

/* Declare `row`, the element of the index tensor at the coordinates. */
static void add_row(struct plain *p, size_t operand, const struct coordinates *coords)
{
    plain_add(p, "    const int row = %s;\n",
              plain_load(p, operand, plain_index(p, p->node->in[operand], coords)));
}

/* gather and index_select, along axis "dim" of the first operand. */
static void write_lookup(struct plain *p)
{
    size_t axis = call_axis(&p->call, "dim", 0);
    struct coordinates coords = plain_coordinates(p), index = coords;

    if (strcmp(p->call.op->name, "index_select") == 0)
        coordinates_set(&index, 0, plain_text(p, "i%zu", axis));
    plain_head_of_elements(p);
    add_row(p, 1, &index);
    coordinates_set(&coords, axis, "row");
    copy_from(p, &coords);
}

static void write_embedding(struct plain *p)
{
    struct coordinates index = plain_coordinates(p), coords = {0};

    plain_head_of_elements(p);
    add_row(p, 0, &index);
    coordinates_set(&coords, 0, "row");
    coordinates_set(&coords, 1, plain_text(p, "i%zu", p->call.out->shape.rank - 1));
    plain_store(p, "i", plain_operand_at(p, 1, &coords), "    ");
}

/* A work-item searches for the last position of the index that names its row. */
static void write_index_copy(struct plain *p)
{
    size_t axis = call_axis(&p->call, "dim", 0);
    struct coordinates coords = plain_coordinates(p);

    coordinates_set(&coords, axis, "j");
    plain_head_of_elements(p);
    plain_add(p, "    %s value = %s;\n", formula_type(p->call.out->dtype)->compute,
              plain_operand(p, 0, "i"));
    plain_add(
        p, "    for (int j = 0; j < %s; j++)\n        if (%s == i%zu)\n            value = %s;\n",
        plain_size(p, p->node->in[1], 0), plain_load(p, 1, "j"), axis,
        plain_operand_at(p, 2, &coords));
    plain_store(p, "i", "value", "    ");
}

/* A work-item copies the operand's element for its element of the result. */
bool plain_movement(struct plain *p)
{
    static const struct {
        const char *op;
        void (*write)(struct plain *p);
    } rules[] = {
        {"reshape", write_in_order},    {"flatten", write_in_order},
        {"squeeze", write_in_order},    {"unsqueeze", write_in_order},
        {"permute", write_permute},     {"transpose", write_transpose},
        {"slice", write_slice},         {"expand", write_expand},
        {"concat", write_concat},       {"pad", write_pad},
        {"gather", write_lookup},       {"index_select", write_lookup},
        {"embedding", write_embedding}, {"index_copy", write_index_copy},
    };

    for (size_t i = 0; i < COUNT(rules); i++)
        if (strcmp(rules[i].op, p->call.op->name) == 0) {
            rules[i].write(p);
            plain_launch_over(p, p->node->out, value_axes(p->call.out));
            return true;
        }
    return false;
}
