#include "tui/panels/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/roofline/bound.h"
#include "tui/panels/candidate_metrics.h"
#include "tui/panels/profile/profile_counters.h"
#include "tui/panels/profile/roofline_plot.h"
#include "tui/panels/profile/time_chart.h"
#include "tui/panels/profile/trajectory_view.h"

/*
 * Pane 6: the time of the candidate, compared with the baselines, the bound and its parent; its
 * resources and counters.  Or the trajectory of the session.
 */

struct profile_panel {
    struct panel panel;
    struct page page;
    int essentials;     /* number of lines of the page that must stay visible above a plot */
    bool is_trajectory; /* show the trajectory in place of the page */
    struct trajectory_view trajectory;
};

/*
 * The least sizes for plots: BESIDE_COLUMNS for plots at the right of a text of TEXT_COLUMNS,
 * LEAST_PLOT and GOOD_PLOT lines for a roofline below it, BOTH_LINES for two plots.
 */
enum { BESIDE_COLUMNS = 100, TEXT_COLUMNS = 62, LEAST_PLOT = 8, GOOD_PLOT = 14, BOTH_LINES = 22 };

/* The columns before the bar of a kernel, and the least length of a bar. */
enum { BAR_START = 26, LEAST_BAR = 4 };

static void release(struct panel *panel)
{
    struct profile_panel *profile = (struct profile_panel *)panel;

    page_release(&profile->page);
    trajectory_view_release(&profile->trajectory);
}

static void add_timing(struct page *page, const struct timing *timing)
{
    char median[FORMAT_SIZE], low[FORMAT_SIZE], high[FORMAT_SIZE];

    page_add(page, ROLE_STRONG, "%s%s [%s, %s] n=%u", format_time(median, timing->time.median_us),
             steadiness_is_lost(timing->time.low_us, timing->time.high_us) ? UNSTEADY_MARK : "",
             format_time(low, timing->time.low_us), format_time(high, timing->time.high_us),
             timing->runs);
    page_add(page, ROLE_DIM, "p10 %s, p90 %s", format_time(low, timing->p10_us),
             format_time(high, timing->p90_us));
    if (timing->has_prepare)
        page_add(page, ROLE_DIM, "prepare %s, once per set of params",
                 format_time(median, timing->prepare_us));
}

/* Say that the times were measured beside other programs. */
static void add_load(struct page *page, const struct verdict *verdict, int columns)
{
    for (size_t i = 0; i < verdict->hazards.count; i++)
        if (strcmp(verdict->hazards.items[i].name, HAZARD_MEASURED_AT_LOAD) == 0)
            page_add_wrapped(page, ROLE_WARNING, verdict->hazards.items[i].evidence, columns);
}

static void add_bound(struct page *page, const struct bound *bound)
{
    char share[BOUND_SHARE_SIZE], flops[FORMAT_SIZE], bytes[FORMAT_SIZE];

    if (!bound->is_present)
        return;
    page_add(page, ROLE_TEXT, "%s (%s)", bound_share(bound, share), limiter_name(bound->limiter));
    page_add(page, ROLE_DIM, "%s, %s", format_amount(flops, bound->flops, "flop"),
             format_bytes(bytes, bound->bytes));
}

static void add_time(struct page *page, const struct view_model *view_model, int columns)
{
    const struct verdict *verdict = &view_model->shown.verdict;

    add_timing(page, &verdict->timing);
    add_bound(page, &verdict->bound);
    profile_counters_add_top_limit(page, verdict);
    time_chart_add(page, verdict, columns);
    add_load(page, verdict, columns);
}

/* The share of each kernel, if there are several. */
static void add_kernels(struct page *page, const struct view_model *view_model, int columns)
{
    const struct timing *timing = &view_model->shown.verdict.timing;
    const struct kernel_time *hottest = subject_hottest(&view_model->shown);
    int bar = columns > BAR_START ? columns - BAR_START : LEAST_BAR;
    double sum = 0;
    char time[FORMAT_SIZE];

    if (timing->per_kernel.count < 2)
        return;
    page_add_heading(page, "Kernels");
    for (size_t i = 0; i < timing->per_kernel.count; i++)
        sum += timing->per_kernel.items[i].median_us;
    for (size_t i = 0; i < timing->per_kernel.count; i++) {
        const struct kernel_time *kernel = &timing->per_kernel.items[i];
        double share = sum > 0 ? kernel->median_us / sum : 0;

        page_add_place(page, kernel == hottest ? ROLE_STRONG : ROLE_TEXT, "%-12.12s %8s %3.0f%%",
                       kernel->kernel, format_time(time, kernel->median_us), 100 * share);
        page_append_bar(page, (int)lround(bar * share));
    }
}

