#include "tui/cli/worker_options.h"

#include <stdio.h>

#include "core/base/duration.h"

static bool take_limit(int64_t *limit_us, const char *option, const char *text)
{
    struct error err;

    if (!duration_parse(text, option, limit_us, &err))
        return true;
    fprintf(stderr, "kforge: %s\n", err.text);
    return false;
}

bool worker_options_take(struct evaluator_options *options, int id, const char *text)
{
    switch (id) {
    case OPTION_DEVICE:
        options->device = text;
        return true;
    case OPTION_WORKER:
        options->prefix = text;
        return true;
    case OPTION_BUILD_LIMIT:
        return take_limit(&options->build_limit_us, "--build-limit", text);
    case OPTION_RUN_LIMIT:
        return take_limit(&options->run_limit_us, "--run-limit", text);
    default:
        return false;
    }
}
