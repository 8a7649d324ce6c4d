#ifndef CORE_CODEGEN_PLAIN_KERNEL_H
#define CORE_CODEGEN_PLAIN_KERNEL_H

#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * Helpers for the plain*.c files only: one plain kernel while it is written. In the kernel, `i` is
 * the work-item, and `i0`, `i1` ... are the coordinates in the result.
 */

/* The kernel of one node. */
struct plain {
    struct writer *writer;
    const struct graph_node *node;
    struct op_call call;
    struct kernel kernel;
    struct arena texts; /* pieces of text */
};

/* Format a text that lives as long as the kernel. */
const char *plain_text(struct plain *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append to the source. */
void plain_add(struct plain *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The size of a value along an axis, and the product of its sizes from axis `first` on. */
const char *plain_size(const struct plain *p, size_t value, size_t axis);
const char *plain_sizes_from(struct plain *p, size_t value, size_t first);

/*
 * Number `index` of an integer attribute: an expression over the dimensions if the problem's file
 * has one.
 */
const char *plain_number(struct plain *p, const char *attribute, size_t index);

/* The index of an element of a value, and the expression that loads an operand's element there. */
const char *plain_index(struct plain *p, size_t value, const struct coordinates *coords);
const char *plain_load(struct plain *p, size_t operand, const char *index);

/*
 * Like plain_load(), converted to the type in which the result is computed; at an index or
 * at coordinates.
 */
const char *plain_operand(struct plain *p, size_t operand, const char *index);
const char *plain_operand_at(struct plain *p, size_t operand, const struct coordinates *coords);

/* The coordinates in the result, `i0`, `i1` ... */
struct coordinates plain_coordinates(const struct plain *p);

/*
 * Begin the kernel: its arguments are the operands and the result, and `i` numbers the work-items.
 */
void plain_head(struct plain *p);

/* Like plain_head(), with a work-item for each element of the result; declares its coordinates. */
void plain_head_of_elements(struct plain *p);

/*
 * Begin the kernel with a work-group of PLAIN_GROUP work-items for each `i`; `lane` is the number
 * of the work-item in it.
 */
enum { PLAIN_GROUP = 256 };
void plain_head_of_groups(struct plain *p);

/* Append text with the words of the language (dialect.h). */
void plain_add_words(struct plain *p, const char *text);

/* Write a store of `text` to element `index` of the result. */
void plain_store(struct plain *p, const char *index, const char *text, const char *indent);

/* Launch `global` work-items, or one for each element of `value` along `axes`; or work-groups. */
void plain_launch(struct plain *p, const char *global);
void plain_launch_groups(struct plain *p, const char *groups);
void plain_launch_over(struct plain *p, size_t value, unsigned axes);

/*
 * Write the kernel of a node and its launch; false if that is not possible. One function for each
 * kind of operation.
 */
bool plain_rowwise(struct plain *p);
bool plain_channels(struct plain *p);
bool plain_product(struct plain *p);
bool plain_convolution(struct plain *p);
bool plain_pooling(struct plain *p);
bool plain_attention(struct plain *p);
bool plain_recurrence(struct plain *p);
bool plain_movement(struct plain *p);
bool plain_scatter(struct plain *p);

/* Write the kernels of an argsort, one of the row-wise operations. */
bool plain_order(struct plain *p);

#endif
