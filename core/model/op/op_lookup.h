#ifndef CORE_MODEL_OP_OP_LOOKUP_H
#define CORE_MODEL_OP_OP_LOOKUP_H

#include "core/model/op/op.h"

/*
 * gather, index_select, embedding, index_copy, index_reduce and scatter_reduce in a common form.
 * There is a set of places, and each place has an element of a table. The place determines all
 * coordinates of the element but one, which the index tensor gives. index_copy writes the table at
 * these elements, index_reduce and scatter_reduce combine them with others; the others read it.
 */
struct lookup {
    struct shape places;
    size_t table, index; /* indices of operands */
    ptrdiff_t table_strides[SHAPE_MAX_RANK],
        index_strides[SHAPE_MAX_RANK]; /* one for each axis of places */
    int64_t rows;                      /* exclusive limit of the index */
    ptrdiff_t row_stride;              /* distance in the table from one index to the next */
};

/* The operands and strides of a call of these operations. */
struct lookup lookup_of(const struct op_call *call);

#endif
