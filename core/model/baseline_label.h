#ifndef CORE_MODEL_BASELINE_LABEL_H
#define CORE_MODEL_BASELINE_LABEL_H

#include <stdbool.h>

/*
 * The names of baselines, as verdicts store them (comparison.name in verdict.h), and the words that
 * a user reads for them.  The stored names are part of the format on disk, so they stay as they
 * are, although the words have changed.
 */

/* The kernels that kforge generates, one for each operation of the graph. */
#define BASELINE_PLAIN "reference"

/* The graph on the host's cores in float32. */
#define BASELINE_HOST "library"

/* The best candidate of the session so far. */
#define BASELINE_BEST "best"

/* The first correct candidate of the session. */
#define BASELINE_FIRST "first"

/* True for BASELINE_BEST and BASELINE_FIRST, which are candidates. */
bool baseline_is_candidate(const char *name);

/* True for a baseline whose kernels PyTorch finds by a search, which takes minutes. */
bool baseline_is_searched(const char *name);

/* The label in a sentence: "plain kernel", "host library"; else `name`.  Borrows `name`. */
const char *baseline_label(const char *name);

/* The label after "over": "the plain kernel", "the host library"; else `name`.  Borrows `name`. */
const char *baseline_phrase(const char *name);

/* The label in a column, at most ten bytes: "plain", "host"; else `name`.  Borrows `name`. */
const char *baseline_label_short(const char *name);

#endif
