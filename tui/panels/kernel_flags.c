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

/* The stalls of the line with the most. */
static double most_stalls(const struct profile *profile)
{
    double most = 0;

    for (size_t k = 0; k < profile->kernels.count; k++)
        for (size_t i = 0; i < profile->kernels.items[k].hot.count; i++)
            most = fmax(most, stalls_at(profile, profile->kernels.items[k].hot.items[i].line));
    return most;
}

/* Flag the lines at which a profiler saw the kernels stall, with bars in proportion. */
static void add_hot_lines(struct widget_text *text, const struct profile *profile)
{
    double most = most_stalls(profile);

    for (size_t k = 0; k < profile->kernels.count; k++)
        for (size_t i = 0; i < profile->kernels.items[k].hot.count; i++) {
            unsigned line = profile->kernels.items[k].hot.items[i].line;

            flag_line(text, line, 'h');
            if (line && most > 0)
                widget_text_heat(text, line, stalls_at(profile, line) / most);
        }
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
