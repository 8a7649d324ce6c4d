#include "tests/unit/unit.h"

#include <string.h>

#include "backends/host/host.h"
#include "core/base/array.h"
#include "tests/contract/device_fixture.h"

/*
 * The work of runs that are watched (backends/host/watch.h). Kernels that keep their own threads
 * waiting must not seem quicker for it: the ratios that are measured on a busy machine come from
 * this work. CPU times are compared, so other programs do not disturb these tests.
 */

static const char source[] = "#include <math.h>\n"
                             "int omp_get_thread_num(void);\n"
                             "static float burn(float x)\n"
                             "{\n"
                             "    for (int i = 0; i < 2000000; i++)\n"
                             "        x = x * 0.999999f + 1e-6f;\n"
                             "    return x;\n"
                             "}\n"
                             "void even(float *y)\n"
                             "{\n"
                             "#pragma omp parallel for num_threads(2) schedule(static)\n"
                             "    for (int i = 0; i < 2; i++)\n"
                             "        y[i] = burn(y[i]);\n"
                             "}\n"
                             "void turns(float *y)\n"
                             "{\n"
                             "#pragma omp parallel for num_threads(2) schedule(static)\n"
                             "    for (int i = 0; i < 2; i++)\n"
                             "#pragma omp critical\n"
                             "        y[i] = burn(y[i]);\n"
                             "}\n"
                             "void phases(float *y)\n"
                             "{\n"
                             "#pragma omp parallel num_threads(2)\n"
                             "    {\n"
                             "        if (omp_get_thread_num() == 0)\n"
                             "            y[0] = burn(y[0]);\n"
                             "#pragma omp barrier\n"
                             "        if (omp_get_thread_num() == 1)\n"
                             "            y[1] = burn(y[0]);\n"
                             "    }\n"
                             "}\n"
                             "void alone(float *y)\n"
                             "{\n"
                             "#pragma omp parallel num_threads(2)\n"
                             "    if (omp_get_thread_num() == 1)\n"
                             "        y[1] = burn(burn(y[1]));\n"
                             "}\n"
                             "void many(float *y)\n"
                             "{\n"
                             "    for (int region = 0; region < 400; region++) {\n"
                             "#pragma omp parallel num_threads(2)\n"
                             "        if (omp_get_thread_num() == 1)\n"
                             "            for (int i = 0; i < 50000; i++)\n"
                             "                y[1] = y[1] * 0.999999f + 1e-6f;\n"
                             "    }\n"
                             "}\n";

/* The work of a run of the kernel. */
static struct thread_work work_of(const struct device_fixture *s, const char *kernel, bool watch)
{
    const struct program_source text = {.text = source, .options = ""};
    struct buffer *buffer = device_fixture_poisoned(s, 2 * sizeof(float));
    struct launch launch = {.rank = 1, .global = {2}, .arg_count = 1, .args = {{BUFFER(0)}}};
    struct launch_list list = {.items = &launch, .count = 1};
    struct error err = {0};
    struct verdict verdict = {0};
    struct program *program = NULL;
    double each_us = 0;
    struct run_times times = {.each_us = &each_us, .is_watched = watch};

    if (s->info->compute_units < 2)
        skip();
    launch.kernel = (char *)(uintptr_t)kernel;
    assert_ok(s->ops->buffer_poison(buffer, (struct buffer_poison){0}, &err), &err);
    assert_ok(s->ops->build(s->device, &text, &program, &verdict.build, &err), &err);
    if (!program)
        fail_msg("%s", verdict.build.log);
    assert_ok(s->ops->run(program, &list, &buffer, &times, &err), &err);
    s->ops->program_free(program);
    s->ops->buffer_free(buffer);
    verdict_release(&verdict);
    assert_true(times.threads == 2);
    return times.work;
}

static void a_run_is_watched_on_request(void **state)
{
    (void)state;
    assert_true(work_of(*state, "even", false).total_us == 0);
    assert_true(work_of(*state, "even", true).total_us > 0);
}

static void work_at_the_same_time_is_half_as_long(void **state)
{
    struct thread_work work = work_of(*state, "even", true);

    assert_true(work.longest_us < 0.75 * work.total_us);
}

/* A lock, and a barrier between the parts of two threads. */
static void work_in_turns_is_as_long_as_all_of_it(void **state)
{
    static const char *const kernels[] = {"turns", "phases"};

    for (size_t i = 0; i < COUNT(kernels); i++) {
        struct thread_work work = work_of(*state, kernels[i], true);

        assert_true(work.longest_us > 0.9 * work.total_us);
    }
}

/* A thread that waits for another one adds nothing, in one region or in many. */
static void waiting_is_no_work(void **state)
{
    double even_us = work_of(*state, "even", true).total_us;
    struct thread_work alone = work_of(*state, "alone", true), many = work_of(*state, "many", true);

    assert_true(alone.total_us < 1.5 * even_us && alone.longest_us > 0.9 * alone.total_us);
    assert_true(many.longest_us > 0.9 * many.total_us);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_run_is_watched_on_request),
    cmocka_unit_test(work_at_the_same_time_is_half_as_long),
    cmocka_unit_test(work_in_turns_is_as_long_as_all_of_it),
    cmocka_unit_test(waiting_is_no_work),
};

int main(void)
{
    size_t tested = 0;

    return device_fixture_test_backend(&host_backend, tests, COUNT(tests), &tested);
}
