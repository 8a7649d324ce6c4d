#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/judge/task/expectations.h"
#include "core/model/problem_reader.h"
#include "core/system/memory/disk_memory.h"
#include "tests/unit/disk_fixture.h"

/* Expected outputs rest on the disk until they are taken. */

static const char text[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"N\": 140000},"
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"i32\", \"shape\": [\"N\"],"
    "\"fill\": {\"integers\": [1, 2]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"i32\", \"shape\": [\"N\"]}},"
    "\"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"x\"], \"out\": \"y\"}],"
    "\"tolerance\": {\"class\": \"f32\"}}";

enum { OUTPUT = 1, ELEMENTS = 140000 };

static const double *elements_of(const struct expectation *expectation)
{
    return expectation->outputs[OUTPUT].elements;
}

static const double *take(struct expectations *expectations, unsigned trial)
{
    const struct expectation *taken = NULL;
    struct error err;

    assert_int_equal(expectations_take(expectations, EXPECTATIONS_MAIN, trial, &taken, &err),
                     STATUS_OK);
    return elements_of(taken);
}

/* Elements of both pieces of the oracle's, and between them. */
static void check(const double *elements)
{
    for (size_t i = 0; i < ELEMENTS; i += 1000)
        if (!(elements[i] >= 2 && elements[i] <= 4))
            fail_msg("element %zu is %g", i, elements[i]);
}

static void check_trials(struct expectations *expectations)
{
    const double *first = take(expectations, 0), *second;

    check(first);
    assert_true(disk_fixture_is_resident(first + ELEMENTS / 2));
    second = take(expectations, 1);
    assert_false(disk_fixture_is_resident(first + ELEMENTS / 2));
    assert_false(disk_fixture_is_resident(second + ELEMENTS / 2));
    check(second);
    check(first);
}

/* The ones of a sampled run are needed at once. */
static void check_computed(struct expectations *expectations)
{
    struct expectation computed = {0};
    struct error err;

    assert_int_equal(expectations_compute(expectations, 1, &computed, &err), STATUS_OK);
    expected_outputs_rest(&expectations_case(expectations, EXPECTATIONS_MAIN)->graph,
                          computed.outputs);
    assert_true(disk_fixture_is_resident(elements_of(&computed) + ELEMENTS / 2));
    check(elements_of(&computed));
    expectations_release(expectations, &computed);
}

static void expected_outputs_rest_until_they_are_taken(void **state)
{
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    disk_fixture_need_disk();
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(
        expectations_new(&(struct expectations_options){.problem = &problem, .trials = 2}, &made,
                         &err),
        STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    check_trials(made);
    check_computed(made);
    expectations_free(made);
    problem_release(&problem);
}

/* A device on which the outputs stay, and the seeds for which it has computed them ahead. */
struct keeper {
    unsigned times;
    uint64_t input_seed;
    size_t count;
};

static enum status stay(void *data, const struct problem *problem, const struct graph *graph,
                        struct expectation *made, struct error *err)
{
    (void)data;
    (void)problem;
    (void)graph;
    (void)err;
    made->compare_us = 1;
    return STATUS_OK;
}

static void look_ahead(void *data, const struct problem *problem, const struct graph *graph,
                       struct expectation_list *next)
{
    struct keeper *keeper = data;

    (void)problem;
    (void)graph;
    keeper->times++;
    keeper->input_seed = next->items[0]->input_seed;
    keeper->count = next->computed = next->count;
}

/* While the next candidate is built, the device computes what its first trial needs. */
static void outputs_that_stay_on_a_device_are_computed_ahead(void **state)
{
    struct keeper keeper = {0};
    struct problem problem = {0};
    const struct expectations_options options = {
        .problem = &problem,
        .trials = 2,
        .device = {.expect = stay, .look_ahead = look_ahead, .data = &keeper, .takes_small = true}};
    struct expectations *made = NULL;
    const struct expectation *first = NULL;
    struct error err;

    (void)state;
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(expectations_new(&options, &made, &err), STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    assert_int_equal(expectations_take(made, EXPECTATIONS_MAIN, 0, &first, &err), STATUS_OK);
    expectations_settle(made);
    assert_int_equal(keeper.times, 0);
    expectations_renew(made);
    for (unsigned i = 0; i < 2; i++) {
        expectations_look_ahead(made);
        expectations_settle(made);
    }
    assert_int_equal(keeper.times, 1);
    assert_true(keeper.input_seed == first->input_seed);
    assert_int_equal(keeper.count,
                     expectations_trials(made, EXPECTATIONS_MAIN) + EXPECTATIONS_TIMED);
    expectations_free(made);
    problem_release(&problem);
}

/* Sampled runs have expected outputs of their own if these have been computed ahead. */
static void sampled_runs_have_what_is_computed_ahead(void **state)
{
    struct keeper keeper = {0};
    struct problem problem = {0};
    const struct expectations_options options = {
        .problem = &problem,
        .trials = 1,
        .device = {.expect = stay, .look_ahead = look_ahead, .data = &keeper, .takes_small = true}};
    const struct expectation *before = NULL, *sampled = NULL, *after = NULL;
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(expectations_new(&options, &made, &err), STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    expectations_settle(made);
    assert_int_equal(expectations_take_secret(made, EXPECTATIONS_SECRETS, &before, &err),
                     STATUS_OK);
    assert_null(before);
    expectations_renew(made);
    expectations_look_ahead(made);
    expectations_settle(made);
    assert_int_equal(expectations_take_secret(made, EXPECTATIONS_SECRETS, &sampled, &err),
                     STATUS_OK);
    assert_non_null(sampled);
    expectations_renew(made);
    assert_int_equal(expectations_take_secret(made, EXPECTATIONS_SECRETS, &after, &err), STATUS_OK);
    assert_null(after);
    expectations_free(made);
    problem_release(&problem);
}

/* A device that takes long for outputs which do not stay there. */
static enum status take_long(void *data, const struct problem *problem, const struct graph *graph,
                             struct expectation *made, struct error *err)
{
    const struct expected_outputs_source host = {.problem = problem};
    unsigned *times = data;

    ++*times;
    made->compare_us = 50000;
    return expected_outputs_make(&host, graph, made, err);
}

/*
 * Sampled runs have expected outputs that a slow device has made while no candidate needed it, and
 * none that it would make later.
 */
static void sampled_runs_have_what_a_slow_device_makes_ahead(void **state)
{
    unsigned times = 0;
    struct problem problem = {0};
    const struct expectations_options options = {
        .problem = &problem,
        .trials = 1,
        .device = {.expect = take_long, .data = &times, .takes_small = true}};
    const struct expectation *sampled = NULL, *late = NULL;
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    assert_int_equal(expectations_new(&options, &made, &err), STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    while (!sampled)
        assert_int_equal(expectations_take_secret(made, EXPECTATIONS_TIMED - 1, &sampled, &err),
                         STATUS_OK);
    check(elements_of(sampled));
    assert_int_equal(times, 1 + EXPECTATIONS_TIMED);
    expectations_settle(made);
    assert_int_equal(times, 1 + EXPECTATIONS_TIMED);
    expectations_free(made);
    made = NULL;
    times = 0;
    assert_int_equal(expectations_new(&options, &made, &err), STATUS_OK);
    assert_int_equal(expectations_start(made, &err), STATUS_OK);
    expectations_settle(made);
    assert_int_equal(expectations_take_secret(made, EXPECTATIONS_TIMED - 1, &late, &err),
                     STATUS_OK);
    assert_true(!late || times == 1 + EXPECTATIONS_TIMED);
    expectations_free(made);
    problem_release(&problem);
}

/* Remove the files of a lock. */
static void remove_files(const char *path)
{
    static const char *const endings[] = {"", ".next", ".alone"};
    char name[80];

    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%s", path, endings[i]);
        assert_int_equal(unlink(name), 0);
    }
}

/* The locks of two judges of one device. */
struct two_judges {
    char folder[40], path[64];
    struct turn_lock *own, *other;
    int waits; /* the times that the other one could not be alone at once */
};

static void two_judges_open(struct two_judges *judges)
{
    *judges = (struct two_judges){.folder = "/tmp/kforge-expectations-XXXXXX"};
    assert_non_null(mkdtemp(judges->folder));
    snprintf(judges->path, sizeof(judges->path), "%s/lock", judges->folder);
    judges->own = turn_lock_new(judges->path);
    judges->other = turn_lock_new(judges->path);
}

static void two_judges_close(struct two_judges *judges)
{
    turn_lock_free(judges->own);
    turn_lock_free(judges->other);
    remove_files(judges->path);
    assert_int_equal(rmdir(judges->folder), 0);
}

static void take_turn(struct turn_lock *lock, enum turn turn)
{
    static const struct turn_patience endless = {.fd = -1};
    int64_t waited_us;

    assert_true(turn_lock_take(lock, turn, &endless, &waited_us));
}

static void start(const struct expectations_options *options, struct expectations **made)
{
    struct error err;

    assert_int_equal(expectations_new(options, made, &err), STATUS_OK);
    assert_int_equal(expectations_start(*made, &err), STATUS_OK);
}

/* The lint works on the CPU, so no session's timing on a GPU keeps another one's from its end. */
static void a_lint_beside_a_gpu_waits_for_no_turn(void **state)
{
    struct two_judges judges;
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    two_judges_open(&judges);
    take_turn(judges.other, TURN_ALONE);
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    start(&(struct expectations_options){.problem = &problem, .trials = 2, .turns = judges.own},
          &made);
    assert_int_equal(expectations_findings(made)->count, 0);
    expectations_free(made);
    problem_release(&problem);
    two_judges_close(&judges);
}

static bool gives_up(void *data)
{
    ((struct two_judges *)data)->waits++;
    return true;
}

/* Compute on the CPU; meanwhile another judge wants the GPU for itself. */
static enum status evaluate(void *data, const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    struct two_judges *judges = data;
    const struct turn_patience none = {.fd = -1, .is_over = gives_up, .data = judges};
    int64_t waited_us;

    (void)err;
    if (turn_lock_take(judges->other, TURN_ALONE, &none, &waited_us))
        take_turn(judges->other, TURN_NONE);
    values->items[OUTPUT] = block_pool_take(
        values->blocks, (size_t)shape_elements(&graph->values.items[OUTPUT].shape), sizeof(double));
    return STATUS_OK;
}

/* A GPU without room leaves seconds of work to the CPU, during which other sessions time. */
static void outputs_from_the_cpu_leave_a_gpu_to_others(void **state)
{
    struct two_judges judges;
    const struct oracle_evaluator evaluator = {.evaluate = evaluate, .data = &judges};
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    two_judges_open(&judges);
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    problem.nodes.count = 0;
    start(
        &(struct expectations_options){
            .problem = &problem, .evaluator = &evaluator, .trials = 2, .turns = judges.own},
        &made);
    take(made, 1);
    expectations_free(made);
    assert_int_equal(judges.waits, 0);
    problem.nodes.count = 1;
    problem_release(&problem);
    two_judges_close(&judges);
}

/* Small outputs are computed by the CPU, however long other sessions use the GPU. */
static void small_outputs_beside_a_gpu_wait_for_no_turn(void **state)
{
    struct two_judges judges;
    struct problem problem = {0};
    struct expectations *made = NULL;
    struct error err;

    (void)state;
    two_judges_open(&judges);
    take_turn(judges.other, TURN_ALONE);
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    start(&(struct expectations_options){.problem = &problem, .trials = 2, .turns = judges.own},
          &made);
    check(take(made, 1));
    expectations_free(made);
    problem_release(&problem);
    two_judges_close(&judges);
}

/* A device that compiles its program when another judge is alone, and computes when it is not. */
struct compiling {
    struct two_judges judges;
    unsigned loads, turns;
};

static enum status load(void *data, const struct problem *problem, const struct graph *graph,
                        struct error *err)
{
    struct compiling *compiling = data;

    (void)problem;
    (void)graph;
    (void)err;
    compiling->loads++;
    take_turn(compiling->judges.other, TURN_NONE);
    return STATUS_OK;
}

static enum status stay_in_turn(void *data, const struct problem *problem,
                                const struct graph *graph, struct expectation *made,
                                struct error *err)
{
    struct compiling *compiling = data;
    const struct turn_patience none = {.fd = -1, .is_over = gives_up, .data = &compiling->judges};
    int64_t waited_us;

    if (!turn_lock_take(compiling->judges.other, TURN_ALONE, &none, &waited_us))
        compiling->turns++;
    return stay(data, problem, graph, made, err);
}

static void a_device_compiles_before_its_turn(void **state)
{
    struct compiling compiling = {.loads = 0};
    struct problem problem = {0};
    struct expectations *made = NULL;
    const struct expectation *taken = NULL;
    struct error err;

    (void)state;
    two_judges_open(&compiling.judges);
    take_turn(compiling.judges.other, TURN_ALONE);
    assert_int_equal(problem_parse(&problem, text, sizeof(text) - 1, "p.json", &err), STATUS_OK);
    start(&(struct expectations_options){.problem = &problem,
                                         .trials = 2,
                                         .device = {.expect = stay_in_turn,
                                                    .load = load,
                                                    .data = &compiling,
                                                    .takes_small = true},
                                         .turns = compiling.judges.own},
          &made);
    assert_int_equal(expectations_take(made, EXPECTATIONS_MAIN, 0, &taken, &err), STATUS_OK);
    expectations_free(made);
    assert_true(compiling.loads > 0);
    assert_true(compiling.turns > 0);
    problem_release(&problem);
    two_judges_close(&compiling.judges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_outputs_rest_until_they_are_taken),
        cmocka_unit_test(outputs_that_stay_on_a_device_are_computed_ahead),
        cmocka_unit_test(sampled_runs_have_what_is_computed_ahead),
        cmocka_unit_test(sampled_runs_have_what_a_slow_device_makes_ahead),
        cmocka_unit_test(a_lint_beside_a_gpu_waits_for_no_turn),
        cmocka_unit_test(outputs_from_the_cpu_leave_a_gpu_to_others),
        cmocka_unit_test(small_outputs_beside_a_gpu_wait_for_no_turn),
        cmocka_unit_test(a_device_compiles_before_its_turn),
    };

    return cmocka_run_group_tests_name("expectations", tests, disk_fixture_open,
                                       disk_fixture_close);
}
