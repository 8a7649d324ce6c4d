#ifndef CORE_JUDGE_TOOLS_NCU_H
#define CORE_JUDGE_TOOLS_NCU_H

#include "core/base/strbuf.h"
#include "core/model/profile.h"

/*
 * What Nsight Compute's command line, ncu, is asked for, and how its tables
 * are read ("Nsight Compute CLI", pages "raw" and "source" as CSV).  Names of
 * metrics are those of compute capability 7.0 and newer.
 */

/* The metrics as ncu takes them: separated by commas. */
void ncu_list_metrics(struct strbuf *out);

/*
 * Append the launches of the page "raw": columns, then their units, then a row
 * for each launch.  False where this is no such table, or an empty one.
 */
bool ncu_read_raw(const char *csv, struct profile *profile);

/*
 * Set the hot lines of the profile's kernels from the page "source" of
 * "cuda,sass".  What is in other files, as in headers, is left out.
 */
void ncu_read_source(const char *csv, struct profile *profile);

/* Why ncu could not profile, in one line, from its log; NULL: it does not say. The caller frees. */
char *ncu_find_error(const char *log);

#endif
