#include "tui/panel.h"

#include "core/base/mem.h"

/* Pane 4: what the compiler says. */

/* The line of the pane where the list begins, below the summary. */
enum { LIST_TOP = 1 };

struct diagnostics {
    struct panel panel;
    struct widget_list list;
};

static struct panel *diagnostics_open(void)
{
    struct diagnostics *diagnostics = mem_alloc_zeroed(1, sizeof(*diagnostics));

    diagnostics->panel.ops = &panel_diagnostics;
    return &diagnostics->panel;
}

static void diagnostics_close(struct panel *panel)
{
    struct diagnostics *diagnostics = (struct diagnostics *)panel;

    widget_list_release(&diagnostics->list);
    free(diagnostics);
}

static void put_diagnostic(const void *data, size_t row, struct pen *pen)
{
    static const struct {
        const char *mark;
        enum role role;
    } looks[] = {
        [SEVERITY_ERROR] = {"E", ROLE_BAD},
        [SEVERITY_WARNING] = {"W", ROLE_WARNING},
        [SEVERITY_NOTE] = {"n", ROLE_DIM},
    };
    const struct build_report *build = data;
    const struct diagnostic *diagnostic = &build->diagnostics.items[row];

    pen_putf(pen, looks[diagnostic->severity].role, "%s ", looks[diagnostic->severity].mark);
    if (diagnostic->line)
        pen_putf(pen, ROLE_LINE_NUMBER, "%u:%u ", diagnostic->line, diagnostic->column);
    pen_puts(pen, ROLE_TEXT, diagnostic->text);
}

static unsigned count_of(const struct build_report *build, enum severity severity)
{
    unsigned count = 0;

    for (size_t i = 0; i < build->diagnostics.count; i++)
        count += build->diagnostics.items[i].severity == severity;
    return count;
}

static void put_summary(const struct scene *scene, struct pen *pen)
{
    const struct verdict *verdict = &scene->shown.verdict;
    const struct build_report *build = &verdict->build;
    unsigned errors = count_of(build, SEVERITY_ERROR);
    bool is_good = verdict->outcome != OUTCOME_BUILD_FAILED;

    if (!scene->shown.has_verdict) {
        pen_puts(pen, ROLE_DIM, "Nothing yet: the compiler speaks first when a kernel is built.");
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

static struct panel_body diagnostics_body(struct panel *panel, const struct scene *scene)
{
    const struct build_report *build = &scene->shown.verdict.build;

    return (struct panel_body){
        .list = &((struct diagnostics *)panel)->list,
        .rows = {.count = build->diagnostics.count, .put = put_diagnostic, .data = build}};
}

static void diagnostics_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct panel_body body = diagnostics_body(panel, scene);
    struct pen pen = area_pen(area, 0, 0);

    put_summary(scene, &pen);
    widget_list_draw(body.list, &body.rows,
                     area_part(area, (struct rect){0, LIST_TOP, area.rect.w, area.rect.h}));
}

static bool diagnostics_command(struct panel *panel, const struct scene *scene,
                                const struct call *call, struct panel_answer *answer)
{
    const struct build_report *build = &scene->shown.verdict.build;
    size_t selected = ((const struct diagnostics *)panel)->list.selected;

    if (call->row->command != COMMAND_OPEN)
        return false;
    if (selected < build->diagnostics.count)
        *answer = (struct panel_answer){PANEL_GO_TO_LINE, build->diagnostics.items[selected].line};
    return true;
}

const struct panel_ops panel_diagnostics = {
    .open = diagnostics_open,
    .close = diagnostics_close,
    .draw = diagnostics_draw,
    .body = diagnostics_body,
    .command = diagnostics_command,
    .list_top = LIST_TOP,
};
