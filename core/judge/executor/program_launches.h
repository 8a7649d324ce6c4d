#ifndef CORE_JUDGE_EXECUTOR_PROGRAM_LAUNCHES_H
#define CORE_JUDGE_EXECUTOR_PROGRAM_LAUNCHES_H

#include "core/base/json.h"
#include "core/base/strbuf.h"
#include "core/model/plan/dispatch.h"

/*
 * The launches of programs on tiles, as the compiler and as the device see them. A kernel that is
 * launched with other types, constants or warps is another variant, with code of its own.
 */
struct program_variants {
    struct json *kernels; /* array: the variants that the compiler has to compile, each once */
    struct {
        size_t *items; /* the variant of each launch: those of prepare, then the others */
        size_t count, capacity;
    } of_launch;
    struct strbuf text;      /* the text of `kernels` */
    struct strbuf described; /* "softmax: BLOCK=1024, 4 warps" */
};

/* Find the variants that the launches need; adds to those that are there already. */
void program_variants_find(const struct dispatch *dispatch, struct program_variants *variants);
void program_variants_release(struct program_variants *variants);

/* A copy of the array, the caller's. */
struct json *program_variants_encode(const struct program_variants *variants);

/* Name each part of a binary, "softmax" and "softmax@2", so that launches tell variants apart. */
void program_variants_name(const struct program_variants *variants, struct json *binary);

/*
 * The dispatch with launches of the code in the parts of `binary`: threads, shared memory, clusters
 * and hidden arguments. Its options name the variants. The caller owns it.
 */
struct json *program_launches_encode(const struct dispatch *dispatch,
                                     const struct program_variants *variants,
                                     const struct json *binary);

#endif
