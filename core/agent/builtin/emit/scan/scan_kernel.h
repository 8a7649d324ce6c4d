#ifndef CORE_AGENT_BUILTIN_EMIT_SCAN_SCAN_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_SCAN_SCAN_KERNEL_H

#include "core/agent/builtin/emit/emit.h"
#include "core/agent/builtin/emit/movement/inliner.h"

/*
 * The state of one scan kernel, and its access to rows along the last axis.
 *
 * The kernel counts the places of a row from the end at which the scan begins. The inliner computes
 * the operand's elements, so a product with a mask or a slice needs no kernel of its own.
 */

struct scan {
    struct emitter *e;
    struct inliner inliner;
    struct op_call call;
    size_t in, out; /* the value that is scanned, and the one that is stored */
    size_t axis;
    int width;       /* elements of a vector of the result */
    int load_width;  /* elements that are loaded together; it divides `width` */
    int lanes, warp; /* work-items that share a row, and those that a shuffle reaches */
    int rounds;      /* vectors of a work-item in each part of a row */
    bool is_mirrored;
    bool is_late; /* each place gets the result of the place before */
    size_t first; /* if is_late, the value with the result of the first place */
    const char *type, *identity;
    const char *operator; /* combines two numbers; NULL: `function` does */
    const char *function;
};

/* "a + b", or "larger(a, b)" */
const char *scan_joined(const struct scan *s, const char *a, const char *b);

/* The length of rows of a value, as C text. */
const char *scan_length(const struct scan *s, size_t value);

/* True if this length is the same at all dimensions and a multiple of `divisor`. */
bool scan_is_whole(const struct scan *s, size_t value, int divisor);

/*
 * Write the statements that find the operand's elements at `place` (C text) and the places after
 * it; `width` is at most load_width. Returns the variable with them.
 */
const char *scan_load(struct scan *s, int width, const char *place, const char *indent);

/* One element of what scan_load() returned, by its number among the places. */
const char *scan_element(const struct scan *s, int width, const char *loaded, int number);

/* Return the index of the result for `place`, or for vectors the pointer to its first element. */
const char *scan_pointer(struct scan *s, int width, const char *place);

/* Write a store of `elements` (C text for each place) from `place` on. */
void scan_store(struct scan *s, int width, const char *place, const char *const *elements,
                const char *indent);

/* The value that the first place gets if is_late. */
const char *scan_first(struct scan *s);

/* Write the body of a kernel whose rows are shared by `lanes` work-items (in scan_group.c). */
void scan_write_group(struct scan *s);

#endif
