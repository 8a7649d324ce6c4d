#include "tui/panels/panel.h"

#include <stdio.h>

#include "core/base/format.h"
#include "tui/panels/answer_table.h"
#include "tui/panels/step_facts.h"

/*
 * Pane 1: the steps with their decisions and results, as a tree of candidates; below it the facts
 * of the step in view.
 */

enum { MAX_DEPTH = 8 };

/*
 * A pane of at least WIDE_COLUMNS has columns at the right; one of at least FACTS_H lines shows the
 * facts below.
 */
enum { WIDE_COLUMNS = 70, RESULT_COLUMNS = 12, TOOK_COLUMNS = 8, COST_COLUMNS = 8, FACTS_H = 14 };

struct steps {
    struct panel panel;
    struct widget_list list;
    struct page facts;
};

static const char *const kinds[STEP_KINDS] = {
    [STEP_PROMPT] = "ask",
    [STEP_CANDIDATE] = "code",
    [STEP_KEEP] = "keep",
    [STEP_RECOMMENDATION] = "tip",
};

struct mark {
    const char *text;
    enum role role;
};

static void steps_release(struct panel *panel)
{
    struct steps *steps = (struct steps *)panel;

    widget_list_release(&steps->list);
    page_release(&steps->facts);
}

/*
 * The mark of a step, in capitals if the engineer decided.  A candidate that was accepted and then
 * failed is marked as failed.
 */
static struct mark mark_of(const struct session *session, const struct step *step)
{
    static const struct mark marks[][2] = {
        [DECISION_PENDING] = {{"??", ROLE_WAITING}, {"??", ROLE_WAITING}},
        [DECISION_ACCEPTED] = {{"OK", ROLE_GOOD}, {"ok", ROLE_GOOD}},
        [DECISION_EDITED] = {{"ED", ROLE_GOOD}, {"ed", ROLE_GOOD}},
        [DECISION_VETOED] = {{"NO", ROLE_BAD}, {"no", ROLE_BAD}},
        [DECISION_RETRIED] = {{"AG", ROLE_WAITING}, {"ag", ROLE_WAITING}},
    };
    const struct attempt *attempt = session_attempt(session, step->attempt);
    bool has_failed = attempt && attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT;

    if (step->is_undone)
        return (struct mark){"un", ROLE_DIM};
    if (step->kind == STEP_CANDIDATE && has_failed && step->decision != DECISION_VETOED)
        return (struct mark){"xx", ROLE_BAD};
    return marks[step->decision][step->decider == DECIDER_POLICY];
}

/* True if an attempt is the current one or one of its ancestors. */
static bool is_on_trunk(const struct session *session, const struct attempt *attempt)
{
    const struct attempt *at = session_subject(session);

    while (at && at->number > attempt->number)
        at = session_attempt(session, at->parent);
    return at == attempt;
}

/* The number of attempts from the trunk to this one: 0 on the trunk. */
static unsigned depth_of(const struct session *session, const struct attempt *attempt)
{
    unsigned depth = 0;

    for (; attempt && !is_on_trunk(session, attempt);
         attempt = session_attempt(session, attempt->parent))
        depth++;
    return depth;
}

/* Put the tree. Its trunk leads to the current attempt; abandoned attempts are branches. */
static void put_tree(const struct session *session, const struct step *step, struct pen *pen)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);
    unsigned depth = depth_of(session, attempt);

    for (unsigned i = 0; i < depth && i < MAX_DEPTH; i++)
        pen_puts(pen, ROLE_BORDER,
                 i + 1 < depth                ? "  "
                 : pen->area.canvas->is_ascii ? "`-"
                                              : "\u2514\u2500");
}

/* The result of a step: its time, its outcome, or the promised gain "1.30x?". */
static const char *result_of(const struct session *session, const struct step *step,
                             char text[FORMAT_SIZE])
{
    const struct attempt *attempt = session_attempt(session, step->attempt);

    char promised[FORMAT_SIZE];

    if (step->kind == STEP_RECOMMENDATION && step->gain > 0)
        snprintf(text, FORMAT_SIZE, "%.12s?", format_speedup(promised, step->gain));
    else if (step->kind == STEP_PROMPT || step->kind == STEP_RECOMMENDATION || !attempt)
        return "";
    else if (attempt->time.median_us > 0)
        format_time(text, attempt->time.median_us);
    else
        return attempt->is_evaluated ? outcome_name(attempt->outcome) : "";
    return text;
}

/* The time of the reply, or of the judge for a keep step; 0 if not known. */
static int64_t took_us(const struct session *session, const struct step *step)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);

    return step->kind == STEP_KEEP && attempt ? attempt->wall_us : step->effort.latency_us;
}