static void append_resources(struct strbuf *line, const struct kernel_resources *resources)
{
    const struct {
        int64_t value;
        const char *name;
        bool is_known, is_bytes;
    } parts[] = {
        {(int64_t)resources->max_group, "work-items in a group", resources->max_group > 0, false},
        {(int64_t)resources->preferred_multiple, "in lockstep", resources->preferred_multiple > 1,
         false},
        {resources->local_bytes, "local", resources->has_local, true},
        {resources->private_bytes, "private", resources->has_private, true},
        {resources->registers, "registers", resources->has_registers, false},
        {resources->spill_bytes, "spilled", resources->has_spills, true},
    };
    const char *separator = ": ";
    char number[FORMAT_SIZE];

    strbuf_adds(line, resources->kernel);
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!parts[i].is_known)
            continue;
        snprintf(number, sizeof(number), "%lld", (long long)parts[i].value);
        if (parts[i].is_bytes)
            format_bytes(number, (double)parts[i].value);
        strbuf_addf(line, "%s%s %s", separator, number, parts[i].name);
        separator = ", ";
    }
}

static void add_resources(struct page *page, const struct view_model *view_model, int columns)
{
    const struct resource_list *list = &view_model->shown.verdict.resources;
    struct strbuf line = {0};

    if (list->count)
        page_add_heading(page, "Resources");
    for (size_t i = 0; i < list->count; i++) {
        line.len = 0;
        append_resources(&line, &list->items[i]);
        page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&line), columns);
    }
    strbuf_release(&line);
}

static void add_metrics(struct page *page, const struct view_model *view_model, int columns)
{
    const struct subject *parent = &view_model->parent;
    struct strbuf heading = {0};

    (void)columns;
    strbuf_adds(&heading, "Metrics");
    if (parent->has_verdict)
        strbuf_addf(&heading, " against the parent, #%u", parent->attempt);
    page_add_heading(page, strbuf_cstr(&heading));
    candidate_metrics_add(page, &view_model->shown.verdict, &parent->verdict);
    strbuf_release(&heading);
}

/* The recommendation of the analyst for the attempt in view. */
static void add_advice(struct page *page, const struct view_model *view_model, int columns)
{
    const struct step *step = session_step(view_model->session, view_model->advised_by);
    char speedup[FORMAT_SIZE];

    if (!step)
        return;
    page_add_heading(page, "Advice");
    page_add_wrapped(page, ROLE_TEXT, step->change ? step->change : step->title, columns);
    if (step->gain > 0)
        page_add(page, ROLE_DIM, "promises %s, step %u", format_speedup(speedup, step->gain),
                 step->number);
}

/* The values that the judge tried for the tunable parameters of the plan, the fastest first. */
static void add_tuning(struct page *page, const struct view_model *view_model, int columns)
{
    const struct tuning *tuning = &view_model->shown.verdict.tuning;
    char time[FORMAT_SIZE];

    (void)columns;
    if (!tuning->is_present)
        return;
    page_add_heading(page, "Tuning");
    page_add(page, ROLE_TEXT, "%s, of %zu of %zu choices", tuning->chosen, tuning->tried.count,
             tuning->choices);
    for (size_t i = 0; i < tuning->tried.count; i++) {
        const struct tuned_choice *choice = &tuning->tried.items[i];

        page_add(page, choice->has_time ? ROLE_DIM : ROLE_BAD, "%10s  %s",
                 choice->has_time ? format_time(time, choice->median_us)
                                  : outcome_name(choice->outcome),
                 choice->values);
    }
}

/* The device, and how the time of the evaluation was spent. */
static void add_evaluation(struct page *page, const struct view_model *view_model, int columns)
{
    const struct verdict *verdict = &view_model->shown.verdict;
    const struct spent *spent = &verdict->spent;
    struct strbuf line = {0};

    if (!spent->is_present && !verdict->where.device)
        return;
    page_add_heading(page, "Evaluation");
    if (spent->is_present)
        page_add(page, ROLE_DIM, "%.2f s: compiler %.2f, kernels %.2f, data %.2f, oracle %.2f",
                 spent->total_ms / 1e3, spent->build_ms / 1e3, spent->kernels_ms / 1e3,
                 spent->data_ms / 1e3, spent->oracle_ms / 1e3);
    if (verdict->where.device) {
        strbuf_addf(&line, "on %s, %s", verdict->where.device,
                    verdict->where.driver ? verdict->where.driver : "");
        page_add_wrapped(page, ROLE_DIM, strbuf_cstr(&line), columns);
    }
    strbuf_release(&line);
}

