#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_FIT_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_FIT_H

#include "core/agent/builtin/plan/fusion_group.h"

/* Tests whether a node fits into a group, for fusion.c only. */

struct planner {
    const struct writer *writer;
    const struct schedule *schedule;
    struct fusion *fusion;
    const struct graph_node *node; /* the node that is being added */
    size_t index;
    struct op_call call;
    /* for each node, true if the plan's `prepare` computes it; NULL if it computes none */
    bool *ahead;
};

/* True if the plan's `prepare` computes the node. */
bool planner_is_ahead(const struct planner *p);

/*
 * True if the group's kernel can address an operand from outside by row and column. If a group
 * splits an axis into parts, only whole values and one element per channel can be addressed.
 */
bool planner_operand_fits(const struct planner *p, const struct group *group, size_t value);

/* True for all operands of the node that group `group_number` does not compute. */
bool planner_operands_fit(const struct planner *p, const struct group *group, size_t group_number,
                          const struct graph_node *node);

/* True for all nodes of the group. */
bool planner_nodes_fit(const struct planner *p, const struct group *group, size_t group_number);

/* True if the elementwise operation computes an element for each element of the group's space. */
bool planner_element_fits(const struct planner *p, const struct group *group, size_t number);

/* True if the elementwise operation has only operands with one element per row. */
bool planner_row_element_fits(const struct planner *p, size_t number);

/*
 * The last group that computes an operand of the node, or groups.count. Values that `prepare`
 * computes are in memory.
 */
size_t planner_last_group(const struct planner *p);

/*
 * True if the node reduces channels over a batch, each by a work-group. Columns of a matrix that
 * movements compute are reduced by their kernel, unless they are sums, which are stored.
 */
bool planner_has_batch(const struct planner *p);

/* True if a kernel of rows can compute the node from elements that it reads anyway. */
bool planner_fits_rows(const struct planner *p);

#endif
