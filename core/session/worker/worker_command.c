#include "core/session/worker/worker_command.h"

#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "core/base/strbuf.h"

static void add_limit(struct strbuf *command, const char *option, int64_t us)
{
    if (us)
        strbuf_addf(command, " %s %lld.%06lld", option, (long long)us / 1000000,
                    (long long)us % 1000000);
}

static void add_options(struct strbuf *command, const struct evaluator_options *options)
{
    if (options->device)
        strbuf_addf(command, " --device '%s'", options->device);
    add_limit(command, "--build-limit", options->build_limit_us);
    add_limit(command, "--run-limit", options->run_limit_us);
    add_limit(command, "--tune-limit", options->tune_limit_us);
    add_limit(command, "--timing-limit", options->timing_limit_us);
    if (options->tune_choices)
        strbuf_addf(command, " --tune-choices %zu", options->tune_choices);
    if (options->baselines)
        strbuf_addf(command, " --baselines '%s'", options->baselines);
}

char *worker_command_make(const struct evaluator_options *options, const char **shown)
{
    char self[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    struct strbuf command = {0};
    const char *folder;
    size_t hidden;
    char *text;

    self[len > 0 ? len : 0] = '\0';
    folder = dirname(self);
    if (options->prefix)
        strbuf_addf(&command, "export PATH=\"$PATH\":'%s'; ", folder);
    else
        strbuf_adds(&command, "exec ");
    hidden = command.len;
    if (options->prefix)
        strbuf_addf(&command, "%s kforge-worker", options->prefix);
    else
        strbuf_addf(&command, "'%s/kforge-worker'", folder);
    add_options(&command, options);
    text = strbuf_take(&command);
    *shown = text + hidden;
    return text;
}
