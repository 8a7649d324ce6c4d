#include "tui/panel.h"

#include <string.h>

#include "core/base/vec.h"
#include "tui/diff.h"
#include "tui/widget_text.h"

/* Pane 3: the kernel of the attempt in view, as it is or beside another. */

enum view { VIEW_SOURCE, VIEW_PARENT, VIEW_BEST, VIEW_COUNT };

/* Lines shown around a change. */
enum { CONTEXT_LINES = 3 };

struct kernel {
    struct panel panel;
    enum view view;
    struct widget_text text;

    /* What the lines were made from: they are made again when it changes. */
    enum view made_view;
    unsigned made_attempt, made_generation;
};

static struct panel *kernel_open(void)
{
    struct kernel *kernel = mem_alloc_zeroed(1, sizeof(*kernel));

    kernel->panel.ops = &panel_kernel;
    kernel->text.has_marks = true;
    kernel->view = VIEW_BEST;
    return &kernel->panel;
}

static void kernel_close(struct panel *panel)
{
    struct kernel *kernel = (struct kernel *)panel;

    widget_text_release(&kernel->text);
    free(kernel);
}

/* What a view compares with; NULL where there is nothing to compare with. */
static const struct subject *base_of(const struct scene *scene, enum view view)
{
    const struct subject *base = view == VIEW_PARENT ? &scene->parent : &scene->best;

    if (view == VIEW_SOURCE || !base->attempt || base->attempt == scene->shown.attempt)
        return NULL;
    return base;
}

static void kernel_title(const struct panel *panel, const struct scene *scene, struct strbuf *out)
{
    static const char *const against[] = {
        [VIEW_SOURCE] = "", [VIEW_PARENT] = "its parent", [VIEW_BEST] = "the best"};
    const struct kernel *kernel = (const struct kernel *)panel;
    const struct subject *base = base_of(scene, kernel->view);

    if (scene->shown.attempt)
        strbuf_addf(out, " #%u", scene->shown.attempt);
    if (base)
        strbuf_addf(out, " [against %s, #%u]", against[kernel->view], base->attempt);
}

/* One of the compiler's messages in the margin. */
static void flag_line(struct widget_text *text, const struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < text->lines.count; i++) {
        struct text_line *line = &text->lines.items[i];

        if (line->number == diagnostic->line && line->number && line->mark != '-')
            line->flag = diagnostic->severity == SEVERITY_ERROR ? 'E' : 'W';
    }
}

static void flag_diagnostics(struct widget_text *text, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->build.diagnostics.count; i++)
        flag_line(text, &verdict->build.diagnostics.items[i]);
}

static void make_source(struct widget_text *text, const struct subject *shown)
{
    const char *source = subject_source(shown);

    widget_text_add_code(text, source, strlen(source));
}

static bool is_near_change(const struct diff *diff, size_t at)
{
    size_t first = at > CONTEXT_LINES ? at - CONTEXT_LINES : 0;

    for (size_t i = first; i < diff->count && i <= at + CONTEXT_LINES; i++)
        if (diff->items[i].side != DIFF_BOTH)
            return true;
    return false;
}

static void add_diff_line(struct widget_text *text, const struct diff_line *line,
                          enum code_state state)
{
    static const struct {
        char mark;
        enum role ground;
    } looks[] = {
        [DIFF_BOTH] = {0, ROLE_TEXT},
        [DIFF_OLD] = {'-', ROLE_REMOVED},
        [DIFF_NEW] = {'+', ROLE_ADDED},
    };
    struct text_line shown = {.text = line->text,
                              .len = line->len,
                              .number = line->number,
                              .mark = looks[line->side].mark,
                              .ground = looks[line->side].ground,
                              .is_code = true,
                              .state = state};

    vec_push(&text->lines, shown);
}

