#ifndef CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_FAMILY_H
#define CORE_JUDGE_HOST_LIBRARY_HOST_LIBRARY_FAMILY_H

#include "core/base/attr.h"
#include "core/judge/oracle/walk.h"

/*
 * Declarations shared by the families of operations, for the host_library_*.c files only. Each
 * family has a table of rules, one for each operation, which ends with a row without a name.
 */

/* One node of the graph, prepared to be computed many times. */
struct host_library_step {
    const struct host_library_rule *rule;
    struct op_call op;
    const float *in[OP_MAX_INPUTS];
    float *out;

    /* for reductions and row-wise operations */
    struct walk_lines lines;
    float *room; /* host_library_pitch() elements for each line, if the elements of a line are not
                    adjacent */
};

/* Adjacent elements of a result, and those of as many operands as the operation has. */
struct host_library_map {
    const float *in[3];
    float *out;
    size_t n;
    const struct attribute *attributes;
};

/* One line of elements along the axes of a reduction or a row-wise operation. */
struct host_library_line {
    const float *x;
    size_t n;
    bool is_shared;             /* all cores work on the line, if the operation reduces */
    const float *weight, *bias; /* weight and bias along the same line, or NULL */
    const struct attribute *attributes;
};

/* Neighbouring lines, whose elements at the same place are adjacent. */
struct host_library_sheaf {
    const float *x; /* the first element of each line */
    size_t count;   /* number of lines, at most HOST_LIBRARY_SHEAF */
    const struct walk_lines *lines;
};

enum { HOST_LIBRARY_SHEAF = 256 };

struct host_library_rule {
    const char *op;

    /* Computes the whole result. */
    void (*run)(struct host_library_step *step);

    /* Computes elements one by one (host_library_elementwise.c). */
    void (*map)(const struct host_library_map *map);

    /*
     * For host_library_lines(): computes the n elements of y from a line, or one element if the
     * operation reduces. y may be the line itself.
     */
    void (*line)(const struct host_library_line *line, float *y);

    /* Computes one element of y from each of many lines at once; NULL if the operation cannot. */
    void (*across)(const struct host_library_sheaf *sheaf, float *y);
};

extern const struct host_library_rule host_library_elementwise[];
extern const struct host_library_rule host_library_reduction[];
extern const struct host_library_rule host_library_rowwise[];
extern const struct host_library_rule host_library_channelwise[];
extern const struct host_library_rule host_library_product[];
extern const struct host_library_rule host_library_convolution[];
extern const struct host_library_rule host_library_pooling[];
extern const struct host_library_rule host_library_attention[];
extern const struct host_library_rule host_library_recurrence[];
extern const struct host_library_rule host_library_movement[];
extern const struct host_library_rule host_library_lookup[];

/* A computation that many operations share. */
void host_library_lines(struct host_library_step *step);

/* Number of elements from one line to the next in the room for lines. */
size_t host_library_pitch(const struct walk_lines *lines);

/* Copy the elements that the walk's first array has at places [first, first + n). */
void host_library_take(const struct walk *walk, const float *from, size_t first, size_t n,
                       float *to);

/* These work on dense vectors of n elements; y may be x itself. */
void host_library_repeat(float one, size_t n, float *y);
double host_library_sum(const float *x, size_t n);
double host_library_sum_squares(const float *x, size_t n, double centre);
double host_library_sum_exp(const float *x, size_t n, float centre);

/* The largest element of sign * x; NaN if there is one. */
float host_library_largest(const float *x, size_t n, float sign);

struct host_library_scale {
    float centre, factor, term;
};

/* y = (x - centre) * factor + term */
void host_library_rescale(const float *x, size_t n, struct host_library_scale scale, float *y);

/* Softmax; `largest` is the largest element. */
void host_library_softmax(const float *x, size_t n, float largest, float *y);

#endif
