#include "tests/unit/unit.h"

#include "core/agent/builtin/plan/drawn_step.h"

static const struct device_info cpu = {.is_cpu = true, .vector_width_f32 = 8};

static size_t count_moved(const struct schedule *from, const struct schedule *to, size_t *knob)
{
    size_t moved = 0;

    for (size_t k = 0; k < KNOB_COUNT; k++) {
        if (from->of[k] == to->of[k])
            continue;
        *knob = k;
        moved++;
    }
    return moved;
}

/* Many draws move each time one knob of the families, legally, and not always the same. */
static void each_draw_is_one_legal_step_of_a_knob(void **state)
{
    enum { DRAWS = 200 };
    const struct schedule first = schedule_first(&cpu);
    bool is_drawn[KNOB_COUNT] = {false};
    size_t different = 0;

    (void)state;
    for (unsigned n = 1; n <= DRAWS; n++) {
        struct schedule to = first, again = first;
        size_t knob = 0;

        assert_true(drawn_step_take(&to, FAMILY_PRODUCT, n));
        assert_true(drawn_step_take(&again, FAMILY_PRODUCT, n));
        assert_memory_equal(&to, &again, sizeof(to));
        assert_int_equal(count_moved(&first, &to, &knob), 1);
        assert_true(knob_table[knob].families & FAMILY_PRODUCT);
        assert_int_equal(schedule_check(&to, NULL), STATUS_OK);
        different += !is_drawn[knob];
        is_drawn[knob] = true;
    }
    assert_true(different >= 5);
}

static void without_knobs_there_is_no_step(void **state)
{
    struct schedule schedule = schedule_first(&cpu);

    (void)state;
    assert_false(drawn_step_take(&schedule, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draw_is_one_legal_step_of_a_knob),
        cmocka_unit_test(without_knobs_there_is_no_step),
    };

    return cmocka_run_group_tests_name("drawn_step", tests, NULL, NULL);
}