static void add_gap(struct widget_text *text)
{
    static const char gap[] = "...";

    vec_push(&text->lines,
             ((struct text_line){.text = gap, .len = strlen(gap), .role = ROLE_HUNK}));
}

/* Old and new lines are lexed each in the course of its own text. */
static void make_diff(struct widget_text *text, const struct subject *base,
                      const struct subject *shown)
{
    enum code_state states[3] = {CODE_PLAIN, CODE_PLAIN, CODE_PLAIN};
    struct diff diff = {0};
    bool is_in_gap = false;

    diff_lines(subject_source(base), subject_source(shown), &diff);
    for (size_t i = 0; i < diff.count; i++) {
        const struct diff_line *line = &diff.items[i];
        enum diff_side course = line->side == DIFF_OLD ? DIFF_OLD : DIFF_NEW;
        bool is_shown = is_near_change(&diff, i);

        if (is_shown)
            add_diff_line(text, line, states[course]);
        else if (!is_in_gap)
            add_gap(text);
        is_in_gap = !is_shown;
        states[course] = code_next_line(states[course], line->text, line->len);
        if (line->side == DIFF_BOTH)
            states[DIFF_OLD] = states[DIFF_NEW];
    }
    diff_release(&diff);
}

static void make_lines(struct kernel *kernel, const struct scene *scene)
{
    const struct subject *base = base_of(scene, kernel->view);
    bool is_same_text =
        kernel->made_view == kernel->view && kernel->made_attempt == scene->shown.attempt;

    if (is_same_text && kernel->made_generation == scene->generation)
        return;
    if (!is_same_text)
        kernel->text.top = 0;
    kernel->made_view = kernel->view;
    kernel->made_attempt = scene->shown.attempt;
    kernel->made_generation = scene->generation;
    widget_text_clear(&kernel->text);
    if (base)
        make_diff(&kernel->text, base, &scene->shown);
    else
        make_source(&kernel->text, &scene->shown);
    flag_diagnostics(&kernel->text, &scene->shown.verdict);
}

static void kernel_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct kernel *kernel = (struct kernel *)panel;
    struct pen pen = area_pen(area, 0, 0);

    make_lines(kernel, scene);
    if (scene->shown.problem[0])
        pen_puts(&pen, ROLE_BAD, scene->shown.problem);
    else if (!scene->shown.attempt)
        pen_puts(&pen, ROLE_DIM, "No kernel yet.");
    else
        widget_text_draw(&kernel->text, area);
}

/* The next view that has something to compare with. */
static void turn_view(struct kernel *kernel, const struct scene *scene)
{
    do
        kernel->view = (kernel->view + 1) % VIEW_COUNT;
    while (kernel->view != VIEW_SOURCE && !base_of(scene, kernel->view));
}

static struct panel_body kernel_body(struct panel *panel, const struct scene *scene)
{
    (void)scene;
    return (struct panel_body){.text = &((struct kernel *)panel)->text};
}

static bool kernel_command(struct panel *panel, const struct scene *scene,
                           enum screen_command command, struct panel_answer *answer)
{
    (void)answer;
    if (command != COMMAND_DIFF)
        return false;
    turn_view((struct kernel *)panel, scene);
    return true;
}

static void kernel_copy(const struct scene *scene, struct strbuf *out)
{
    strbuf_adds(out, subject_source(&scene->shown));
}

static void kernel_go_to_line(struct panel *panel, size_t line)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->view = kernel->made_view = VIEW_SOURCE;
    kernel->made_generation = 0; /* the lines are made again, and the place stays */
    kernel->text.top = line > CONTEXT_LINES ? line - 1 - CONTEXT_LINES : 0;
}

const struct panel_ops panel_kernel = {
    .open = kernel_open,
    .close = kernel_close,
    .draw = kernel_draw,
    .body = kernel_body,
    .command = kernel_command,
    .title = kernel_title,
    .go_to_line = kernel_go_to_line,
    .copy = kernel_copy,
};
