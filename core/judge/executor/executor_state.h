#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_STATE_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_STATE_H

#include "core/judge/executor/executor_memory.h"
#include "core/judge/executor/executor_options.h"
#include "core/judge/executor/executor_process.h"

/*
 * The inside of an executor, which its two parts share: executor.c opens the device and makes runs,
 * executor_load.c builds programs.
 */
struct executor {
    struct executor_options options;
    struct executor_process process;
    struct device_info device;
    struct strbuf compiler; /* device and driver, part of the key of cached binaries */
    struct executor_spent spent;
    uint64_t input_seed, param_seed; /* seeds of the data of the last run */
    struct executor_memory memory;
    bool is_in_place; /* outputs with a handle were not copied after the last run */
    bool copies_all;  /* outputs cannot be read in place */
};

#endif
