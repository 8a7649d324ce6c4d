#ifndef CORE_SESSION_STATE_SESSION_H
#define CORE_SESSION_STATE_SESSION_H

#include "core/model/verdict.h"
#include "core/session/state/event.h"
#include "core/session/state/gate.h"
#include "core/session/state/object_id.h"
#include "core/system/texts.h"

/*
 * The state of a session: the fold of its events, and nothing that is not in
 * them.  Screens draw it, the engine (engine.h) decides by it what comes
 * next, replay rebuilds it event by event.  Texts are held by object id and
 * read through the history when somebody wants to see them.
 */

/* What a reply cost; all zeros where nobody was asked. */
struct effort {
    int64_t latency_us;
    bool has_tokens, has_cost;
    int64_t prompt_tokens, reply_tokens;
    double cost_usd;
};

/* Something proposed that is accepted, edited or vetoed. */
struct step {
    unsigned number; /* counts from 1 */
    enum step_kind kind;
    unsigned attempt; /* the attempt that it is about; 0 for none */
    const char *title;
    char text[OBJECT_ID_SIZE]; /* what was proposed */
    enum decision decision;
    enum decider decider;
    const char *reason;          /* of the decision; perhaps NULL */
    char edited[OBJECT_ID_SIZE]; /* what it was edited to; empty if it was not */
    char at[CLOCK_STAMP_SIZE];
    const char *change; /* of a recommendation, as edited: the one change; NULL otherwise */
    double gain; /* of a recommendation, as edited: the promised speedup; 0 if it does not say */
    struct effort effort; /* of the reply that it proposes: of a candidate or a recommendation */
    const char *tags;     /* of a recommendation, separated by commas; NULL for none */
    unsigned before;      /* the step that came before it, by its number; 0 for none */
    bool is_undone;       /* it came of a decision that was taken back */
};

/* Where the code of an attempt came from. */
enum origin { ORIGIN_AGENT, ORIGIN_ENGINEER };

/* A candidate on its way from reply to commit. */
struct attempt {
    unsigned number;         /* counts from 1 */
    unsigned parent;         /* the attempt it set out from, or edits; 0 for none */
    unsigned recommendation; /* the step whose advice it follows; 0 for none */
    unsigned asked_by;       /* the step of the prompt that it answers: a round's, round.h */
    bool is_chosen;          /* proposed to be kept, as the best of its round */
    enum origin origin;
    const char *title;
    char candidate[OBJECT_ID_SIZE]; /* the reply, Markdown */
    char prompt[OBJECT_ID_SIZE];    /* what the reply answers */
    bool is_evaluated;
    enum outcome outcome;
    const char *detail;
    char verdict[OBJECT_ID_SIZE]; /* JSON */
    struct estimate time;         /* zero when it was not timed */
    double speedup;               /* over the plain kernel; 0 if unknown */
    double gain;                  /* over the best at that time; 0 if unknown or the first */
    double gain_low;              /* the lower end of its 95 % interval */
    double bound_fraction;        /* 0 if unknown */
    int64_t wall_us;              /* that judging it took */
    bool is_kept;                 /* its commit is on the branch */
    char commit[OBJECT_ID_SIZE];
    const char *tag;     /* what the engineer calls it; NULL for nothing */
    unsigned kept_after; /* the attempt whose commit its own follows; 0 for none */
    unsigned before;     /* the attempt that came before it; 0 for none */
    bool is_undone;      /* as of a step */
};

/* Where the loop stands.  The comment says which event leads on. */
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

enum { ROUND_ATTEMPTS = 8 }; /* at most, at the same time */

/* A reply that has arrived. */
struct arrived_reply {
    char text[OBJECT_ID_SIZE];
    struct effort effort;
};

/* Where the loop stands: all that goes back when a decision is taken back. */
struct position {
    enum stage stage;
    bool is_held;                 /* the engineer decides on the next step, whatever the policies */
    unsigned subject;             /* the attempt that it is about; 0 for none */
    unsigned reply_count;         /* arrived, and not yet proposed as steps */
    unsigned first_attempt;       /* of the round */
    unsigned first_choice;        /* from here on the best of the round is chosen */
    bool is_optimizing;           /* the round began with a correct candidate */
    bool is_retry;                /* the last question is asked again, which set out */
    unsigned retry_from;          /* from this attempt; 0 for none */
    unsigned best;                /* the fastest kept attempt; 0 for none */
    unsigned advice;              /* the step whose advice the next answers follow; 0 for none */
    unsigned analysed;            /* the last attempt that was analysed */
    bool has_correct;             /* an attempt was correct, kept or not */
    unsigned functional_attempts; /* of the agent, until then */
    unsigned optimize_attempts;   /* of the agent, since then */
    unsigned flat_rounds;         /* in a row without a gain, since then */
    size_t first_note;            /* the first that no prompt holds */
    size_t first_attachment;      /* the first that no analysis has seen */
};

