#ifndef CORE_JUDGE_TOOLS_NCU_H
#define CORE_JUDGE_TOOLS_NCU_H

#include "core/base/strbuf.h"
#include "core/model/profile.h"

/*
 * The options and the output of ncu, the command line of Nsight Compute ("Nsight Compute CLI",
 * pages "raw" and "source" as CSV). Names of metrics are those of compute capability 7.0 and newer.
 */

/* Append the metrics as ncu takes them, separated by commas. */
void ncu_list_metrics(struct strbuf *out);

/*
 * Append the launches of the page "raw": columns, then their units, then a row for each launch.
 * False if the text is no such table or the table is empty.
 */
bool ncu_read_raw(const char *csv, struct profile *profile);

/*
 * Set the hot lines of the profile's kernels from the page "source" of "cuda,sass". Lines in other
 * files, such as headers, are left out.
 */
void ncu_read_source(const char *csv, struct profile *profile);

/*
 * The reason in the log why ncu could not profile, in one line; NULL if there is none. The caller
 * frees.
 */
char *ncu_find_error(const char *log);

#endif
