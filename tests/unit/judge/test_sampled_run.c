#include "tests/unit/unit.h"

#include <stdlib.h>

#include "core/judge/sampled_run.h"
#include "tests/unit/disk_fixture.h"

/* Samples of timed runs: those that are kept, and those that the caller verifies at once. */

enum { RUNS = 100 };

/* A program with one output of `elements` floats, which are at `outputs`. */
struct scene {
    struct tensor tensor;
    struct value value;
    struct problem problem;
    struct expectations_case shape;
    struct inspection inspection;
};

static void set_scene(struct scene *scene, int64_t elements, void *const *outputs)
{
    *scene = (struct scene){.tensor = {.role = TENSOR_OUTPUT},
                            .value = {.role = TENSOR_OUTPUT, .dtype = DTYPE_F32}};
    scene->value.shape = (struct shape){.rank = 1, .dims = {elements}};
    scene->problem.tensors.items = &scene->tensor;
    scene->problem.tensors.count = 1;
    scene->shape.graph.values.items = &scene->value;
    scene->shape.graph.values.count = 1;
    scene->inspection.problem = &scene->problem;
    scene->inspection.shape = &scene->shape;
    scene->inspection.outputs = outputs;
}

static void as_many_are_kept_as_have_room(void **state)
{
    struct scene scene;

    (void)state;
    disk_fixture_hide();
    set_scene(&scene, 1 << 20, NULL);
    assert_int_equal(sampled_runs_make(4, &scene.inspection).places, 4);
    set_scene(&scene, 3 << 20, NULL);
    assert_int_equal(sampled_runs_make(4, &scene.inspection).places, 2);
    set_scene(&scene, 1 << 30, NULL);
    assert_int_equal(sampled_runs_make(4, &scene.inspection).places, 1);
    assert_int_equal(sampled_runs_make(1, &scene.inspection).places, 1);
    disk_fixture_show();
}

static void more_are_kept_where_they_can_rest(void **state)
{
    struct scene scene;

    (void)state;
    disk_fixture_need_disk();
    set_scene(&scene, 3 << 20, NULL);
    assert_int_equal(sampled_runs_make(4, &scene.inspection).places, 4);
    set_scene(&scene, 1 << 30, NULL);
    assert_int_equal(sampled_runs_make(4, &scene.inspection).places, 1);
}

/* The copies of a sample rest; that of a run that is verified at once does not. */
static void copies_of_a_sample_rest(void **state)
{
    enum { ELEMENTS = 1 << 19 };
    float *result = calloc(ELEMENTS, sizeof(*result));
    void *outputs[] = {result};
    struct sampled_runs sample = {.wanted = 1, .places = 1};
    struct sampled_run at_once = {0};
    struct scene scene;

    (void)state;
    disk_fixture_need_disk();
    set_scene(&scene, ELEMENTS, outputs);
    result[ELEMENTS / 2] = 3;
    assert_true(sampled_runs_consider(&sample, &scene.inspection, 5));
    sampled_run_copy(&at_once, &scene.inspection, 5);
    assert_false(disk_fixture_is_resident((float *)sample.runs[0].outputs[0] + ELEMENTS / 2));
    assert_true(disk_fixture_is_resident((float *)at_once.outputs[0] + ELEMENTS / 2));
    assert_true(((float *)sample.runs[0].outputs[0])[ELEMENTS / 2] == 3);
    sampled_run_release(&at_once);
    sampled_runs_release(&sample);
    free(result);
}

/* Consider RUNS runs with their numbers as seeds and results. Returns how many have no room. */
static size_t consider_all(struct sampled_runs *sample)
{
    float result = 0;
    void *outputs[] = {&result};
    struct scene scene;
    size_t refused = 0;

    set_scene(&scene, 1, outputs);
    for (uint64_t run = 0; run < RUNS; run++) {
        result = (float)run;
        refused += !sampled_runs_consider(sample, &scene.inspection, run);
    }
    return refused;
}

static void check_copies(const struct sampled_runs *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        const float *copy = sample->runs[i].outputs[0];

        assert_true(*copy == (float)sample->runs[i].input_seed);
    }
}

static void all_runs_are_drawn_from_where_they_have_room(void **state)
{
    struct sampled_runs sample = {.wanted = 16, .places = 16};
    size_t late = 0;

    (void)state;
    assert_int_equal(consider_all(&sample), 0);
    assert_int_equal(sample.count, 16);
    check_copies(&sample);
    for (size_t i = 0; i < sample.count; i++)
        late += sample.runs[i].input_seed >= 16;
    assert_true(late > 0); /* all of the first 16 stay once in 10^18 times */
    sampled_runs_release(&sample);
}

static void some_of_the_kept_runs_are_drawn(void **state)
{
    struct sampled_runs sample = {.wanted = 16, .places = 16};
    size_t shared = 0;

    (void)state;
    (void)!consider_all(&sample);
    sampled_runs_thin(&sample, 20);
    assert_int_equal(sample.count, 16);
    sampled_runs_thin(&sample, 8);
    assert_int_equal(sample.count, 8);
    check_copies(&sample);
    for (size_t i = 0; i < sample.count; i++)
        for (size_t j = 0; j < i; j++)
            shared += sample.runs[i].outputs == sample.runs[j].outputs;
    assert_int_equal(shared, 0);
    sampled_runs_release(&sample);
}

/* Two runs whose expected values were computed ahead stand for one that is kept. */
static void known_runs_take_the_place_of_kept_ones(void **state)
{
    struct sampled_runs sample = {.wanted = 16, .places = 16};

    (void)state;
    (void)!consider_all(&sample);
    sample.known = 3;
    sampled_runs_thin(&sample, 2);
    assert_int_equal(sample.count, 1);
    sampled_runs_thin(&sample, 1);
    assert_int_equal(sample.count, 0);
    sampled_runs_release(&sample);
}

/* The n-th is drawn with probability 4 / n: for RUNS some 4 * (1 + log(RUNS / 4)), of which 2 are
 * kept. */
static void all_drawn_that_have_no_room_are_verified_at_once(void **state)
{
    struct sampled_runs sample = {.wanted = 4, .places = 2};
    size_t at_once;

    (void)state;
    at_once = consider_all(&sample);
    assert_true(at_once >= 2);       /* the third and the fourth */
    assert_true(at_once < RUNS / 2); /* more once in 10^12 times */
    assert_int_equal(sample.count, 2);
    assert_int_equal(sample.runs[1].input_seed, 1);
    check_copies(&sample);
    sampled_runs_release(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_are_kept_as_have_room),
        cmocka_unit_test(more_are_kept_where_they_can_rest),
        cmocka_unit_test(copies_of_a_sample_rest),
        cmocka_unit_test(all_runs_are_drawn_from_where_they_have_room),
        cmocka_unit_test(some_of_the_kept_runs_are_drawn),
        cmocka_unit_test(known_runs_take_the_place_of_kept_ones),
        cmocka_unit_test(all_drawn_that_have_no_room_are_verified_at_once),
    };

    return cmocka_run_group_tests_name("sampled_run", tests, disk_fixture_open, disk_fixture_close);
}
