#include "tui/panels/kernel_flags.h"

/* Flag a line of the kernel in the margin. */
static void flag_line(struct widget_text *text, size_t number, char flag)
{
    for (size_t i = 0; number && i < text->lines.count; i++) {
        struct text_line *line = &text->lines.items[i];

        if (line->number == number && line->mark != '-')
            line->flag = flag;
    }
}

/* Flag the lines at which a profiler saw the kernels stall. */
static void flag_hot_lines(struct widget_text *text, const struct profile *profile)
{
    for (size_t k = 0; k < profile->kernels.count; k++)
        for (size_t i = 0; i < profile->kernels.items[k].hot.count; i++)
            flag_line(text, profile->kernels.items[k].hot.items[i].line, 'h');
}

void kernel_flags_add(struct widget_text *text, const struct subject *shown)
{
    static const char flags[] = {
        [SEVERITY_ERROR] = 'E', [SEVERITY_WARNING] = 'W', [SEVERITY_NOTE] = 'n'};
    const struct build_report *build = &shown->verdict.build;

    flag_hot_lines(text, &shown->verdict.profile);
    if (shown->verdict.timing.per_kernel.count > 1 || shown->verdict.profile.kernels.count)
        flag_line(text, subject_hottest_line(shown), 'H');
    for (size_t i = build->diagnostics.count; i-- > 0;)
        flag_line(text, build->diagnostics.items[i].line,
                  flags[build->diagnostics.items[i].severity]);
}
