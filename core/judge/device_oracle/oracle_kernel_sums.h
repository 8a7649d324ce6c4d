#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_SUMS_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_SUMS_H

#include "core/judge/device_oracle/oracle_kernel.h"

/* Sums of products, by products.cl, for kernels of products and of convolutions. */

/* The number of doubles in the state that the search for the ratio needs. */
enum { ORACLE_RATIO_STATE = 2 * 4096 + 2 };

/* True if the second operand has variances, so that their common ratio has to be found. */
bool oracle_sums_have_ratio(const struct oracle_kernel *kernel);

/*
 * Take a buffer for the kernels' state, with `room` further doubles, and compute the ratio if there
 * is one.
 */
void oracle_sums_write_ratio(struct oracle_kernel *kernel, int64_t room);

/* Append the declaration of `ratio`; `has_one` as by oracle_sums_have_ratio(). */
void oracle_sums_declare_ratio(struct strbuf *out, bool has_one);

/*
 * Define the macros of products.cl: `terms` is the number of products in each element, `growth` as
 * in struct bilinear. The second function undefines them, and gives the state back.
 */
void oracle_sums_define(struct oracle_kernel *kernel, double terms, double growth);
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

/*
 * Write the kernels of a convolution in tiles; false if its matrices would leave most of a tile
 * empty. A convolution is a product of its weights with the places of its windows.
 */
bool oracle_write_convolution_tiles(struct oracle_kernel *kernel);

#endif
