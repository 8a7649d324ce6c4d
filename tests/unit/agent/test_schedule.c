#include "tests/unit/unit.h"

#include <string.h>

#include "core/agent/builtin/plan/schedule.h"

static const struct device_info cpu = {.is_cpu = true, .vector_width_f32 = 8};
static const struct device_info gpu = {.vector_width_f32 = 1};

static void the_first_schedule_fits_the_device(void **state)
{
    struct schedule on_cpu = schedule_first(&cpu), on_gpu = schedule_first(&gpu);

    (void)state;
    assert_int_equal(on_cpu.of[KNOB_VEC], 8);
    assert_int_equal(on_cpu.of[KNOB_LANES], 1);
    assert_true(on_gpu.of[KNOB_LOCAL] > 0);
    assert_true(on_gpu.of[KNOB_LANES] > 1);
    assert_int_equal(schedule_check(&on_cpu, NULL), STATUS_OK);
    assert_int_equal(schedule_check(&on_gpu, NULL), STATUS_OK);
}

/* Every legal value of every knob survives being printed and parsed. */
static void a_line_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (size_t k = 0; k < KNOB_COUNT; k++)
        for (size_t i = 0; i < knob_table[k].count; i++) {
            struct schedule written = schedule_first(&gpu), read = schedule_first(&gpu);
            struct strbuf text = {0};

            written.of[k] = knob_table[k].values[i];
            if (schedule_check(&written, NULL))
                continue;
            schedule_print(&written, ~0U, &text);
            strbuf_adds(&text, "\nkernel void f() {}\n");
            assert_true(schedule_read(&read, strbuf_cstr(&text)));
            assert_memory_equal(&read, &written, sizeof(read));
            strbuf_release(&text);
        }
}

static void a_line_holds_the_knobs_of_its_families(void **state)
{
    struct schedule schedule = schedule_first(&cpu);
    struct strbuf text = {0};

    (void)state;
    schedule_print(&schedule, FAMILY_ROWWISE, &text);
    assert_non_null(strstr(strbuf_cstr(&text), "lanes=1"));
    assert_null(strstr(strbuf_cstr(&text), "tile_m"));
    strbuf_release(&text);
}

static void other_sources_have_no_schedule(void **state)
{
    static const char *const sources[] = {
        "",
        "kernel void f() {}",
        "// schedule: vec=3",
        "// schedule: speed=11",
        "// schedule: vec",
        "// schedule: vec=16 tile_n=8",
    };
    struct schedule schedule = schedule_first(&cpu), before = schedule;

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
        assert_false(schedule_read(&schedule, sources[i]));
        assert_memory_equal(&schedule, &before, sizeof(schedule));
    }
}

static void a_change_is_followed_and_taken_back(void **state)
{
    struct schedule schedule = schedule_first(&cpu), before = schedule;
    struct strbuf difference = {0};
    const char *change = "tile_m: 4 -> 8, unroll: 1 -> 4";

    (void)state;
    assert_int_equal(schedule_change(&schedule, change, NULL), STATUS_OK);
    assert_int_equal(schedule.of[KNOB_TILE_M], 8);
    assert_int_equal(schedule.of[KNOB_UNROLL], 4);
    schedule_difference(&before, &schedule, ~0U, &difference);
    assert_string_equal(strbuf_cstr(&difference), change);
    assert_int_equal(schedule_undo(&schedule, change, NULL), STATUS_OK);
    assert_memory_equal(&schedule, &before, sizeof(schedule));
    strbuf_release(&difference);
}

/*
 * An engineer may edit a change by hand: blanks are ignored, and the old value of a knob may be
 * wrong.
 */
static void an_edited_change_is_followed(void **state)
{
    struct schedule schedule = schedule_first(&cpu);

    (void)state;
    assert_int_equal(schedule_change(&schedule, "  vec:16->4 ,items: 1 ->  64 ", NULL), STATUS_OK);
    assert_int_equal(schedule.of[KNOB_VEC], 4);
    assert_int_equal(schedule.of[KNOB_ITEMS], 64);
}

static void what_is_no_change_changes_nothing(void **state)
{
    static const char *const changes[] = {
        "",
        "use local memory",
        "vec: 8 -> 7",
        "vec: 8 -> 4, and more",
        "vec: 8 -> 4,",
        "tile_n: 8 -> 4", /* no multiple of the vectors */
        "tile_m: 4 -> 16, tile_n: 8 -> 64",
    };
    struct schedule schedule = schedule_first(&cpu), before = schedule;
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        assert_int_equal(schedule_change(&schedule, changes[i], &err), STATUS_INVALID);
        assert_true(err.text[0] != '\0');
        assert_memory_equal(&schedule, &before, sizeof(schedule));
    }
    assert_int_equal(schedule_change(&schedule, "use local memory", &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "tile_m 1|2|4"));
}

/* Titles such as "vec: 4 -> 8" stand beside the kind of their step, so no knob has a kind's name.
 */
static void knobs_are_not_named_like_steps(void **state)
{
    static const char *const kinds[] = {"prompt", "candidate", "keep", "recommendation"};

    (void)state;
    for (size_t k = 0; k < KNOB_COUNT; k++)
        for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
            assert_string_not_equal(knob_table[k].name, kinds[kind]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_schedule_fits_the_device),
        cmocka_unit_test(a_line_is_read_as_it_was_written),
        cmocka_unit_test(a_line_holds_the_knobs_of_its_families),
        cmocka_unit_test(other_sources_have_no_schedule),
        cmocka_unit_test(a_change_is_followed_and_taken_back),
        cmocka_unit_test(an_edited_change_is_followed),
        cmocka_unit_test(what_is_no_change_changes_nothing),
        cmocka_unit_test(knobs_are_not_named_like_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
