#ifndef TUI_SCREENS_SUITE_SUITE_QUEUE_H
#define TUI_SCREENS_SUITE_SUITE_QUEUE_H

#include "tui/screens/problem_list.h"
#include "tui/screens/start_settings.h"
#include "tui/screens/suite/suite_starter.h"

/*
 * The queue on the first screen: the engineer marks problems and runs them as a suite, in a
 * background process. The suite has one arm, with the settings that the first screen shows.
 */
struct suite_queue {
    struct screen_host *host; /* borrowed, like the next two */
    struct problem_list *problem_list;
    const struct start_settings *settings;
    struct suite_starter starter;
};

/*
 * Open a queue whose first members are set; release a queue, after which its starter shows no
 * messages.
 */
void suite_queue_open(struct suite_queue *queue);
void suite_queue_release(struct suite_queue *queue);

/*
 * Handle a command: mark the selected problem and select the next, or run the marked ones.  False
 * for other commands.  `list` shows the problems; NULL if another list has the focus.
 */
bool suite_queue_command(struct suite_queue *queue, const struct call *call,
                         struct widget_list *list);

#endif
