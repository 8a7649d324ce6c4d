#include "tui/panels/candidate_metrics.h"

#include <math.h>

#include "core/base/array.h"

static double time_of(const struct verdict *verdict)
{
    return verdict->timing.time.median_us;
}

static double per_us(const struct verdict *verdict, double amount)
{
    return verdict->timing.time.median_us > 0 ? amount / verdict->timing.time.median_us : 0;
}

/* In GB/s, which is thousands of bytes in a microsecond. */
static double bandwidth_of(const struct verdict *verdict)
{
    return per_us(verdict, verdict->bound.bytes) / 1e3;
}

static double rate_of(const struct verdict *verdict)
{
    return per_us(verdict, verdict->bound.flops) / 1e3;
}

static double fraction_of(const struct verdict *verdict)
{
    return 100 * verdict->bound.fraction;
}

static double spread_of(const struct verdict *verdict)
{
    return 100 * per_us(verdict, verdict->timing.p90_us - verdict->timing.p10_us);
}

struct kernel_resources candidate_metrics_most(const struct verdict *verdict)
{
    struct kernel_resources most = {0};

    for (size_t i = 0; i < verdict->resources.count; i++) {
        const struct kernel_resources *used = &verdict->resources.items[i];

        if (used->local_bytes > most.local_bytes)
            most.local_bytes = used->local_bytes;
        if (used->private_bytes > most.private_bytes)
            most.private_bytes = used->private_bytes;
        if (used->registers > most.registers)
            most.registers = used->registers;
    }
    return most;
}

static double local_of(const struct verdict *verdict)
{
    return (double)candidate_metrics_most(verdict).local_bytes;
}

static double registers_of(const struct verdict *verdict)
{
    return (double)candidate_metrics_most(verdict).registers;
}

static double build_of(const struct verdict *verdict)
{
    return verdict->build.ms;
}

static const struct metric {
    const char *name, *unit;
    double (*of)(const struct verdict *verdict); /* 0: not known */
    int better; /* 1: more is better, -1: less is better, 0: neither */
} metrics[] = {
    {"time", "us", time_of, -1},           {"bandwidth", "GB/s", bandwidth_of, 1},
    {"operations", "Gflop/s", rate_of, 1}, {"of the bound", "%", fraction_of, 1},
    {"p10 to p90", "%", spread_of, -1},    {"local memory", "B", local_of, 0},
    {"registers", "", registers_of, 0},    {"compiler", "ms", build_of, 0},
};

static void add_metric(struct page *page, const struct metric *metric, double now, double before)
{
    double change = before > 0 ? round(1000 * (now / before - 1)) / 10 : 0;
    enum role role = change * metric->better > 0   ? ROLE_GOOD
                     : change * metric->better < 0 ? ROLE_WARNING
                                                   : ROLE_TEXT;

    if (now > 0 && before > 0)
        page_add(page, role, "%-12s %7.4g %-7s %+6.1f%%  was %.4g", metric->name, now, metric->unit,
                 change + 0.0, before);
    else if (now > 0)
        page_add(page, ROLE_TEXT, "%-12s %7.4g %s", metric->name, now, metric->unit);
}

void candidate_metrics_add(struct page *page, const struct verdict *verdict,
                           const struct verdict *other)
{
    for (size_t i = 0; i < COUNT(metrics); i++)
        add_metric(page, &metrics[i], metrics[i].of(verdict), metrics[i].of(other));
}
