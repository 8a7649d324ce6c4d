#include "tui/panels/kernel_flags.h"

#include <math.h>

/* Flag a line of the kernel in the margin. */
static void flag_line(struct widget_text *text, size_t number, char flag)
{
    for (size_t i = 0; number && i < text->lines.count; i++) {
        struct text_line *line = &text->lines.items[i];

        if (line->number == number && line->mark != '-')
            line->flag = flag;
    }
}

/* The share of all stalls of the candidate that a profiler saw at a line. */
static double stalls_at(const struct profile *profile, unsigned line)
{
    double share = 0;

    for (size_t k = 0; k < profile->kernels.count; k++) {
        const struct kernel_profile *kernel = &profile->kernels.items[k];

        for (size_t i = 0; i < kernel->hot.count; i++)
            if (kernel->hot.items[i].line == line)
                share += kernel->hot.items[i].share * kernel->share;
    }
    return share;
}

/* Calls `visit` with each line at which a profiler saw stalls. */
static void visit_hot_lines(const struct profile *profile,
                            void (*visit)(void *data, unsigned line, double stalls), void *data)
{
    for (size_t k = 0; k < profile->kernels.count; k++)
        for (size_t i = 0; i < profile->kernels.items[k].hot.count; i++) {
            unsigned line = profile->kernels.items[k].hot.items[i].line;

            visit(data, line, stalls_at(profile, line));
        }
}

struct heating {
    struct widget_text *text;
    double most; /* the stalls of the hottest line */
};

static void find_most(void *data, unsigned line, double stalls)
{
    struct heating *heating = data;

    (void)line;
    heating->most = fmax(heating->most, stalls);
}

static void heat_line(void *data, unsigned line, double stalls)
{
    const struct heating *heating = data;

    flag_line(heating->text, line, 'h');
    if (line && heating->most > 0)
        widget_text_heat(heating->text, line, stalls / heating->most);
}

/* Flag the lines at which a profiler saw the kernels stall, with bars in proportion. */
static void add_hot_lines(struct widget_text *text, const struct profile *profile)
{
    struct heating heating = {.text = text};

    visit_hot_lines(profile, find_most, &heating);
    visit_hot_lines(profile, heat_line, &heating);
}

void kernel_flags_add(struct widget_text *text, const struct subject *shown)
{
    static const char flags[] = {
        [SEVERITY_ERROR] = 'E', [SEVERITY_WARNING] = 'W', [SEVERITY_NOTE] = 'n'};
    const struct build_report *build = &shown->verdict.build;

    add_hot_lines(text, &shown->verdict.profile);
    if (shown->verdict.timing.per_kernel.count > 1 || shown->verdict.profile.kernels.count)
        flag_line(text, subject_hottest_line(shown), 'H');
    for (size_t i = build->diagnostics.count; i-- > 0;)
        flag_line(text, build->diagnostics.items[i].line,
                  flags[build->diagnostics.items[i].severity]);
}
