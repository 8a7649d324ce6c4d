#ifndef TUI_SCREENS_SUITE_SUITE_QUEUE_H
#define TUI_SCREENS_SUITE_SUITE_QUEUE_H

#include "tui/screens/problem_list.h"
#include "tui/screens/start_settings.h"
#include "tui/screens/suite/suite_starter.h"

/*
 * The queue on the first screen: problems are marked, and then run together as a suite with one arm
 * of the settings that the first screen shows, behind the screen.
 */
struct suite_queue {
    struct screen_host *host; /* this and the next two: borrowed */
    struct problem_list *problem_list;
    const struct start_settings *settings;
    struct suite_starter starter;
};

/* Open a queue whose first members are set, and release it, after which nothing more is heard. */
void suite_queue_open(struct suite_queue *queue);
void suite_queue_release(struct suite_queue *queue);

/*
 * Mark the selected problem and go on to the next one, or run the marked ones; false for other
 * commands.  `list` shows the problems; NULL: another list has the focus.
 */
bool suite_queue_command(struct suite_queue *queue, const struct call *call,
                         struct widget_list *list);

#endif
