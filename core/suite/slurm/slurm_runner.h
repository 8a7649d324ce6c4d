#ifndef CORE_SUITE_SLURM_SLURM_RUNNER_H
#define CORE_SUITE_SLURM_SLURM_RUNNER_H

#include "core/suite/run/suite_runner.h"

/*
 * Runs tasks as elements of array jobs of Slurm, at most 1,000 in a job.  The jobs do not need the
 * process of the suite: it hands them over and then asks the controller, at first after half a
 * second and later every 30 s, which elements run and which have ended.  It reads the record of a
 * task (task_record.h) when that has left the queue, and no file besides.  So what a shared file
 * system sees grows with the tasks that end, and not with the time.
 *
 * A suite that is resumed finds its jobs in Slurm's queue, and hands over only what has neither
 * ended nor is queued.
 */
extern const struct suite_runner_ops slurm_runner_ops;

#endif
