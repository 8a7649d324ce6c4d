#ifndef TUI_SCREENS_SUITE_SUITE_STARTER_H
#define TUI_SCREENS_SUITE_SUITE_STARTER_H

#include "core/system/process.h"
#include "tui/screens/screen.h"

/*
 * Starts suites behind the screen: `kforge suite run --detach` makes the suite, or `kforge suite
 * resume --detach` opens it, and leaves a process that goes on when the screen has gone.  The
 * screen waits for neither: it hears the suite's id, or in a message why there is none.
 */
struct suite_starter {
    struct screen_host *host;
    void (*started)(void *data, const char *suite); /* with the suite's id */
    void *data;
    struct process process; /* that makes the suite; all zeros: none */
    struct strbuf output;
};

/* A list of arguments that grows; the texts are owned. */
struct suite_arguments {
    char **items;
    size_t count, capacity;
};

/* Append an argument. */
void suite_arguments_add(struct suite_arguments *arguments, const char *text);

/* Append an option and its value; nothing if the value is NULL. */
void suite_arguments_add_option(struct suite_arguments *arguments, const char *option,
                                const char *value);

/* Start with the arguments of `kforge suite`, which are released; a message tells a failure. */
void suite_starter_begin(struct suite_starter *starter, struct suite_arguments *arguments);

/* Let the process of that suite go on, behind the screen. */
void suite_starter_resume(struct suite_starter *starter, const char *suite);

/* Hear no more of what was begun, which goes on. */
void suite_starter_leave(struct suite_starter *starter);

#endif
