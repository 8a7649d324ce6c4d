#ifndef CORE_JUDGE_EXECUTOR_SHARED_H
#define CORE_JUDGE_EXECUTOR_SHARED_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * Memory that a child shares with the judge, who makes it and alone says how
 * large it is.  All zeros is none.
 */
struct shared {
    int fd; /* of a file in memory; above those that children find passed on */
    unsigned char *bytes;
    size_t size; /* mapped */
};

/* An empty file in memory, which children can be handed. */
enum status shared_create(struct shared *shared, struct error *err) MUST_CHECK;

/* At least `size` bytes; what is there stays, at another address. */
enum status shared_grow(struct shared *shared, size_t size, struct error *err) MUST_CHECK;
void shared_release(struct shared *shared);

#endif
