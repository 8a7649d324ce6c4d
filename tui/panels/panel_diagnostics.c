#include "tui/panels/panel.h"

#include <string.h>

#include "tui/widgets/page.h"

/* Pane 4: the messages of the compiler, and below them the findings of a sanitizer. */

/*
 * LIST_TOP: the list begins below the summary. PLACE_COLUMNS: the columns of a row before its
 * message. LEAST_ROWS: rows that the list keeps when a message is shown in full below it.
 */
enum { LIST_TOP = 1, PLACE_COLUMNS = 9, LEAST_ROWS = 2 };

struct diagnostics {
    struct panel panel;
    struct widget_list list;
    struct page message;             /* the selected message in full */
    char verdict_id[OBJECT_ID_SIZE]; /* id of the verdict whose messages were drawn last */
};

static void diagnostics_release(struct panel *panel)
{
    struct diagnostics *diagnostics = (struct diagnostics *)panel;

    widget_list_release(&diagnostics->list);
    page_release(&diagnostics->message);
}

static void put_diagnostic(const struct diagnostic *diagnostic, struct pen *pen)
{
    static const struct {
        const char *mark;
        enum role role;
    } looks[] = {
        [SEVERITY_ERROR] = {"E", ROLE_BAD},
        [SEVERITY_WARNING] = {"W", ROLE_WARNING},
        [SEVERITY_NOTE] = {"n", ROLE_DIM},
    };

    pen_putf(pen, looks[diagnostic->severity].role, "%s ", looks[diagnostic->severity].mark);
    if (diagnostic->line)
        pen_putf(pen, ROLE_LINE_NUMBER, "%u:%u ", diagnostic->line, diagnostic->column);
    pen_puts(pen, ROLE_TEXT, diagnostic->text);
}

static void put_finding(const struct access_error *found, struct pen *pen)
{
    pen_puts(pen, ROLE_BAD, "S ");
    if (found->line)
        pen_putf(pen, ROLE_LINE_NUMBER, "%u ", found->line);
    pen_puts(pen, ROLE_TEXT, found->kind);
    if (found->kernel)
        pen_putf(pen, ROLE_TEXT, " in %s", found->kernel);
    if (found->count > 1)
        pen_putf(pen, ROLE_DIM, ", %u times", found->count);
    if (found->address)
        pen_putf(pen, ROLE_DIM, ": %s", found->address);
}

/* The sanitizer run that the engineer asked for on the candidate in view, or NULL. */
static const struct candidate_query *query_of(const struct view_model *view_model)
{
    bool is_it = candidate_query_is_of(&view_model->query, CANDIDATE_QUERY_SANITIZING, NULL,
                                       view_model->shown.candidate_id);

    return is_it ? &view_model->query : NULL;
}

/* The findings of the sanitizer run that the engineer asked for, else those of the verdict. */
static const struct sanitizing *findings_of(const struct view_model *view_model)
{
    return query_of(view_model) ? &view_model->query.findings
                                : &view_model->shown.verdict.sanitizing;
}

/* The row above the findings: the tool and the result of its run. */
static void put_tool_row(const struct view_model *view_model, struct pen *pen)
{
    const struct candidate_query *asked = query_of(view_model);
    const struct sanitizing *findings = findings_of(view_model);
    const char *why = asked && *asked->trouble ? asked->trouble : findings->missing;

    pen_putf(pen, ROLE_STRONG, "%s: ", asked ? asked->what : findings->tool);
    if (asked && asked->is_under_way)
        pen_putf(pen, ROLE_WAITING, "running: %s ...", *asked->stage ? asked->stage : "starting");
    else if (why)
        pen_puts(pen, ROLE_BAD, why);
    else if (findings->errors.count)
        pen_putf(pen, ROLE_BAD, "%zu place%s with errors", findings->errors.count,
                 findings->errors.count == 1 ? "" : "s");
    else
        pen_puts(pen, ROLE_GOOD, "no error");
}

static void put_row(const void *data, size_t row, struct pen *pen)
{
    const struct view_model *view_model = data;
    const struct build_report *build = &view_model->shown.verdict.build;

    if (row < build->diagnostics.count)
        put_diagnostic(&build->diagnostics.items[row], pen);
    else if (row == build->diagnostics.count)
        put_tool_row(view_model, pen);
    else
        put_finding(&findings_of(view_model)->errors.items[row - build->diagnostics.count - 1],
                    pen);
}

static size_t count_rows(const struct view_model *view_model)
{
    const struct sanitizing *findings = findings_of(view_model);
    bool has_tool_row = findings->is_present || query_of(view_model);

    return view_model->shown.verdict.build.diagnostics.count +
           (has_tool_row ? 1 + findings->errors.count : 0);
}

