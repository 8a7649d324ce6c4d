#include "tui/panels/panel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/language.h"
#include "tui/panels/kernel_flags.h"
#include "tui/panels/kernel_subject.h"
#include "tui/panels/reference_title.h"
#include "tui/panels/source_diff.h"

/*
 * Pane 3: the kernel or the plan of the attempt in view, alone or as a difference from another
 * attempt; or the kernel's listing; or the reference, the implementation for another platform that
 * the agent ports.
 */

/* A pane of at least SPLIT_COLUMNS can show a difference side by side. */
enum { SPLIT_COLUMNS = 100, SEPARATOR_COLUMNS = 1 };

/* The numbers of unchanged lines around a change; the keys `{` and `}` choose among them. */
static const size_t contexts[] = {0, 1, 3, 8, SOURCE_DIFF_ALL};

enum { USUAL_CONTEXT = 2, CONTEXT_COUNT = 5 };

/* The engineer's choices for the display. When they change, the lines are made again. */
struct look {
    enum part part;
    bool is_diff, is_split, is_wrapped;
    enum base base;
    size_t context; /* an index into `contexts` */
    unsigned attempt;
    int columns; /* width of the pane if lines are wrapped, else 0 */
};

struct kernel {
    struct panel panel;
    struct look look;
    struct widget_text text;     /* the source, the difference, or its new side */
    struct widget_text old_side; /* the old side of a difference side by side */
    bool is_side_by_side;        /* how the pane was drawn last */
    /* the engineer pressed `s`: a line says why there is only one column */
    bool has_asked_for_sides;
    int drawn_columns; /* width of the pane when it was drawn last */
    size_t goal; /* the line of the kernel to scroll to at the next drawing; 0 if there is none */
    char trouble[80]; /* the reason why the last command did nothing; empty: none */

    /* the look from which the lines were made; the generation of texts is below */
    struct look made;
    unsigned made_generation, made_changes;
};

static void kernel_open(struct panel *panel)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->text.has_marks = kernel->old_side.has_marks = true;
    kernel->old_side.is_led = true;
    kernel->look = (struct look){.is_diff = true, .is_split = true, .context = USUAL_CONTEXT};
}

static void kernel_release(struct panel *panel)
{
    struct kernel *kernel = (struct kernel *)panel;

    widget_text_release(&kernel->text);
    widget_text_release(&kernel->old_side);
}

/* The attempt to compare with; NULL: show no difference. */
static const struct subject *base_of(const struct view_model *view_model, const struct look *look)
{
    bool is_diff = look->is_diff && look->part < PART_REFERENCE;

    return is_diff && kernel_base_is_comparable(view_model, look->base)
               ? kernel_base(view_model, look->base)
               : NULL;
}

static void kernel_title(const struct panel *panel, const struct view_model *view_model,
                         struct strbuf *out)
{
    static const char *const against[] = {
        [BASE_BEST] = "the best, ", [BASE_PARENT] = "its parent, ", [BASE_CHOSEN] = ""};
    const struct kernel *kernel = (const struct kernel *)panel;
    const struct subject *base = base_of(view_model, &kernel->look);

    if (view_model->shown.attempt)
        strbuf_addf(out, " #%u", view_model->shown.attempt);
    if (kernel->look.part == PART_PLAN)
        strbuf_adds(out, " plan");
    if (kernel->look.part >= PART_LISTINGS)
        strbuf_addf(out, " %s", kernel_listing_form(kernel->look.part));
    if (kernel->look.part == PART_REFERENCE)
        reference_title_add(view_model->session, out);
    if (base)
        strbuf_addf(out, " [%s %s#%u]",
                    kernel_is_same(base, &view_model->shown, kernel->look.part) ? "same as"
                                                                                : "against",
                    base == &view_model->best && base->attempt != view_model->session->now.best
                        ? "the best before, "
                        : against[kernel->look.base],
                    base->attempt);
    if (kernel->look.is_wrapped)
        strbuf_adds(out, " wrapped");
}

static bool is_same_look(const struct look *a, const struct look *b)
{
    return a->part == b->part && a->is_diff == b->is_diff && a->is_split == b->is_split &&
           a->is_wrapped == b->is_wrapped && a->base == b->base && a->context == b->context &&
           a->attempt == b->attempt && a->columns == b->columns;
}

