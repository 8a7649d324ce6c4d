#ifndef TUI_CLI_RUN_OPTIONS_H
#define TUI_CLI_RUN_OPTIONS_H

#include "core/session/driver/driver.h"
#include "tui/cli/screen_options.h"

/* The options of `run`; `resume` and `fork` take some of them. */
struct run_options {
    struct driver_options driver; /* its texts are borrowed from argv */
    unsigned agents;              /* how often --agent was given */
    struct rules rules;           /* read from --policy FILE */
    struct screen_options screen; /* JSON lines are the journal's events */
    bool ask;                     /* read decisions from standard input, a line each */
    bool has_policy;              /* --policy was given; else the policy depends on on_screen */
    bool takes_handed;            /* decisions that are handed to it (handed_decision.h) */
    bool is_quiet;                /* without a screen: print errors alone */
    bool on_screen;               /* the session opens on the screen */
    const char *tolerance;        /* for a PyTorch file; NULL: f32 */
    const char *argument;         /* the first argument, or NULL */
    const char *second;           /* the second argument, or NULL */
};

/* The sets of each command, over a struct run_options. */
extern const struct option_set run_option_sets[], resume_option_sets[], fork_option_sets[];

/* Over a struct run_options: what is fixed when a session is opened. */
extern const struct option_row session_options[];

/* Take a preset or a file of rules. */
enum status run_options_set_policy(struct run_options *options, const char *name,
                                   struct error *err) MUST_CHECK;

/* Read argv, with defaults for all that is not given.  At most one argument is allowed. */
enum status run_options_parse(struct run_options *options, const struct option_set *sets, int argc,
                              char **argv, struct error *err) MUST_CHECK;

/* Read argv over the values that `options` already holds.  Two arguments are allowed. */
enum status run_options_take(struct run_options *options, const struct option_set *sets, int argc,
                             char **argv, struct error *err) MUST_CHECK;

/* Free the memory of the options; also after a failure. */
void run_options_release(struct run_options *options);

#endif
