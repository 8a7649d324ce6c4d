#ifndef CORE_AGENT_BUILTIN_PLAN_FAMILY_H
#define CORE_AGENT_BUILTIN_PLAN_FAMILY_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/codegen/writer.h"
#include "core/model/op/op_convolution.h"

/*
 * Chooses the family of kernels for each operation.
 *
 * family_of() decides by the kind of operation and by the types and sizes of its operands.
 */
enum family family_of(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call);

/*
 * True if element i of the result depends on element i of each operand only: elementwise
 * operations, batch normalization of a matrix with given statistics, and reductions over a single
 * element.
 */
bool family_is_elementwise(const struct writer *writer, const struct graph_node *node,
                           const struct op_call *call);

/*
 * The number of last axes that a reduction or row-wise operation works along; 0 if its axes are not
 * the last ones, or it has no row-wise formula.
 */
size_t family_rowwise_axes(const struct op_call *call);

/*
 * True if a work-group had better reduce a channel, axis 1, over the batch and all other axes: the
 * channel's elements fit in its registers.
 */
bool family_has_batch(const struct op_call *call);

/* The passes over a row of the operation; NULL if it has no row-wise formula. */
const struct rowwise_formula *family_rowwise_formula(const struct op *op);

/*
 * The operand's axis for each axis of the result of a transpose or permute; false for other
 * operations.
 */
bool family_permutation(const struct op_call *call, size_t axes[SHAPE_MAX_RANK]);

/*
 * True if the schedule asks for matrix units, and the language and the sizes of the product allow
 * them.
 */
bool family_has_matrix(const struct writer *writer, const struct schedule *schedule,
                       const struct graph_node *node, const struct op_call *call);

/* True if a product or convolution of the problem runs on matrix units under the schedule. */
bool family_finds_matrix(const struct problem *problem, const char *language,
                         const struct schedule *schedule);

/*
 * The tile of a work-group that computes a convolution on matrix units with operands in three
 * parts, or rounded: 128 places by `columns` filters. A stage of the sum has 32 steps.
 */
enum { PARTS_ROWS = 128, PARTS_STEPS = 32, OPERAND_PARTS = 3 };

struct parts_tile {
    int parts;           /* of each operand: OPERAND_PARTS, or one that is rounded */
    int columns, blocks; /* columns of a tile; tiles of a group's filters */
    int phases;          /* of the last axis whose results a work-group stores together: 1 or 2 */
    bool is_by_tap;      /* eight steps are eight channels of one tap; else any channels and taps */
    int64_t channels;    /* of a group, rounded up to whole steps */
    int64_t taps;        /* of the phase with the most taps */
    int64_t stages;      /* for that many taps */
};

/* The taps that a result place meets along an axis of the window, at most. */
int64_t family_axis_taps(const struct window *window, size_t axis);

/* Find the tile of a convolution; KNOB_SPAN limits its columns. */
struct parts_tile family_parts_tile(const struct schedule *schedule, const struct op_call *call);

/*
 * True if a convolution has so few filters in a group that a work-item computes some lines of a
 * column of one filter's results.
 */
bool family_has_window(const struct schedule *schedule, const struct convolution *shape);

/*
 * True if a transposed convolution is computed by lines: its stride is long, and its result takes
 * longer to store than to compute on a GPU's ordinary cores.
 */
bool family_has_lines(const struct writer *writer, const struct convolution *shape);

/*
 * True if the schedule asks for operands in three parts on matrix units, the language has them, and
 * the convolution takes less time on them.
 */
bool family_has_parts(const struct writer *writer, const struct schedule *schedule,
                      const struct graph_node *node, const struct op_call *call);

/*
 * True if the schedule asks for rounded operands on matrix units, and the convolution takes less
 * time if work-items round what they load than if a kernel before it does.
 */
bool family_rounds_loads(const struct writer *writer, const struct schedule *schedule,
                         const struct graph_node *node, const struct op_call *call);

/*
 * Why matrix units do not take a product of f32 operands, in the form that the schedule's
 * KNOB_MATRIX names; NULL if they do. It is the end of a sentence, and constant.
 */
const char *family_product_obstacle(const struct writer *writer, const struct schedule *schedule,
                                    const struct graph_node *node, const struct op_call *call);

/* The same of a convolution. */
const char *family_convolution_obstacle(const struct writer *writer,
                                        const struct schedule *schedule,
                                        const struct graph_node *node, const struct op_call *call);

/* True if all operands and the result are f32. */
bool family_is_f32(const struct op_call *call);

#endif
