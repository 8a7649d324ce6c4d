#include "core/judge/tool_runs/counter_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/tools/host_counters.h"

/* The time for which runs are repeated, and the maximum number of runs. */
enum { COUNTED_US = 100000, MOST_RUNS = 200 };

/* Make the counted runs on the data that the previous run left. */
static enum status count(const struct evaluation *e, struct perf_counters *counters,
                         struct host_counts *counted, struct error *err)
{
    const struct executor_run run = {.slot = e->slot, .keeps_data = true};
    struct executor_times times = {0};
    double spent_us = 0, waited_us = executor_waited_us(e->executor);
    enum status st = STATUS_OK;

    perf_counters_start(counters);
    while (!st && counted->runs < MOST_RUNS && (counted->runs < 1 || spent_us < COUNTED_US)) {
        st = executor_run(e->executor, &run, &times, err);
        spent_us += times.span_us;
        counted->runs++;
    }
    perf_counters_stop(counters);
    counted->counts = perf_counters_read(counters);
    counted->span_us = spent_us / counted->runs;
    counted->waited_us = executor_waited_us(e->executor) - waited_us;
    return st;
}

/* The names of the functions that the plan calls, without repetition of neighbours. */
static char *names_of(const struct launch_list *launches)
{
    struct strbuf names = {0};

    for (size_t i = 0; i < launches->count; i++)
        if (i == 0 || strcmp(launches->items[i].kernel, launches->items[i - 1].kernel) != 0)
            strbuf_add_item(&names, launches->items[i].kernel);
    return strbuf_take(&names);
}

/* Load the candidate with its main dimensions, and make its data and one run. */
static enum status make_ready(struct evaluation *e, const struct turn_taker *turns,
                              struct error *err)
{
    const struct executor_run first = {.slot = e->slot, .with_prepare = true};
    struct executor_times times = {0};
    enum status st = turns->take(turns->data, DEVICE_RUNS, err);

    if (!st)
        st = evaluation_load(e, EXPECTATIONS_MAIN, err);
    if (!st && e->verdict->outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s", e->verdict->detail);
    if (!st)
        st = turns->take(turns->data, DEVICE_TOOLS, err);
    return st ? st : executor_run(e->executor, &first, &times, err);
}

static enum status run(struct evaluation *e, const struct turn_taker *turns,
                       struct profile *profile, struct error *err)
{
    struct host_counts counted = {.cores = e->device->compute_units};
    struct perf_counters *counters = NULL;
    struct error why = {0};
    char *names;
    enum status st = make_ready(e, turns, err);

    if (!st)
        st = perf_counters_open(executor_process_id(e->executor), &counters, &why, err);
    if (!st)
        st = count(e, counters, &counted, err);
    perf_counters_close(counters);
    if (st)
        return st;
    names = names_of(&e->dispatch.launches);
    host_counters_report(names, &counted, profile);
    free(names);
    if (*why.text)
        profile->missing = mem_strdup(why.text);
    return STATUS_OK;
}

enum status counter_run(const struct evaluation *e, const struct turn_taker *turns,
                        struct profile *profile, struct error *err)
{
    struct verdict aside = {0};
    struct evaluation own = *e;
    struct error why = {0};
    enum status st;

    profile->is_present = true;
    profile->source = mem_strdup("perf_event_open");
    own.verdict = &aside;
    own.dispatch = (struct dispatch){0};
    st = run(&own, turns, profile, &why);
    dispatch_release(&own.dispatch);
    verdict_release(&aside);
    if (st == STATUS_CANCELLED) {
        *err = why;
        return st;
    }
    if (st)
        profile->missing = mem_strdup(why.text);
    return turns->take(turns->data, DEVICE_HOST, err);
}
