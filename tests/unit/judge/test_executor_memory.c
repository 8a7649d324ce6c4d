#include "core/judge/executor/executor_memory.h"

#include "tests/unit/unit.h"

static void buffers_count_until_their_successors_are_there(void **state)
{
    struct executor_memory memory = {.compiler_bytes = 50, .idle_bytes = 10, .held_bytes = 100};
    struct executor_process process = {0};

    (void)state;
    executor_memory_allow(&memory, &process, 1000);
    assert_int_equal(process.child.allowed_bytes, 1150);
    executor_memory_replace(&memory, &process, 200);
    assert_int_equal(process.child.allowed_bytes, 1350);
    executor_memory_allow(&memory, &process, 200);
    assert_int_equal(process.child.allowed_bytes, 350);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_count_until_their_successors_are_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
