#ifndef CORE_JUDGE_HOST_LIBRARY_LIBRARY_FAMILY_H
#define CORE_JUDGE_HOST_LIBRARY_LIBRARY_FAMILY_H

#include "core/base/attr.h"
#include "core/judge/oracle/walk.h"

/*
 * Declarations shared by the families of operations, for the library*.c files only. Each family has
 * a table of rules, one for each operation, which ends with a row without a name.
 */

/* One node of the graph, prepared to be computed many times. */
struct library_step {
    const struct library_rule *rule;
    struct op_call op;
    const float *in[OP_MAX_INPUTS];
    float *out;

    /* for reductions and row-wise operations */
    struct walk_lines lines;
    float *room; /* library_pitch() elements for each line, if the elements of a line are not
                    adjacent */
};

/* Adjacent elements of a result, and those of as many operands as the operation has. */
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
    bool is_shared;             /* all cores work on the line, if the operation reduces */
    const float *weight, *bias; /* along the same line; NULL: none */
    const struct attribute *attributes;
};

/* Neighbouring lines, whose elements at the same place are adjacent. */
struct library_sheaf {
    const float *x; /* the first element of each line */
    size_t count;   /* number of lines, at most LIBRARY_SHEAF */
    const struct walk_lines *lines;
};

enum { LIBRARY_SHEAF = 256 };

struct library_rule {
    const char *op;

    /* Computes the whole result. */
    void (*run)(struct library_step *step);

    /* Computes elements one by one (library_elementwise.c). */
    void (*map)(const struct library_map *map);

    /*
     * For library_lines(): computes the n elements of y from a line, or one element if the
     * operation reduces. y may be the line itself.
     */
    void (*line)(const struct library_line *line, float *y);

    /* Computes one element of y from each of many lines at once; NULL if the operation cannot. */
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

/* A computation that many operations share. */
void library_lines(struct library_step *step);

/* Number of elements from one line to the next in the room for lines. */
size_t library_pitch(const struct walk_lines *lines);

/* Copy the elements that the walk's first array has at places [first, first + n). */
void library_take(const struct walk *walk, const float *from, size_t first, size_t n, float *to);

/* These work on dense vectors of n elements; y may be x itself. */
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

/* Softmax; `largest` is the largest element. */
void library_softmax(const float *x, size_t n, float largest, float *y);

#endif
