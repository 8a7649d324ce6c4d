#include "tui/cli/worker_options.h"

#include "core/base/quantity.h"
#include "core/model/plan/plan.h"

enum status worker_options_take(struct evaluator_options *options, int id, const char *text,
                                struct error *err)
{
    switch (id) {
    case OPTION_DEVICE:
        options->device = text;
        return STATUS_OK;
    case OPTION_WORKER:
        options->prefix = text;
        return STATUS_OK;
    case OPTION_BUILD_LIMIT:
        return quantity_parse_seconds(text, "--build-limit", &options->build_limit_us, err);
    case OPTION_RUN_LIMIT:
        return quantity_parse_seconds(text, "--run-limit", &options->run_limit_us, err);
    case OPTION_TUNE_LIMIT:
        return quantity_parse_seconds(text, "--tune-limit", &options->tune_limit_us, err);
    case OPTION_TUNE_CHOICES:
        return quantity_parse_count(text, "--tune-choices", PLAN_MAX_CHOICES,
                                    &options->tune_choices, err);
    default:
        return STATUS_INVALID;
    }
}
