#ifndef CORE_SESSION_LIVE_DRIVER_H
#define CORE_SESSION_LIVE_DRIVER_H

#include "core/agent/brief.h"
#include "core/session/live/evaluator.h"
#include "core/session/state/rules.h"
#include "core/session/state/session.h"

struct loop;

/*
 * Does what the engine says: talks to agent and judge, asks the gate, writes
 * the journal, commits what is kept.  The screen, the command line and the
 * tests are listeners of the same driver.  An event has been written and
 * applied when a listener hears of it.
 */
struct driver;

struct driver_options {
    const char *problem_path; /* of a new session */
    const char *problem_text; /* what the file holds, where that is known; NULL: it is read */
    const char *agent;        /* "builtin" or "<provider>:<model>" */
    const char *repository;   /* NULL: kforge's own */
    const char *reference;    /* file of an implementation for another platform; NULL: none */
    const char *resume;       /* id of a session to go on with; NULL: a new one */
    struct evaluator_options evaluator;
    struct limits limits;
    struct gate gate;          /* of a new session */
    bool changes_gate;         /* of a session that is gone on with, to `gate` */
    const struct rules *rules; /* what goes before the gate; NULL: nothing. Outlives the driver. */
};

/* Who is at work: the judge that starts, an agent, the judge. */
enum busy { BUSY_NOT, BUSY_STARTING, BUSY_AGENT, BUSY_EVALUATING };

/* What happens now and is not in the journal: for showing only. */
struct driver_live {
    enum busy busy;
    const char *activity; /* "starting", "generating", "evaluating", "analysing"; NULL: none */
    int64_t since_us;     /* clock_now_us() when it began */
    struct evaluation_progress progress;
    struct strbuf stream; /* the reply so far */
    char notice[256];     /* the last word of provider or worker */
};

struct driver_listener {
    void (*event)(void *data, const struct event *event);
    void (*live)(void *data);                             /* driver_live() changed */
    void (*waiting)(void *data, const struct step *step); /* for driver_decide(); may be NULL */
    void (*ended)(void *data, const struct error *err);   /* err NULL: the session is closed */
    void *data;
};

/*
 * Check what can be checked at once (problem, agent, repository), start the
 * judge, and return; everything else happens in the loop.  A new session
 * exists from the moment the judge is ready.  Listeners may call everything
 * here but driver_close().
 */
enum status driver_open(struct loop *loop, const struct driver_options *options,
                        const struct driver_listener *listener, struct driver **driver,
                        struct error *err) MUST_CHECK;
void driver_close(struct driver *driver);

/* Begin, or go on after driver_pause(). */
void driver_run(struct driver *driver);

/* Stop before the next action; what is under way is finished. */
void driver_pause(struct driver *driver);
bool driver_is_paused(const struct driver *driver);

/* Break off what is under way, and pause. Nothing that was recorded is lost. */
void driver_interrupt(struct driver *driver);

/* What the engineer decides on a step. Texts may be NULL where they do not apply. */
struct ruling {
    unsigned step;
    enum decision decision;
    const char *text;   /* what it is edited to */
    const char *reason; /* why it is vetoed; of a retry, what to do differently */
};

/* Decide on the pending step. */
enum status driver_decide(struct driver *driver, const struct ruling *ruling,
                          struct error *err) MUST_CHECK;

/*
 * Take the engineer's last decision back, at any time, so that its step waits
 * again; or let it hold again, unless another one was made.  What is under way
 * is broken off.  The branch moves along; no commit is lost.
 */
enum status driver_undo(struct driver *driver, struct error *err) MUST_CHECK;
enum status driver_redo(struct driver *driver, struct error *err) MUST_CHECK;

/*
 * Give the reply that the agent waits for, where it is a person's: what was
 * pasted for `manual`.  STATUS_INVALID where none is awaited.
 */
enum status driver_answer(struct driver *driver, const char *text, struct error *err) MUST_CHECK;

/* End the session: what is under way is broken off, and nothing can follow. */
enum status driver_close_session(struct driver *driver, struct error *err) MUST_CHECK;

/* Tell the agent something with the next prompt, at any time. */
enum status driver_say(struct driver *driver, const char *text, struct error *err) MUST_CHECK;

/* Call an attempt something; "" for nothing any more. */
enum status driver_tag(struct driver *driver, unsigned attempt, const char *tag,
                       struct error *err) MUST_CHECK;

/* Show the next analysis a file: text, or an image. */
enum status driver_attach(struct driver *driver, const char *path, struct error *err) MUST_CHECK;

/* Who decides on a kind of step from now on, also on one that waits. */
enum status driver_set_policy(struct driver *driver, enum step_kind kind, enum gate_mode mode,
                              struct error *err) MUST_CHECK;

/*
 * Let policies decide on everything until a limit is reached, or until
 * driver_end_run().  The step after that waits for the engineer.
 */
enum status driver_run_on(struct driver *driver, const struct run_limits *limits,
                          struct error *err) MUST_CHECK;
enum status driver_end_run(struct driver *driver, struct error *err) MUST_CHECK;

/* What there is to show: borrowed, and changed by events only; `live` between them too. */
const struct session *driver_session(const struct driver *driver);
const struct driver_live *driver_live(const struct driver *driver);
const struct problem *driver_problem(const struct driver *driver);

/* NULL until the judge has loaded the problem. */
const struct device_info *driver_device(const struct driver *driver);

/* What the judge computes with, as evaluator_libraries(). */
const char *driver_libraries(const struct driver *driver);

/* The text of a blob named in session or event, e.g. attempt->candidate. */
enum status driver_text(const struct driver *driver, const char *id, struct strbuf *out,
                        struct error *err) MUST_CHECK;

/* Whether the session can be gone on with: its journal is there, and it is not closed. */
bool driver_can_resume(const struct driver *driver);

/* "kforge/<problem>/<session>"; NULL before the session exists. */
const char *driver_branch(struct driver *driver);

/* Where the branch is. */
const char *driver_repository(const struct driver *driver);

#endif
