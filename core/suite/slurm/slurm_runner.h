#ifndef CORE_SUITE_SLURM_SLURM_RUNNER_H
#define CORE_SUITE_SLURM_SLURM_RUNNER_H

#include "core/suite/run/suite_runner.h"

/*
 * Runs tasks as elements of Slurm's array jobs, at most 1,000 in a job.  The jobs do not need the
 * suite's process: it submits them, and then asks the controller which elements run and which have
 * ended, at first after half a second and later every 30 s.  When a task has left the queue, it
 * reads the task's record (task_record.h), and no other file.  So the load on a shared file system
 * grows with the number of tasks that end, not with time.
 *
 * A resumed suite finds its jobs in Slurm's queue, and submits only tasks that have neither ended
 * nor are queued.
 */
extern const struct suite_runner_ops slurm_runner_ops;

#endif
