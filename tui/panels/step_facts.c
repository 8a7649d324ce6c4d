#include "tui/panels/step_facts.h"

#include <string.h>

#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "tui/panels/answer_table.h"

static void add_decision(struct page *page, const struct step *step, int columns)
{
    struct strbuf text = {0};

    if (step->is_undone)
        strbuf_adds(&text, "undone");
    else if (step->decision == DECISION_PENDING)
        strbuf_adds(&text, "not decided");
    else
        strbuf_addf(&text, "%s by %s", decision_name(step->decision),
                    step->decider == DECIDER_POLICY ? "policy" : "the engineer");
    if (step->reason && step->reason[0])
        strbuf_addf(&text, ": %s", step->reason);
    page_add_wrapped(page, step->decision == DECISION_VETOED ? ROLE_BAD : ROLE_TEXT,
                     strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

static void add_outcome(struct page *page, const struct session *session,
                        const struct attempt *attempt)
{
    const char *over = scale_strongest(session);
    char time[FORMAT_SIZE], speedup[FORMAT_SIZE];

    if (attempt->time.median_us > 0 && over)
        page_add(page, ROLE_TEXT, "%s, %s over %s", format_time(time, attempt->time.median_us),
                 scale_format_speedup(speedup, session, attempt), baseline_label_short(over));
    else if (attempt->time.median_us > 0)
        page_add(page, ROLE_TEXT, "%s", format_time(time, attempt->time.median_us));
    else
        page_add(page, attempt->outcome == OUTCOME_CORRECT ? ROLE_TEXT : ROLE_BAD, "%s",
                 outcome_name(attempt->outcome));
    if (attempt->wall_us)
        page_add(page, ROLE_DIM, "judged in %.1f s", (double)attempt->wall_us / 1e6);
    if (attempt->number == session->now.best)
        page_add(page, ROLE_GOOD, "the best so far");
}

/* The chosen one of several answers, and the reason. */
static void add_round(struct page *page, const struct session *session,
                      const struct attempt *attempt, int columns)
{
    struct strbuf text = {0};

    if (!answer_table_is_needed(session, attempt))
        return;
    answer_table_add_reason(session, attempt, &text);
    page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

void step_facts_add_effort(struct page *page, const struct effort *effort, int columns)
{
    char sent[FORMAT_SIZE], got[FORMAT_SIZE];
    struct strbuf line = {0};

    if (effort->latency_us)
        strbuf_addf(&line, "reply in %.1f s", (double)effort->latency_us / 1e6);
    if (effort->has_tokens)
        strbuf_addf(&line, ", %s tokens in, %s out", format_count(sent, effort->prompt_tokens),
                    format_count(got, effort->reply_tokens));
    if (effort->has_cost && effort->cost_usd > 0)
        strbuf_addf(&line, ", $%.4f", effort->cost_usd);
    page_add_wrapped(page, ROLE_DIM, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

void step_facts_add(struct page *page, const struct session *session, const struct step *step,
                    int columns)
{
    const struct attempt *attempt = session_attempt(session, step->attempt);
    struct strbuf head = {0};

    strbuf_addf(&head, "step %u %s", step->number, step_kind_name(step->kind));
    if (attempt)
        strbuf_addf(&head, " #%u", attempt->number);
    if (step->at[0])
        strbuf_addf(&head, " %.8s", step->at + CLOCK_TIME_AT);
    page_add(page, ROLE_STRONG, "%s", strbuf_cstr(&head));
    page_add_wrapped(page, ROLE_TEXT, session_step_title(step), columns);
    add_decision(page, step, columns);
    if (attempt && attempt->is_evaluated &&
        (step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP))
        add_outcome(page, session, attempt);
    if (step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP)
        add_round(page, session, attempt, columns);
    step_facts_add_effort(page, &step->effort, columns);
    strbuf_release(&head);
}
