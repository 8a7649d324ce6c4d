#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/outbox.h"

/* A busy worker: it computes for longer than any test may take. */
_Noreturn static void compute(int to)
{
    struct outbox outbox = {0};

    (void)signal(SIGPIPE, SIG_IGN);
    (void)dup2(to, STDOUT_FILENO);
    close(to);
    outbox_open(&outbox);
    (void)sleep(300);
    _exit(EXIT_SUCCESS);
}

static void a_busy_worker_ends_when_its_reader_is_gone(void **state)
{
    int ends[2], status;
    pid_t worker;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    worker = fork();
    assert_true(worker >= 0);
    if (worker == 0) {
        close(ends[0]);
        compute(ends[1]);
    }
    close(ends[1]);
    close(ends[0]);
    assert_int_equal(waitpid(worker, &status, 0), worker);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_worker_ends_when_its_reader_is_gone),
    };

    return cmocka_run_group_tests_name("outbox", tests, NULL, NULL);
}
