#ifndef CORE_JUDGE_HOST_LIBRARY_LIBRARY_FAMILY_H
#define CORE_JUDGE_HOST_LIBRARY_LIBRARY_FAMILY_H

#include "core/base/attr.h"
#include "core/judge/oracle/walk.h"

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
    bool is_shared;             /* all cores work on it, where the operation reduces */
    const float *weight, *bias; /* along the line as well; NULL without */
    const struct attribute *attributes;
};

/* Lines whose elements are far apart, but next to those of the other lines. */
struct library_sheaf {
    const float *x; /* the first elements */
    size_t count;   /* of lines; at most LIBRARY_SHEAF */
    const struct walk_lines *lines;
};

enum { LIBRARY_SHEAF = 256 };

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

    /* Many lines at once, one element of y from each; NULL where the operation cannot. */
    void (*across)(const struct library_sheaf *sheaf, float *y);
};

extern const struct library_rule library_elementwise[];
extern const struct library_rule library_reduction[];
extern const struct library_rule library_rowwise[];
extern const struct library_rule library_channelwise[];
extern const struct library_rule library_product[];
extern const struct library_rule library_convolution[];
extern const struct library_rule library_pooling[];
extern const struct library_rule library_attention[];
extern const struct library_rule library_movement[];
extern const struct library_rule library_lookup[];

/* Computations that many operations share. */
void library_elements(struct library_step *step);
void library_lines(struct library_step *step);

/* Elements from one line to the next in the room for lines. */
size_t library_pitch(const struct walk_lines *lines);

/* Places [first, first + n) of the walk, each with the element that its first array has there. */
void library_take(const struct walk *walk, const float *from, size_t first, size_t n, float *to);

/* Dense vectors of n elements; y may be x itself. */
void library_repeat(float one, size_t n, float *y);
double library_sum(const float *x, size_t n);
double library_sum_squares(const float *x, size_t n, double centre);
double library_sum_exp(const float *x, size_t n, float centre);

/* The largest element of sign * x; NaN if there is one. */
float library_largest(const float *x, size_t n, float sign);

struct library_scale {
    float centre, factor, term;
};

/* y = (x - centre) * factor + term */
void library_rescale(const float *x, size_t n, struct library_scale scale, float *y);

/* Softmax of elements of which `largest` is the largest. */
void library_softmax(const float *x, size_t n, float largest, float *y);

#endif
