#ifndef CORE_SUITE_REPORT_REPORT_ROW_H
#define CORE_SUITE_REPORT_REPORT_ROW_H

#include "core/session/state/session.h"
#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/* One task in the report of a suite (suite_report.h). */

/* A speedup over one baseline, on the session's scale (scaled_verdict.h). */
struct report_speedup {
    char *over;
    struct ratio ratio;
};

/* Work and cost of an agent in the session (agent_results.h). */
struct report_agent {
    char *agent;
    unsigned attempts, correct, won;
    bool has_best;
    unsigned replies, unknown_usd, unknown_tokens;
    int64_t prompt_tokens, reply_tokens, latency_us;
    double usd;
};

/* The hardware and software that sessions ran on.  A text is NULL if unknown. */
struct report_machine {
    char *host, *device, *driver, *compiler, *version;
    size_t tasks;
};

struct report_machines {
    struct report_machine *items;
    size_t count, capacity;
};

/* A task and the result of its session. */
struct report_row {
    struct suite_task at;
    enum task_phase phase;
    char session[CATALOG_ID_SIZE]; /* "" if the task never began */
    /* why the task failed or its journal cannot be read; NULL if neither */
    char *trouble;
    bool is_closed; /* the session has ended */
    unsigned attempts;
    unsigned until_correct; /* attempts up to the first correct one; 0 if none is correct */
    unsigned until_best;    /* attempts up to the fastest kept one; 0 if none is kept */
    struct estimate time;   /* time of the fastest kept attempt; all zeros if unknown */
    struct ratio speedup;   /* speedup of that attempt over the baseline `over`; 0 if unknown */
    char *over;             /* the strongest baseline; NULL if unknown */
    struct {
        /* speedups of that attempt over each baseline that it was timed with */
        struct report_speedup *items;
        size_t count, capacity;
    } speedups;
    char *device;             /* the device on which the session began; NULL if unknown */
    double bound_fraction;    /* the graph's bound over the time of that attempt; 0 if unknown */
    bool has_usd, has_tokens; /* the cost is known; the number of tokens is */
    double usd, tokens;
    double minutes; /* wall time of replies and evaluations: replies of a round count once */
    struct {
        struct report_agent *items;
        size_t count, capacity;
    } agents;
    bool has_machine; /* a verdict of the session was read */
    struct report_machine machine;
};

/* True if the task has ended with a kernel that has a speedup. */
bool report_row_is_timed(const struct report_row *row);

/* The speedup of a task over a baseline; NULL if it was not timed with it. */
const struct ratio *report_row_speedup(const struct report_row *row, const char *over);

/* Free the contents and leave it empty. */
void report_row_release(struct report_row *row);

/* Count a task for its machine, which is added if it is new; the texts are copied. */
void report_machines_count(struct report_machines *machines, const struct report_machine *machine);
/* Free the contents and leave it empty. */
void report_machines_release(struct report_machines *machines);

#endif
