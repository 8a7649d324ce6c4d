#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_GROUP_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_GROUP_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * Which operations of a graph share a kernel.
 *
 * A group computes values over one space of rows and columns: the columns are
 * the last axes of the space (the last one, those that a norm works along, or
 * all where nothing is broadcast), the rows are the axes before.  A value of a
 * group has an element for each place of the space, or one for each row.
 */

enum { GROUP_MAX_NODES = 32 };

struct group {
    enum family family;
    size_t nodes[GROUP_MAX_NODES]; /* in the graph's order */
    size_t count;
    size_t space;       /* the value whose shape is the space */
    size_t column_axes; /* how many of its axes are columns */
    const char *parts;  /* of a norm by groups: so many rows share the first column axis; or NULL */
    int64_t part_count;
    bool
        writes_partials; /* a product: its tiles are passed over for `line`, a node of other rows */
    bool reads_partials; /* those rows: parts of the passes of their first node are in scratch */
    size_t partials_of;
    size_t
        kernel_group; /* places: the group whose kernel computes them; others: their own number */
};

struct fusion {
    struct {
        struct group *items;
        size_t count, capacity;
    } groups;         /* in an order in which they can run */
    size_t *group_of; /* a value: which group computes it, SIZE_MAX for none */
    bool *is_row;     /* a value: one element for each row of its group */
    bool *is_stored;  /* a value: an output, or used by another group */
    struct arena texts;
};

void fusion_release(struct fusion *fusion);

/* Whether the group stores anything; places that only lead to others do not. */
bool fusion_has_kernel(const struct writer *writer, const struct fusion *fusion, size_t number);

/* The families of all groups, as bits. */
unsigned fusion_families(const struct fusion *fusion);

/* The position of `node` in the group, or count. */
size_t group_find(const struct group *group, size_t node);

/* Axes of a space, from `first` to before `end`. */
struct axes {
    size_t first, end;
};

/* As bits. */
unsigned axes_bits(struct axes axes);

/* The last axes of the group's space, which its columns are, and those before, which count the
 * rows. */
struct axes group_columns(const struct writer *writer, const struct group *group);
struct axes group_rows(const struct writer *writer, const struct group *group);

/* How the elements of a value that is broadcast to a space lie to some axes of that. */
enum span {
    SPAN_ALL, /* an element for each place */
    SPAN_ONE, /* one for all of them */
    SPAN_OTHER,
};

/* The same of `value`, to `axes` of the space of the value `space`. */
enum span fusion_span(const struct writer *writer, size_t value, size_t space, struct axes axes);

#endif
