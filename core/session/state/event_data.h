#ifndef CORE_SESSION_STATE_EVENT_DATA_H
#define CORE_SESSION_STATE_EVENT_DATA_H

#include "core/agent/roles.h"
#include "core/model/verdict.h"
#include "core/session/state/gate.h"
#include "core/session/state/limits.h"

/*
 * The types of events and the data of each: plain structs without behaviour. event.h makes events
 * from them, event.c maps them to JSON.
 *
 * The members are those of the JSON line, under the same names. Texts are borrowed: event_make()
 * copies them, and event_decode() returns texts that belong to the event. NULL means that a text is
 * absent. "Blob" marks a text that is the object id of a blob in the session's repository, where
 * large texts are kept.
 */
enum event_type {
    EVENT_NONE,
    EVENT_SESSION_OPENED,
    EVENT_PROBLEM_LOADED,
    EVENT_DEVICE_DESCRIBED,
    EVENT_REFERENCE_JUDGED,
    EVENT_STEP_PROPOSED,
    EVENT_STEP_DECIDED,
    EVENT_STEP_UNDONE,
    EVENT_STEP_REDONE,
    EVENT_MODEL_REQUEST,
    EVENT_MODEL_REPLY,
    EVENT_MODEL_CANCELLED,
    EVENT_EVALUATION_STARTED,
    EVENT_EVALUATION_FINISHED,
    EVENT_BASELINES_TIMED,
    EVENT_CANDIDATE_KEPT,
    EVENT_CANDIDATE_TAGGED,
    EVENT_NOTE,
    EVENT_ATTACHMENT,
    EVENT_PICTURE_TAKEN,
    EVENT_BUDGET,
    EVENT_POLICY_CHANGED,
    EVENT_LANGUAGE_CHANGED,
    EVENT_RUN_STARTED,
    EVENT_RUN_ENDED,
    EVENT_SESSION_CLOSED,
    EVENT_RECOMMENDATION_MARKED,
    EVENT_SUITE_OPENED,
    EVENT_TASK_STARTED,
    EVENT_TASK_ENDED,
    EVENT_TASK_FAILED,
    EVENT_SUITE_STOPPED,
    EVENT_SUITE_SUBMITTED,
};

struct session_opened {
    const char *session, *problem, *agent, *device, *language, *repository;
    struct roles roles;
    struct limits limits;
    struct gate policy;
    const char *forked_from; /* id of the session whose first events it shares, or NULL */
    bool is_forked;
    unsigned forked_at;             /* the number of shared events, this one included */
    const char *reference;          /* blob: an implementation for another platform, or NULL */
    const char *reference_name;     /* the name of its file, without the folder */
    const char *reference_reply;    /* blob: the reference as a candidate to judge first, or NULL */
    const char *reference_language; /* the language of that candidate */
    const char *picture;            /* the command that takes pictures of a profiler, or NULL */
};

struct problem_loaded {
    const char *name;
    const char *text; /* blob */
};

/* The device that prompts describe. It is recorded again when it changes. */
struct device_described {
    const char *text; /* blob: device and roofs in JSON (driver/device_description.h) */
};

struct step_proposed {
    unsigned step; /* counts from 1 */
    enum step_kind kind;
    unsigned attempt; /* for a prompt: the attempt to improve or repair, 0 for none */
    const char *title;
    const char *text; /* blob */
    bool is_by_hand;  /* a candidate that the engineer saved from an editor */
    unsigned edits;   /* the attempt that the engineer edited */
    const char *bottleneck, *evidence, *change, *tags; /* for a recommendation */
    bool has_gain;
    double gain; /* for a recommendation: the promised speedup */
};

struct step_decided {
    unsigned step;
    enum decision decision;
    enum decider by;
    const char *reason;
    const char *text; /* blob: the edited text */
    /*
     * for an edited recommendation: the proposed change after the edit; NULL if the edit removed it
     */
    const char *change;
    bool has_gain;
    double gain; /* for an edited recommendation: the promised speedup */
};

/* An undo of the engineer's last decision: the step waits again, and its consequences are undone.
 */
struct step_undone {
    unsigned step;
};

/* A redo of the decision that was undone last, with its consequences. */
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
    const char *agent; /* NULL in old journals, which means the session's first agent */
    const char *text;  /* blob */
    bool has_tokens;
    int64_t prompt_tokens, cached_tokens, reply_tokens; /* prompt_tokens include cached_tokens */
    int64_t latency_us;
    bool has_cost;
    double cost_usd; /* by the list prices (core/llm/ledger.h) */
};

/* The driver stopped waiting for a reply. */
struct model_cancelled {
    const char *task;
    const char *agent; /* NULL in old journals */
    const char *text;  /* blob: the part of the reply that had arrived; NULL if nothing had */
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
    const char *tuned;   /* the chosen values of its tunables; NULL if it has none */
    bool is_timed;
    double median_us, low_us, high_us;
    bool has_speedup;
    /* name of the strongest baseline of that evaluation; NULL: the plain kernel */
    const char *over;
    /* speedup over `over`, with its 95 % interval; high 0: unknown */
    double speedup, speedup_low, speedup_high;
    bool has_gain;
    /* speedup over the best attempt so far, which was timed in turn with it; high 0: unknown */
    double gain, gain_low, gain_high;
    unsigned timed_with; /* the number of that best attempt; 0 if unknown */
    bool has_first_gain;
    /* speedup over the first correct attempt, if that was timed in turn with it too */
    double first_gain, first_gain_low, first_gain_high;
    bool has_bound;
    double bound_fraction;
    int64_t wall_us; /* since evaluation.started */
};

