#ifndef CORE_CODEGEN_KERNEL_BODY_H
#define CORE_CODEGEN_KERNEL_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/codegen/dialect.h"

/*
 * The kernels of a source in CUDA or HIP, in a form in which several can share a launch, for
 * joined_kernels.c and flat_kernels.c only.
 */

struct json;

struct kernel_body {
    const char *text; /* borrowed, from the kernel's first word on */
    size_t len;
    const char *name, *body; /* inside `text`; the body begins behind the first bracket */
    size_t name_len;
    struct {
        struct kernel_parameter {
            const char *type; /* up to the name */
            size_t type_len;
            bool is_const;
        } * items;
        size_t count, capacity;
    } parameters;
    bool can_join;    /* it asks for nothing but its place in the index space */
    bool has_barrier; /* of its work-group */
    int64_t group[3]; /* work-items along each axis; 0 until a launch names them */
    bool is_launched; /* by a launch of its own */
    bool is_joined;   /* a joined kernel does its work */
    bool is_part;     /* by a part of the work-items of a work-group */
};

struct kernel_bodies {
    struct kernel_body *items;
    size_t count, capacity;
};

/* Find the kernels: each begins a line, and ends with a bracket that begins one. */
void kernel_bodies_read(struct kernel_bodies *kernels, const char *source,
                        const struct dialect *dialect);
void kernel_bodies_release(struct kernel_bodies *kernels);

/* The index of the kernel; `count` if there is none. */
size_t kernel_bodies_find(const struct kernel_bodies *kernels, const char *name);

/* Mark the kernels of the launches (a JSON array of a plan) as launched. */
void kernel_bodies_launch(struct kernel_bodies *kernels, const struct json *launches);

/* True if all launches of the kernel have work-groups of this shape so far. */
bool kernel_body_has_group(struct kernel_body *kernel, const int64_t group[3]);

/*
 * Append a function `<name>_part` with the kernel's parameters, and `joined_group`, the place of
 * the work-group among those of its launch, with the work-groups along two axes. Barriers wait for
 * the work-items of the kernel's own work-groups.
 */
void kernel_body_write(const struct kernel_body *kernel, const struct dialect *dialect,
                       struct strbuf *out);

#endif
