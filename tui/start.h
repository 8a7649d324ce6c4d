#ifndef TUI_START_H
#define TUI_START_H

#include "core/session/driver.h"
#include "tui/offer.h"
#include "tui/panel.h"

/*
 * The first screen: which problem, on which device, by which agent, decided
 * by whom; or which session to go on with.  Everything is chosen already, so
 * that Enter alone starts.
 */
struct start;

/* `changed` is called when there is more to show. */
struct start *start_new(struct loop *loop, const struct driver_options *options,
                        void (*changed)(void *data), void *data);
void start_free(struct start *start);

/* Leaves the lowest two lines of the canvas: the message and the status. */
void start_draw(struct start *start, const struct pattern *search, struct canvas *canvas);

/* The list that has the focus. */
struct panel_body start_body(struct start *start);

/* Commands of this screen alone; return whether it was one. */
bool start_command(struct start *start, const struct call *call);

/* A press selects; the place is that of the canvas drawn last. */
void start_mouse(struct start *start, struct mouse mouse);

/* What was chosen; borrowed from `start`. */
struct driver_options start_options(const struct start *start);

#endif
