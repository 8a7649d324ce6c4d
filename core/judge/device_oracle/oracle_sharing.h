#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_SHARING_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_SHARING_H

#include "core/base/strbuf.h"
#include "core/model/plan/dispatch.h"

/*
 * Where the sections of an oracle's source begin, in order; the first one ends the prelude. A
 * section has its kernels, in the order of their launches, and the definitions that they use.
 * Other sections call its functions only if it has no kernel.
 */
struct oracle_sections {
    size_t *items;
    size_t count, capacity;
};

/*
 * Launch one kernel in place of those with the same text, and, if more than `most` kernels are
 * left, in place of those that differ in sizes, which become arguments. Networks repeat their
 * layers, and a compiler takes a tenth of a second for each kernel. Kernels of products, whose
 * sizes are worth most to the compiler, are the last to get arguments.
 */
void oracle_share_kernels(struct strbuf *source, const struct oracle_sections *sections,
                          struct dispatch *dispatch, size_t most);

#endif
