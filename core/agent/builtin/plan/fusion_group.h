#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_GROUP_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_GROUP_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * Groups of operations that share a kernel.
 *
 * A group computes values over one index space of rows and columns. The columns are the last axes
 * of the space: the last one, those that a normalization works along, or all if nothing is
 * broadcast. The rows are the axes before. If statistics of a batch are computed, a row is a
 * channel of the whole batch. A value of a group has one element for each element of the space, or
 * one for each row.
 *
 * Partials are the results of row-wise passes over parts of a row, in scratch buffers.
 */

enum {
    GROUP_MAX_NODES = 128, /* of a group that is elementwise */
    GROUP_MAX_FUSED = 32,  /* of another one, whose kernel repeats the code of its elements */
};

/* A kernel has LAUNCH_MAX_ARGS arguments: buffers, and the sizes of a few axes. */
enum { GROUP_MAX_BUFFERS = 52 };

struct group {
    enum family family;
    size_t nodes[GROUP_MAX_NODES]; /* in the graph's order */
    size_t count;
    size_t space;         /* the value whose shape is the space */
    size_t column_axes;   /* number of last axes that are columns */
    bool has_batch;       /* a row is a channel, axis 1; its columns are all other axes */
    const char *parts;    /* rows that share the first column axis, as C text; or NULL */
    int64_t part_count;   /* the same number, at the main dimensions */
    bool writes_partials; /* a product whose epilogue computes partials of `partials_of` */
    bool reads_partials;  /* the first node merges partials of a product's epilogue */
    size_t partials_of;   /* the first node of another group */
    bool writes_columns;  /* a product whose epilogue computes statistics of columns */
    size_t columns_of;    /* the value that these are of; in FAMILY_COLUMNS that is read */
    int64_t slices;       /* parts of a row with partial results of their own; 0: rows are whole */
    int64_t slice;        /* columns of such a part; the last one may be shorter */
    int64_t result_slice; /* columns of a part whose results a work-group computes */
    bool is_ahead;        /* depends on params alone, and runs in the plan's prepare */
    size_t kernel_group;  /* the group whose kernel computes this one, usually itself */
};

struct fusion {
    struct {
        struct group *items;
        size_t count, capacity;
    } groups;         /* in an order in which they can run */
    size_t *group_of; /* for each value, the group that computes it; SIZE_MAX if none does */
    bool *is_row;     /* for each value, true if it has one element for each row of its group */
    bool *is_stored;  /* for each value, true if it is an output or another group loads it */
    /*
     * For each value, the group of the product on matrix units that alone loads it and for which
     * the epilogue of another one converts it; SIZE_MAX for none. It is not stored itself.
     */
    size_t *converted_for;
    /* For each value, true if it is stored in the type of the operands of matrix units. */
    bool *is_rounded;
    /* For each value, the one of which it is another shape in the same buffer; SIZE_MAX for none.
     */
    size_t *view_of;
    struct arena texts;
};

/* Free the groups; leaves an empty fusion. */
void fusion_release(struct fusion *fusion);

/*
 * Move all nodes of group `from` to group `to`, which comes later, and remove `from`. The group
 * that was `to` is then `to - 1`.
 */
void fusion_move_nodes(const struct writer *writer, struct fusion *fusion, size_t from, size_t to);

/*
 * True if the value is computed elementwise from a reduction along one short axis that is not the
 * last, and from what the reduction reads. A work-item can then keep a stack of elements along that
 * axis in registers, and read them once.
 */
bool fusion_stack_axis(const struct writer *writer, size_t value, size_t *axis);

/* The values that the group reads from others, and those of its own that others read. */
size_t fusion_buffers(const struct writer *writer, const struct fusion *fusion, size_t number);

/* True if a group between the two reads what group `from` computes. */
bool fusion_is_read_between(const struct writer *writer, const struct fusion *fusion, size_t from,
                            size_t to);

/* True if two groups work along the rows of the same shape and read a whole value in common. */
bool fusion_shares_rows(const struct writer *writer, const struct fusion *fusion, size_t a,
                        size_t b);

/*
 * True if the group has a kernel. A group of movements has none if other movements compute all of
 * it inline, if it shares the kernel of another group, or if its result is a view of a buffer.
 */
bool fusion_has_kernel(const struct writer *writer, const struct fusion *fusion, size_t number);

/* True if a group of movements computes the value. */
bool fusion_is_movement(const struct fusion *fusion, size_t value);

/* The families of all groups, as bits. */
unsigned fusion_families(const struct fusion *fusion);

/* True if a node of the group reads the value. */
bool group_reads(const struct writer *writer, const struct group *group, size_t value);

/* The position of `node` in the group, or group->count. */
size_t group_find(const struct group *group, size_t node);

/* A range of axes, from `first` up to but without `end`. */
struct axes {
    size_t first, end;
};

/* The axes as bits, bit i for axis i. */
unsigned axes_bits(struct axes axes);

/*
 * The axes of the group's space that are columns, and the axes before, which are rows. The axis of
 * a batch is in neither.
 */
struct axes group_columns(const struct writer *writer, const struct group *group);
struct axes group_rows(const struct writer *writer, const struct group *group);

/* The columns as bits, with the axis of the batch. */
unsigned group_column_bits(const struct writer *writer, const struct group *group);

/* The variation of a broadcast value along some axes of a space. */
enum span {
    SPAN_ALL, /* another element for each index */
    SPAN_ONE, /* the same element everywhere */
    SPAN_OTHER,
};

/*
 * The variation of `value` along `axes` (bit i for axis i) of the space, which is the shape of the
 * value `space`.
 */
enum span fusion_span(const struct writer *writer, size_t value, size_t space, unsigned axes);

/*
 * A running sum or product along the last axis shares its kernel with others. Elementwise
 * operations and movements before it are computed inline while the kernel loads. After it, one
 * movement may join the group as its second node: the reversal of the row, if the operand is
 * reversed too (the scan then runs from the end); or a concat that puts one element per row before
 * the results (each place then gets the result of the place before).
 */

/* The node that computes the value; NULL if none does. */
const struct graph_node *fusion_scan_node_of(const struct writer *writer, size_t value);

/* True if the node is a scan whose operand, computed by a movement, is found inline. */
bool fusion_scan_is_inlining(const struct writer *writer, const struct graph_node *node);

/* True if only this node reads the value, which is no output of the problem. */
bool fusion_scan_is_private(const struct writer *writer, size_t value);

/* True if the movement can join the group of the scan that computes one of its operands. */
bool fusion_scan_takes(const struct writer *writer, const struct fusion *fusion, size_t number,
                       const struct graph_node *node);

#endif
