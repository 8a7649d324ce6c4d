#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_SUMS_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_SUMS_H

#include "core/judge/device_oracle/oracle_kernel.h"
#include "core/judge/device_oracle/oracle_kernel_alike.h"

/* Sums of products, by products.cl, for kernels of products and of convolutions. */

/* The number of doubles in the state that the search for the ratio needs. */
enum { ORACLE_RATIO_STATE = 2 * 4096 + 2 };

/* True if the second operand has variances, so that their common ratio has to be found. */
bool oracle_sums_have_ratio(const struct oracle_kernel *kernel);

/* Append the declaration of `ratio`; `has_one` as by oracle_sums_have_ratio(). */
void oracle_sums_declare_ratio(struct strbuf *out, bool has_one);

/*
 * The sums of a kernel: each element has `terms` products, and `growth` as in struct bilinear. The
 * state has room for `room` doubles of the kernel's own behind those of the ratio.
 */
struct oracle_sums {
    double terms, growth;
    int64_t room;
    struct oracle_alike alike[2]; /* the rows of both operands */
};

/*
 * Take a buffer for the kernels' state, write the kernels that compute the ratio, if there is one,
 * and find equal terms, and define the macros of products.cl. oracle_sums_undefine() undefines them
 * and gives the state back.
 */
void oracle_sums_begin(struct oracle_kernel *kernel, const struct oracle_sums *sums);
void oracle_sums_undefine(struct oracle_kernel *kernel);

/*
 * Append the statements of tiles for an operand: its element at index `at`, an expression, and the
 * terms of its variance (products.cl).
 */
void oracle_sums_add_terms(struct strbuf *out, size_t operand, const char *at, int terms);

/*
 * Declare the sums `total`, `squares` and `more` from those of tiles, and store the element, whose
 * variance is larger by `excess`, an expression. The bias is operand 2 at index `at`, if there is
 * one.
 */
void oracle_sums_store_tiles(struct oracle_kernel *kernel, bool has_bias, const char *at,
                             const char *excess);

/* Store an element, computed from its sums and the bias. */
void oracle_sums_store(struct oracle_kernel *kernel, bool has_bias, const char *at);

/* The rows of a convolution's operands; the indices are set by those who know their names. */
struct convolution;
void oracle_sums_set_rows(const struct convolution *convolution, struct oracle_alike rows[2]);

/*
 * Write the kernels of a convolution in tiles; false if its matrices would leave most of a tile
 * empty. A convolution is a product of its weights with the places of its windows.
 */
bool oracle_write_convolution_tiles(struct oracle_kernel *kernel);

#endif