/*
 * Baselines that were being compiled when the attempt was judged were timed in turn with it. Its
 * own times and gains stay.
 */
struct baselines_timed {
    unsigned attempt;
    const char *verdict; /* blob: the attempt's verdict with the new comparisons */
    const char *over;    /* name of the strongest baseline */
    double speedup, speedup_low, speedup_high;
};

struct candidate_kept {
    unsigned attempt;
    const char *commit; /* object id of the commit */
};

/* The engineer gave an attempt a name, or removed it. */
struct candidate_tagged {
    unsigned attempt;
    const char *tag; /* "" removes the name */
};

/* The engineer's words for the next prompt. */
struct note {
    const char *text;
};

/* The verdict on the reference, before the first prompt. */
struct reference_judged {
    enum outcome outcome;
    const char *detail;  /* the judge's words */
    const char *verdict; /* blob: JSON */
    bool is_timed;
    double median_us;
};

/* A file for the next analysis, such as a screenshot of a profiler. */
struct attachment {
    const char *name;       /* name of the file, without the folder */
    const char *media_type; /* "image/png", "text/plain" */
    const char *text;       /* blob: its bytes */
};

/* The picture of a profiler's window with a correct attempt, or the reason why there is none. */
struct picture_taken {
    unsigned attempt;
    const char *name;       /* name of the file, which begins with the profiler's name */
    const char *media_type; /* "image/png" */
    const char *text;       /* blob: its bytes; NULL: the command made none */
    const char *reason;     /* NULL if there is a picture */
};

/* A warning that a budget is nearly used up. */
struct budget_used {
    enum resource resource;
    double used, limit;
};

struct policy_changed {
    enum step_kind kind;
    enum gate_mode mode;
};

/* From the next prompt on, the agents are asked to write this language. */
struct language_changed {
    const char *language; /* a name in language.h */
};

struct run_ended {
    const char *reason;
};

struct session_closed {
    enum closing cause; /* CLOSING_NOT if the journal does not name it */
    const char *reason;
};

/*
 * The engineer's marks on a recommendation of any session. The event is written to the journal of
 * the review (recorded/review_marks.h) and never to a session's journal. The last event for a
 * recommendation holds.
 */
struct recommendation_marked {
    const char *session; /* id */
    unsigned step;
    bool reviewed, starred;
    const char *note; /* "": none */
};

/* Events of a suite's journal (core/suite/suite_state.h); tasks count from 1. */
struct suite_opened {
    const char *suite, *name;
    unsigned tasks;
};

struct task_started {
    unsigned task;
    const char *session; /* the session's id, which is chosen before the session exists */
    const char *problem, *arm;
    unsigned repeat;  /* counts from 1 */
    const char *host; /* host of its worker; NULL for the suite's machine */
};

/* The result of a task's session: the same results as the exit codes of `kforge run`. */
enum task_result { TASK_IMPROVED, TASK_NO_GAIN, TASK_INCORRECT, TASK_OVER_BUDGET };

struct task_ended {
    unsigned task;
    const char *session;
    enum task_result result;
};

/* The session of a task could not be started, or stopped before its end. */
struct task_failed {
    unsigned task;
    const char *session;
    const char *reason;
};

/* No further task begins until the suite is resumed. */
struct suite_stopped {
    const char *reason;
};

/* An array job was handed to a scheduler; its elements are the tasks of a list in jobs/. */
struct suite_submitted {
    const char *scheduler; /* "slurm" */
    const char *job;       /* the scheduler's id */
    unsigned list;         /* the number of the list, from 1 */
    unsigned tasks;        /* number of tasks in the list */
};

/* The data of an event, in the member with the name of its type. */
union event_data {
    struct session_opened session_opened;
    struct problem_loaded problem_loaded;
    struct device_described device_described;
    struct reference_judged reference_judged;
    struct step_proposed step_proposed;
    struct step_decided step_decided;
    struct step_undone step_undone;
    struct step_redone step_redone;
    struct model_request model_request;
    struct model_reply model_reply;
    struct model_cancelled model_cancelled;
    struct evaluation_started evaluation_started;
    struct evaluation_finished evaluation_finished;
    struct baselines_timed baselines_timed;
    struct candidate_kept candidate_kept;
    struct candidate_tagged candidate_tagged;
    struct note note;
    struct attachment attachment;
    struct picture_taken picture_taken;
    struct budget_used budget;
    struct policy_changed policy_changed;
    struct language_changed language_changed;
    struct run_limits run_started;
    struct run_ended run_ended;
    struct session_closed session_closed;
    struct recommendation_marked recommendation_marked;
    struct suite_opened suite_opened;
    struct task_started task_started;
    struct task_ended task_ended;
    struct task_failed task_failed;
    struct suite_stopped suite_stopped;
    struct suite_submitted suite_submitted;
};

#endif
