#ifndef CORE_SESSION_STATE_EVENT_H
#define CORE_SESSION_STATE_EVENT_H

#include "core/base/json.h"
#include "core/model/verdict.h"
#include "core/session/state/budget.h"
#include "core/session/state/gate.h"
#include "core/system/clock.h"

/*
 * What happened in a session, one thing at a time.  A session is the fold of
 * its events: session_apply() turns them into state, and nothing else does.
 * In the journal an event is one line of JSON: {"seq", "at", "type", ...}.
 *
 * Each type has a struct below, whose members are those of the JSON, and a
 * constructor.  Texts are borrowed, by a constructor for the call and by
 * event_decode() from the event; NULL is a text that is not there.  Where the
 * comment says blob, the text is the object id of a blob in the session's
 * repository: large texts live there.
 */
enum event_type {
    EVENT_NONE,
    EVENT_SESSION_OPENED,
    EVENT_PROBLEM_LOADED,
    EVENT_DEVICE_DESCRIBED,
    EVENT_STEP_PROPOSED,
    EVENT_STEP_DECIDED,
    EVENT_STEP_UNDONE,
    EVENT_STEP_REDONE,
    EVENT_MODEL_REQUEST,
    EVENT_MODEL_REPLY,
    EVENT_MODEL_CANCELLED,
    EVENT_EVALUATION_STARTED,
    EVENT_EVALUATION_FINISHED,
    EVENT_CANDIDATE_KEPT,
    EVENT_CANDIDATE_TAGGED,
    EVENT_NOTE,
    EVENT_ATTACHMENT,
    EVENT_BUDGET,
    EVENT_POLICY_CHANGED,
    EVENT_RUN_STARTED,
    EVENT_RUN_ENDED,
    EVENT_SESSION_CLOSED,
};

struct event {
    uint64_t seq; /* counts from 1 without gaps; 0 until it is stamped */
    enum event_type type;
    struct json *body; /* the whole line as an object; owned */
};

/* Why a session ends. */
enum closing {
    CLOSING_NOT,
    CLOSING_BOUND,      /* as fast as the device allows */
    CLOSING_FUNCTIONAL, /* no correct candidate in so many attempts */
    CLOSING_OPTIMIZE,   /* so many attempts to optimize were made */
    CLOSING_FLAT,       /* so many rounds in a row gained nothing */
    CLOSING_EXHAUSTED,  /* the analyst sees nothing more to try */
    CLOSING_BUDGET,     /* used up, or it cannot be told what is left */
    CLOSING_ASKED,      /* by the engineer */
};

/* As in files, by value, with NULL after the last. */
extern const char *const closing_names[];

/* When to stop.  Attempts are the agent's: an engineer's edit is not counted. */
struct limits {
    unsigned functional;      /* attempts until the first correct candidate */
    unsigned optimize;        /* attempts after it */
    unsigned attempts;        /* asked for in a round at the same time; 0 is 1 */
    unsigned flat;            /* rounds in a row without a gain; 0: no such limit */
    unsigned context;         /* tokens of prompt and reply together; 0: as is known of the model */
    double budget[RESOURCES]; /* in $, tokens, minutes; 0: no such limit */
};

struct session_opened {
    const char *session, *problem, *agent, *device, *language, *repository;
    struct limits limits;
    struct gate policy;
    const char *forked_from; /* the session that it shares its first events with; NULL: none */
    bool is_forked;
    unsigned forked_at;         /* how many these are, this one included */
    const char *reference;      /* blob: an implementation for another platform; NULL: none */
    const char *reference_name; /* its file, without the folder */
};

struct problem_loaded {
    const char *name;
    const char *text; /* blob */
};

/* What prompts are rendered from; again whenever it has changed. */
struct device_described {
    const char *text; /* blob: the device and its roofs, as machine.h prints them */
};

struct step_proposed {
    unsigned step; /* counts from 1 */
    enum step_kind kind;
    unsigned attempt; /* a prompt: what it sets out from, 0 for nothing; else what it is about */
    const char *title;
    const char *text;                                  /* blob */
    const char *bottleneck, *evidence, *change, *tags; /* of a recommendation */
    bool has_gain;
    double gain; /* of a recommendation: the speedup that it promises */
};

struct step_decided {
    unsigned step;
    enum decision decision;
    enum decider by;
    const char *reason;
    const char *text;   /* blob: what it was edited to */
    const char *change; /* of an edited recommendation; NULL: it no longer names one */
    bool has_gain;
    double gain; /* of an edited recommendation: the speedup that it promises now */
};

/* The engineer's last decision is taken back: the step waits again, and what came of it is void. */
struct step_undone {
    unsigned step;
};

/* What was taken back last holds again, with all that came of it. */
struct step_redone {
    unsigned step;
};

struct model_request {
    unsigned step;    /* the prompt's step; 0 for an analysis */
    const char *task; /* agent_task_name() */
    const char *agent;
    const char *text; /* blob: the prompt */
};

