#include "core/judge/task/expectations_entries.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/exactness.h"
#include "core/judge/task/varied_data.h"

static struct expectation draw_seed(const struct graph *graph, enum variation variation)
{
    uint64_t seed = fill_secret_seed();

    seed = varied_data_are_in_tables(graph) ? variation_seed_of_tables(variation, seed)
                                            : variation_seed(variation, seed);

    return (struct expectation){.param_seed = seed, .input_seed = seed};
}

/* Add a case and draw the seeds of `count` expectations. Takes the contents of `shape`. */
static void add_case(struct expectations_entries *cases, const struct expectations_case *shape,
                     unsigned count)
{
    struct case_entries added = {.shape = *shape, .count = count};

    added.entries = mem_alloc_zeroed(count, sizeof(*added.entries));
    for (unsigned i = 0; i < count; i++)
        added.entries[i].expectation = draw_seed(&shape->graph, VARIATION_NONE);
    vec_push(cases, added);
}

/*
 * Add an expectation after the case's first one. The last expectation must stay the last, because
 * timed runs use its params.
 */
static void add_second(struct case_entries *entries, struct expectation drawn)
{
    unsigned at = entries->count++;

    entries->entries = mem_resize(entries->entries, entries->count, sizeof(*entries->entries));
    for (; at > 1; at--)
        entries->entries[at] = entries->entries[at - 1];
    entries->entries[at] = (struct expectations_entry){.expectation = drawn};
}

enum { MOST_ALONE = 4 };

/* Add expectations on data of which one tensor alone varies, each time another one. */
static void add_alone(struct case_entries *entries, size_t most)
{
    const struct graph *graph = &entries->shape.graph;
    size_t *list, count = varied_data_alone(graph, &list), first = fill_secret_seed() % count;

    for (size_t i = 0; i < count && i < most; i++) {
        uint64_t seed = variation_seed_alone(fill_secret_seed(),
                                             &graph->values.items[list[(first + i) % count]]);

        add_second(entries, (struct expectation){.param_seed = seed, .input_seed = seed});
    }
    free(list);
}

static void add_varied(struct case_entries *entries, enum variation variation)
{
    if (variation == VARIATION_ALONE)
        add_alone(entries, varied_data_are_many(&entries->shape.graph) ? 1 : MOST_ALONE);
    else
        add_second(entries, draw_seed(&entries->shape.graph, variation));
}

/* The smallest case with enough data for variations. */
static struct case_entries *smallest_case(const struct expectations_entries *cases)
{
    struct case_entries *smallest = &cases->items[EXPECTATIONS_MAIN];
    const struct graph *main = &smallest->shape.graph;

    for (size_t i = 1; i < cases->count; i++) {
        struct case_entries *entries = &cases->items[i];
        const struct graph *graph = &entries->shape.graph;

        if (!entries->is_brief && varied_data_is_enough(graph, main) &&
            varied_data_elements(graph) < varied_data_elements(&smallest->shape.graph))
            smallest = entries;
    }
    return smallest;
}

/*
 * The case with the most data that takes all variations, for equal elements that lie in different
 * blocks of a row; the smallest case if none takes them.
 */
static struct case_entries *largest_case(const struct expectations_entries *cases)
{
    struct case_entries *largest = smallest_case(cases);

    for (size_t i = 0; i < cases->count; i++) {
        struct case_entries *entries = &cases->items[i];
        bool is_full = entries->is_brief || (i == EXPECTATIONS_MAIN && entries->count == 1);

        if (!is_full && !varied_data_are_many(&entries->shape.graph) &&
            varied_data_elements(&entries->shape.graph) >
                varied_data_elements(&largest->shape.graph))
            largest = entries;
    }
    return largest;
}

static bool is_of_ends(enum variation variation)
{
    return variation == VARIATION_ENDS || variation == VARIATION_END_COLUMNS;
}

/* The main case, where sums are longest, if it takes all variations. */
static struct case_entries *longest_case(const struct expectations_entries *cases)
{
    struct case_entries *main = &cases->items[EXPECTATIONS_MAIN];

    return main->count > 1 && !varied_data_are_many(&main->shape.graph) ? main
                                                                        : smallest_case(cases);
}

/* The case to try the variation at: the smallest, where it costs least, for most of them. */
static struct case_entries *case_for(const struct expectations_entries *cases,
                                     enum variation variation)
{
    struct case_entries *smallest = smallest_case(cases);

    if (is_of_ends(variation))
        return longest_case(cases);
    if (variation == VARIATION_TIES && exactness_has_graph(&smallest->shape.graph))
        return largest_case(cases);
    return smallest;
}

