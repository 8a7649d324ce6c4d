#ifndef TUI_CLI_SUITE_SUITE_OPTIONS_H
#define TUI_CLI_SUITE_SUITE_OPTIONS_H

#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

/* The options of `kforge suite`; each verb takes some of them. */
struct suite_options {
    struct run_options run; /* with --problems: the options of the only arm */
    const char *policy;     /* policy of that arm; NULL: auto */
    unsigned repeats;       /* with --problems; 0: not given, which means 1 */
    unsigned jobs;          /* as in struct suite_run_options */
    const char *name;       /* the suite's name, with --problems; NULL: "suite" */
    const char *on;         /* where the tasks run (suite_place.h); NULL: as the suite says */
    const char *order;      /* one of suite_order_names; NULL: as the suite says */
    const char *session;    /* for a scheduler's task: the id of its session; NULL: not given */
    bool as_json, as_csv, as_markdown;
    const char *ablate; /* for `run`: the parts of --ablate; NULL: not given */
    bool detach;        /* the suite runs in the background */
    const char *svg;    /* the file for the report's picture; NULL: not given */
    struct {
        const char **items; /* values of --problems, borrowed */
        size_t count, capacity;
    } problems;
    char **arguments; /* arguments after the verb; borrowed, ended by NULL */
    size_t argument_count;
};

extern const struct option_set suite_option_sets[];

/* Read argv.  The first argument is stored in `verb`; NULL if there is none. */
enum status suite_options_parse(struct suite_options *options, const char **verb, int argc,
                                char **argv, struct error *err) MUST_CHECK;
/* The id of a suite, the only argument; NULL if it is not given, which means the latest suite. */
enum status suite_options_id(const struct suite_options *options, const char **id,
                             struct error *err) MUST_CHECK;
void suite_options_release(struct suite_options *options);

#endif
