#ifndef CORE_SUITE_SLURM_SLURM_SCRIPT_H
#define CORE_SUITE_SLURM_SLURM_SCRIPT_H

#include "core/suite/suite_store.h"

/*
 * Append the batch script of an array job.  Each element runs the task in one line of the list
 * ("NUMBER SESSION").  The script passes Slurm's signals on, so that the session can be resumed,
 * and near the time limit it asks Slurm to requeue the element.
 */
void slurm_script_add(struct strbuf *out, const struct suite_store *store, const char *list);

#endif
