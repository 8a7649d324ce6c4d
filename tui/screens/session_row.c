#include "tui/screens/session_row.h"

#include <stdio.h>

#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "tui/term/table_column.h"

static const char *cost_text(const struct listed_session *session, char text[FORMAT_SIZE])
{
    if (!session->has_usd)
        return "-";
    snprintf(text, FORMAT_SIZE, "$%.2f", session->usd);
    return text;
}

static void put_state(const struct listed_session *session, struct pen *pen)
{
    static const char *const names[] = {[SESSION_CLOSED] = "closed",
                                        [SESSION_OPEN] = "open",
                                        [SESSION_HERE] = "here",
                                        [SESSION_RUNNING] = "RUNNING"};
    static const enum role roles[] = {[SESSION_CLOSED] = ROLE_DIM,
                                      [SESSION_OPEN] = ROLE_WAITING,
                                      [SESSION_HERE] = ROLE_GOOD,
                                      [SESSION_RUNNING] = ROLE_HAZARD};

    pen_putf(pen, roles[session->state], "%-7s ", names[session->state]);
}

/* Columns of texts that may be longer. */
enum { PROBLEM_W = 18, AGENT_W = 14, DEVICE_W = 9 };

void session_row_put(const struct listed_session *session, struct pen *pen)
{
    char time[FORMAT_SIZE], speedup[FORMAT_SIZE], cost[FORMAT_SIZE];

    pen_putf(pen, ROLE_DIM, "%.5s %.5s ", session->at + CLOCK_DAY_AT, session->at + CLOCK_TIME_AT);
    if (session->trouble) {
        pen_putf(pen, ROLE_BAD, "%s: %s", session->id, session->trouble);
        return;
    }
    put_state(session, pen);
    pen_put_column(pen, ROLE_STRONG, PROBLEM_W, session->problem);
    pen_putf(pen, session_row_role_of_speedup(session->best_speedup), " %8s %6s ",
             format_time(time, session->best_us), format_speedup(speedup, session->best_speedup));
    pen_putf(pen, ROLE_TEXT, "%5zu %6s  ", session->attempts, cost_text(session, cost));
    pen_put_column(pen, ROLE_TEXT, AGENT_W, session->agent);
    pen->x++;
    pen_put_column(pen, ROLE_DIM, DEVICE_W, session->device);
    pen_putf(pen, ROLE_DIM, " %-7.7s %s", session->over ? baseline_label_short(session->over) : "",
             session->id);
    if (*session->forked_from)
        pen_putf(pen, ROLE_DIM, " from %s", session->forked_from);
}

enum role session_row_role_of_speedup(double speedup)
{
    if (speedup <= 0)
        return ROLE_DIM;
    return speedup >= 1 ? ROLE_GOOD : ROLE_WARNING;
}

void session_row_put_heading(struct pen *pen)
{
    pen_putf(pen, ROLE_DIM, "%-11s %-7s %-*s %8s %6s %5s %6s  %-*s %-*s %-7s %s", "when", "state",
             PROBLEM_W, "problem", "best", "speed", "tries", "cost", AGENT_W, "agent", DEVICE_W,
             "device", "over", "session");
}

void session_row_put_nothing(const struct keymap *keymap, struct pen *pen)
{
    char key[KEYMAP_KEY_SIZE];

    pen_putf(pen, ROLE_DIM, "No session yet: %s starts one.",
             keymap_key_of(keymap, COMMAND_START, key));
}
