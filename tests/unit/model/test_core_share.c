#include "tests/unit/unit.h"

#include <math.h>

#include "core/model/plan/core_share.h"

static double share_of(struct launch *launches, size_t count, unsigned cores)
{
    const struct launch_list list = {launches, count, count};

    return core_share(&list, cores);
}

static void many_groups_divide_evenly(void **state)
{
    struct launch launch = {.rank = 2, .global = {1024, 8}, .local = {64, 1}};

    (void)state;
    assert_true(share_of(&launch, 1, 2) == 0.5);
    assert_true(share_of(&launch, 1, 64) == 1.0 / 64);
}

static void few_groups_leave_cores_idle(void **state)
{
    struct launch three = {.rank = 1, .global = {300}, .local = {100}};
    struct launch one = {.rank = 1, .global = {100}, .local = {100}};

    (void)state;
    assert_true(fabs(share_of(&three, 1, 2) - 2.0 / 3) < 1e-12);
    assert_true(fabs(share_of(&three, 1, 8) - 1.0 / 3) < 1e-12);
    assert_true(share_of(&one, 1, 2) == 1);
}

/* A last launch of one group weighs by its work-items. */
static void launches_weigh_by_their_items(void **state)
{
    struct launch launches[] = {{.rank = 1, .global = {900}, .local = {9}},
                                {.rank = 1, .global = {100}, .local = {100}}};

    (void)state;
    assert_true(fabs(share_of(launches, 2, 2) - (0.9 * 0.5 + 0.1)) < 1e-12);
}

static void a_group_of_the_drivers_divides_evenly(void **state)
{
    struct launch launch = {.rank = 1, .global = {4096}};

    (void)state;
    assert_true(share_of(&launch, 1, 2) == 0.5);
    assert_true(share_of(&launch, 0, 2) == 0 && share_of(&launch, 1, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_groups_divide_evenly),
        cmocka_unit_test(few_groups_leave_cores_idle),
        cmocka_unit_test(launches_weigh_by_their_items),
        cmocka_unit_test(a_group_of_the_drivers_divides_evenly),
    };

    return cmocka_run_group_tests_name("core_share", tests, NULL, NULL);
}
