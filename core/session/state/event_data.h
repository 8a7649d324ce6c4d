#ifndef CORE_SESSION_STATE_EVENT_DATA_H
#define CORE_SESSION_STATE_EVENT_DATA_H

#include "core/model/verdict.h"
#include "core/session/state/gate.h"
#include "core/session/state/limits.h"

/*
 * The types of events and the data of each: plain structs without behaviour.  event.h makes events
 * from them, event_fields.h maps them to JSON.
 *
 * The members are those of the JSON line, under the same names.  Texts are borrowed: by a
 * constructor for the call, and by event_decode() from the event.  A NULL text is absent.  "Blob"
 * marks a text that is the object id of a blob in the session's repository, where large texts
 * are kept.
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
    const char *text; /* blob: the device and its roofs, in JSON (device_description.h) */
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
    double speedup; /* over the plain kernel */
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

#endif
