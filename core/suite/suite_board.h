#ifndef CORE_SUITE_SUITE_BOARD_H
#define CORE_SUITE_SUITE_BOARD_H

#include "core/suite/suite_follow.h"

/*
 * The table of a suite as it is now: a row for each problem and arm, over all repeats; and totals
 * over rows.  Rows count what running sessions have reached too, while
 * the report (suite_report.h) is of ended ones.
 */

/* The state of a task; that of a row is the first that one of its tasks has. */
enum board_state {
    BOARD_ASKS,   /* a step waits for the engineer */
    BOARD_FAILED, /* its session could not be run to its end */
    BOARD_RUNS,   /* its process runs */
    BOARD_OPEN,   /* it began, and nothing runs it: the suite was stopped, or takes a decision */
    BOARD_WAITS,  /* it has not begun */
    BOARD_ENDED,
    BOARD_STATES,
};

/* "asks", "failed", "runs", "open", "queued", "ended". */
extern const char *const board_state_names[BOARD_STATES];

enum { BOARD_NO_TASK = -1 };

struct board_row {
    size_t problem, arm;
    char *label; /* of the problem */
    enum board_state state;
    unsigned in_state[BOARD_STATES]; /* tasks */
    unsigned repeats;
    long best;           /* the task with the fastest kernel; or BOARD_NO_TASK */
    long asking;         /* the task whose decision could gain most; or BOARD_NO_TASK */
    double *speedups;    /* of the repeats that have one */
    unsigned timed;      /* the number of these */
    double mean_speedup; /* their geometric mean; 0: there is none */
    unsigned tries;
    bool has_usd;
    double usd;
    enum task_result result; /* of the task that ended last in order; if state is BOARD_ENDED */
    const char *device;      /* borrowed from the follow; "": unknown */
};

/* All zeros is empty. */
struct suite_board {
    struct board_row *items; /* problem by problem, arm by arm */
    size_t count, capacity;
};

/* Compute the rows anew; they borrow from `follow`. */
void suite_board_make(struct suite_board *board, const struct suite_follow *follow);

/* Free the contents and leave it empty. */
void suite_board_release(struct suite_board *board);

/* The state of a task. */
enum board_state suite_board_state(const struct suite_follow *follow, size_t task);

/* The index of a task by its parts. */
size_t suite_board_task(const struct suite *suite, struct suite_task at);

/* Rows together. */
struct board_total {
    size_t rows;
    size_t tasks, in_state[BOARD_STATES];
    size_t timed;      /* rows with a speedup */
    struct ratio mean; /* geometric mean of these; its interval is unknown (low 0) if not asked for,
                          or if it would take too long */
    unsigned tries;
    bool has_usd;
    double usd;
};

/*
 * Add up rows, by their indices.  The interval takes a few milliseconds: ask for it once, when the
 * rows have changed.
 */
struct board_total suite_board_add_up(const struct suite_board *board, const size_t *rows,
                                      size_t count, bool with_interval);

#endif
