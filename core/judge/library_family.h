#ifndef CORE_JUDGE_LIBRARY_FAMILY_H
#define CORE_JUDGE_LIBRARY_FAMILY_H

#include "core/base/attr.h"
#include "core/judge/walk.h"

/*
 * What the families of operations share, for the library*.c files only.  Each
 * family has a table of rules, one for each operation, ended by a row without
 * a name.
 */

/* One node of the graph, ready to be computed again and again. */
struct library_step {
    const struct library_rule *rule;
    struct op_call op;
    const float *in[OP_MAX_INPUTS];
    float *out;

    /* Of reductions and row-wise operations. */
    struct walk_lines lines;
    float *room; /* where the elements of a line are not adjacent: library_pitch() for each line */
};

/* Elements next to each other, from elements of as many operands as the operation has. */
struct library_map {
    const float *in[3];
    float *out;
    size_t n;
    const struct attribute *attributes;
};

/* One line of elements along the axes of a reduction or a row-wise operation. */
struct library_line {
    const float *x;
    size_t n;
    const float *weight, *bias; /* along the line as well; NULL without */
    const struct attribute *attributes;
};

struct library_rule {
    const char *op;

    /* The result, all of it. */
    void (*run)(struct library_step *step);

    /* For library_elements(). */
    void (*map)(const struct library_map *map);

    /*
     * For library_lines(): n elements of y from a line, or one where the
     * operation reduces.  y may be the line itself.
     */
    void (*line)(const struct library_line *line, float *y);
};

extern const struct library_rule library_elementwise[];
extern const struct library_rule library_linewise[]; /* reductions and row-wise operations */
extern const struct library_rule library_product[];

/* Computations that many operations share. */
void library_elements(struct library_step *step);
void library_lines(struct library_step *step);

/* Elements from one line to the next in the room for lines. */
size_t library_pitch(const struct walk_lines *lines);

#endif
