#ifndef CORE_SESSION_STATE_SESSION_H
#define CORE_SESSION_STATE_SESSION_H

#include "core/agent/roles.h"
#include "core/model/verdict.h"
#include "core/session/state/gate.h"
#include "core/session/state/limits.h"
#include "core/session/state/object_id.h"
#include "core/system/clock.h"
#include "core/system/texts.h"

/*
 * The state of a session.  It is the fold of the session's events (fold.h) and holds nothing else,
 * so it can be rebuilt from the journal at any time.  The engine (engine.h) chooses the next action
 * by it, the screens draw it.  Large texts are held as the object ids of their blobs; the history
 * (store/history.h) reads them.
 *
 * Steps and attempts are numbered from 1 in the order of their events, undone ones too.
 */

/* The author and the cost of a reply; all zeros if no agent was asked. */
struct effort {
    const char *agent;
    int64_t latency_us;
    bool has_tokens, has_cost;
    int64_t prompt_tokens, reply_tokens;
    double cost_usd;
};

/* A proposal on which the engineer or a policy decides. */
struct step {
    unsigned number; /* counts from 1 */
    enum step_kind kind;
    unsigned attempt; /* the attempt that the step is about; 0 for none */
    const char *title;
    char text[OBJECT_ID_SIZE]; /* blob: the proposal */
    enum decision decision;
    enum decider decider;
    const char *reason;          /* reason of the decision, or NULL */
    char edited[OBJECT_ID_SIZE]; /* blob: the edited text; empty if it was not edited */
    char at[CLOCK_STAMP_SIZE];
    const char *change;   /* for a recommendation, as edited: the proposed change, or NULL */
    double gain;          /* for a recommendation, as edited: the promised speedup; 0 for none */
    struct effort effort; /* effort of the reply that a candidate or recommendation comes from */
    const char *tags;     /* tags of a recommendation, separated by commas, or NULL */
    unsigned before;      /* the number of the last step before it that is not undone; 0 for none */
    bool is_undone;       /* an undo removed the decision that led to it */
};

/*
 * A ratio of two speeds with its 95 % interval. A `value` or a `low` of 0 means that it is unknown.
 */
struct ratio {
    double value, low, high;
};

/* The time of a baseline on the session's scale (scale.h). */
struct scale_baseline {
    const char *name;
    double log_us; /* logarithm of the time in microseconds */
    /* Sums over all attempts that were compared with it: 1 / variance of log_us.  An unknown
     * variance counts as 1 in the weight, and not in the precision. */
    double weight, precision;
};

/* The author of an attempt's code. */
enum origin { ORIGIN_AGENT, ORIGIN_ENGINEER };

/* The judge's verdict on the reference. */
struct reference_result {
    bool is_judged;
    enum outcome outcome;
    const char *detail; /* the judge's words */
    char verdict[OBJECT_ID_SIZE];
    double median_us; /* 0: not timed */
};

/* One candidate: its reply, its verdict and its commit. */
struct attempt {
    unsigned number;         /* counts from 1 */
    unsigned parent;         /* the attempt that it improves, repairs or edits; 0 for none */
    unsigned recommendation; /* the step with the recommendation that it follows; 0 for none */
    unsigned asked_by;       /* the step of the prompt of its round (round.h) */
    bool is_chosen;          /* the best of its round, and proposed to be kept */
    bool is_evaluated;
    bool is_kept;     /* true if its commit is on the branch */
    bool is_pictured; /* the session's command was asked for a picture of it */
    enum origin origin;
    /* the agent that wrote it, or wrote the version that the engineer edited */
    const char *agent;
    const char *language; /* the language that the agents were asked to write when it began */
    const char *title;
    char candidate[OBJECT_ID_SIZE]; /* blob: the reply, in Markdown */
    char prompt[OBJECT_ID_SIZE];    /* blob: the prompt */
    char verdict[OBJECT_ID_SIZE];   /* blob: JSON; empty if not evaluated */
    char picture[OBJECT_ID_SIZE];   /* blob: the image; empty if there is none */
    char commit[OBJECT_ID_SIZE];
    enum outcome outcome;
    const char *detail;         /* the judge's words; scale_describe_result() is what to show */
    const char *tuned;          /* the chosen values of its tunables; NULL for none */
    struct estimate measured;   /* time in its own evaluation; all zeros if not timed */
    struct estimate time;       /* on the session's scale (scale.h); all zeros if not timed */
    struct ratio speed;         /* over the first correct attempt; 0 if it has no place */
    unsigned timed_with;        /* the best attempt when it was judged, the base of `gain`; or 0 */
    double gain;                /* speed / speed of `timed_with`; 0 if unknown or the first */
    double gain_low, gain_high; /* the 95 % interval of `gain`; 0 and infinity if unknown */
    double bound_fraction;      /* the graph's bound over `time`; 0 if unknown */
    int64_t wall_us;            /* duration of the evaluation */
    const char *picture_name;   /* name of the picture's file, or NULL */
    const char *tag;            /* the engineer's name for it; NULL for none */
    unsigned kept_after; /* the attempt whose commit is the parent of its commit; 0 for none */
    unsigned before;     /* the last attempt before it that is not undone; 0 for none */
    bool is_undone;      /* an undo removed the decision that led to it */
};

