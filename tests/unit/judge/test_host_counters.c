#include "tests/unit/unit.h"

#include <unistd.h>

#include "core/judge/tools/host_counters.h"

static double metric(const struct profile *profile, const char *name)
{
    const struct profile_metric *found = profile_find_metric(&profile->kernels.items[0], name);

    assert_non_null(found);
    return found->value;
}

static void put(struct host_counts *counted, enum perf_counter counter, double count)
{
    counted->counts.of[counter].is_present = true;
    counted->counts.of[counter].count = count;
}

/* Two runs of 100 us on four cores, of which one works, slowed down by its memory. */
static void counts_become_metrics_and_rules(void **state)
{
    struct host_counts counted = {.runs = 2, .span_us = 100, .cores = 4};
    struct profile profile = {0};

    (void)state;
    put(&counted, PERF_TASK_CLOCK_NS, 200e3);
    put(&counted, PERF_INSTRUCTIONS, 100e3);
    put(&counted, PERF_CYCLES, 400e3);
    put(&counted, PERF_CACHE_MISSES, 2e3);
    put(&counted, PERF_FLOATS_1, 10);
    put(&counted, PERF_FLOATS_8, 10);
    host_counters_report("scale", &counted, &profile);
    assert_float_equal(metric(&profile, "busy_cores"), 1, 1e-9);
    assert_float_equal(metric(&profile, "instructions"), 50e3, 1e-6);
    assert_float_equal(metric(&profile, "instructions_per_cycle"), 0.25, 1e-9);
    assert_float_equal(metric(&profile, "cache_miss_bytes"), 64e3, 1e-6);
    assert_float_equal(metric(&profile, "floats_per_instruction"), 4.5, 1e-9);
    assert_int_equal(profile.rules.count, 2);
    assert_string_equal(profile.rules.items[0].name, "idle_cores");
    assert_string_equal(profile.rules.items[1].name, "memory");
    profile_release(&profile);
}

/* Cores that other programs use are not the kernel's fault, and what was not counted is absent. */
static void a_busy_machine_is_no_finding(void **state)
{
    struct host_counts counted = {.runs = 1, .span_us = 100, .waited_us = 300, .cores = 4};
    struct profile profile = {0};

    (void)state;
    put(&counted, PERF_TASK_CLOCK_NS, 100e3);
    host_counters_report("scale", &counted, &profile);
    assert_int_equal(profile.rules.count, 0);
    assert_null(profile_find_metric(&profile.kernels.items[0], "instructions"));
    assert_null(profile_find_metric(&profile.kernels.items[0], "floats_per_instruction"));
    profile_release(&profile);
}

/* The kernel's counters of this process; a system that forbids them says so. */
static void a_process_is_counted_or_the_reason_is_said(void **state)
{
    struct perf_counters *counters = NULL;
    struct perf_counts counts;
    struct error why = {0}, err = {0};

    (void)state;
    if (perf_counters_open(getpid(), &counters, &why, &err)) {
        assert_string_equal(err.text, "the system does not allow perf_event_open(2): set "
                                      "kernel.perf_event_paranoid to 2 or less");
        return;
    }
    perf_counters_start(counters);
    for (volatile int i = 0; i < 1000000; i++)
        ;
    perf_counters_stop(counters);
    counts = perf_counters_read(counters);
    assert_true(counts.of[PERF_TASK_CLOCK_NS].is_present);
    assert_true(counts.of[PERF_TASK_CLOCK_NS].count > 0);
    assert_true(counts.of[PERF_INSTRUCTIONS].is_present || *why.text);
    perf_counters_close(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_become_metrics_and_rules),
        cmocka_unit_test(a_busy_machine_is_no_finding),
        cmocka_unit_test(a_process_is_counted_or_the_reason_is_said),
    };

    return cmocka_run_group_tests_name("host_counters", tests, NULL, NULL);
}
