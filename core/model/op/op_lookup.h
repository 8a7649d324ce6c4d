#ifndef CORE_MODEL_OP_OP_LOOKUP_H
#define CORE_MODEL_OP_OP_LOOKUP_H

#include "core/model/op/op.h"

/*
 * gather, index_select, embedding and index_copy as what they share: places,
 * each of which belongs to an element of a table.  Where in the table is known
 * from the place but along one axis, along which an index tells it.  The
 * first three read the table there, index_copy writes it.
 */
struct lookup {
    struct shape places;
    size_t table, index;                                                    /* operands */
    ptrdiff_t table_strides[SHAPE_MAX_RANK], index_strides[SHAPE_MAX_RANK]; /* by axis of places */
    int64_t rows;         /* what an index must be below */
    ptrdiff_t row_stride; /* from one index to the next, in the table */
};

/* The operands of a call that finds elements by indices.  Borrows from the call. */
struct lookup lookup_of(const struct op_call *call);

#endif
