#ifndef CORE_JUDGE_JUDGE_OPTIONS_H
#define CORE_JUDGE_JUDGE_OPTIONS_H

#include "core/judge/executor/executor.h"
#include "core/judge/task/expectations_case.h"
#include "core/model/evaluation_progress.h"
#include "core/model/roofline/roofs.h"

/* The options that the judge and the steps of an evaluation share. */

/* The end of the search through a plan's tunables.  At least one choice is tried. */
struct tune_limits {
    size_t choices;
    int64_t budget_us;
};

/* The processor that computes expected values. */
enum oracle_choice {
    ORACLE_BY_SIZE,   /* the device computes those of large graphs, if it is a GPU */
    ORACLE_ON_HOST,   /* all on the CPU */
    ORACLE_ON_DEVICE, /* all that its kernels can compute on the device */
};

enum { JUDGE_UNSEEN = EXPECTATIONS_KINDS + EXPECTATIONS_REMAINDERS }; /* the usual `unseen` */

struct judge_options {
    struct executor_options executor;
    const char *const *compiler_argv; /* starts the compiler of kernels in Python, without its
                                         script; borrowed, or NULL */
    const char *const *bridge_argv;   /* the command that starts the bridge to PyTorch; borrowed */
    struct tune_limits tune;
    enum oracle_choice oracle;
    const char *oracle_build;     /* options to compile its kernels with; NULL: none; borrowed */
    double oracle_compares_bytes; /* as in struct device_oracle_options */
    unsigned trials;              /* number of seeds at the main dimensions */
    unsigned unseen;              /* further sets of dimensions, drawn where they are dynamic */
    double precision;         /* timing ends when half the interval over the median is this small */
    int64_t timing_budget_us; /* timing ends after this time in any case */
    /* make all trials, even after a wrong one; the first fault is the outcome */
    bool makes_all_trials;
    bool shares_device;     /* take turns with the other judges of this user (device_turns.h) */
    bool without_baselines; /* compare with rivals only, not with baselines */
    const char *baselines;  /* names of PyTorch's baselines, with commas; NULL: all; borrowed */
    void (*progress)(void *data, const struct evaluation_progress *progress);
    void (*measured)(void *data, const struct roofs *roofs); /* the roofs have changed */
    void *data;
};

/* The tools that examine a candidate in addition to the judge (tool_runs/tool_run.h). */
struct judge_tools {
    bool profile;      /* profile a candidate that is correct */
    bool skips_slower; /* do not profile a candidate without a gain over the best */
    /* nobody reads at which lines of the source a profile's counts arise, which takes seconds */
    bool skips_lines;
    const char *sanitizer; /* the tool (sanitizer.h) to run on any candidate that compiles, whatever
                              its outcome, or NULL */
};

#endif
