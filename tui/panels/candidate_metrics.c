#include "tui/panels/candidate_metrics.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/format.h"

static double time_of(const struct verdict *verdict)
{
    return verdict->timing.time.median_us;
}

static double per_us(const struct verdict *verdict, double amount)
{
    return verdict->timing.time.median_us > 0 ? amount / verdict->timing.time.median_us : 0;
}

static const double us_per_s = 1e6;

static double bandwidth_of(const struct verdict *verdict)
{
    return per_us(verdict, verdict->bound.bytes) * us_per_s;
}

static double rate_of(const struct verdict *verdict)
{
    return per_us(verdict, verdict->bound.flops) * us_per_s;
}

static double fraction_of(const struct verdict *verdict)
{
    return 100 * verdict->bound.fraction;
}

static double spread_of(const struct verdict *verdict)
{
    return 100 * per_us(verdict, verdict->timing.p90_us - verdict->timing.p10_us);
}

/* The maximum of memory and registers over the kernels; 0 where unknown. */
static struct kernel_resources most_of(const struct verdict *verdict)
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
    return (double)most_of(verdict).local_bytes;
}

static double registers_of(const struct verdict *verdict)
{
    return (double)most_of(verdict).registers;
}

static double build_us_of(const struct verdict *verdict)
{
    return verdict->build.ms * 1e3;
}

static const char *format_bandwidth(char text[FORMAT_SIZE], double bytes_per_s)
{
    return format_amount(text, bytes_per_s, "B/s");
}

static const char *format_rate(char text[FORMAT_SIZE], double flops_per_s)
{
    return format_amount(text, flops_per_s, "flop/s");
}

static const char *format_percent(char text[FORMAT_SIZE], double value)
{
    return format_metric(text, value, "%");
}

static const char *format_number(char text[FORMAT_SIZE], double value)
{
    return format_metric(text, value, "");
}

static const struct metric {
    const char *name;
    double (*of)(const struct verdict *verdict); /* 0: not known */
    const char *(*format)(char text[FORMAT_SIZE], double value);
    int better; /* 1: more is better, -1: less is better, 0: neither */
} metrics[] = {
    {"time", time_of, format_time, -1},
    {"bandwidth", bandwidth_of, format_bandwidth, 1},
    {"operations", rate_of, format_rate, 1},
    {"of the bound", fraction_of, format_percent, 1},
    {"p10 to p90", spread_of, format_percent, -1},
    {"local memory", local_of, format_bytes, 0},
    {"registers", registers_of, format_number, 0},
    {"compiler", build_us_of, format_time, 0},
};

static void add_metric(struct page *page, const struct metric *metric, double now, double before)
{
    double change = before > 0 ? round(1000 * (now / before - 1)) / 10 : 0;
    enum role role = change * metric->better > 0   ? ROLE_GOOD
                     : change * metric->better < 0 ? ROLE_WARNING
                                                   : ROLE_TEXT;
    char text[FORMAT_SIZE], was[FORMAT_SIZE];

    metric->format(text, now);
    if (now > 0 && before > 0)
        page_add(page, role, "%-12s %12s %+7.1f%%  was %s", metric->name, text, change + 0.0,
                 metric->format(was, before));
    else if (now > 0)
        page_add(page, ROLE_TEXT, "%-12s %12s", metric->name, text);
}

void candidate_metrics_add(struct page *page, const struct verdict *verdict,
                           const struct verdict *other)
{
    for (size_t i = 0; i < COUNT(metrics); i++)
        add_metric(page, &metrics[i], metrics[i].of(verdict), metrics[i].of(other));
}
