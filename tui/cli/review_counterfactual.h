#ifndef TUI_CLI_REVIEW_COUNTERFACTUAL_H
#define TUI_CLI_REVIEW_COUNTERFACTUAL_H

#include "core/session/worker/evaluator.h"
#include "tui/cli/command.h"

/* Options of `kforge review --counterfactual`. */
struct counterfactual_options {
    const char *session;             /* as for recording_open() */
    struct evaluator_options worker; /* device NULL: forks run on the session's device */
    unsigned repeats;                /* forks of each step; 0: 1 */
    bool as_json;
};

/*
 * Fork the session at each step that the engineer edited or vetoed, accept the proposal there, run
 * the forks by policy, time their best kernels in turn with the session's best kernel, and print
 * the worth of each decision.
 */
enum exit_code review_counterfactual(const struct counterfactual_options *options);

#endif