/* The sections of the page. The engineer decides by the first ESSENTIAL_SECTIONS. */
static void (*const sections[])(struct page *page, const struct view_model *view_model,
                                int columns) = {
    add_time,   add_kernels, profile_counters_show, add_resources, add_metrics,
    add_advice, add_tuning,  add_evaluation,
};

enum { ESSENTIAL_SECTIONS = 3 };

static void add_sections(struct profile_panel *profile, const struct view_model *view_model,
                         int columns)
{
    for (size_t i = 0; i < COUNT(sections); i++) {
        sections[i](&profile->page, view_model, columns);
        if (i + 1 == ESSENTIAL_SECTIONS)
            profile->essentials = (int)profile->page.lines.count;
    }
}

/* The picture of a profiler's window, which another program draws. */
static void add_picture(struct page *page, const struct view_model *view_model)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    char key[KEYMAP_KEY_SIZE];

    if (attempt && attempt->picture[0])
        page_add(page, ROLE_TEXT, "picture %s (%s shows it)", attempt->picture_name,
                 keymap_key_of(view_model->keymap, COMMAND_PICTURE, key));
}

static void add_profile(struct profile_panel *profile, const struct view_model *view_model,
                        int columns)
{
    const struct driver_live *live = view_model->live;
    struct page *page = &profile->page;

    profile->essentials = 1;
    add_picture(page, view_model);
    if (view_model->shown.verdict.timing.is_present)
        add_sections(profile, view_model, columns);
    else if (live && live->progress.median_us > 0) /* not yet on the session's scale */
        page_add(page, ROLE_DIM, "%s: %u %s so far", live->progress.stage, live->progress.done,
                 live->progress.done == 1 ? "run" : "runs");
    else if (view_model->shown.has_verdict)
        page_add(page, ROLE_DIM, "Not timed: no correct kernel.");
    else
        page_add(page, ROLE_DIM, "No kernel has been timed yet.");
}

static bool has_plots_beside(const struct view_model *view_model, int columns)
{
    return columns >= BESIDE_COLUMNS &&
           (roofline_plot_is_known(view_model) || trajectory_view_is_known(view_model));
}

/*
 * Split off the place of a roofline from the lines below the essential sections; its width is 0 if
 * there is no room. The text gets half of the lines, or more if the plot still has GOOD_PLOT lines.
 */
static struct rect place_below(const struct profile_panel *profile,
                               const struct view_model *view_model, struct rect *text)
{
    int lines = (int)profile->page.lines.count, wanted = text->h - GOOD_PLOT;
    struct rect plot = *text;

    if (!roofline_plot_is_known(view_model) || text->h < profile->essentials + LEAST_PLOT)
        return (struct rect){0};
    wanted = lines < wanted ? lines : wanted;
    wanted = wanted > text->h / 2 ? wanted : text->h / 2;
    text->h = wanted > profile->essentials ? wanted : profile->essentials;
    plot.y = text->h;
    plot.h -= plot.y;
    return plot;
}

/* Draw the roofline, the trajectory, or one below the other. */
static void draw_plots(struct profile_panel *profile, const struct view_model *view_model,
                       struct area area)
{
    bool has_roofline = roofline_plot_is_known(view_model);
    int w = area.rect.w, h = area.rect.h, below = has_roofline ? h / 2 : 0;
    struct pen pen = area_pen(area, 0, below);

    if (has_roofline)
        roofline_plot_draw(view_model,
                           h < BOTH_LINES ? area : area_part(area, (struct rect){0, 0, w, below}));
    if (has_roofline && h < BOTH_LINES)
        return;
    pen_puts(&pen, ROLE_STRONG, "speed");
    pen_puts(&pen, ROLE_DIM, " over the first correct attempt");
    trajectory_view_draw_chart(&profile->trajectory, view_model,
                               area_part(area, (struct rect){0, below + 1, w, h - below - 1}));
}

static void profile_draw(struct panel *panel, const struct view_model *view_model, struct area area)
{
    struct profile_panel *profile = (struct profile_panel *)panel;
    struct rect text = {0, 0, area.rect.w, area.rect.h}, plots = text;
    bool is_beside = has_plots_beside(view_model, text.w);

    if (profile->is_trajectory) {
        trajectory_view_draw(&profile->trajectory, view_model, area);
        return;
    }
    if (is_beside)
        text.w = TEXT_COLUMNS;
    profile->trajectory.chart = (struct rect){0};
    page_begin(&profile->page, view_model->shown.attempt);
    add_profile(profile, view_model, text.w);
    if (is_beside)
        plots = (struct rect){text.w + 1, 0, plots.w - text.w - 1, plots.h};
    else
        plots = place_below(profile, view_model, &text);
    page_draw(&profile->page, area_part(area, text));
    if (plots.w)
        draw_plots(profile, view_model, area_part(area, plots));
}