/*
 * The syntax of a part. A plan is JSON, which is coloured as C. SASS is coloured as PTX, because
 * comments and numbers are the same.
 */
static const struct lexer_language *colours_of(const struct view_model *view_model, enum part part)
{
    const char *own = view_model->shown.candidate.language;
    const char *language = own ? own : view_model->session->language;

    if (part >= PART_LISTINGS)
        return lexer_language("ptx");
    return lexer_language(part == PART_KERNEL ? language_of(language)->syntax : "c");
}

static void make_diff(struct kernel *kernel, const struct subject *base,
                      const struct view_model *view_model)
{
    bool is_of_best = base == &view_model->best && kernel->made.part == PART_KERNEL;
    const struct source_diff sources = {.old_text = kernel_part_of(base, kernel->made.part),
                                        .new_text =
                                            kernel_part_of(&view_model->shown, kernel->made.part),
                                        .code = colours_of(view_model, kernel->made.part),
                                        .old_states = &kernel->old_side.states,
                                        .new_states = &kernel->text.states,
                                        .lines = is_of_best ? view_model_changes(view_model) : NULL,
                                        .context = contexts[kernel->made.context]};

    if (kernel->made.is_split)
        source_diff_split(&sources, &kernel->old_side, &kernel->text);
    else
        source_diff_unified(&sources, &kernel->text);
}

/* Make the lines for a look, unless they were made from the same texts before. */
static void make_lines(struct kernel *kernel, const struct view_model *view_model,
                       const struct look *look)
{
    const struct subject *base = base_of(view_model, look);
    const char *text = kernel_text(view_model, look->part);

    if (is_same_look(look, &kernel->made) && kernel->made_generation == view_model->generation &&
        kernel->made_changes == view_model->query.changes)
        return;
    if (kernel->made.attempt != look->attempt) {
        kernel->text.top = 0;
        kernel->text.left = 0;
    }
    if (kernel->made.attempt != look->attempt || kernel->made.part != look->part)
        kernel->text.has_cursor = false;
    kernel->made = *look;
    kernel->made_generation = view_model->generation;
    kernel->made_changes = view_model->query.changes;
    widget_text_clear(&kernel->text);
    widget_text_clear(&kernel->old_side);
    if (base && !kernel_is_same(base, &view_model->shown, look->part))
        make_diff(kernel, base, view_model);
    else
        widget_text_add_code(&kernel->text, colours_of(view_model, look->part), text, strlen(text));
    if (look->part == PART_KERNEL)
        kernel_flags_add(&kernel->text, &view_model->shown);
    if (look->is_wrapped)
        widget_text_wrap(&kernel->text, look->columns);
}

/* Scroll to the goal; false if its line is not shown, as in a gap of a difference. */
static bool reach_goal(struct kernel *kernel)
{
    const struct text_line_list *lines = &kernel->text.lines;

    for (size_t i = 0; i < lines->count; i++) {
        if (lines->items[i].number != kernel->goal || lines->items[i].mark == '-')
            continue;
        widget_text_go_to(&kernel->text, i);
        kernel->goal = 0;
        return true;
    }
    return false;
}

/*
 * Draw one or two columns. With a filter there is only one, because it would hide different lines
 * on the two sides.
 */
