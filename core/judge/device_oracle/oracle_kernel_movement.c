#include "core/judge/device_oracle/oracle_kernel.h"

#include <string.h>

#include "core/judge/oracle/rounding/kept_elements.h"
#include "core/model/op/op_lookup.h"

/* Store operand `operand`'s element at index `at`. */
static void copy_from(struct oracle_kernel *k, size_t operand, const char *at)
{
    struct strbuf value = {0}, variance = {0};

    strbuf_addf(&value, "X%zu(%s)", operand, at);
    strbuf_addf(&variance, "V%zu(%s)", operand, at);
    oracle_kernel_store(k, "i", strbuf_cstr(&value), strbuf_cstr(&variance));
    oracle_kernel_add(k, "\n");
    strbuf_release(&value);
    strbuf_release(&variance);
}

static void write_view(struct oracle_kernel *k)
{
    struct tensor_view view = k->call.op->view(&k->call);
    struct strbuf at = {0};

    strbuf_addf(&at, "%td + ", view.offset);
    oracle_strided(&at, "i", &k->call.out->shape, view.strides);
    copy_from(k, 0, strbuf_cstr(&at));
    strbuf_release(&at);
}

/*
 * Write a concatenation: the operands follow each other along an axis; one step along it spans
 * `inner` elements.
 */
static void write_concat(struct oracle_kernel *k)
{
    const struct shape *out = &k->call.out->shape;
    int64_t dim = op_attribute(&k->call, "dim")->integers[0];
    long long first = 0;
    size_t axis = (size_t)(dim < 0 ? dim + (int64_t)out->rank : dim);
    ptrdiff_t strides[SHAPE_MAX_RANK];

    shape_strides(out, strides);
    oracle_kernel_add(
        k, "    const INDEX inner = i %% %td, at = i / %td %% %lld, outer = i / %td / %lld;\n",
        strides[axis], strides[axis], (long long)out->dims[axis], strides[axis],
        (long long)out->dims[axis]);
    for (size_t operand = 0; operand < k->call.in_count; operand++) {
        long long size = k->call.in[operand]->shape.dims[axis];
        struct strbuf from = {0};

        strbuf_addf(&from, "(outer * %lld + at - %lld) * %td + inner", size, first, strides[axis]);
        oracle_kernel_add(k, "    if (at >= %lld && at < %lld) {\n        ", first, first + size);
        copy_from(k, operand, strbuf_cstr(&from));
        oracle_kernel_add(k, "    }\n");
        first += size;
        strbuf_release(&from);
    }
}

static void write_pad(struct oracle_kernel *k)
{
    const struct attribute *pad = op_attribute(&k->call, "pad");
    const struct shape *in = &k->call.in[0]->shape, *out = &k->call.out->shape;
    ptrdiff_t strides[SHAPE_MAX_RANK], dense[SHAPE_MAX_RANK];
    const struct rounding *rounding = k->writer->rounding;
    double padding = rounding ? kept_padding_variance(&k->call, rounding) : 0;
    struct strbuf value = {0}, variance = {0};

    shape_strides(in, strides);
    shape_strides(out, dense);
    oracle_kernel_add(k, "    INDEX from = 0;\n    int is_inside = 1;\n");
    for (size_t axis = 0; axis < out->rank; axis++) {
        size_t i = 2 * (out->rank - 1 - axis);
        long long before = i < pad->count ? pad->integers[i] : 0;

        oracle_kernel_add(k,
                          "    const INDEX x%zu = i / %td %% %lld - %lld;\n"
                          "    is_inside = is_inside && x%zu >= 0 && x%zu < %lld;\n"
                          "    from += x%zu * %td;\n",
                          axis, dense[axis], (long long)out->dims[axis], before, axis, axis,
                          (long long)in->dims[axis], axis, strides[axis]);
    }
    strbuf_addf(&value, "is_inside ? X0(from) : (double)%.17g",
                op_attribute(&k->call, "value")->number);
    strbuf_addf(&variance, "is_inside ? V0(from) : (double)%.17g", padding);
    oracle_kernel_add(k, "    ");
    oracle_kernel_store(k, "i", strbuf_cstr(&value), strbuf_cstr(&variance));
    oracle_kernel_add(k, "\n");
    strbuf_release(&value);
    strbuf_release(&variance);
}

/* Write a look-up; an index outside of the table gives NaN. */
static void write_lookup(struct oracle_kernel *k)
{
    struct lookup lookup = lookup_of(&k->call);
    struct strbuf table = {0}, index = {0}, value = {0}, variance = {0};

    oracle_strided(&table, "i", &lookup.places, lookup.table_strides);
    oracle_strided(&index, "i", &lookup.places, lookup.index_strides);
    oracle_kernel_add(k,
                      "    const double row = X%zu(%s);\n"
                      "    const int is_inside = row >= 0 && row < %lld.0;\n"
                      "    const INDEX from = is_inside ? %s + (INDEX)row * %td : 0;\n    ",
                      lookup.index, strbuf_cstr(&index), (long long)lookup.rows,
                      strbuf_cstr(&table), lookup.row_stride);
    strbuf_addf(&value, "is_inside ? X%zu(from) : NOT_A_NUMBER", lookup.table);
    strbuf_addf(&variance, "is_inside ? V%zu(from) : NOT_A_NUMBER", lookup.table);
    oracle_kernel_store(k, "i", strbuf_cstr(&value), strbuf_cstr(&variance));
    oracle_kernel_add(k, "\n");
    strbuf_release(&table);
    strbuf_release(&index);
    strbuf_release(&value);
    strbuf_release(&variance);
}

/*
 * Write a copy of the table in which rows of the last operand replace those that the index names.
 * If the index names a row twice, the last one counts.
 */
static void write_index_copy(struct oracle_kernel *k)
{
    struct lookup lookup = lookup_of(&k->call);
    long long count = shape_elements(&k->call.in[lookup.index]->shape), step = lookup.row_stride;

    oracle_kernel_add(k,
                      "    const INDEX row = i / %lld %% %lld;\n"
                      "    INDEX from = %lld;\n"
                      "    while (--from >= 0 && X%zu(from) != row)\n        continue;\n"
                      "    const INDEX at = (i / %lld * %lld + from) * %lld + i %% %lld;\n    ",
                      step, (long long)lookup.rows, count, lookup.index,
                      step * (long long)lookup.rows, count, step, step);
    oracle_kernel_store(k, "i", "from >= 0 ? X2(at) : X0(i)", "from >= 0 ? V2(at) : V0(i)");
    oracle_kernel_add(k, "\n");
}

bool oracle_write_movement(struct oracle_kernel *kernel)
{
    const char *name = kernel->call.op->name;

    oracle_kernel_begin(kernel, shape_elements(&kernel->call.out->shape));
    if (kernel->call.op->view)
        write_view(kernel);
    else if (strcmp(name, "concat") == 0)
        write_concat(kernel);
    else if (strcmp(name, "pad") == 0)
        write_pad(kernel);
    else if (strcmp(name, "index_copy") == 0)
        write_index_copy(kernel);
    else
        write_lookup(kernel);
    oracle_kernel_end(kernel);
    return true;
}
