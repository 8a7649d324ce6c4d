#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/verdict.h"

static struct json *encode_and_reparse(const struct verdict *verdict)
{
    struct strbuf text = {0};
    struct json *encoded = verdict_encode(verdict);

    json_print(encoded, &text);
    json_free(encoded);

    struct json *parsed = json_parse(text.data, text.len, NULL);
    strbuf_release(&text);
    assert_non_null(parsed);
    return parsed;
}

static struct verdict round_trip(const struct verdict *verdict)
{
    struct verdict read = {0};
    struct error err = {0};
    struct json *json = encode_and_reparse(verdict);
    struct json_ref root = json_ref_root(json, "verdict");
    enum status st = verdict_decode(&read, &root, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(st, STATUS_OK);
    json_free(json);
    return read;
}

static enum status decode_text(struct verdict *verdict, const char *text, struct error *err)
{
    struct json *json = json_parse(text, strlen(text), NULL);
    struct json_ref root = json_ref_root(json, "verdict");
    enum status st = verdict_decode(verdict, &root, err);

    json_free(json);
    return st;
}

static struct verdict wrong_values(void)
{
    struct verdict v = {.outcome = OUTCOME_WRONG_VALUES, .detail = mem_strdup("y is off")};
    struct diagnostic warning = {SEVERITY_WARNING, 3, 9, mem_strdup("unused variable")};
    struct trial trial = {
        .output = mem_strdup("y"),
        .dims = mem_strdup("M=2 N=3"),
        .seed_id = 4,
        .elements = 6,
        .mismatched = 2,
        .nonfinite = 1,
        .max_abs = 0.5,
        .rel_norm = 0.25,
        .worst_over_tolerance = (double)INFINITY,
        .worst = {{.index = {1, 2}, .rank = 2, .got = (double)NAN, .want = 3},
                  {.index = {0, 1}, .rank = 2, .got = (double)-INFINITY, .want = -1}},
        .worst_count = 2,
    };

    v.build.is_present = true;
    v.build.ms = 12.5;
    v.build.is_cached = true;
    v.build.log = mem_strdup("log");
    vec_push(&v.build.diagnostics, warning);
    vec_push(&v.trials, trial);
    v.map = (struct error_map){1, 3, mem_alloc_zeroed(3, sizeof(double))};
    v.map.cells[1] = 0.75;
    v.map.cells[2] = (double)INFINITY;
    return v;
}

static void failures_survive_a_round_trip(void **state)
{
    struct verdict v = wrong_values();
    struct verdict read = round_trip(&v);
    const struct trial *trial = &read.trials.items[0];

    (void)state;
    assert_int_equal(read.outcome, OUTCOME_WRONG_VALUES);
    assert_string_equal(read.detail, "y is off");
    assert_true(read.build.is_present);
    assert_true(read.build.is_cached);
    assert_int_equal(read.build.diagnostics.items[0].severity, SEVERITY_WARNING);
    assert_int_equal(read.build.diagnostics.items[0].column, 9);
    assert_int_equal(read.trials.count, 1);
    assert_string_equal(trial->dims, "M=2 N=3");
    assert_int_equal(trial->mismatched, 2);
    assert_int_equal(trial->worst_count, 2);
    assert_int_equal(trial->worst[0].rank, 2);
    assert_int_equal(trial->worst[0].index[1], 2);
    assert_true(isnan(trial->worst[0].got));
    assert_true(isinf(trial->worst[1].got) && trial->worst[1].got < 0);
    assert_true(isinf(trial->worst_over_tolerance));
    assert_int_equal(read.map.cols, 3);
    assert_true(read.map.cells[1] == 0.75);
    assert_true(isinf(read.map.cells[2]));
    assert_false(read.timing.is_present);
    assert_false(read.bound.is_present);
    verdict_release(&v);
    verdict_release(&read);
}

static struct verdict correct(void)
{
    struct verdict v = {
        .outcome = OUTCOME_CORRECT,
        .timing = {.is_present = true,
                   .time = {10, 9, 11},
                   .p10_us = 8,
                   .p90_us = 12,
                   .runs = 30,
                   .has_prepare = true,
                   .prepare_us = 0},
        .bound = {true,
                  1e9,
                  1e6,
                  5,
                  LIMITER_COMPUTE,
                  0.5,
                  {{{32e3, 6e5}, {64e6, 1.4e5}}, 2, 1.2e6, 8e6, 2.5, 0.25}},
        .floor = {true, 4, 5e5, 1.25e5, 2.5},
        .spent = {.is_present = true, .total_ms = 900, .data_ms = 120},
        .tuning = {.is_present = true, .chosen = mem_strdup("TILE=16"), .choices = 9},
        .where = {.device = mem_strdup("cpu"), .source_sha256 = mem_strdup("ab")},
    };
    struct kernel_time kernel = {mem_strdup("gemm"), 7.5};
    struct tuned_choice fast = {mem_strdup("TILE=16"), OUTCOME_CORRECT, true, 9.5};
    struct tuned_choice off = {mem_strdup("TILE=32"), OUTCOME_WRONG_VALUES, false, 0};
    struct comparison best = {mem_strdup("best"), {20, 19, 21}, 2, 1.9, 2.1};
    struct kernel_resources resources = {.kernel = mem_strdup("gemm"),
                                         .max_group = 1024,
                                         .required_group = {16, 8, 1},
                                         .required_rank = 3,
                                         .has_registers = true,
                                         .registers = 64,
                                         .has_spills = true};