static void draw_lines(struct kernel *kernel, struct area area)
{
    int half = (area.rect.w - SEPARATOR_COLUMNS) / 2, start = half + SEPARATOR_COLUMNS;

    kernel->text.beside = kernel->is_side_by_side ? &kernel->old_side : NULL;
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

/* The look that is possible now: two columns need room and a difference. */
static struct look fit_look(const struct kernel *kernel, const struct view_model *view_model,
                            int columns)
{
    struct look look = kernel->look;
    const struct subject *base = base_of(view_model, &look);

    look.is_split &= base && !kernel_is_same(base, &view_model->shown, look.part) &&
                     columns >= SPLIT_COLUMNS && !look.is_wrapped && !kernel->text.filter.len;
    look.attempt = view_model->shown.attempt;
    look.columns = look.is_wrapped ? columns : 0;
    return look;
}

static void prepare(struct kernel *kernel, const struct view_model *view_model, int columns)
{
    struct look look = fit_look(kernel, view_model, columns);

    if (look.is_wrapped)
        kernel->text.left = 0; /* all columns are there */
    make_lines(kernel, view_model, &look);
    kernel->is_side_by_side = look.is_split;
}

/* Draw the reason why there are no lines. */
static void put_absence(const struct kernel *kernel, const struct view_model *view_model,
                        struct pen *pen)
{
    enum part part = kernel->look.part;
    const struct candidate_query *listing =
        part >= PART_LISTINGS ? kernel_listing(view_model, part) : NULL;

    if (view_model->shown.problem[0])
        pen_puts(pen, ROLE_BAD, view_model->shown.problem);
    else if (!view_model->shown.attempt)
        pen_puts(pen, ROLE_DIM, "No kernel yet: the agent has not replied.");
    else if (part < PART_LISTINGS)
        pen_puts(pen, ROLE_DIM,
                 part == PART_PLAN ? "The reply has no plan." : "The reply has no kernel.");
    else if (!listing)
        pen_putf(pen, ROLE_DIM, "Type :%s for the listing of #%u.", kernel_listing_form(part),
                 view_model->shown.attempt);
    else if (listing->is_under_way)
        pen_putf(pen, ROLE_WAITING, "A worker is compiling #%u ...", view_model->shown.attempt);
    else
        pen_puts(pen, ROLE_BAD, listing->trouble);
}

/* Put the note on the last line, if there is one; return the number of lines. */
static int put_note(const struct kernel *kernel, const struct view_model *view_model,
                    struct area area)
{
    struct pen note = area_pen(area, 0, area.rect.h - 1);
    char key[KEYMAP_KEY_SIZE];

    if (kernel->trouble[0])
        pen_puts(&note, ROLE_WARNING, kernel->trouble);
    else if (kernel->has_asked_for_sides && area.rect.w < SPLIT_COLUMNS)
        pen_putf(&note, ROLE_WARNING, "two columns from %d, here %d: %s", SPLIT_COLUMNS,
                 area.rect.w, keymap_key_of(view_model->keymap, COMMAND_FULL, key));
    else
        return 0;
    return 1;
}

static void kernel_draw(struct panel *panel, const struct view_model *view_model, struct area area)
{
    struct kernel *kernel = (struct kernel *)panel;
    struct pen pen = area_pen(area, 0, 0);

    kernel->drawn_columns = area.rect.w;
    area.rect.h -= put_note(kernel, view_model, area);
    kernel->text.height = (size_t)area.rect.h;
    prepare(kernel, view_model, area.rect.w);
    if (kernel->goal && !reach_goal(kernel)) {
        kernel->look.is_diff = false;
        prepare(kernel, view_model, area.rect.w);
        reach_goal(kernel);
        kernel->goal = 0;
    }
    if (view_model->shown.problem[0] || !view_model->shown.attempt || kernel->text.lines.count == 0)
        put_absence(kernel, view_model, &pen);
    else
        draw_lines(kernel, area);
}

/* Switch to the next base with which the attempt can be compared. */
static void turn_base(struct kernel *kernel, const struct view_model *view_model)
{
    for (enum base i = 0; i < BASE_COUNT; i++) {
        kernel->look.base = (kernel->look.base + 1) % BASE_COUNT;
        if (kernel_base_is_comparable(view_model, kernel->look.base))
            return;
    }
}

/* Say why the attempt in view cannot be compared with this one; false if it can be. */
static bool refuse_base(struct kernel *kernel, const struct view_model *view_model,
                        const char *argument, unsigned number)
{
    bool is_attempt = session_attempt(view_model->session, number) != NULL;
    size_t count = view_model->session->attempts.count, size = sizeof(kernel->trouble);

    if (is_attempt && number != view_model->shown.attempt)
        return false;
    if (is_attempt)
        snprintf(kernel->trouble, size, "base %.16s: that is the attempt in view", argument);
    else if (count > 0)
        snprintf(kernel->trouble, size, "base %.16s: give an attempt from 1 to %zu", argument,
                 count);
    else
        snprintf(kernel->trouble, size, "base %.16s: there is no attempt yet", argument);
    return true;
}

static struct panel_answer turn_base_or_choose(struct kernel *kernel,
                                               const struct view_model *view_model,
                                               const char *argument)
{
    unsigned number = (unsigned)strtoul(argument, NULL, 10);

    if (*argument && refuse_base(kernel, view_model, argument, number))
        return (struct panel_answer){0};
    kernel->look.is_diff = true;
    if (*argument)
        return (struct panel_answer){PANEL_COMPARE_WITH, number};
    turn_base(kernel, view_model);
    return (struct panel_answer){0};
}

static void turn_part(struct kernel *kernel, const struct view_model *view_model)
{
    kernel->look.part = (kernel->look.part + 1) % PART_TURNED;
    if (kernel->look.part == PART_REFERENCE && !view_model->reference.len)
        kernel->look.part = PART_KERNEL;
}

/* Switch to a listing, and ask for it if it is not known; from the listing, switch back. */
static struct panel_answer turn_listing(struct kernel *kernel, const struct view_model *view_model,
                                        enum listing_form form)
{
    enum part part = form == LISTING_PTX ? PART_PTX : PART_SASS;
    bool is_back = kernel->look.part == part && kernel_listing(view_model, part);

    kernel->look.part = is_back ? PART_KERNEL : part;
    if (is_back || *kernel_text(view_model, part))
        return (struct panel_answer){0};
    return (struct panel_answer){PANEL_ASK_LISTING, form};
}

static void turn_context(struct kernel *kernel, int by)
{
    size_t context = kernel->look.context + (size_t)by;

    if (context < CONTEXT_COUNT)
        kernel->look.context = context;
}

static struct panel_body kernel_body(struct panel *panel, const struct view_model *view_model)
{
    struct kernel *kernel = (struct kernel *)panel;

    (void)view_model;
    return (struct panel_body){.text = &kernel->text, .is_aside = kernel->look.part != PART_KERNEL};
}

/*
 * Switch between one and two columns. If two do not fit, a line says so, and they are shown as soon
 * as there is room.
 */
static void turn_split(struct kernel *kernel)
{
    bool is_narrow = kernel->drawn_columns < SPLIT_COLUMNS;

    kernel->look.is_split = is_narrow ? !kernel->has_asked_for_sides : !kernel->look.is_split;
    kernel->has_asked_for_sides = is_narrow && kernel->look.is_split;
}

static bool kernel_command(struct panel *panel, const struct view_model *view_model,
                           const struct call *call, struct panel_answer *answer)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->trouble[0] = '\0';
    switch ((int)call->row->command) {
    case COMMAND_DIFF:
        kernel->look.is_diff = !kernel->look.is_diff;
        break;
    case COMMAND_SPLIT:
        turn_split(kernel);
        break;
    case COMMAND_BASE:
        *answer = turn_base_or_choose(kernel, view_model, call->argument);
        break;
    case COMMAND_WRAP:
        kernel->look.is_wrapped = !kernel->look.is_wrapped;
        break;
    case COMMAND_PLAN:
        turn_part(kernel, view_model);
        break;
    case COMMAND_PTX:
        *answer = turn_listing(kernel, view_model, LISTING_PTX);
        break;
    case COMMAND_SASS:
        *answer = turn_listing(kernel, view_model, LISTING_SASS);
        break;
    case COMMAND_LESS_CONTEXT:
        turn_context(kernel, -1);
        break;
    case COMMAND_MORE_CONTEXT:
        turn_context(kernel, 1);
        break;
    default:
        return false;
    }
    return true;
}

static void kernel_copy(const struct panel *panel, const struct view_model *view_model,
                        struct strbuf *out)
{
    const struct kernel *kernel = (const struct kernel *)panel;

    strbuf_adds(out, kernel_text(view_model, kernel->look.part));
}

static void kernel_go_to_line(struct panel *panel, size_t line)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->look.part = PART_KERNEL;
    kernel->goal = line;
}

static void kernel_show_proposal(struct panel *panel)
{
    ((struct kernel *)panel)->look.part = PART_KERNEL;
}

static void kernel_compare(struct panel *panel)
{
    struct kernel *kernel = (struct kernel *)panel;

    kernel->look.is_diff = true;
    kernel->look.base = BASE_CHOSEN;
}

const struct panel_ops panel_kernel = {
    .size = sizeof(struct kernel),
    .open = kernel_open,
    .release = kernel_release,
    .draw = kernel_draw,
    .body = kernel_body,
    .command = kernel_command,
    .title = kernel_title,
    .go_to_line = kernel_go_to_line,
    .show_proposal = kernel_show_proposal,
    .compare = kernel_compare,
    .copy = kernel_copy,
};