/* Draw `count` of the listed variations at random, and put them first. */
static void draw_first(enum variation *list, size_t listed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t drawn = i + fill_secret_seed() % (listed - i);
        enum variation kept = list[i];

        list[i] = list[drawn];
        list[drawn] = kept;
    }
}

/*
 * Add expectations on varied data, at the smallest case, where they cost least. Data at the ends of
 * their ranges are tried at the main case, where sums are longest, and ties of what nothing rounds
 * at a large case. If even the smallest case is large, only some variations are tried, drawn at
 * random.
 */
static void add_all_varied(const struct expectations_entries *cases,
                           const struct expected_outputs_device *device)
{
    struct case_entries *main = &cases->items[EXPECTATIONS_MAIN];
    struct case_entries *smallest = smallest_case(cases);
    const struct graph *graph = &smallest->shape.graph;
    enum variation list[VARIATION_COUNT];
    bool is_alone = smallest == main && main->count == 1;
    bool is_for_device = !device->takes_small && expected_outputs_suit(device, graph);
    size_t listed = is_alone ? 0 : varied_data_list(graph, list), count;

    if (is_for_device)
        listed = varied_data_keep_for_device(graph, list, listed);
    count = is_for_device ? varied_data_count_on_device(graph, listed)
                          : varied_data_count(graph, listed);
    if (count < listed)
        draw_first(list, listed, count);
    for (unsigned time = 0; time < varied_data_times(graph); time++)
        for (size_t i = count; i-- > 0;)
            add_varied(count == listed ? case_for(cases, list[i]) : smallest, list[i]);
    for (unsigned time = 1; time < varied_data_times(graph); time++)
        add_varied(main, VARIATION_NONE);
}

static bool has_case(const void *data, const char *text)
{
    const struct expectations_entries *cases = data;

    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->items[i].shape.text, text) == 0)
            return true;
    return false;
}

/*
 * The variation of the one run of a brief case: none, or in turn one that needs no check, because
 * nothing rounds the outputs.
 */
static enum variation brief_variation(const struct graph *graph, unsigned number)
{
    static const enum variation turns[] = {VARIATION_NONE, VARIATION_TIES, VARIATION_NONE,
                                           VARIATION_ALIKE};
    enum variation list[VARIATION_COUNT], chosen = turns[number % COUNT(turns)];
    size_t count = exactness_has_graph(graph) ? varied_data_list(graph, list) : 0;

    while (count > 0 && list[count - 1] != chosen)
        count--;
    return count > 0 ? chosen : VARIATION_NONE;
}

static void add_brief_case(struct expectations_entries *cases,
                           const struct expectations_case *shape, unsigned number)
{
    struct case_entries *added;

    add_case(cases, shape, 1);
    added = &cases->items[cases->count - 1];
    added->is_brief = true;
    added->entries[0].expectation =
        draw_seed(&added->shape.graph, brief_variation(&added->shape.graph, number));
}

/*
 * The variation of a larger case: in rows of one sign sums grow with their length, beyond what 16
 * bits can add to, unless an operation cuts off what is below some number.
 */
static enum variation larger_variation(const struct graph *graph)
{
    static const char *const sums[] = {"matmul", "linear", "scaled_dot", "sum",
                                       "mean",   "cumsum", "softmax",    NULL};
    static const char *const cuts[] = {"relu", "clamp", "hard", "maximum", "minimum", NULL};
    enum variation list[VARIATION_COUNT];
    size_t count =
        graph_has_op(graph, sums) && !graph_has_op(graph, cuts) ? varied_data_list(graph, list) : 0;

    while (count > 0 && list[count - 1] != VARIATION_NEGATIVE)
        count--;
    return count > 0 ? VARIATION_NEGATIVE : VARIATION_NONE;
}

/*
 * Add a case for each dynamic dimension in which it is much larger than the main one. Sums may
 * exceed a type there, so the data are checked as varied ones are.
 */
static enum status add_larger(struct expectations_entries *cases, const struct problem *problem,
                              struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < expectations_case_dynamic(problem); i++) {
        struct expectations_case shape;
        struct expectation *added;
        enum variation variation;
        bool is_drawn = false;

        st = expectations_case_larger(&shape, problem, i, &is_drawn, err);
        if (st || !is_drawn)
            continue;
        variation = larger_variation(&shape.graph);
        add_case(cases, &shape, 1);
        cases->items[cases->count - 1].is_brief = true;
        added = &cases->items[cases->count - 1].entries[0].expectation;
        added->is_larger = true;
        added->input_seed = added->param_seed = variation_seed(variation, added->input_seed);
    }
    return st;
}

/*
 * Add the sets of dimensions that are drawn. Cases of remainders that repeat known sizes are left
 * out.
 */
