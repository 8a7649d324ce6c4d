#ifndef CORE_SESSION_LIVE_DRIVER_STATE_H
#define CORE_SESSION_LIVE_DRIVER_STATE_H

#include "core/agent/agent.h"
#include "core/llm/ledger.h"
#include "core/session/live/driver.h"
#include "core/session/state/engine.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"
#include "core/session/store/text_refs.h"
#include "core/system/loop.h"

/*
 * The inside of the driver, shared by its parts: driver.c opens and runs it,
 * driver_actions.c does what the engine says, and driver_requests.c what the
 * engineer says.
 */

/* One of the agents that answer at the same time. */
struct asked {
    struct driver *driver;
    struct agent *agent; /* NULL until it is needed; the first is always there */
    struct strbuf reply; /* so far */
    bool is_busy;
};

struct driver {
    struct loop *loop;
    struct driver_listener listener;
    char *agent_name, *repository;
    struct limits limits;
    struct gate gate;
    bool changes_gate;
    const struct rules *rules; /* NULL for none */
    char id[CATALOG_ID_SIZE];
    struct journal *journal; /* NULL until the judge is ready */
    struct history *history;
    struct session session;
    struct text_refs text_refs;
    struct problem problem;
    struct strbuf problem_text;
    struct strbuf reference; /* of a new session: text and name of --reference */
    char *reference_name;
    struct evaluator *evaluator;
    struct asked asked[ROUND_ATTEMPTS];
    struct terms terms;   /* of the agents */
    enum agent_task task; /* of those that are busy */
    struct error failure; /* of one of them, while others are busy */
    int64_t evaluating_since_us;
    bool is_running, is_resumed, is_over;
    struct driver_live live;
    char stage[32]; /* of the progress in `live` */
    struct loop_timer turn;
    struct loop_timer deadline; /* when the minutes are used up while an agent is busy */
    char *branch;
};

/* Write an event, apply it, tell of it, and think again.  Takes the event. */
enum status driver_record(struct driver *driver, struct event event, struct error *err) MUST_CHECK;

/* Record a decision on the pending step, whoever made it. */
enum status driver_record_ruling(struct driver *driver, enum decider by,
                                 const struct ruling *ruling, struct error *err) MUST_CHECK;

/* Store a text in the repository, so that an event can name it. */
enum status driver_put(struct driver *driver, const char *text, char id[HISTORY_ID_SIZE],
                       struct error *err) MUST_CHECK;

/* Make sure that git keeps all texts so far: wherever the session comes to rest. */
enum status driver_anchor(struct driver *driver, struct error *err) MUST_CHECK;

/* End what is under way; nothing comes of it. */
void driver_break_off(struct driver *driver);

/* What agents are asked. Texts and brief are borrowed for the call. */
struct question {
    enum agent_task task;
    unsigned count;   /* of answers that are wanted */
    unsigned step;    /* the prompt's; 0 for an analysis */
    const char *text; /* blob: the prompt */
    const char *prompt;
    const struct brief *brief;
};

/* Ask; the replies are recorded as they arrive. */
enum status driver_ask(struct driver *driver, const struct question *question,
                       struct error *err) MUST_CHECK;
void driver_cancel_agents(struct driver *driver);

/* Who is busy from now on, and what the engineer reads about it (NULL: nothing). */
void driver_set_activity(struct driver *driver, enum busy busy, const char *activity);

/* The last word of provider or worker, for the engineer. */
void driver_set_notice(struct driver *driver, const char *line);

/* Stop for good; `err` NULL when the session is closed. */
void driver_end(struct driver *driver, const struct error *err);

/* Do what the engine asks for.  Returns while an agent or the judge is still at it. */
enum status driver_act(struct driver *driver, enum action action, struct error *err) MUST_CHECK;

/* The judge has a verdict on the last attempt. */
enum status driver_finish_evaluation(struct driver *driver, const struct verdict *verdict,
                                     const struct json *encoded, struct error *err) MUST_CHECK;

#endif
