#include "core/model/op/op_lookup.h"

#include <math.h>
#include <string.h>

#include "core/model/op/op_family.h"

/* The lookup along axis "dim" of the first operand. */
static struct lookup along_dim(const struct op_call *call, struct shape places)
{
    const struct shape *table = &call->in[0]->shape;
    struct lookup lookup = {.places = places, .table = 0, .index = 1};
    size_t dim = 0;

    shape_strides(table, lookup.table_strides);
    if (op_axis(op_attribute(call, "dim")->integers[0], table->rank, &dim)) {
        lookup.rows = table->dims[dim];
        lookup.row_stride = lookup.table_strides[dim];
        lookup.table_strides[dim] = 0;
        lookup.index_strides[dim] = 1;
    }
    return lookup;
}

static struct lookup embedding_of(const struct op_call *call)
{
    const struct shape *index = &call->in[0]->shape, *weight = &call->in[1]->shape;
    struct lookup lookup = {.places = *index, .table = 1, .index = 0};

    shape_strides(index, lookup.index_strides);
    lookup.index_strides[index->rank] = 0;
    lookup.table_strides[index->rank] = 1;
    lookup.places.dims[lookup.places.rank++] = weight->dims[1];
    lookup.rows = weight->dims[0];
    lookup.row_stride = (ptrdiff_t)weight->dims[1];
    return lookup;
}

struct lookup lookup_of(const struct op_call *call)
{
    struct lookup lookup;

    if (strcmp(call->op->name, "embedding") == 0)
        return embedding_of(call);
    if (strcmp(call->op->name, "index_copy") == 0 || strcmp(call->op->name, "index_reduce") == 0)
        return along_dim(call, call->in[2]->shape);
    if (strcmp(call->op->name, "index_select") == 0)
        return along_dim(call, call->out->shape);
    lookup = along_dim(call, call->in[1]->shape);
    shape_strides(&lookup.places, lookup.index_strides);
    return lookup;
}

/* The range of numbers that a fill makes; false when it is unknown. */
static bool fill_range(const struct value *value, double *low, double *high)
{
    if ((value->role != TENSOR_INPUT && value->role != TENSOR_PARAM) ||
        value->fill.kind == FILL_MODEL)
        return false;
    *low =
        value->fill.kind == FILL_INTEGERS || value->fill.kind == FILL_CONSTANT ? value->fill.a : 0;
    *high = value->fill.kind == FILL_CONSTANT ? value->fill.a : value->fill.b;
    if (value->fill.kind == FILL_PERMUTATION)
        *high = (double)value->shape.dims[value->shape.rank - 1] - 1;
    if (value->fill.kind == FILL_MASK || value->fill.kind == FILL_SIGNS)
        *high = 1;
    if (value->fill.kind == FILL_SIGNS)
        *low = -1;
    return true;
}

/* Check that the index has an integer type and, if its fill is known, stays inside the table. */
static enum status check_index(const struct op_call *call, size_t operand, int64_t rows,
                               const struct json_ref *place, struct error *err)
{
    const struct value *index = call->in[operand];
    double low = 0, high = 0;

    if (index->dtype != DTYPE_I64 && index->dtype != DTYPE_I32)
        return op_error(call, place, err, "expected an index of i32 or i64");
    if (fill_range(index, &low, &high) && (low < 0 || high >= (double)rows))
        return op_error(call, place, err,
                        "expected an index from 0 to %lld, \"%s\" is filled with %.0f to %.0f",
                        (long long)rows - 1, index->name, low, high);
    return STATUS_OK;
}

static enum status infer_gather(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    const struct shape *table = &call->in[0]->shape, *index = &call->in[1]->shape;
    size_t dim = 0;
    enum status st = op_check_axis(call, "dim", place, &dim, err);

    if (st)
        return st;
    if (index->rank != table->rank)
        return op_error(call, place, err, "expected an index with %zu axes", table->rank);
    for (size_t i = 0; i < table->rank; i++)
        if (i != dim && index->dims[i] > table->dims[i])
            return op_error(call, place, err, "expected an index of at most %lld along axis %zu",
                            (long long)table->dims[i], i);
    out->shape = *index;
    out->dtype = call->in[0]->dtype;
    return check_index(call, 1, table->dims[dim], place, err);
}

static enum status infer_select(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    const struct shape *table = &call->in[0]->shape, *index = &call->in[1]->shape;
    size_t dim = 0;
    enum status st = op_check_axis(call, "dim", place, &dim, err);

    if (st)
        return st;
    if (index->rank != 1)
        return op_error(call, place, err, "expected an index with one axis");
    out->shape = *table;
    out->shape.dims[dim] = index->dims[0];
    out->dtype = call->in[0]->dtype;
    return check_index(call, 1, table->dims[dim], place, err);
}

