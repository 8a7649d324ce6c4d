#include "tui/panel.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "tui/compare.h"

/* Pane 3: the kernel of the attempt in view, as it is or beside another. */

enum base { BASE_BEST, BASE_PARENT, BASE_CHOSEN, BASE_COUNT };

/* Lines shown above the one that was gone to. */
enum { LINES_ABOVE = 3 };

/* Columns from which on two columns of code can be read. */
enum { SPLIT_COLUMNS = 100, SEPARATOR_COLUMNS = 1 };

/* How many lines are shown around a change, by the `{` and `}` keys. */
static const size_t contexts[] = {0, 1, 3, 8, COMPARE_ALL};

enum { USUAL_CONTEXT = 2, CONTEXT_COUNT = 5 };

/* What is shown: the lines are made again when it changes. */
struct look {
    bool is_diff, is_split;
    enum base base;
    size_t context; /* in `contexts` */
    unsigned attempt;
};

struct kernel {
    struct panel panel;
    struct look look;
    struct widget_text text;     /* the kernel, or the difference, or its new side */
    struct widget_text old_side; /* where it is side by side */
    bool is_side_by_side;        /* as it was drawn last */

    struct look made; /* what the lines were made for, and from which texts */
    unsigned made_generation;
};

static struct panel *kernel_open(void)
{
    struct kernel *kernel = mem_alloc_zeroed(1, sizeof(*kernel));

    kernel->panel.ops = &panel_kernel;
    kernel->text.has_marks = kernel->old_side.has_marks = true;
    kernel->look = (struct look){.is_diff = true, .is_split = true, .context = USUAL_CONTEXT};
    return &kernel->panel;
}

static void kernel_close(struct panel *panel)
{
    struct kernel *kernel = (struct kernel *)panel;

    widget_text_release(&kernel->text);
    widget_text_release(&kernel->old_side);
    free(kernel);
}

static const struct subject *subject_of(const struct scene *scene, enum base base)
{
    const struct subject *const subjects[] = {
        [BASE_BEST] = &scene->best,
        [BASE_PARENT] = &scene->parent,
        [BASE_CHOSEN] = &scene->chosen,
    };

    return subjects[base];
}

static bool is_comparable(const struct scene *scene, enum base base)
{
    const struct subject *subject = subject_of(scene, base);

    return subject->attempt && subject->attempt != scene->shown.attempt;
}

/* What is compared with; NULL where there is nothing. */
static const struct subject *base_of(const struct scene *scene, const struct look *look)
{
    return look->is_diff && is_comparable(scene, look->base) ? subject_of(scene, look->base) : NULL;
}

static bool is_same_source(const struct subject *a, const struct subject *b)
{
    return strcmp(subject_source(a), subject_source(b)) == 0;
}

static void kernel_title(const struct panel *panel, const struct scene *scene, struct strbuf *out)
{
    static const char *const against[] = {
        [BASE_BEST] = "the best, ", [BASE_PARENT] = "its parent, ", [BASE_CHOSEN] = ""};
    const struct kernel *kernel = (const struct kernel *)panel;
    const struct subject *base = base_of(scene, &kernel->look);

    if (scene->shown.attempt)
        strbuf_addf(out, " #%u", scene->shown.attempt);
    if (base)
        strbuf_addf(out, " [%s %s#%u]", is_same_source(base, &scene->shown) ? "same as" : "against",
                    against[kernel->look.base], base->attempt);
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

static void make_source(struct widget_text *text, const struct scene *scene)
{
    const char *source = subject_source(&scene->shown);

    widget_text_add_code(text, code_language(scene->session->language), source, strlen(source));
}

static bool is_same_look(const struct look *a, const struct look *b)
{
    return a->is_diff == b->is_diff && a->is_split == b->is_split && a->base == b->base &&
           a->context == b->context && a->attempt == b->attempt;
}

static void make_diff(struct kernel *kernel, const struct subject *base, const struct scene *scene)
{
    const struct compare compare = {.old_text = subject_source(base),
                                    .new_text = subject_source(&scene->shown),
                                    .code = code_language(scene->session->language),
                                    .context = contexts[kernel->made.context]};

    if (kernel->made.is_split)
        compare_split(&compare, &kernel->old_side, &kernel->text);
    else
        compare_unified(&compare, &kernel->text);
}

/* Make the lines for a look, unless they are there. */
static void make_lines(struct kernel *kernel, const struct scene *scene, const struct look *look)
{
    const struct subject *base = base_of(scene, look);
    bool is_same_text = is_same_look(look, &kernel->made);

    if (is_same_text && kernel->made_generation == scene->generation)
        return;
    if (kernel->made.attempt != look->attempt)
        kernel->text.top = 0;
    kernel->made = *look;
    kernel->made_generation = scene->generation;
    widget_text_clear(&kernel->text);
    widget_text_clear(&kernel->old_side);
    if (base && !is_same_source(base, &scene->shown))
        make_diff(kernel, base, scene);
    else
        make_source(&kernel->text, scene);
    flag_diagnostics(&kernel->text, &scene->shown.verdict);
}

/* The filter is for the new side, so that the sides would not match: it takes one column. */
static void draw_lines(struct kernel *kernel, struct area area)
{
    int half = (area.rect.w - SEPARATOR_COLUMNS) / 2, start = half + SEPARATOR_COLUMNS;

    if (!kernel->is_side_by_side) {
        widget_text_draw(&kernel->text, area);
        return;
    }
    widget_text_draw(&kernel->text,
                     area_part(area, (struct rect){start, 0, area.rect.w - start, area.rect.h}));
    kernel->old_side.top = kernel->text.top;
    kernel->old_side.left = kernel->text.left;
    widget_text_draw(&kernel->old_side, area_part(area, (struct rect){0, 0, half, area.rect.h}));
}

static void kernel_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct kernel *kernel = (struct kernel *)panel;
    struct pen pen = area_pen(area, 0, 0);
    struct look look = kernel->look;

    kernel->is_side_by_side = look.is_split && base_of(scene, &look) &&
                              !is_same_source(base_of(scene, &look), &scene->shown) &&
                              area.rect.w >= SPLIT_COLUMNS && !kernel->text.filter.len;
    look.is_split = kernel->is_side_by_side;
    look.attempt = scene->shown.attempt;
    make_lines(kernel, scene, &look);
    if (scene->shown.problem[0])
        pen_puts(&pen, ROLE_BAD, scene->shown.problem);
    else if (!scene->shown.attempt)
        pen_puts(&pen, ROLE_DIM, "No kernel yet.");
    else
        draw_lines(kernel, area);
}

