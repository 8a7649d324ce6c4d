#ifndef CORE_JUDGE_TASK_VARIED_DATA_H
#define CORE_JUDGE_TASK_VARIED_DATA_H

#include "core/judge/compare/verify.h"
#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/variation.h"

/*
 * Trials on varied data (variation.h): selects the variations for a problem, and checks that data
 * are fair, which means that an honest kernel passes on them.
 */

/*
 * True if the graph's data are in tables: its inputs are whole numbers and masks, and its params
 * are real numbers and not too many. Then params vary as inputs do (variation_seed_of_tables()).
 */
bool varied_data_are_in_tables(const struct graph *graph);

/*
 * List the variations that change an input of the graph and can reveal errors, in the order of the
 * enum, without the milder ones that only replace others. Returns their number.
 */
size_t varied_data_list(const struct graph *graph, enum variation list[VARIATION_COUNT]);

/*
 * The values of the graph that can vary alone (VARIATION_ALONE), by their numbers: given ones that
 * no product multiplies with others. Returns how many there are; the caller frees the list.
 */
size_t varied_data_alone(const struct graph *graph, size_t **list);

/*
 * The number of elements of inputs and outputs. Params are left out, because their size does not
 * determine the amount of work.
 */
double varied_data_elements(const struct graph *graph);

/*
 * True if a case smaller than the main one still has enough elements and rows to reveal errors.
 * Both are graphs of the same problem.
 */
bool varied_data_is_enough(const struct graph *graph, const struct graph *main);

/* True if a case is too large to be tried with all variations. */
bool varied_data_are_many(const struct graph *graph);

/*
 * How often each variation is tried, and drawn data: several times where the graph has few
 * elements, which show little of a kernel in one trial.
 */
unsigned varied_data_times(const struct graph *graph);

/* True if a trial costs little beside all others: half of one at the limit, or less. */
bool varied_data_are_few(const struct graph *graph);

/*
 * The number of variations that a case is tried with, of the `listed` ones: all, or as many as an
 * affordable amount of work allows, but at least one.
 */
size_t varied_data_count(const struct graph *graph, size_t listed);

/*
 * The same where the device computes the outputs: each variation takes as much time as a trial
 * there.
 */
size_t varied_data_count_on_device(const struct graph *graph, size_t listed);

/*
 * Keep of the listed variations those that suit the device's oracle, which has no tolerance for
 * what fast algorithms do to outliers: with products, only numbers of the usual sizes. Returns
 * their number.
 */
size_t varied_data_keep_for_device(const struct graph *graph, enum variation *list, size_t listed);

/* Data and the outputs expected for them, by value of the graph. Borrows everything. */
struct varied_data {
    const struct graph *graph;
    const struct oracle_evaluator *evaluator; /* for a problem without a graph, else NULL */
    const struct tolerance *tolerance;
    struct oracle_seeds seeds;
    const struct wanted *outputs;
    struct block_pool *blocks; /* for the evaluation; may be NULL */
};

/*
 * Check that data are fair. Two conditions:
 *
 * - every value of the graph, or every output if there is no graph, is finite and fits its type
 *   with room to spare; in class mixed it fits f16, in which a kernel may compute. Elements that
 *   equal a constant of the graph are exempt, because masks and paddings have such constants, and
 *   so are infinities that belong to the graph (infinities.h);
 * - the outputs stay within the tolerance when the inputs are changed by about the rounding of
 *   the class. They do not if the graph amplifies errors, as a norm does on rows of one number;
 *   the rounding of an honest kernel would be refused there. In class f32 inputs are exact, so
 *   only the inputs of operations with a choice of algorithm are changed. Integers that one
 *   operation computes from given tensors are exempt, because nothing rounds them: an index of
 *   the largest element is right or wrong, also at ties.
 */
enum status varied_data_check(const struct varied_data *data, bool *are_fair,
                              struct error *err) MUST_CHECK;

#endif