    vec_push(&v.timing.per_kernel, kernel);
    vec_push(&v.tuning.tried, fast);
    vec_push(&v.tuning.tried, off);
    vec_push(&v.against, best);
    vec_push(&v.resources, resources);
    return v;
}

static void measurements_survive_a_round_trip(void **state)
{
    struct verdict v = correct();
    struct verdict read = round_trip(&v);

    (void)state;
    assert_true(read.timing.time.high_us == 11);
    assert_int_equal(read.timing.runs, 30);
    assert_true(read.timing.has_prepare); /* a measured zero is known */
    assert_string_equal(read.timing.per_kernel.items[0].kernel, "gemm");
    assert_true(verdict_against(&read, "best")->speedup_low == 1.9);
    assert_null(verdict_against(&read, "reference"));
    assert_int_equal(read.bound.limiter, LIMITER_COMPUTE);
    assert_int_equal(read.bound.roofs.memory_count, 2);
    assert_true(read.bound.roofs.memory[1].bytes_per_us == 1.4e5);
    assert_true(read.bound.roofs.flops_per_us == 1.2e6);
    assert_true(read.bound.roofs.matrix_flops_per_us == 8e6);
    assert_true(read.bound.roofs.launch_us == 2.5 && read.bound.roofs.busy_cores == 0.25);
    assert_true(read.floor.is_present && read.floor.us == 4 && read.floor.bytes == 5e5);
    assert_true(read.floor.bytes_per_us == 1.25e5 && read.floor.launch_us == 2.5);
    assert_string_equal(read.tuning.chosen, "TILE=16");
    assert_int_equal(read.tuning.choices, 9);
    assert_true(read.tuning.tried.items[0].median_us == 9.5);
    assert_int_equal(read.tuning.tried.items[1].outcome, OUTCOME_WRONG_VALUES);
    assert_false(read.tuning.tried.items[1].has_time);
    assert_string_equal(read.where.source_sha256, "ab");
    assert_true(read.spent.is_present && read.spent.data_ms == 120);
    assert_string_equal(read.resources.items[0].kernel, "gemm");
    assert_int_equal(read.resources.items[0].max_group, 1024);
    assert_int_equal(read.resources.items[0].required_group[1], 8);
    assert_int_equal(read.resources.items[0].registers, 64);
    assert_true(read.resources.items[0].has_spills); /* zero spills are known, not missing */
    assert_int_equal(read.resources.items[0].spill_bytes, 0);
    assert_false(read.resources.items[0].has_local);
    assert_null(read.where.driver);
    verdict_release(&v);
    verdict_release(&read);
}

/* The keys that FORMATS documents for other programs. */
static void json_has_the_documented_shape(void **state)
{
    struct verdict v = correct();
    struct json *json = encode_and_reparse(&v);
    const struct json *timing = json_get(json, "timing");
    const struct json *against = json_at(json_get(json, "against"), 0);

    (void)state;
    assert_true(json_get_number(json, "kforge", 0) == 1);
    assert_string_equal(json_get_string(json, "outcome", ""), "correct");
    assert_true(json_number(json_at(json_get(timing, "ci95_us"), 1), 0) == 11);
    assert_true(json_number(json_at(json_get(against, "speedup_ci95"), 0), 0) == 1.9);
    assert_string_equal(json_get_string(json_get(json, "bound"), "limiter", ""), "compute");
    assert_true(json_get_number(json_at(json_get(json, "resources"), 0), "registers", 0) == 64);
    assert_null(json_get(json, "build"));
    assert_null(json_get(json, "verify"));
    json_free(json);
    verdict_release(&v);
}

static void names_of_outcomes_are_read_back(void **state)
{
    enum outcome outcome = OUTCOME_NONE;

    (void)state;
    for (int i = OUTCOME_NONE; i <= OUTCOME_CORRECT; i++) {
        assert_true(outcome_parse(outcome_name((enum outcome)i), &outcome));
        assert_int_equal(outcome, i);
    }
    assert_false(outcome_parse("fine", &outcome));
}

static void errors_name_the_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{}", "verdict: kforge: expected 1, the version of verdicts"},
        {"{\"kforge\": 1, \"outcome\": 3}", "verdict: outcome: expected a text, found a number"},
        {"{\"kforge\": 1, \"verify\": {\"map\": {\"rows\": 2, \"cols\": 2, \"cells\": [1]}}}",
         "verdict: verify.map: 1 cells, expected 2 rows of 2"},
        {"{\"kforge\": 1, \"verify\": {\"trials\": [{\"dims\": \"M=1\"}, {\"dims\": 1}]}}",
         "verdict: verify.trials[1].dims: expected a text, found a number"},
        {"{\"kforge\": 1, \"timing\": {\"runs\": -1}}",
         "verdict: timing.runs: -1 is not in the range of 0 to 4294967295"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct verdict v = {0};
        struct error err = {0};

        assert_int_equal(decode_text(&v, cases[i].text, &err), STATUS_INVALID);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(v.trials.count, 0);
    }
}

/* The best candidate so far is no baseline, however fast it is. */
static void the_strongest_baseline_is_the_fastest_program_that_is_no_candidate(void **state)
{
    struct comparison others[] = {{.name = (char[]){"reference"}, .time = {.median_us = 90}},
                                  {.name = (char[]){"best"}, .time = {.median_us = 10}},
                                  {.name = (char[]){"eager_bf16w"}, .time = {.median_us = 20}},
                                  {.name = (char[]){"compile"}, .time = {.median_us = 30}}};
    const struct verdict none = {0}, some = {.against = {.items = others, .count = 4}},
                         first = {.against = {.items = others, .count = 2}};

    (void)state;
    assert_null(verdict_strongest(&none));
    assert_ptr_equal(verdict_strongest(&some), &others[2]);
    assert_ptr_equal(verdict_strongest(&first), &others[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_survive_a_round_trip),
        cmocka_unit_test(measurements_survive_a_round_trip),
        cmocka_unit_test(json_has_the_documented_shape),
        cmocka_unit_test(names_of_outcomes_are_read_back),
        cmocka_unit_test(the_strongest_baseline_is_the_fastest_program_that_is_no_candidate),
        cmocka_unit_test(errors_name_the_place),
    };

    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
