#include "tui/panel.h"

#include "core/base/mem.h"

/* Pane 1: what was proposed, and what became of it, as a tree of the candidates. */

enum { MAX_DEPTH = 8 };

struct steps {
    struct panel panel;
    struct widget_list list;
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

static struct panel *steps_open(void)
{
    struct steps *steps = mem_alloc_zeroed(1, sizeof(*steps));

    steps->panel.ops = &panel_steps;
    return &steps->panel;
}

static void steps_close(struct panel *panel)
{
    struct steps *steps = (struct steps *)panel;

    widget_list_release(&steps->list);
    free(steps);
}

/*
 * In capitals where the engineer decided.  A kernel that was let through and
 * then failed is marked as failed.
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

    if (step->kind == STEP_CANDIDATE && has_failed && step->decision != DECISION_VETOED)
        return (struct mark){"xx", ROLE_BAD};
    return marks[step->decision][step->decider == DECIDER_POLICY];
}

/* Whether an attempt is the last one, or one that the last one comes from. */
static bool is_on_trunk(const struct session *session, const struct attempt *attempt)
{
    const struct attempt *at = session_last_attempt(session);

    while (at && at->number > attempt->number)
        at = session_attempt(session, at->parent);
    return at == attempt;
}

/* How many attempts that led nowhere come before this one in its line, itself included. */
static unsigned depth_of(const struct session *session, const struct attempt *attempt)
{
    unsigned depth = 0;

    for (; attempt && !is_on_trunk(session, attempt);
         attempt = session_attempt(session, attempt->parent))
        depth++;
    return depth;
}

/* The trunk leads to the latest candidate; what was given up hangs from it. */
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

static void put_step(const void *data, size_t row, struct pen *pen)
{
    const struct session *session = data;
    const struct step *step = &session->steps.items[row];
    struct mark mark = mark_of(session, step);

    pen_putf(pen, ROLE_LINE_NUMBER, "%3u ", step->number);
    pen_putf(pen, mark.role, "%s ", mark.text);
    pen_putf(pen, ROLE_DIM, "%-4s ", kinds[step->kind]);
    put_tree(session, step, pen);
    pen_puts(pen, ROLE_TEXT, step->title);
    if (step->decision == DECISION_VETOED && step->reason)
        pen_putf(pen, ROLE_BAD, " - %s", step->reason);
}

static struct panel_body steps_body(struct panel *panel, const struct scene *scene)
{
    return (struct panel_body){
        .list = &((struct steps *)panel)->list,
        .rows = {.count = scene->session->steps.count, .put = put_step, .data = scene->session}};
}

static void steps_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct panel_body body = steps_body(panel, scene);

    body.list->selected = scene->step ? scene->step - 1 : 0;
    widget_list_draw(body.list, &body.rows, area);
}

static struct panel_answer steps_select(struct panel *panel)
{
    const struct steps *steps = (const struct steps *)panel;

    return (struct panel_answer){PANEL_LOOK_AT_STEP, (unsigned)steps->list.selected + 1};
}

const struct panel_ops panel_steps = {
    .open = steps_open,
    .close = steps_close,
    .draw = steps_draw,
    .body = steps_body,
    .select = steps_select,
};
