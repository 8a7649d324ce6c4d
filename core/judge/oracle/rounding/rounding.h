#ifndef CORE_JUDGE_ORACLE_ROUNDING_ROUNDING_H
#define CORE_JUDGE_ORACLE_ROUNDING_ROUNDING_H

#include "core/model/problem.h"

/*
 * Derived tolerances: how far an honest implementation may be off, for each element of an output.
 *
 * The oracle computes the variance of the rounding error of each value of the graph, from the
 * variances of the operands (the spread_*.c files in this folder). Rounding errors are assumed to
 * be independent and uniform within half a spacing, so their sum grows with the square root of
 * their number: Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J.
 * Sci. Comput. 41 (2019). An element may be off by ROUNDING_DEVIATIONS standard deviations and one
 * spacing of the output's type.
 *
 * An implementation of class f32 computes in float32, sums in float32 in any order, and stores each
 * value of the graph in float32 or in the value's own type, if that is narrower. An implementation
 * of class mixed may also store every float32 input and every value in f16 or bf16.
 */

enum { ROUNDING_DEVIATIONS = 8 };

/* Half the spacing of float32 numbers at 1. */
#define ROUNDING_UNIT 0x1p-24
/* The variance of one rounding of a result of 1, evenly spread over half a spacing at both sides.
 */
#define ROUNDING_VARIANCE (ROUNDING_UNIT * ROUNDING_UNIT / 3)

/*
 * How much wider the variance of a step is: a comparison or a number cut to an integer changes by
 * all of the step or by nothing. An element that takes the whole step has errors of other values
 * too, which a sum of squares would leave no room for.
 */
#define ROUNDING_STEP_MARGIN (1.25 * 1.25)

/*
 * The standard deviation of an integer that was cast from a number beyond the range of its type,
 * relative to the limit of the type. C leaves the result open, CUDA takes the nearest integer, x86
 * the lowest one: all may differ.
 */
#define ROUNDING_ANY_INTEGER (2.02 / ROUNDING_DEVIATIONS)

/*
 * How much larger than its size another choice counts, in deviations. It changes several numbers
 * together: of a row of truth values one becomes 0 and one 1, so that a sum of products with them
 * changes by |a| + |b|, up to the square root of 2 times what the squares add up to.
 */
#define ROUNDING_FLIP (1.1 * 1.41421356)

/* The class of a derived tolerance, and a property of the data. */
struct rounding {
    bool is_mixed;
    bool is_varied; /* elements may be of very different sizes (variation.h) */
};

/*
 * What each term x of a sum adds to the sum's variance beside its own variance v: `inherited` times
 * v, and `own` times the square of x.
 */
struct rounding_terms {
    double inherited, own;
};

/* Set the class of a tolerance; false if the tolerance is not derived. */
bool rounding_of(const struct tolerance *tolerance, struct rounding *rounding);

/* True if storing an element of an input or param of this type loses bits. */
bool rounding_changes_given(const struct rounding *rounding, enum dtype dtype);

/* The type that a value of a type may be stored in, and its smallest spacing. */
struct rounding_storage {
    enum dtype dtype;
    double smallest;
};

/* The number that integers of a type are below, 0 for other types. */
double rounding_integer_limit(enum dtype dtype);

/* The storage of values of type `dtype`, a float. */
struct rounding_storage rounding_storage_of(const struct rounding *rounding, enum dtype dtype);

/* How far any element of a float output may be off: a spacing, or what devices flush to zero. */
double rounding_least(enum dtype dtype);

/*
 * Add the variance of storing each of the `count` elements `x` of a value of type `dtype`: a third
 * of the square of half the spacing. Types other than floats add nothing, nor do elements that are
 * not finite.
 */
void rounding_add(const struct rounding *rounding, enum dtype dtype, const double *x, size_t count,
                  double *variance);

/* The same for elements of which zeros are exact: nothing so small that it is stored as 0. */
void rounding_add_but_zeros(const struct rounding *rounding, enum dtype dtype, const double *x,
                            size_t count, double *variance);

/* True if both 16-bit types hold the number, so that storing it in any type rounds nothing. */
bool rounding_is_short(double x);

/* The same as rounding_add() for elements that are given: storing short ones rounds nothing. */
void rounding_add_given(const struct rounding *rounding, enum dtype dtype, const double *x,
                        size_t count, double *variance);

/*
 * The variance of a constant of the graph: an implementation computes with it as it is or as a
 * float32 number, and may be off by twice their difference. 0 for types other than floats.
 */
double rounding_constant_variance(enum dtype dtype, double constant);

/*
 * Round elements of a value to the type that an implementation of the class may store them in,
 * small ones to multiples of the smallest spacing.
 */
void rounding_apply(const struct rounding *rounding, enum dtype dtype, double *x, size_t count);

/*
 * Errors that many elements share, such as the error of a weight, are not independent. Therefore
 * one honest implementation is computed as well; `rounded` are its results. If its errors exceed
 * the standard deviations, in root mean square over the `count` elements, the variances are
 * increased by the same factor. Shared errors do not shrink with an element as its own rounding
 * does, so the same is done for each group of elements whose standard deviations are within a
 * factor of about 2. If the variances of a group exceed the mean squares of its errors by more than
 * `margin`, they are decreased to that. A group of few elements is joined with the nearest ones for
 * this. Then the mean square of the errors bounds the variances of a few elements that are far
 * larger than all others. Where there are no errors, variances stay.
 */
void rounding_fit(const double *expected, const double *rounded, size_t count, double margin,
                  double *variance);

/*
 * How far each expected element of an output may be off. If the sign of a variance is negative,
 * the element may also be anything that is not finite (edge.h), and the tolerance is negative too.
 * The caller frees.
 */
float *rounding_allowed(const struct value *output, const double *expected, const double *variance);

/*
 * Compute the tolerances of `count` elements of an output of type `dtype` like rounding_allowed(),
 * into memory of the caller.
 */
void rounding_allow(enum dtype dtype, const double *expected, const double *variance, size_t count,
                    float *allowed);

#endif
