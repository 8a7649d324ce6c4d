#ifndef CORE_SUITE_SUITE_BOARD_H
#define CORE_SUITE_SUITE_BOARD_H

#include "core/suite/suite_follow.h"

/*
 * The table of a suite as it is now: a row for each problem and arm, over all repeats, and totals
 * over rows.  Rows include what running sessions have reached so far; the report (suite_report.h)
 * counts ended sessions only.
 */

/*
 * The state of a task.  The state of a row is the first state in this list that one of its tasks
 * has.
 */
enum board_state {
    BOARD_ASKS,   /* a step waits for the engineer */
    BOARD_FAILED, /* its session could not be run to its end */
    BOARD_RUNS,   /* its process runs */
    /*
     * it has begun, but no process runs it: the suite was stopped, or is about to take a decision
     */
    BOARD_OPEN,
    BOARD_WAITS, /* it has not begun */
    BOARD_ENDED,
    BOARD_STATES,
};

/* "asks", "failed", "runs", "open", "queued", "ended". */
extern const char *const board_state_names[BOARD_STATES];

enum { BOARD_NO_TASK = -1 };

struct board_row {
    size_t problem, arm;
    char *label; /* label of the problem */
    enum board_state state;
    unsigned in_state[BOARD_STATES]; /* the number of tasks in each state */
    unsigned repeats;
    long best;           /* the task with the fastest kernel, or BOARD_NO_TASK */
    long asking;         /* the task whose pending decision could gain most, or BOARD_NO_TASK */
    double *speedups;    /* the speedups of the repeats that have one */
    unsigned timed;      /* the number of speedups */
    double mean_speedup; /* the geometric mean of the speedups; 0 if there are none */
    unsigned tries;
    bool has_usd;
    double usd;
    /* if the state is BOARD_ENDED: the result of the ended task with the highest number */
    enum task_result result;
    const char *device; /* borrowed from the suite_follow; "" if unknown */
};

/* All zeros is empty. */
struct suite_board {
    struct board_row *items; /* problem by problem, arm by arm */
    size_t count, capacity;
};

/* Compute all rows again; they borrow from `follow`. */
void suite_board_make(struct suite_board *board, const struct suite_follow *follow);

/* Free the contents and leave it empty. */
void suite_board_release(struct suite_board *board);

/* The state of a task. */
enum board_state suite_board_state(const struct suite_follow *follow, size_t task);

/* A total over several rows. */
struct board_total {
    size_t rows;
    size_t tasks, in_state[BOARD_STATES];
    size_t timed; /* rows with a speedup */
    /*
     * geometric mean of their speedups; the interval is unknown (low 0) if it was not asked for, or
     * if it would take too long
     */
    struct ratio mean;
    unsigned tries;
    bool has_usd;
    double usd;
};

/*
 * Add up rows, given by their indices.  The interval takes a few milliseconds, so the caller asks
 * for it only when rows have changed.
 */
struct board_total suite_board_add_up(const struct suite_board *board, const size_t *rows,
                                      size_t count, bool with_interval);

#endif
