#ifndef CORE_SUITE_SLURM_SLURM_SUBMISSION_H
#define CORE_SUITE_SLURM_SLURM_SUBMISSION_H

#include "core/suite/suite_store.h"

/* Submits the array jobs of a suite with sbatch, and cancels them with scancel. */

enum { SLURM_MOST_ELEMENTS = 1000 };

/* Find how many elements an array job of this cluster may have (MaxArraySize), at most 1,000. */
enum status slurm_find_most(size_t *most, struct error *err) MUST_CHECK;

struct slurm_submission {
    const char *options; /* options of sbatch, as words for sh; NULL if none */
    unsigned jobs;       /* elements that run at once; 0: as many as the cluster has room for */
    unsigned list;       /* the number of the list whose tasks the elements run */
    size_t count;        /* the number of its tasks */
    char job[24];        /* output: the id of the job */
};

/*
 * Write the script of a list and submit it.  STATUS_UNAVAILABLE with Slurm's reason if it refuses.
 */
enum status slurm_submit(struct slurm_submission *submission, const struct suite_store *store,
                         struct error *err) MUST_CHECK;

/* Cancel the jobs of lists 1 to `lists`; their sessions are interrupted and can be resumed. */
enum status slurm_cancel(const struct suite_store *store, size_t lists,
                         struct error *err) MUST_CHECK;

#endif
