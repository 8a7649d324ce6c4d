#ifndef CORE_JUDGE_TOOLS_NCU_RUN_H
#define CORE_JUDGE_TOOLS_NCU_RUN_H

#include "core/base/status.h"
#include "core/model/profile.h"

/*
 * One run of Nsight Compute: its files, in a folder of their own, and the pages that it prints of
 * its report. The caller starts the command line.
 */
enum { NCU_RUN_WORDS = 20 };

struct ncu_run {
    char *ncu;    /* the program's path */
    char *folder; /* contains the files */
    char *log, *report, *source;
    char *metrics;                    /* ncu_list_metrics() */
    const char *words[NCU_RUN_WORDS]; /* of the command line */
    /*
     * do not count by line of the source: ncu then needs fewer passes, and prints its page at once
     * in place of a report
     */
    bool without_lines;
};

/*
 * Make the folder. Release the run also after a failure. `ncu` is the path of the program; it is
 * copied. The caller may set `without_lines`.
 */
enum status ncu_run_begin(struct ncu_run *run, const char *ncu, struct error *err) MUST_CHECK;

/*
 * Write the candidate's source into a file of this name, where ncu looks for it when it writes its
 * report.
 */
enum status ncu_run_write_source(struct ncu_run *run, const char *file, const char *source,
                                 struct error *err) MUST_CHECK;

/* The words of the command line that the profiled program follows, ended by NULL. Borrowed. */
const char *const *ncu_run_command(struct ncu_run *run);

/*
 * Read the report. If there is none, the profile's `missing` has the reason: ncu's, or that in
 * `why`.
 */
void ncu_run_read(const struct ncu_run *run, struct error *why, struct profile *profile);

/* Remove the files, and free everything; all zeros afterwards. */
void ncu_run_release(struct ncu_run *run);

#endif
