#ifndef TUI_SCREENS_SUITE_SUITE_STARTER_H
#define TUI_SCREENS_SUITE_SUITE_STARTER_H

#include "core/system/process.h"
#include "tui/screens/screen.h"

/*
 * Starts suites in the background: `kforge suite run --detach` makes a suite, `kforge suite resume
 * --detach` resumes one; both leave a process that outlives the screen. The screen does not wait:
 * started() is called with the suite's id, or a message says why the suite did not begin.
 */
struct suite_starter {
    struct screen_host *host;
    /* called with the id of the suite that has begun */
    void (*started)(void *data, const char *suite);
    void *data;
    struct process process; /* the process that makes the suite; all zeros if none runs */
    struct strbuf output;
};

/* A list of arguments that grows; the texts are owned. */
struct suite_arguments {
    char **items;
    size_t count, capacity;
};

/* Append an argument. */
void suite_arguments_add(struct suite_arguments *arguments, const char *text);

/* Append an option and its value, unless the value is NULL. */
void suite_arguments_add_option(struct suite_arguments *arguments, const char *option,
                                const char *value);

/*
 * Start `kforge suite` with these arguments, which are released. A failure is shown as a message.
 */
void suite_starter_begin(struct suite_starter *starter, struct suite_arguments *arguments);

/* Resume a suite in the background. */
void suite_starter_resume(struct suite_starter *starter, const char *suite);

/* Stop listening to the process that was started; the process continues. */
void suite_starter_leave(struct suite_starter *starter);

#endif
