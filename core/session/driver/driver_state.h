#ifndef CORE_SESSION_DRIVER_DRIVER_STATE_H
#define CORE_SESSION_DRIVER_DRIVER_STATE_H

#include "core/agent/agent.h"
#include "core/agent/brief.h"
#include "core/llm/ledger.h"
#include "core/model/problem.h"
#include "core/session/driver/driver_listener.h"
#include "core/session/driver/driver_options.h"
#include "core/session/state/rules.h"
#include "core/session/state/session.h"
#include "core/session/store/catalog.h"
#include "core/session/store/history.h"
#include "core/session/store/journal.h"
#include "core/session/store/text_refs.h"
#include "core/session/worker/evaluator.h"
#include "core/system/loop.h"

/*
 * The inside of a driver, which its parts share. Each part is a pair of files: driver_session opens
 * the session, driver_judge runs the judge, driver_actions performs the engine's actions with
 * driver_decide and driver_prompts, driver_roles opens the agents, driver_engineer does what the
 * engineer asks for, and driver_record records events.
 */

/* An agent of the session, with the price and the context of its model. */
struct priced_agent {
    const char *name;
    struct terms terms;
};

/* One of the agents that answer the same prompt at the same time. */
struct asked_agent {
    struct driver *driver;
    struct agent *agent;              /* NULL until it is needed */
    const struct priced_agent *model; /* the model of `agent`; NULL if the agent is no model */
    struct strbuf reply;              /* the part that has arrived */
    bool is_busy;
};

struct driver {
    struct loop *loop;
    struct driver_listener listener;
    char *repository;
    struct texts *names;    /* owns the names of the agents */
    const char *agent_name; /* name of the first agent */
    struct roles roles;
    struct priced_agent agents[ROUND_ATTEMPTS + 1]; /* each once */
    size_t agent_count;
    struct limits limits;
    struct gate gate;
    bool changes_gate;
    const struct rules *rules; /* NULL for none */
    bool is_unattended, leaves_baselines;
    char id[CATALOG_ID_SIZE];
    struct journal *journal; /* NULL until the session exists */
    struct history *history;
    struct session session;
    struct text_refs text_refs;
    struct problem problem;
    struct strbuf problem_text;
    struct strbuf reference; /* for a new session: text and name of --reference */
    char *reference_name;
    /* the reference as a candidate; empty if it is no candidate */
    struct strbuf reference_reply;
    const char *reference_language;     /* its language in the table, or NULL */
    char *picture_command;              /* for a new session: --picture, or NULL */
    char *attached[DRIVER_ATTACHMENTS]; /* for a new session: paths of --attach */
    struct picture_taking *picture;     /* the command that takes a picture now, or NULL */
    /* the name that --language gives, in the table; NULL without the option */
    const char *language;
    struct evaluator *evaluator;
    struct asked_agent asked[ROUND_ATTEMPTS];
    enum agent_task task; /* the task of the busy agents */
    /* failure of one agent while others are busy; code 0 if none failed */
    struct error agent_failure;
    int64_t evaluating_since_us; /* clock_now_us() when the evaluation began */
    bool are_compiled;           /* baselines were compiled since they were last timed */
    unsigned lacking;            /* the attempt whose baselines the judge works on; 0: none */
    /* number of attempts + 1 when baselines were last given up; 0: never */
    size_t gave_up_at;
    bool is_running, is_resumed, is_over;
    struct driver_live live;
    char stage[48];         /* holds the text of live.progress.stage */
    struct loop_timer turn; /* due when the next action is to be chosen */
    void (*take_turn)(void *driver);
    struct loop_timer lease;    /* due when the lease on the session is to be renewed */
    struct loop_timer deadline; /* due when the budget of minutes ends while an agent is busy */
    char *branch;
};

#endif