static enum status infer_embedding(const struct op_call *call, const struct json_ref *place,
                                   struct value *out, struct error *err)
{
    const struct shape *index = &call->in[0]->shape, *weight = &call->in[1]->shape;
    struct shape shape = *index;

    if (weight->rank != 2 || index->rank == SHAPE_MAX_RANK)
        return op_error(call, place, err, "expected indices of less than %d axes and weight [V, D]",
                        SHAPE_MAX_RANK);
    shape.dims[shape.rank++] = weight->dims[1];
    out->shape = shape;
    out->dtype = call->in[1]->dtype;
    return check_index(call, 0, weight->dims[0], place, err);
}

static enum status check_number(const struct op_call *call, const struct json_ref *place,
                                struct error *err)
{
    return call->in[0]->dtype == DTYPE_BOOL ? op_error(call, place, err, "expected numbers")
                                            : STATUS_OK;
}

static enum status infer_copy(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    const struct value *table = call->in[0], *source = call->in[2];
    struct value selected = {0};
    char text[SHAPE_TEXT_SIZE];
    enum status st = infer_select(call, place, &selected, err);

    if (st)
        return st;
    if (!shape_equals(&source->shape, &selected.shape))
        return op_error(call, place, err, "expected a source %s",
                        shape_text(&selected.shape, text));
    if (source->dtype != table->dtype)
        return op_error(call, place, err, "expected a source of %s", dtype_name(table->dtype));
    out->shape = table->shape;
    out->dtype = table->dtype;
    return STATUS_OK;
}

static enum status infer_index_reduce(const struct op_call *call, const struct json_ref *place,
                                      struct value *out, struct error *err)
{
    enum status st = infer_copy(call, place, out, err);

    return st ? st : check_number(call, place, err);
}

static enum status infer_scatter_reduce(const struct op_call *call, const struct json_ref *place,
                                        struct value *out, struct error *err)
{
    const struct value *table = call->in[0], *source = call->in[2];
    struct value found = {0};
    char text[SHAPE_TEXT_SIZE];
    enum status st = infer_gather(call, place, &found, err);

    if (st)
        return st;
    if (!shape_equals(&source->shape, &found.shape))
        return op_error(call, place, err, "expected a source %s", shape_text(&found.shape, text));
    if (source->dtype != table->dtype)
        return op_error(call, place, err, "expected a source of %s", dtype_name(table->dtype));
    out->shape = table->shape;
    out->dtype = table->dtype;
    return check_number(call, place, err);
}

/*
 * The expected number of different rows among `rows` that an index with `count` elements names: all
 * different for a permutation, otherwise the mean for uniform draws. 0 when nothing is known of the
 * index.
 */
static double distinct(const struct value *index, double count, double rows)
{
    double low = 0, high = 0;

    if (!fill_range(index, &low, &high))
        return 0;
    if (index->fill.kind == FILL_PERMUTATION && index->shape.rank == 1)
        return fmin(count, rows);
    rows = fmin(rows, high - low + 1);
    return rows > 1 ? rows * -expm1(count * log1p(-1 / rows)) : 1;
}

/* The rows of the table that the index names, as far as that is known. */
static double reads_rows(const struct op_call *call, size_t operand)
{
    struct lookup lookup = lookup_of(call);
    const struct value *index = call->in[lookup.index];
    double all = (double)shape_elements(&call->in[operand]->shape), rows = (double)lookup.rows;
    double named = distinct(index, (double)shape_elements(&index->shape), rows);

    if (operand == lookup.index || named == 0)
        return all;
    return all / rows * named;
}

static double reads_elements(const struct op_call *call, size_t operand)
{
    double all = (double)shape_elements(&call->in[operand]->shape);
    const struct value *index = call->in[1];
    double named = distinct(index, (double)shape_elements(&index->shape), all);

    return operand == 1 || named == 0 ? all : named;
}

/* Only elements that are not overwritten must be read. */
static double reads_copy(const struct op_call *call, size_t operand)
{
    double all = (double)shape_elements(&call->in[operand]->shape);
    double written = (double)shape_elements(&call->in[2]->shape);

    return operand == 0 ? fmax(all - written, 0) : all;
}

/* Add `elements` elements of a tensor, at unknown places. */
static void add_anywhere(const struct value *value, double elements, struct region_list *needed)
{
    struct region region = {.rank = value->shape.rank, .is_anywhere = true};

    for (size_t i = 1; i < region.rank; i++)
        region.axes[i] = (struct region_axis){0, 1, 1};
    region.axes[0] = (struct region_axis){0, 1, (int64_t)elements};
    if (region.rank > 0)
        region_list_add(needed, &region);
}

