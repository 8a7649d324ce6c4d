#ifndef CORE_SUITE_SUITE_PROCESSES_H
#define CORE_SUITE_SUITE_PROCESSES_H

#include "core/suite/run/suite_runner.h"

/*
 * Runs tasks as child processes on this machine; with hosts, the worker of each runs on one of
 * them.  A host on which a task fails is asked whether it answers.  If it does not, the task waits
 * again, the host gets no other one, and the rest goes on.
 */
extern const struct suite_runner_ops suite_processes_ops;

#endif
