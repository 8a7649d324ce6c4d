#ifndef CORE_CODEGEN_PLAIN_FAMILY_H
#define CORE_CODEGEN_PLAIN_FAMILY_H

#include "core/base/arena.h"
#include "core/codegen/writer.h"

/*
 * What the writers of plain kernels share, for the plain*.c files only.
 * In a kernel `i` is the work-item, `i0`, `i1` ... are the places along the
 * axes of the result.
 */

/* A node while its kernel is written. */
struct plain {
    struct writer *writer;
    const struct graph_node *node;
    struct op_call call;
    struct kernel kernel;
    struct arena texts; /* of what is being put together */
};

/* Formatted text that lives as long as the plain. */
const char *plain_text(struct plain *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append to the kernel. */
void plain_add(struct plain *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The size of an operand or the result along an axis, and the product of those from `first` on. */
const char *plain_size(const struct plain *p, size_t value, size_t axis);
const char *plain_sizes_from(struct plain *p, size_t value, size_t first);

/* Number `index` of an integer attribute: an expression over the dimensions if the file has one. */
const char *plain_number(struct plain *p, const char *attribute, size_t index);

/* The index of an element of a value, and the element of an operand there. */
const char *plain_index(struct plain *p, size_t value, const struct coordinates *coords);
const char *plain_load(struct plain *p, size_t operand, const char *index);

/* The element of an operand at an index or place, in the type that the result is computed in. */
const char *plain_operand(struct plain *p, size_t operand, const char *index);
const char *plain_operand_at(struct plain *p, size_t operand, const struct coordinates *coords);

/* The place of the result, `i0`, `i1` ... */
struct coordinates plain_coordinates(const struct plain *p);

/* The kernel takes the operands and the result; work-item i does part i of the work. */
void plain_head(struct plain *p);

/* The same, with a work-item for each element of the result and its place declared. */
void plain_head_of_elements(struct plain *p);

/* A line after `indent`: element `index` of the result is the expression `text`. */
void plain_store(struct plain *p, const char *index, const char *text, const char *indent);

/* Launch with `global` work-items; one for each element of `value` along `axes`. */
void plain_launch(struct plain *p, const char *global);
void plain_launch_over(struct plain *p, size_t value, unsigned axes);

/* Each writes the kernel of a node and its launch; false where it cannot be written. */
bool plain_rowwise(struct plain *p);
bool plain_channels(struct plain *p);
bool plain_convolution(struct plain *p);
bool plain_pooling(struct plain *p);
bool plain_attention(struct plain *p);
bool plain_movement(struct plain *p);

#endif
