#ifndef TUI_CLI_RUN_OPTIONS_H
#define TUI_CLI_RUN_OPTIONS_H

#include "core/session/driver/driver.h"
#include "tui/cli/screen_options.h"

/* The options of `run`; `resume` and `fork` take some of them. */
struct run_options {
    struct driver_options driver; /* its texts are borrowed from argv */
    unsigned agents;              /* number of --agent options */
    struct rules rules;           /* read from --policy FILE */
    struct screen_options screen; /* JSON lines are the journal's events */
    bool ask;                     /* read decisions from standard input, one on each line */
    /* --policy was given; otherwise the policy depends on on_screen */
    bool has_policy;
    /* apply decisions that other processes hand over (handed_decision.h) */
    bool takes_handed;
    bool is_quiet;         /* without a screen: print only errors */
    bool on_screen;        /* the session opens on the screen */
    const char *tolerance; /* for a PyTorch file; NULL: f32 */
    const char *argument;  /* the first argument, or NULL */
    const char *second;    /* the second argument, or NULL */
};

/* The sets of each command, over a struct run_options. */
extern const struct option_set run_option_sets[], resume_option_sets[], fork_option_sets[];

/* The options, over a struct run_options, that cannot change after a session was opened. */
extern const struct option_row session_options[];

/* Set the policy: a preset, or a file with rules. */
enum status run_options_set_policy(struct run_options *options, const char *name,
                                   struct error *err) MUST_CHECK;

/* Read argv, with default values for other options. At most one argument is allowed. */
enum status run_options_parse(struct run_options *options, const struct option_set *sets, int argc,
                              char **argv, struct error *err) MUST_CHECK;

/*
 * Read argv, and keep the values that `options` has for other options. Two arguments are allowed.
 */
enum status run_options_take(struct run_options *options, const struct option_set *sets, int argc,
                             char **argv, struct error *err) MUST_CHECK;

/* Free the memory of the options. Call it after a failure too. */
void run_options_release(struct run_options *options);

#endif
