#include "tui/screens/suite/task_page.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/baseline_label.h"
#include "tui/screens/suite/board_columns.h"

static void add_best(const struct task_facts *facts, struct page *page, int columns)
{
    char text[FORMAT_SIZE];
    struct strbuf line = {0};

    if (facts->time.median_us <= 0)
        return;
    strbuf_addf(&line, "best %s", format_time(text, facts->time.median_us));
    if (facts->time.low_us > 0)
        strbuf_addf(&line, " +-%.2g%%",
                    50 * (facts->time.high_us - facts->time.low_us) / facts->time.median_us);
    if (facts->bound_share > 0)
        strbuf_addf(&line, ", %s%% of the bound", format_share(text, facts->bound_share));
    page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&line), columns);
    line.len = 0;
    if (facts->speedup.value > 0) {
        strbuf_addf(&line, "%s", format_speedup(text, facts->speedup.value));
        if (facts->speedup.low > 0)
            strbuf_addf(&line, " %s",
                        format_interval(text, facts->speedup.low, facts->speedup.high));
        strbuf_addf(&line, " over %s%s", baseline_phrase(facts->over),
                    steadiness_is_lost(facts->speedup.low, facts->speedup.high) ? ", unsteady"
                                                                                : "");
        page_add_wrapped(page, ROLE_GOOD, strbuf_cstr(&line), columns);
    }
    strbuf_release(&line);
}

static void add_cost(const struct task_facts *facts, struct page *page, int columns)
{
    char count[FORMAT_SIZE];
    struct strbuf line = {0};

    strbuf_addf(&line, "%u %s, %.1f min", facts->tries, facts->tries == 1 ? "try" : "tries",
                facts->minutes);
    if (facts->tokens > 0)
        strbuf_addf(&line, ", %s tokens", format_count(count, (int64_t)facts->tokens));
    if (facts->has_usd && facts->usd > 0)
        strbuf_addf(&line, ", $%.2f", facts->usd);
    else if (!facts->has_usd)
        strbuf_adds(&line, ", cost unknown");
    if (facts->device)
        strbuf_addf(&line, ", %s", facts->device);
    page_add_wrapped(page, ROLE_DIM, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

static void add_waiting(const struct followed_task *task, struct page *page, int columns)
{
    struct strbuf line = {0};

    if (!task->facts.step || task->is_owned)
        return;
    strbuf_addf(&line, "step %u waits: ", task->facts.step);
    board_columns_add_waiting(&task->facts, &line);
    strbuf_addf(&line, ", %s", task->facts.title ? task->facts.title : "");
    if (task->is_handed)
        strbuf_adds(&line, "; decided, not taken over yet");
    page_add_wrapped(page, task->is_handed ? ROLE_TEXT : ROLE_WAITING, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

static void add_task(const struct suite_follow *follow, size_t index, struct page *page,
                     int columns)
{
    static const char *const results[] = {[TASK_IMPROVED] = "faster",
                                          [TASK_NO_GAIN] = "correct, no gain over its first kernel",
                                          [TASK_INCORRECT] = "nothing correct",
                                          [TASK_OVER_BUDGET] = "a budget is used up"};
    const struct task_state *state = &follow->store.state.tasks[index];
    const struct followed_task *task = &follow->tasks[index];
    enum board_state phase = suite_board_state(follow, index);
    struct strbuf line = {0};

    strbuf_addf(&line, "repeat %u: %s", suite_task_at(&follow->store.suite, index).repeat + 1,
                phase == BOARD_ENDED ? results[state->result] : board_state_names[phase]);
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_place(page, ROLE_HUNK, "%s", strbuf_cstr(&line));
    strbuf_release(&line);
    add_waiting(task, page, columns);
    if (state->reason && phase == BOARD_FAILED)
        page_add_wrapped(page, ROLE_BAD, state->reason, columns);
    if (task->facts.trouble)
        page_add_wrapped(page, ROLE_BAD, task->facts.trouble, columns);
    add_best(&task->facts, page, columns);
    if (task->facts.is_known)
        add_cost(&task->facts, page, columns);
    if (state->session[0])
        page_add(page, ROLE_DIM, "session %s", state->session);
}

/* "arm gpt: openai:gpt-5, policy auto"; an arm with the name of its agent is named once. */
static void add_arm(const struct suite_arm *arm, struct page *page, int columns)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "arm %s", arm->name);
    if (strcmp(arm->name, arm->agent) != 0)
        strbuf_addf(&line, ": %s", arm->agent);
    strbuf_addf(&line, ", policy %s", arm->policy);
    page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

void task_page_write(const struct suite_follow *follow, const struct board_row *row,
                     struct page *page, int columns)
{
    const struct suite *suite = &follow->store.suite;
    const struct suite_arm *arm = &suite->arms.items[row->arm];

    page_add_wrapped(page, ROLE_STRONG, row->label, columns);
    add_arm(arm, page, columns);
    for (unsigned repeat = 0; repeat < row->repeats; repeat++)
        add_task(follow,
                 suite_task_index(suite, (struct suite_task){row->problem, row->arm, repeat}), page,
                 columns);
}
