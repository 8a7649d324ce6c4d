#include "tests/unit/unit.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/judge/host_library/blas.h"

static bool is_oldest(void)
{
    return strcmp(openblas_get_corename(), "Prescott") == 0;
}

static void suitable_kernels_are_kept(void **state)
{
    (void)state;
    assert_null(blas_better_kernels("SkylakeX"));
    assert_null(blas_better_kernels("Haswell"));
}

/* The process started with the oldest kernels, as on a processor that OpenBLAS does not know. */
static void an_unknown_processor_gets_better_kernels(void **state)
{
    const char *better = blas_better_kernels("Prescott");

    (void)state;
    if (!better)
        skip(); /* this processor supports the oldest kernels only */
    assert_string_equal(getenv("OPENBLAS_CORETYPE"), better);
    assert_string_equal(openblas_get_corename(), better);
}

static void its_threads_sleep_soon(void **state)
{
    (void)state;
    assert_string_equal(getenv("OPENBLAS_THREAD_TIMEOUT"), "24");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suitable_kernels_are_kept),
        cmocka_unit_test(an_unknown_processor_gets_better_kernels),
        cmocka_unit_test(its_threads_sleep_soon),
    };

    if (argc == 1) { /* start again with the oldest kernels, as if OpenBLAS had chosen them */
        char again[] = "again";

        setenv("OPENBLAS_CORETYPE", "Prescott", 1);
        unsetenv("OPENBLAS_THREAD_TIMEOUT");
        execv("/proc/self/exe", (char *[]){argv[0], again, NULL});
    }
    if (is_oldest() && !getenv("OPENBLAS_THREAD_TIMEOUT")) {
        unsetenv("OPENBLAS_CORETYPE");
        blas_suit_machine(argv);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