/* The next base that there is something to compare with. */
static void turn_base(struct kernel *kernel, const struct scene *scene)
{
    for (enum base i = 0; i < BASE_COUNT; i++) {
        kernel->look.base = (kernel->look.base + 1) % BASE_COUNT;
        if (is_comparable(scene, kernel->look.base))
            return;
    }
}

static void set_base(struct kernel *kernel, const struct scene *scene, const char *argument,
                     struct panel_answer *answer)
{
    kernel->look.is_diff = true;
    if (!*argument) {
        turn_base(kernel, scene);
        return;
    }
    kernel->look.base = BASE_CHOSEN;
    *answer = (struct panel_answer){PANEL_COMPARE_WITH, (unsigned)strtoul(argument, NULL, 10)};
}

static void turn_context(struct kernel *kernel, int by)
{
    size_t context = kernel->look.context + (size_t)by;

    if (context < CONTEXT_COUNT)
        kernel->look.context = context;
}

/* Whether a line is changed, or has a message of the compiler. */
static bool is_place(const struct widget_text *text, size_t line)
{
    return text->lines.items[line].mark || text->lines.items[line].flag;
}

/* Go to where the next run of such lines begins, or the one before. */
static void go_to_place(struct widget_text *text, int by)
{
    size_t count = text->lines.count, line = text->found < count ? text->found : 0;

    for (line += (size_t)by; line < count; line += (size_t)by) {
        if (!is_place(text, line) || (line > 0 && is_place(text, line - 1)))
            continue;
        text->found = line;
        widget_text_show_line(text, line);
        return;
    }
}

static struct panel_body kernel_body(struct panel *panel, const struct scene *scene)
{
    (void)scene;
    return (struct panel_body){.text = &((struct kernel *)panel)->text};
}

static bool kernel_command(struct panel *panel, const struct scene *scene, const struct call *call,
                           struct panel_answer *answer)
{
    struct kernel *kernel = (struct kernel *)panel;

    switch ((int)call->row->command) {
    case COMMAND_DIFF:
        kernel->look.is_diff = !kernel->look.is_diff;
        break;
    case COMMAND_SPLIT:
        kernel->look.is_split = !kernel->look.is_split;
        break;
    case COMMAND_BASE:
        set_base(kernel, scene, call->argument, answer);
        break;
    case COMMAND_LESS_CONTEXT:
        turn_context(kernel, -1);
        break;
    case COMMAND_MORE_CONTEXT:
        turn_context(kernel, 1);
        break;
    case COMMAND_NEXT_PLACE:
        go_to_place(&kernel->text, 1);
        break;
    case COMMAND_PREVIOUS_PLACE:
        go_to_place(&kernel->text, -1);
        break;
    default:
        return false;
    }
    return true;
}

static void kernel_copy(const struct scene *scene, struct strbuf *out)
{
    strbuf_adds(out, subject_source(&scene->shown));
}

static void kernel_go_to_line(struct panel *panel, size_t line)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->look.is_diff = false;
    kernel->text.top = line > LINES_ABOVE ? line - 1 - LINES_ABOVE : 0;
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
