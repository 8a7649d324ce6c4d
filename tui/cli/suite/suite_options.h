#ifndef TUI_CLI_SUITE_SUITE_OPTIONS_H
#define TUI_CLI_SUITE_SUITE_OPTIONS_H

#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

/* The options of `kforge suite`; each verb takes some of them. */
struct suite_options {
    struct run_options run; /* with --problems: the only arm */
    const char *policy;     /* of that arm; NULL: auto */
    unsigned repeats;       /* with --problems; 0: 1 */
    unsigned jobs;          /* as for suite_run_new() */
    const char *name;       /* with --problems; NULL: "suite" */
    const char *on;         /* where the tasks run (suite_place.h); NULL: as the suite says */
    const char *order;      /* one of suite_order_names; NULL: as the suite says */
    const char *session;    /* of a scheduler's task: the id of its session; NULL: none */
    bool as_json, as_csv, as_markdown;
    const char *ablate; /* of run: parts that further arms lack; NULL: none */
    bool detach;        /* the suite runs in a process of its own, behind the terminal */
    const char *svg;    /* the file of the report's picture; NULL: none */
    struct {
        const char **items; /* of --problems, borrowed */
        size_t count, capacity;
    } problems;
    char **arguments; /* after the verb; borrowed, ended by NULL */
    size_t argument_count;
};

extern const struct option_set suite_option_sets[];

/* Read argv; items[0] of its arguments becomes `verb`, NULL for none. */
enum status suite_options_parse(struct suite_options *options, const char **verb, int argc,
                                char **argv, struct error *err) MUST_CHECK;
/* The id of a suite as the only argument; NULL: none is given, which means the latest suite. */
enum status suite_options_id(const struct suite_options *options, const char **id,
                             struct error *err) MUST_CHECK;
void suite_options_release(struct suite_options *options);

#endif