struct model_reply {
    const char *task;
    const char *text; /* blob */
    bool has_tokens;
    int64_t prompt_tokens, cached_tokens, reply_tokens; /* cached: part of the prompt's */
    int64_t latency_us;
    bool has_cost;
    double cost_usd; /* by list prices */
};

/* An answer was waited for no longer. */
struct model_cancelled {
    const char *task;
    const char *text; /* blob: as much as had arrived; NULL: nothing */
    int64_t latency_us;
    const char *reason;
};

struct evaluation_started {
    unsigned attempt;
    const char *candidate; /* blob */
};

struct evaluation_finished {
    unsigned attempt;
    enum outcome outcome;
    const char *detail;
    const char *verdict; /* blob */
    bool is_timed;
    double median_us, low_us, high_us;
    bool has_speedup;
    double speedup; /* over the reference */
    bool has_gain;
    double gain, gain_low; /* over the best so far, timed in turn; lower end of its interval */
    bool has_bound;
    double bound_fraction;
    int64_t wall_us; /* from evaluation.started on */
};

struct candidate_kept {
    unsigned attempt;
    const char *commit; /* the commit's id */
};

/* The engineer calls an attempt something. */
struct candidate_tagged {
    unsigned attempt;
    const char *tag; /* empty: nothing any more */
};

struct note {
    const char *text;
};

/* Something for the next analysis, as a profiler's window shows it. */
struct attachment {
    const char *name;       /* of the file that it was */
    const char *media_type; /* "image/png", "text/plain" */
    const char *text;       /* blob: its bytes */
};

/* A warning: most of a budget is used. */
struct budget_used {
    enum resource resource;
    double used, limit;
};

struct policy_changed {
    enum step_kind kind;
    enum gate_mode mode;
};

struct run_ended {
    const char *reason;
};

struct session_closed {
    enum closing cause; /* CLOSING_NOT in journals that do not say */
    const char *reason;
};

/* An event of each type, without place and time; the texts are copied. The caller releases it. */
struct event event_session_opened(const struct session_opened *opened);
struct event event_problem_loaded(const struct problem_loaded *loaded);
struct event event_device_described(const struct device_described *described);
struct event event_step_proposed(const struct step_proposed *proposed);
struct event event_step_decided(const struct step_decided *decided);
struct event event_step_undone(const struct step_undone *undone);
struct event event_step_redone(const struct step_redone *redone);
struct event event_model_request(const struct model_request *request);
struct event event_model_reply(const struct model_reply *reply);
struct event event_model_cancelled(const struct model_cancelled *cancelled);
struct event event_evaluation_started(const struct evaluation_started *started);
struct event event_evaluation_finished(const struct evaluation_finished *finished);
struct event event_candidate_kept(const struct candidate_kept *kept);
struct event event_candidate_tagged(const struct candidate_tagged *tagged);
struct event event_note(const struct note *note);
struct event event_attachment(const struct attachment *attachment);
struct event event_budget(const struct budget_used *budget);
struct event event_policy_changed(const struct policy_changed *changed);
struct event event_run_started(const struct run_limits *limits);
struct event event_run_ended(const struct run_ended *ended);
struct event event_session_closed(const struct session_closed *closed);

/* What an event says about a verdict; attempt and blob are the caller's. Borrows the detail. */
struct evaluation_finished event_summarise(const struct verdict *verdict);

/* What an event holds: the member named like its type. */
union event_data {
    struct session_opened session_opened;
    struct problem_loaded problem_loaded;
    struct device_described device_described;
    struct step_proposed step_proposed;
    struct step_decided step_decided;
    struct step_undone step_undone;
    struct step_redone step_redone;
    struct model_request model_request;
    struct model_reply model_reply;
    struct model_cancelled model_cancelled;
    struct evaluation_started evaluation_started;
    struct evaluation_finished evaluation_finished;
    struct candidate_kept candidate_kept;
    struct candidate_tagged candidate_tagged;
    struct note note;
    struct attachment attachment;
    struct budget_used budget;
    struct policy_changed policy_changed;
    struct run_limits run_started;
    struct run_ended run_ended;
    struct session_closed session_closed;
};

/* Read the members of an event; `place` ("event 12") begins the error. */
enum status event_decode(const struct event *event, const char *place, union event_data *data,
                         struct error *err) MUST_CHECK;

/* The blob that a stamped or parsed event names, or NULL; no event names two. */
const char *event_text(const struct event *event);

/* Free the body; an event of all zeros has none. */
void event_release(struct event *event);

const char *event_name(enum event_type type); /* "step.decided" */

/* Give the event its place and time (clock_stamp()), as members of its body. Texts become valid
 * UTF-8. */
void event_stamp(struct event *event, uint64_t seq, const char *time);

/* The time of a stamped event, empty before. */
const char *event_time(const struct event *event);

/* Read one line; `place` ("events.jsonl:12") begins the error. Takes what it needs from `line`. */
enum status event_parse(struct event *event, const char *line, const char *place,
                        struct error *err) MUST_CHECK;

#endif