/* The index matters unless the table has a single row. */
static void add_index(const struct op_call *call, const struct lookup *lookup,
                      struct region_list *needed)
{
    const struct region all = region_whole(&call->in[lookup->index]->shape);

    if (lookup->rows > 1)
        region_list_add(needed, &all);
}

/* The elements of a table are added only if the whole result is wanted. */
static void needs_lookup(const struct op_call *call, const struct op_demand *demand,
                         struct region_list *needed)
{
    struct lookup lookup = lookup_of(call);
    double count = (double)shape_elements(&call->in[lookup.index]->shape);
    double all = (double)shape_elements(&call->in[lookup.table]->shape), row;

    if (!region_is_whole(demand->wanted, &call->out->shape))
        return;
    if (demand->operand == lookup.index) {
        add_index(call, &lookup, needed);
        return;
    }
    row = call->op->reads == reads_elements ? 1 : all / (double)lookup.rows;
    add_anywhere(call->in[lookup.table],
                 row * floor(distinct(call->in[lookup.index], count, all / row)), needed);
}

/*
 * The needed rows: those of the table that are not overwritten, and those of the source that later
 * ones do not overwrite.
 */
static void needs_copy(const struct op_call *call, const struct op_demand *demand,
                       struct region_list *needed)
{
    struct lookup lookup = lookup_of(call);
    const struct value *table = call->in[0], *index = call->in[1], *source = call->in[2];
    double row = (double)shape_elements(&table->shape) / (double)lookup.rows;
    double count = (double)shape_elements(&index->shape);

    if (!region_is_whole(demand->wanted, &call->out->shape))
        return;
    if (demand->operand == 1)
        add_index(call, &lookup, needed);
    else if (demand->operand == 0)
        add_anywhere(table, fmax((double)lookup.rows - count, 0) * row, needed);
    else
        add_anywhere(source, floor(distinct(index, count, (double)lookup.rows)) * row, needed);
}

/* All elements of x and of the source, and the index unless there is a single row. */
static void needs_add(const struct op_call *call, const struct op_demand *demand,
                      struct region_list *needed)
{
    struct lookup lookup = lookup_of(call);
    const struct region all = region_whole(&call->in[demand->operand]->shape);

    if (!region_is_whole(demand->wanted, &call->out->shape))
        return;
    if (demand->operand == 1)
        add_index(call, &lookup, needed);
    else
        region_list_add(needed, &all);
}

/* An addition, or a comparison, for each element of the source. */
static double flops_add(const struct op_call *call)
{
    return (double)shape_elements(&call->in[2]->shape);
}

static const struct attribute_spec along[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGER, .is_required = true}, {0}};

static const char *const reductions[] = {"sum", "amax", NULL};
static const struct attribute_spec reduced[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGER, .is_required = true},
    {.name = "reduce", .kind = ATTRIBUTE_CHOICE, .choices = reductions},
    {0}};

const struct op op_lookup[] = {
    {"gather", OP_MOVEMENT, 2, 2, along, infer_gather, .reads = reads_elements,
     .operands = "x, index", .types = "any, and index i32 or i64; the type of x",
     .needs = needs_lookup},
    {"index_select", OP_MOVEMENT, 2, 2, along, infer_select, .reads = reads_rows,
     .operands = "x, index", .types = "any, and index i32 or i64; the type of x",
     .needs = needs_lookup},
    {"embedding", OP_MOVEMENT, 2, 2, op_no_attributes, infer_embedding, .reads = reads_rows,
     .operands = "index, weight", .types = "any, and index i32 or i64; the type of weight",
     .needs = needs_lookup},
    {"index_copy", OP_MOVEMENT, 3, 3, along, infer_copy, .reads = reads_copy,
     .operands = "x, index, source",
     .types = "x and source of the same type, any; index i32 or i64; the type of x",
     .needs = needs_copy},
    {"index_reduce", OP_SCATTER, 3, 3, reduced, infer_index_reduce, .flops = flops_add,
     .operands = "x, index, source",
     .types = "x and source of the same type, numbers; index i32 or i64; the type of x",
     .needs = needs_add},
    {"scatter_reduce", OP_SCATTER, 3, 3, reduced, infer_scatter_reduce, .flops = flops_add,
     .operands = "x, index, source",
     .types = "x and source of the same type, numbers; index i32 or i64; the type of x",
     .needs = needs_add},
    {0},
};