static struct panel_body profile_body(struct panel *panel, const struct view_model *view_model)
{
    struct profile_panel *profile = (struct profile_panel *)panel;

    return profile->is_trajectory ? trajectory_view_body(&profile->trajectory, view_model)
                                  : (struct panel_body){.text = &profile->page.view};
}

static void profile_title(const struct panel *panel, const struct view_model *view_model,
                          struct strbuf *out)
{
    const struct profile_panel *profile = (const struct profile_panel *)panel;
    char key[KEYMAP_KEY_SIZE];

    if (profile->is_trajectory && profile->trajectory.by == TRAJECTORY_BY_TIME)
        strbuf_addf(out, " trajectory: speed by time (%s by attempt)",
                    keymap_key_of(view_model->keymap, COMMAND_AXIS, key));
    else if (profile->is_trajectory)
        strbuf_addf(out, " trajectory: speed by attempt (%s by time)",
                    keymap_key_of(view_model->keymap, COMMAND_AXIS, key));
}

static enum screen_command profile_title_command(const struct panel *panel,
                                                 const struct view_model *view_model)
{
    (void)view_model;
    return ((const struct profile_panel *)panel)->is_trajectory ? COMMAND_AXIS : COMMAND_NONE;
}

static struct panel_answer profile_select(struct panel *panel)
{
    const struct profile_panel *profile = (const struct profile_panel *)panel;

    if (!profile->is_trajectory)
        return (struct panel_answer){0};
    return (struct panel_answer){PANEL_LOOK_AT_ATTEMPT,
                                 (unsigned)profile->trajectory.list.selected + 1};
}

/* A press on the chart, in the page or alone, goes to the nearest attempt. */
static struct panel_answer profile_press(struct panel *panel, int x, int y)
{
    struct profile_panel *profile = (struct profile_panel *)panel;
    unsigned attempt = trajectory_view_attempt_at(&profile->trajectory, x, y);

    return attempt ? (struct panel_answer){PANEL_LOOK_AT_ATTEMPT, attempt}
                   : (struct panel_answer){0};
}

static void turn_axis(struct profile_panel *profile)
{
    profile->trajectory.by =
        profile->trajectory.by == TRAJECTORY_BY_TIME ? TRAJECTORY_BY_ATTEMPT : TRAJECTORY_BY_TIME;
}

/* The commands of the trajectory: left and right move the cursor, Enter shows the kernel. */
static bool trajectory_command(struct profile_panel *profile, const struct view_model *view_model,
                               enum screen_command command, struct panel_answer *answer)
{
    enum screen_command move = command == COMMAND_LEFT    ? COMMAND_UP
                               : command == COMMAND_RIGHT ? COMMAND_DOWN
                                                          : COMMAND_NONE;

    if (command == COMMAND_OPEN)
        *answer = (struct panel_answer){PANEL_FOCUS, PANE_KERNEL};
    else if (!widget_list_move(&profile->trajectory.list, move,
                               view_model->session->attempts.count))
        return false;
    else
        *answer = profile_select(&profile->panel);
    return true;
}

static bool profile_command(struct panel *panel, const struct view_model *view_model,
                            const struct call *call, struct panel_answer *answer)
{
    struct profile_panel *profile = (struct profile_panel *)panel;
    size_t line = subject_hottest_line(&view_model->shown);

    if (call->row->command == COMMAND_TRAJECTORY)
        profile->is_trajectory = !profile->is_trajectory;
    else if (call->row->command == COMMAND_AXIS)
        turn_axis(profile);
    else if (profile->is_trajectory)
        return trajectory_command(profile, view_model, call->row->command, answer);
    else if (call->row->command != COMMAND_HOTTEST && call->row->command != COMMAND_OPEN)
        return false;
    else if (line)
        *answer = (struct panel_answer){PANEL_GO_TO_LINE, (unsigned)line};
    return true;
}

const struct panel_ops panel_profile = {
    .size = sizeof(struct profile_panel),
    .release = release,
    .draw = profile_draw,
    .body = profile_body,
    .command = profile_command,
    .select = profile_select,
    .press = profile_press,
    .title = profile_title,
    .title_command = profile_title_command,
};
