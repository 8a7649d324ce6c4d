#ifndef CORE_JUDGE_TASK_EXPECTATIONS_ENTRIES_H
#define CORE_JUDGE_TASK_EXPECTATIONS_ENTRIES_H

#include "core/judge/task/expectations_case.h"
#include "core/judge/task/expected_outputs.h"

/*
 * The data on which candidates are verified: sets of dimensions, and secret seeds of drawn and
 * varied data for each. Outputs are computed later (expectations.h).
 */

/* An expectation and the state of its computation. */
struct expectations_entry {
    struct expectation expectation;
    bool is_done;
    bool is_taken; /* an expectation for timed runs was taken */
    enum status status;
    struct error error;
};

/* The expectations of one set of dimensions. */
struct case_entries {
    struct expectations_case shape;
    struct expectations_entry *entries;
    unsigned count;
    bool is_brief; /* a case of remainders, or a larger one: it tries further sizes, not data */
};

/* All cases, the main dimensions first. */
struct expectations_entries {
    struct case_entries *items;
    size_t count, capacity;
};

/* Members of struct expectations_options; all borrowed for the call. */
struct expectations_plan {
    const struct problem *problem;
    unsigned trials, unseen;
    const struct expected_outputs_device *device;
};

/* Add the sets of dimensions, and draw the seeds. Release the entries after an error as well. */
enum status expectations_entries_draw(const struct expectations_plan *plan,
                                      struct expectations_entries *cases,
                                      struct error *err) MUST_CHECK;

/* Free the contents; all zeros afterwards. */
void expectations_entries_release(struct expectations_entries *cases);

/* The last trial at the main dimensions, whose params stay on the device for the timed runs. */
const struct expectations_entry *
expectations_entries_last(const struct expectations_entries *cases);

/* Give an entry for timed runs a new seed, and free its outputs. */
void expectations_entries_redraw(const struct expectations_entries *cases,
                                 struct expectations_entry *secret);

/* Move the outputs of trials to the disk (disk_memory.h). */
void expectations_entries_rest(const struct expectations_entries *cases);

/*
 * The first entry that may be computed next: it is the awaited one, or none is awaited. NULL if
 * there is none.
 */
struct expectations_entry *expectations_entries_next(struct expectations_entry *entries,
                                                     size_t count,
                                                     const struct expectations_entry *awaited);

/* Count the entries of all cases, and those that are computed. */
void expectations_entries_count(const struct expectations_entries *cases, unsigned *made,
                                unsigned *total);

/*
 * True if outputs take the device so long, `cost_us`, that those of sampled runs are worth
 * computing ahead.
 */
bool expectations_entries_are_slow(const struct expected_outputs_device *device,
                                   const struct graph *graph, double cost_us);

/* True if the device will compute the outputs. Its program is compiled here. */
bool expectations_entries_load(const struct expected_outputs_device *device,
                               const struct problem *problem, const struct graph *graph,
                               const struct expectation *made);

/* Append the expectations of entries that a trial or a timed run uses, as far as there is room. */
void expectations_entries_list(struct expectation_list *next,
                               const struct expectations_entry *entries, size_t count);

#endif
