#ifndef CORE_SUITE_SLURM_SLURM_SUBMISSION_H
#define CORE_SUITE_SLURM_SLURM_SUBMISSION_H

#include "core/suite/suite_store.h"

/* Array jobs of a suite: handed to Slurm by sbatch, and cancelled. */

enum { SLURM_MOST_ELEMENTS = 1000 };

/* Store the number of elements that an array job may have here (MaxArraySize), at most 1,000. */
enum status slurm_find_most(size_t *most, struct error *err) MUST_CHECK;

struct slurm_submission {
    const char *options; /* of sbatch, as words for sh; NULL: none */
    unsigned jobs;       /* elements that run at once; 0: as many as there is room for */
    unsigned list;       /* whose tasks the elements run */
    size_t count;        /* of its tasks */
    char job[24];        /* receives the id of the job */
};

/* Write the script of a list and submit it; STATUS_UNAVAILABLE: Slurm refuses, and says why. */
enum status slurm_submit(struct slurm_submission *submission, const struct suite_store *store,
                         struct error *err) MUST_CHECK;

/* End all jobs of the lists 1 to `lists`: their sessions are interrupted. */
enum status slurm_cancel(const struct suite_store *store, size_t lists,
                         struct error *err) MUST_CHECK;

#endif