/* The line of the kernel that a row names; 0 if there is none. */
static unsigned line_of_row(const struct view_model *view_model, size_t row)
{
    const struct build_report *build = &view_model->shown.verdict.build;

    if (row < build->diagnostics.count)
        return build->diagnostics.items[row].line;
    if (row == build->diagnostics.count || row >= count_rows(view_model))
        return 0;
    return findings_of(view_model)->errors.items[row - build->diagnostics.count - 1].line;
}

static unsigned count_of(const struct build_report *build, enum severity severity)
{
    unsigned count = 0;

    for (size_t i = 0; i < build->diagnostics.count; i++)
        count += build->diagnostics.items[i].severity == severity;
    return count;
}

static void put_summary(const struct view_model *view_model, struct pen *pen)
{
    const struct verdict *verdict = &view_model->shown.verdict;
    const struct build_report *build = &verdict->build;
    unsigned errors = count_of(build, SEVERITY_ERROR);
    bool is_good = verdict->outcome != OUTCOME_BUILD_FAILED;

    if (!view_model->shown.has_verdict) {
        pen_puts(pen, ROLE_DIM,
                 panel_awaits_verdict(view_model) ? "The compiler's messages come with the verdict."
                                                  : "No kernel has been built yet.");
        return;
    }
    if (!build->is_present) {
        pen_puts(pen, ROLE_BAD, verdict->detail ? verdict->detail : outcome_name(verdict->outcome));
        return;
    }
    pen_puts(pen, is_good ? ROLE_GOOD : ROLE_BAD, is_good ? "ok " : "xx ");
    pen_putf(pen, ROLE_TEXT, "build %.2f s, %u error%s, %u warning%s", build->ms / 1e3, errors,
             errors == 1 ? "" : "s", count_of(build, SEVERITY_WARNING),
             count_of(build, SEVERITY_WARNING) == 1 ? "" : "s");
}

static struct panel_body diagnostics_body(struct panel *panel, const struct view_model *view_model)
{
    return (struct panel_body){
        .list = &((struct diagnostics *)panel)->list,
        .rows = {.count = count_rows(view_model), .put = put_row, .data = view_model},
        .top = LIST_TOP};
}

/* Show the selected message in full below the list if its row is cut; return the lines taken. */
static int draw_selected(struct diagnostics *diagnostics, const struct view_model *view_model,
                         struct area area)
{
    const struct build_report *build = &view_model->shown.verdict.build;
    size_t row = diagnostics->list.selected;
    const char *text = row < build->diagnostics.count ? build->diagnostics.items[row].text : "";
    int lines, most = area.rect.h - LIST_TOP - LEAST_ROWS;

    page_clear(&diagnostics->message);
    page_add_wrapped(&diagnostics->message, ROLE_TEXT, text, area.rect.w);
    lines = (int)diagnostics->message.lines.count;
    if (canvas_text_columns(text, strlen(text)) + PLACE_COLUMNS <= area.rect.w || most < 1)
        return 0;
    lines = lines < most ? lines : most;
    page_draw(&diagnostics->message,
              area_part(area, (struct rect){0, area.rect.h - lines, area.rect.w, lines}));
    return lines;
}

/* Select the first error of a verdict that comes into view. */
static void select_error(struct diagnostics *diagnostics, const struct subject *shown)
{
    const struct build_report *build = &shown->verdict.build;
    size_t row = 0;

    if (strcmp(diagnostics->verdict_id, shown->verdict_id) == 0)
        return;
    memcpy(diagnostics->verdict_id, shown->verdict_id, OBJECT_ID_SIZE);
    while (row < build->diagnostics.count &&
           build->diagnostics.items[row].severity != SEVERITY_ERROR)
        row++;
    diagnostics->list.selected = row < build->diagnostics.count ? row : 0;
}

static void diagnostics_draw(struct panel *panel, const struct view_model *view_model,
                             struct area area)
{
    struct panel_body body = diagnostics_body(panel, view_model);
    struct pen pen = area_pen(area, 0, 0);
    int below;

    select_error((struct diagnostics *)panel, &view_model->shown);
    below = draw_selected((struct diagnostics *)panel, view_model, area);

    put_summary(view_model, &pen);
    widget_list_draw(
        body.list, &body.rows,
        area_part(area, (struct rect){0, LIST_TOP, area.rect.w, area.rect.h - LIST_TOP - below}));
}

static bool diagnostics_command(struct panel *panel, const struct view_model *view_model,
                                const struct call *call, struct panel_answer *answer)
{
    unsigned line = line_of_row(view_model, ((const struct diagnostics *)panel)->list.selected);

    if (call->row->command != COMMAND_OPEN)
        return false;
    if (line)
        *answer = (struct panel_answer){PANEL_GO_TO_LINE, line};
    return true;
}

const struct panel_ops panel_diagnostics = {
    .size = sizeof(struct diagnostics),
    .release = diagnostics_release,
    .draw = diagnostics_draw,
    .body = diagnostics_body,
    .command = diagnostics_command,
};
