#ifndef TUI_CLI_REVIEW_COUNTERFACTUAL_H
#define TUI_CLI_REVIEW_COUNTERFACTUAL_H

#include "core/session/worker/evaluator.h"
#include "tui/cli/command.h"

/* Options of `kforge review --counterfactual`. */
struct counterfactual_options {
    const char *session;             /* as for recording_open() */
    struct evaluator_options worker; /* without a device: forks run on that of the session */
    unsigned repeats;                /* forks of each step; 0: 1 */
    bool as_json;
};

/*
 * Fork the session at each step that the engineer edited or vetoed, as the agent proposed it, run
 * the forks by policy, time their best kernels in turn with that of the session, and print what
 * each decision was worth.
 */
enum exit_code review_counterfactual(const struct counterfactual_options *options);

#endif
