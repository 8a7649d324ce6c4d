#ifndef CORE_SUITE_SUITE_PROCESSES_H
#define CORE_SUITE_SUITE_PROCESSES_H

#include "core/suite/run/suite_runner.h"

/*
 * Runs tasks as child processes of this machine. With `--on ssh:HOSTS` each task's worker runs on
 * one of the hosts. When a task fails, its host is asked whether it answers. If it does not, the
 * task waits again, the host gets no further task, and the other hosts continue.
 */
extern const struct suite_runner_ops suite_processes_ops;

#endif