static enum status add_drawn(struct expectations_entries *cases,
                             const struct expectations_plan *plan, struct error *err)
{
    const struct expectations_draws draws = {fill_secret_seed(), has_case, cases};
    enum status st = STATUS_OK;

    for (unsigned i = 0; !st && i < plan->unseen; i++) {
        bool is_brief = i >= EXPECTATIONS_KINDS;
        struct expectations_case shape;

        st = expectations_case_drawn(&shape, plan->problem, i, &draws, err);
        if (!st && is_brief && has_case(cases, shape.text)) {
            expectations_case_release(&shape);
        } else if (!st && is_brief) {
            add_brief_case(cases, &shape, i);
        } else if (!st) {
            add_case(cases, &shape, 1);
        }
    }
    return st;
}

enum status expectations_entries_draw(const struct expectations_plan *plan,
                                      struct expectations_entries *cases, struct error *err)
{
    const struct problem *problem = plan->problem;
    struct expectations_case shape;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < 1 + problem->also.count; i++) {
        st = expectations_case_known(&shape, problem, i, err);
        if (!st)
            add_case(cases, &shape, i == EXPECTATIONS_MAIN ? plan->trials : 1);
    }
    if (!st && plan->unseen > EXPECTATIONS_KINDS)
        st = add_larger(cases, problem, err);
    if (!st && expectations_case_dynamic(problem) > 0)
        st = add_drawn(cases, plan, err);
    if (!st)
        add_all_varied(cases, plan->device);
    return st;
}

static void release_case(struct case_entries *entries)
{
    for (unsigned i = 0; i < entries->count; i++)
        expected_outputs_release(&entries->shape.graph, entries->entries[i].expectation.outputs);
    free(entries->entries);
    expectations_case_release(&entries->shape);
}

void expectations_entries_release(struct expectations_entries *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        release_case(&cases->items[i]);
    vec_release(cases);
}

const struct expectations_entry *expectations_entries_last(const struct expectations_entries *cases)
{
    const struct case_entries *entries = &cases->items[EXPECTATIONS_MAIN];

    return &entries->entries[entries->count - 1];
}

void expectations_entries_redraw(const struct expectations_entries *cases,
                                 struct expectations_entry *secret)
{
    expected_outputs_release(&cases->items[EXPECTATIONS_MAIN].shape.graph,
                             secret->expectation.outputs);
    *secret = (struct expectations_entry){
        .expectation = {
            .param_seed = expectations_entries_last(cases)->expectation.param_seed,
            .input_seed = fill_secret_seed(),
        }};
}

void expectations_entries_rest(const struct expectations_entries *cases)
{
    for (size_t c = 0; c < cases->count; c++) {
        const struct case_entries *entries = &cases->items[c];

        for (unsigned i = 0; i < entries->count; i++)
            if (entries->entries[i].is_done)
                expected_outputs_rest(&entries->shape.graph,
                                      entries->entries[i].expectation.outputs);
    }
}

void expectations_entries_list(struct expectation_list *next,
                               const struct expectations_entry *entries, size_t count)
{
    for (size_t i = 0; i < count && next->count < EXPECTATION_LIST_MAX; i++)
        if (!entries[i].status && !entries[i].expectation.is_unfair)
            next->items[next->count++] = &entries[i].expectation;
}

struct expectations_entry *expectations_entries_next(struct expectations_entry *entries,
                                                     size_t count,
                                                     const struct expectations_entry *awaited)
{
    bool is_any = !awaited || awaited->is_done;

    for (size_t i = 0; i < count; i++)
        if (!entries[i].is_done && (is_any || awaited == &entries[i]))
            return &entries[i];
    return NULL;
}

void expectations_entries_count(const struct expectations_entries *cases, unsigned *made,
                                unsigned *total)
{
    for (size_t c = 0; c < cases->count; c++) {
        *total += cases->items[c].count;
        for (unsigned i = 0; i < cases->items[c].count; i++)
            *made += cases->items[c].entries[i].is_done;
    }
}

/* Beyond the second the CPU computes, or a candidate is built sooner than many are computed. */
static const double slow_us = 20000, too_slow_us = 300000;

bool expectations_entries_are_slow(const struct expected_outputs_device *device,
                                   const struct graph *graph, double cost_us)
{
    return cost_us >= slow_us && cost_us < too_slow_us && expected_outputs_suit(device, graph);
}

bool expectations_entries_load(const struct expected_outputs_device *device,
                               const struct problem *problem, const struct graph *graph,
                               const struct expectation *made)
{
    struct error later;

    return !expected_outputs_are_checked(device, graph, made) &&
           expected_outputs_suit(device, graph) &&
           (!device->load || !device->load(device->data, problem, graph, &later));
}
