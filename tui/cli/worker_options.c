#include "tui/cli/worker_options.h"

#include "core/model/plan/plan.h"
#include "core/session/worker/evaluator.h"

const struct option_row worker_options[] = {
    {.name = "device",
     .value = "ID",
     .help =
         "the device by its id or UUID, as kforge devices lists them; otherwise the first one, of "
         "kforge devices all",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct evaluator_options, device)},
    {.name = "worker",
     .value = "COMMAND",
     .help = "start kforge-worker through COMMAND, such as \"ssh gpu7\"",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct evaluator_options, prefix)},
    {.name = "build-limit",
     .value = "SECONDS",
     .help = "stop a build that takes longer, with the outcome timed_out",
     .kind = OPTION_SECONDS,
     .offset = offsetof(struct evaluator_options, build_limit_us)},
    {.name = "run-limit",
     .value = "SECONDS",
     .help = "stop a run that takes longer, with the outcome timed_out",
     .kind = OPTION_SECONDS,
     .offset = offsetof(struct evaluator_options, run_limit_us)},
    {.name = "tune-limit",
     .value = "SECONDS",
     .help = "stop the search through a plan's tunables after this time",
     .kind = OPTION_SECONDS,
     .offset = offsetof(struct evaluator_options, tune_limit_us)},
    {.name = "timing-limit",
     .value = "SECONDS",
     .help =
         "stop timing a candidate after this time (1.5), even if its median is not known to 1 %",
     .kind = OPTION_SECONDS,
     .offset = offsetof(struct evaluator_options, timing_limit_us)},
    {.name = "tune-choices",
     .value = "N",
     .help = "try at most N choices of a plan's tunables",
     .kind = OPTION_SIZE,
     .offset = offsetof(struct evaluator_options, tune_choices),
     .most = PLAN_MAX_CHOICES},
    {.name = "baselines",
     .value = "NAMES",
     .help = "time only these of PyTorch's baselines, such as eager,compile; otherwise all",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct evaluator_options, baselines)},
    {0},
};