/* What the engineer says to the agent, also as the reason of a decision. */
struct session_note {
    const char *text;
    unsigned step; /* that it decides; 0 for none */
};

/* An image or a text for an analysis. */
struct session_attachment {
    const char *name;
    const char *media_type;
    char blob[OBJECT_ID_SIZE];
};

/* Policies decide on everything, until one of the limits is reached. */
struct run {
    bool is_on;
    struct run_limits limits;
    unsigned steps;  /* decided since it began */
    double from_usd; /* spent before it began */
    unsigned from_unknown;
    bool has_failed, was_slower;
};

struct undo {
    struct step step;         /* that is decided, as it is on the other side */
    struct position position; /* there */
    size_t first_arrived;     /* of session.set_aside: position.reply_count of them */
    unsigned last_step, last_attempt, tip;
};

struct session {
    const char *id;
    const char *problem_name;
    const char *agent; /* "builtin", "openai:gpt-5" */
    const char *device;
    const char *language;
    const char *repository;
    const char *forked_from; /* the id of another session; NULL: of none */
    unsigned forked_at;      /* how many events it shares with that one, and did not pay for */
    char problem[OBJECT_ID_SIZE];
    char device_description[OBJECT_ID_SIZE]; /* device and roofs, JSON; empty: not known */
    char reference[OBJECT_ID_SIZE]; /* an implementation for another platform; empty: none */
    const char *reference_name;     /* its file; NULL: none */
    struct limits limits;
    struct gate gate;
    struct run run;
    struct position now;
    struct arrived_reply arrived[ROUND_ATTEMPTS]; /* now.reply_count replies: as a part of `now` */
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
        struct session_note *items;
        size_t count, capacity;
    } notes;
    struct {
        struct session_attachment *items;
        size_t count, capacity;
    } attachments;
    struct {
        struct undo *items; /* the engineer's decisions */
        size_t count, capacity;
        size_t held; /* the first ones: the others are taken back */
    } undos;
    struct {
        struct arrived_reply *items; /* replies that undos remember */
        size_t count, capacity;
    } set_aside;
    struct texts *texts; /* that the members above point to */
    uint64_t events;
    char at[CLOCK_STAMP_SIZE]; /* of the last event */
    unsigned replies;          /* of models, arrived since the session began or was forked */
    bool has_tokens;
    int64_t prompt_tokens, reply_tokens;
    double used[RESOURCES];      /* of what is known: in $, tokens, minutes */
    unsigned unknown[RESOURCES]; /* replies that say nothing about it */
    bool is_warned[RESOURCES];   /* that most of the budget is used */
    enum closing closing;        /* why it is closed; CLOSING_NOT while it is open */
    const char *closed_because;
};

void session_release(struct session *session);

/* A text that stays as long as the session; NULL for NULL. */
const char *session_keep(struct session *session, const char *text);

/* By number; NULL for 0 and for numbers that are not there. */
const struct step *session_step(const struct session *session, unsigned number);
const struct attempt *session_attempt(const struct session *session, unsigned number);

/* The step that waits for a decision, or NULL. */
const struct step *session_pending(const struct session *session);

/* The last attempt, or NULL. Like a pending step it is none that was undone. */
const struct attempt *session_last_attempt(const struct session *session);

/* The attempt that the loop is about: the last one, or the best of a round; NULL for none. */
const struct attempt *session_subject(const struct session *session);

/* The last step that is not undone, of any kind or of one kind; NULL for none. */
const struct step *session_latest_step(const struct session *session);
const struct step *session_last_step(const struct session *session, enum step_kind kind);

/* The attempt whose commit is the branch's; NULL for none. */
const struct attempt *session_tip(const struct session *session);

/* The step whose decision can be taken back, or be made to hold again; 0 for none. */
unsigned session_undoable(const struct session *session);
unsigned session_redoable(const struct session *session);

/* The blob that holds what a step came to: what it was edited to, else what was proposed. */
const char *session_step_text(const struct step *step);

#endif
