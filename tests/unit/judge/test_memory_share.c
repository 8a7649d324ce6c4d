#include "core/judge/device/memory_share.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/kforge-shares-XXXXXX";
static const double total = 100;
static const int64_t for_ever_us = INT64_MAX;

static bool is_over(void *data)
{
    return --*(int *)data <= 0;
}

/* Try to take a part; false if it is not free. */
static bool try_take(struct memory_share *share, double part)
{
    int looks = 2;
    const struct turn_patience patience = {.fd = -1, .is_over = is_over, .data = &looks};
    int64_t waited_us;

    return memory_share_take(share, part, total, &patience, &waited_us);
}

static void parts_are_granted_up_to_the_total(void **state)
{
    struct memory_share *a = memory_share_new(folder, for_ever_us),
                        *b = memory_share_new(folder, for_ever_us);

    (void)state;
    assert_true(try_take(a, 60));
    assert_false(try_take(b, 60));
    assert_true(try_take(b, 40));
    assert_true(try_take(a, 20)); /* in place of 60 */
    assert_true(try_take(b, 80));
    memory_share_free(b);
    assert_true(try_take(a, 500)); /* alone */
    b = memory_share_new(folder, for_ever_us);
    assert_false(try_take(b, 1));
    memory_share_free(a);
    assert_true(try_take(b, 1));
    memory_share_free(b);
}

static void a_part_is_granted_when_the_limit_is_over(void **state)
{
    struct memory_share *a = memory_share_new(folder, for_ever_us),
                        *b = memory_share_new(folder, 0);

    (void)state;
    assert_true(try_take(a, total));
    assert_true(try_take(b, 1));
    memory_share_free(a);
    memory_share_free(b);
}

static void a_killed_process_gives_its_part_back(void **state)
{
    struct memory_share *share = memory_share_new(folder, for_ever_us);
    int ready[2];
    pid_t child;
    char byte;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        bool is_taken = try_take(memory_share_new(folder, for_ever_us), total);

        _exit(write(ready[1], &is_taken, 1) != 1 || pause());
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_false(try_take(share, 1));
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(try_take(share, 1));
    memory_share_free(share);
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_granted_up_to_the_total),
        cmocka_unit_test(a_part_is_granted_when_the_limit_is_over),
        cmocka_unit_test(a_killed_process_gives_its_part_back),
    };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    file_remove_folder(folder);
    return failed;
}
