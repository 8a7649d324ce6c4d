#ifndef CORE_JUDGE_TORCH_COMPILER_H
#define CORE_JUDGE_TORCH_COMPILER_H

#include "core/judge/torch/bridge.h"

/*
 * Compiles baselines of a PyTorch model in the background, because torch.compile takes seconds to
 * minutes and no verdict waits for it. A thread asks a bridge of its own, whose process runs beside
 * the judge's other bridge in the same containment. That process holds the compiled baselines, so
 * they are timed there.
 *
 * Nothing is compiled while a candidate is timed: compiler_pause() stops the process with all that
 * it has started, in the middle of a compilation too. What it has queued on a GPU goes on for a
 * while, so compiler_settle() follows, as late as possible. Baselines can then be timed only if
 * nothing was being compiled.
 */
struct compiler;

/* Borrows everything until compiler_free(). */
struct compiler_spec {
    const char *const *argv; /* the command that starts a bridge */
    int64_t limit_us;        /* as in struct bridge_options */
    struct model_source source;
    const char *kept; /* see compiled_cache.h, or NULL */
    const struct device_info *device;
    bool allows_mixed;
    struct bridge_run run; /* the data of the baselines; without a graph: those of the model */
};

enum compiler_state { COMPILER_WAITING, COMPILER_READY, COMPILER_FAILED };

/* Start the thread. It has nothing to do before compiler_want(). */
struct compiler *compiler_new(const struct compiler_spec *spec);

/* End the process in the middle of what it does, and free everything. Takes NULL. */
void compiler_free(struct compiler *compiler);

/* Compile the baseline `name`, a short text, after those that were asked for earlier. */
void compiler_want(struct compiler *compiler, const char *name);

/* The state of a baseline that was asked for; `why` has the reason if it failed. */
enum compiler_state compiler_state(struct compiler *compiler, const char *name, struct error *why);

/* True if all that was asked for is compiled or has failed. */
bool compiler_is_done(struct compiler *compiler);

/* A descriptor that is readable when that became true; compiler_is_done() resets it. */
int compiler_fd(const struct compiler *compiler);

/* Stop compiling, or continue. Takes NULL. */
void compiler_pause(struct compiler *compiler, bool is_paused);

/* During a pause: wait until a GPU has done what the stopped process had queued. Takes NULL. */
void compiler_settle(struct compiler *compiler);

/*
 * During a pause: the bridge that times compiled baselines, borrowed; NULL if it was stopped while
 * it compiles.
 */
struct bridge *compiler_bridge(struct compiler *compiler);

#endif
