#ifndef BACKENDS_EXECUTOR_ANSWERS_H
#define BACKENDS_EXECUTOR_ANSWERS_H

#include "backends/bench.h"
#include "core/base/json.h"
#include "core/base/strbuf.h"

/* Parts of the answers that an executor gives (core/judge/executor/wire.h). */

/* Put code; machine code is binary, so it travels in base64, one line for each file. */
void executor_put_code(struct json *answer, const struct strbuf *code, enum code_kind kind);

/* Put the machine code of each part of a program; false if the program has no parts. */
bool executor_put_parts(const struct bench *bench, const struct loaded *slot, struct json *answer);

/* Put an array of `count` numbers. */
void executor_put_numbers(struct json *object, const char *key, const double *numbers,
                          size_t count);

/* Put the indices of the elements that are set. */
void executor_put_indices(struct json *object, const char *key, const bool *is_set, size_t count);

/* Name the outputs that stay in place; false if they have to be copied. */
bool executor_put_handles(const struct bench *bench, const struct loaded *slot,
                          struct json *answer);

#endif