/* The stages of the loop.  Each comment names the event that leads to the next stage. */
enum stage {
    STAGE_OPENING,        /* session.opened, problem.loaded */
    STAGE_PROMPT,         /* step.proposed: prompt */
    STAGE_PROMPT_GATE,    /* step.decided */
    STAGE_GENERATE,       /* model.reply */
    STAGE_CANDIDATE,      /* step.proposed: candidate */
    STAGE_CANDIDATE_GATE, /* step.decided */
    STAGE_EVALUATE,       /* evaluation.finished */
    STAGE_KEEP,           /* step.proposed: keep */
    STAGE_KEEP_GATE,      /* step.decided */
    STAGE_COMMIT,         /* candidate.kept */
    STAGE_ROUND_END,      /* model.reply of an analysis, step.proposed: prompt, or session.closed */
    STAGE_RECOMMEND,      /* step.proposed: recommendation */
    STAGE_RECOMMEND_GATE, /* step.decided */
    STAGE_CLOSED,
};

/* A reply that no step has proposed yet. */
struct arrived_reply {
    char text[OBJECT_ID_SIZE]; /* blob */
    struct effort effort;
};

/* The position of the loop: the part of the state that an undo restores. */
struct position {
    enum stage stage;
    bool is_held;            /* the engineer decides on the next step, whatever the gate says */
    unsigned subject;        /* the current attempt: session_subject(); 0 for none */
    unsigned reply_count;    /* replies that no step has proposed yet: session.arrived */
    unsigned first_attempt;  /* the first attempt of the round */
    unsigned first_choice;   /* the best of the round is chosen from this attempt on */
    bool is_optimizing;      /* the round began after a first correct candidate */
    bool is_retry;           /* the last prompt is rendered again, about retry_from */
    unsigned retry_from;     /* an attempt; 0 for none */
    unsigned best;           /* the fastest kept attempt; 0 for none */
    unsigned recommendation; /* the step with the recommendation for the next prompt; 0 for none */
    unsigned analysed;       /* the attempt that was analysed last; 0 for none */
    bool has_correct;        /* an attempt was correct, kept or not */
    unsigned functional_attempts; /* attempts by agents in rounds before has_correct */
    unsigned optimize_attempts;   /* attempts by agents in rounds after has_correct */
    unsigned flat_rounds;         /* rounds in a row without a gain, since has_correct */
    size_t first_note;            /* index of the first note that no prompt has shown */
    size_t first_attachment;      /* index of the first attachment that no analysis has shown */
};

/* The engineer's words to the agent: a note, or the reason of a decision (notes.h). */
struct session_note {
    const char *text; /* NULL for a reason, which the step holds */
    unsigned step;    /* whose decision has the reason; 0 for a note */
};

/* An image or a text that the engineer attached for an analysis. */
struct session_attachment {
    const char *name;
    const char *media_type;
    char blob[OBJECT_ID_SIZE];
};

/* Resources that an agent has used in the session. */
struct agent_use {
    const char *agent;
    unsigned replies, unknown_usd, unknown_tokens; /* replies, and those whose use is unknown */
    int64_t prompt_tokens, reply_tokens, latency_us;
    double usd;
};

/* A run: policies decide on every step until a limit is reached (gate.h). */
struct run {
    bool is_on;
    struct run_limits limits;
    unsigned steps;        /* decided since the run began */
    double from_usd;       /* used[RESOURCE_USD] when the run began */
    unsigned from_unknown; /* unknown[RESOURCE_USD] when the run began */
    bool has_failed, was_slower;
};

/*
 * The values that undo and redo swap with the present ones (undo.h). While the decision holds, they
 * are the values from before it; while it is undone, the values from after it.
 */
struct undo {
    struct step step; /* the step that the engineer decided */
    struct position position;
    size_t first_arrived; /* index in session.set_aside of the position's replies */
    /* numbers of the last step and attempt that are not undone; 0 for none */
    unsigned last_step, last_attempt;
    unsigned tip; /* number of the attempt that the branch points to; 0 for none */
};

