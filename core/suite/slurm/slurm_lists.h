#ifndef CORE_SUITE_SLURM_SLURM_LISTS_H
#define CORE_SUITE_SLURM_SLURM_LISTS_H

#include "core/suite/suite_store.h"

/*
 * The lists of tasks submitted to Slurm, one for each array job: files jobs/LIST.tasks in the
 * suite's folder, with a line "NUMBER SESSION" for each element of the array.  A list is written
 * before its job is submitted.
 */
struct slurm_lists {
    struct slurm_list {
        size_t *items; /* indices of tasks */
        size_t count, capacity;
    } * items; /* list number 1 is at index 0 */
    size_t count, capacity;
};

/* Read all lists of a suite. */
enum status slurm_lists_read(struct slurm_lists *lists, const struct suite_store *store,
                             struct error *err) MUST_CHECK;

/* Add a list of `count` tasks and write its file. */
enum status slurm_lists_add(struct slurm_lists *lists, const struct suite_store *store,
                            const size_t *tasks, size_t count, struct error *err) MUST_CHECK;

/* Remove the last list, because Slurm refused its job. */
void slurm_lists_drop(struct slurm_lists *lists, const struct suite_store *store);

/* The index of the task in a line of a list; SIZE_MAX if there is no such line. */
size_t slurm_lists_task(const struct slurm_lists *lists, unsigned list, size_t line);

/* The path of a list's file with another ending; the caller frees. */
char *slurm_lists_path(const struct suite_store *store, unsigned list, const char *ending);

/* Free the contents and leave it empty. */
void slurm_lists_release(struct slurm_lists *lists);

#endif
