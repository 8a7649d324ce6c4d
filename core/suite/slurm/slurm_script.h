#ifndef CORE_SUITE_SLURM_SLURM_SCRIPT_H
#define CORE_SUITE_SLURM_SLURM_SCRIPT_H

#include "core/suite/suite_store.h"

/*
 * Append the batch script of an array job, each element of which runs the task in one line of a
 * list ("NUMBER SESSION").  It passes Slurm's signals on, so that the session is left to be
 * resumed, and near the time limit it asks Slurm to queue the element again.
 */
void slurm_script_add(struct strbuf *out, const struct suite_store *store, const char *list);

#endif