struct session {
    const char *id;
    const char *problem_name;
    const char *agent; /* the first agent: "builtin", "openai:gpt-5" */
    struct roles roles;
    const char *device;
    const char *language; /* the language that the agents are asked to write now */
    const char *repository;
    const char *forked_from; /* the id of the parent session; NULL for none */
    /* number of events shared with the parent; their use is counted for the parent only */
    unsigned forked_at;
    char problem[OBJECT_ID_SIZE];            /* blob: the problem file; empty: not loaded */
    char device_description[OBJECT_ID_SIZE]; /* blob: device and roofs, JSON; empty: not known */
    char reference[OBJECT_ID_SIZE]; /* blob: an implementation for another platform; empty: none */
    const char *reference_name;     /* the name of its file; NULL for none */
    /* blob: the reference as a candidate to judge; empty: none */
    char reference_reply[OBJECT_ID_SIZE];
    const char *reference_language; /* language of that candidate */
    struct reference_result reference_result;
    const char *picture; /* command that takes pictures of a profiler; NULL for none */
    struct limits limits;
    struct gate gate;
    struct run run;
    struct position now;
    struct arrived_reply arrived[ROUND_ATTEMPTS]; /* the first now.reply_count are valid */
    char opened_at[CLOCK_STAMP_SIZE];
    struct {
        struct step *items;
        size_t count, capacity;
    } steps;
    struct {
        struct attempt *items;
        size_t count, capacity;
    } attempts;
    struct {
        struct scale_baseline *items; /* baselines that were the strongest for some attempt */
        size_t count, capacity;
    } baselines;
    struct {
        struct session_note *items;
        size_t count, capacity;
    } notes;
    struct {
        struct session_attachment *items;
        size_t count, capacity;
    } attachments;
    struct {
        struct undo *items; /* one for each decision of the engineer, in order */
        size_t count, capacity;
        size_t held; /* the first `held` decisions hold, the others are undone */
    } undos;
    struct {
        struct arrived_reply *items; /* replies that struct undo refers to */
        size_t count, capacity;
    } set_aside;
    struct texts *texts; /* owns the texts that the members point to */
    /* records what events change (changes.h); NULL: changes are not recorded */
    struct changes *changes;
    uint64_t events;           /* applied so far */
    char at[CLOCK_STAMP_SIZE]; /* time of the last event */
    /* number of replies by agents since the session began or was forked */
    unsigned replies;
    bool has_tokens;
    int64_t prompt_tokens, reply_tokens;
    double used[RESOURCES];      /* by enum resource: the known part, in $, tokens, minutes */
    unsigned unknown[RESOURCES]; /* by enum resource: replies whose use is unknown */
    struct agent_use uses[ROUND_ATTEMPTS + 1]; /* use of each agent that has replied */
    size_t use_count;
    bool is_warned[RESOURCES];  /* by enum resource: the engineer was warned of this budget */
    enum closing closing;       /* CLOSING_NOT while the session is open */
    const char *closed_because; /* one line; NULL while it is open */
};

/* Free the contents and leave an empty session. */
void session_release(struct session *session);

/* Copy a text into the session, which owns the copy; NULL for NULL. */
const char *session_keep(struct session *session, const char *text);

/* The step or attempt with a number; NULL for 0 and for a number that does not exist. */
const struct step *session_step(const struct session *session, unsigned number);
const struct attempt *session_attempt(const struct session *session, unsigned number);

/* The agent that wrote an attempt, or the version that the engineer edited. */
const char *session_author(const struct session *session, const struct attempt *attempt);

/* The agent that analyses; NULL if none does. */
const char *session_analyst(const struct session *session);

/* The step that waits for a decision, or NULL. */
const struct step *session_pending(const struct session *session);

/* True if the reference is to be judged before the first prompt and has no verdict yet. */
bool session_has_unjudged_reference(const struct session *session);

/*
 * The language that the agents were asked to write when the attempt began; for 0, the present one.
 */
const char *session_language(const struct session *session, unsigned attempt);

/* The correct attempt whose picture is to be taken next; NULL for none. */
const struct attempt *session_unpictured(const struct session *session);

/* The last attempt that is not undone; NULL for none. */
const struct attempt *session_last_attempt(const struct session *session);

/* The current attempt: the last one, or the best of its round; NULL for none. */
const struct attempt *session_subject(const struct session *session);

/* The last step that is not undone, of any kind or of one kind; NULL for none. */
const struct step *session_latest_step(const struct session *session);
const struct step *session_last_step(const struct session *session, enum step_kind kind);

/* The attempt whose commit the branch points to; NULL for none. */
const struct attempt *session_tip(const struct session *session);

/* The step whose decision can be undone, or redone; 0 for none. */
unsigned session_undoable(const struct session *session);
unsigned session_redoable(const struct session *session);

/* The blob with the text of a step: the edited text if there is one, else the proposal. */
const char *session_step_text(const struct step *step);

/* The title of a step; of a recommendation that the engineer edited, the change that it is now. */
const char *session_step_title(const struct step *step);

#endif