static void put_columns(const struct session *session, const struct step *step, struct pen *pen)
{
    char text[FORMAT_SIZE];

    pen_putf(pen, ROLE_TEXT, "%*s", RESULT_COLUMNS, result_of(session, step, text));
    pen_putf(pen, ROLE_DIM, "%*s", TOOK_COLUMNS,
             took_us(session, step) ? format_duration(text, took_us(session, step)) : "");
    if (step->effort.has_cost)
        pen_putf(pen, ROLE_DIM, " $%.4f", step->effort.cost_usd);
}

/* Put the index of an answer among the answers to the same prompt: "2/3 ". */
static void put_place_in_round(const struct session *session, const struct step *step,
                               struct pen *pen)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);
    const struct attempt *answers[ROUND_ATTEMPTS];
    size_t count =
        attempt && step->kind == STEP_CANDIDATE ? round_attempts(session, attempt, answers) : 0;

    for (size_t i = 0; count > 1 && i < count; i++)
        if (answers[i] == attempt)
            pen_putf(pen, ROLE_BORDER, "%zu/%zu ", i + 1, count);
}

static void put_step(const void *data, size_t row, struct pen *pen)
{
    const struct session *session = data;
    const struct step *step = &session->steps.items[row];
    struct mark mark = mark_of(session, step);
    int columns = RESULT_COLUMNS + TOOK_COLUMNS + COST_COLUMNS, left = pen->area.rect.w - columns;
    struct pen right = area_pen(pen->area, left, 0);

    if (left + columns >= WIDE_COLUMNS) {
        pen->area = area_part(pen->area, (struct rect){0, 0, left, 1});
        put_columns(session, step, &right);
    }

    pen_putf(pen, ROLE_LINE_NUMBER, "%3u ", step->number);
    pen_putf(pen, mark.role, "%s ", mark.text);
    pen_putf(pen, ROLE_DIM, "%-4s ", kinds[step->kind]);
    put_tree(session, step, pen);
    put_place_in_round(session, step, pen);
    pen_puts(pen, step->is_undone ? ROLE_DIM : ROLE_TEXT, session_step_title(step));
    if (step->decision == DECISION_VETOED && step->reason)
        pen_putf(pen, ROLE_BAD, " - %s", step->reason);
}

static struct panel_body steps_body(struct panel *panel, const struct view_model *view_model)
{
    return (struct panel_body){.list = &((struct steps *)panel)->list,
                               .rows = {.count = view_model->session->steps.count,
                                        .put = put_step,
                                        .data = view_model->session}};
}

/* Draw the facts at the bottom; return the number of lines above them. */
static int draw_facts(struct steps *steps, const struct view_model *view_model, struct area area)
{
    const struct step *step = session_step(view_model->session, view_model->step);
    int left;

    if (!step || area.rect.h < FACTS_H)
        return area.rect.h;
    page_begin(&steps->facts, step->number);
    step_facts_add(&steps->facts, view_model->session, step, area.rect.w);
    left = area.rect.h - (int)steps->facts.lines.count - 1;
    if (left < area.rect.h * 3 / 5)
        left = area.rect.h * 3 / 5;
    area_rule(area, left);
    page_draw(&steps->facts,
              area_part(area, (struct rect){0, left + 1, area.rect.w, area.rect.h - left - 1}));
    return left;
}

static void steps_draw(struct panel *panel, const struct view_model *view_model, struct area area)
{
    struct steps *steps = (struct steps *)panel;
    struct panel_body body = steps_body(panel, view_model);
    struct pen pen = area_pen(area, 0, 0);

    if (body.rows.count == 0)
        pen_puts(&pen, ROLE_DIM, "No steps yet.");
    body.list->selected = view_model->step ? view_model->step - 1 : 0;
    widget_list_draw(
        body.list, &body.rows,
        area_part(area, (struct rect){0, 0, area.rect.w, draw_facts(steps, view_model, area)}));
}

static void steps_title(const struct panel *panel, const struct view_model *view_model,
                        struct strbuf *out)
{
    (void)panel;
    if (view_model->session->forked_from)
        strbuf_addf(out, " [fork of %s]", view_model->session->forked_from);
}

static struct panel_answer steps_select(struct panel *panel)
{
    const struct steps *steps = (const struct steps *)panel;

    return (struct panel_answer){PANEL_LOOK_AT_STEP, (unsigned)steps->list.selected + 1};
}

/* Enter gives the focus to the pane with the step's proposal. */
static bool steps_command(struct panel *panel, const struct view_model *view_model,
                          const struct call *call, struct panel_answer *answer)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    (void)panel;
    if (call->row->command != COMMAND_OPEN)
        return false;
    if (step)
        *answer = (struct panel_answer){PANEL_FOCUS, panel_of_step(step->kind)};
    return true;
}

const struct panel_ops panel_steps = {
    .size = sizeof(struct steps),
    .release = steps_release,
    .draw = steps_draw,
    .body = steps_body,
    .command = steps_command,
    .select = steps_select,
    .title = steps_title,
};
