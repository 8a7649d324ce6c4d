#include "tui/frame/policy_menu.h"

#include <string.h>

#include "core/base/array.h"
#include "tui/frame/hints.h"

enum { POLICY_W = 54, POLICY_H = STEP_KINDS + 3 };

static void put_kind(const void *data, size_t row, struct pen *pen)
{
    static const char *const about[STEP_KINDS] = {
        [STEP_PROMPT] = "the prompt to the agent",
        [STEP_CANDIDATE] = "the reply, before it is built",
        [STEP_KEEP] = "a correct kernel and its time",
        [STEP_RECOMMENDATION] = "the analyst's next change",
    };
    const struct gate *gate = data;
    bool is_asking = gate->modes[row] == GATE_ASK;

    pen_putf(pen, is_asking ? ROLE_WAITING : ROLE_DIM, " %-6s ", is_asking ? "you" : "policy");
    pen_putf(pen, ROLE_STRONG, "%-14s ", step_kind_names[row]);
    pen_puts(pen, ROLE_TEXT, about[row]);
}

void policy_menu_draw(struct policy_menu *policy, const struct keymap *keymap,
                      const struct gate *gate, struct canvas *canvas)
{
    static const struct hint hints[] = {{"switch", "switches", .rank = 1},
                                        {"back", "goes back", .rank = 0}};
    const struct widget_rows rows = {.count = STEP_KINDS, .put = put_kind, .data = gate};
    int w = canvas->w < POLICY_W ? canvas->w : POLICY_W;
    struct rect place = {(canvas->w - w) / 2, (canvas->h - POLICY_H) / 3, w, POLICY_H};
    struct area area = canvas_area(canvas, place), inside;
    struct pen pen;

    area_clear(area, ROLE_TEXT);
    inside = area_box(area, "Who decides", ROLE_BORDER_FOCUSED);
    policy->place = area_part(inside, (struct rect){0, 0, inside.rect.w, STEP_KINDS}).rect;
    widget_list_draw(&policy->list, &rows, canvas_area(canvas, policy->place));
    pen = area_pen(inside, 1, STEP_KINDS);
    hints_put(keymap, hints, COUNT(hints), (struct hint_roles){ROLE_KEY, ROLE_DIM}, &pen);
}

bool policy_menu_command(struct policy_menu *policy, enum screen_command command)
{
    if (command == COMMAND_QUIT || command == COMMAND_BACK)
        policy->is_open = false;
    else
        return widget_list_move(&policy->list, command, STEP_KINDS);
    return true;
}

bool policy_menu_select_at(struct policy_menu *policy, int x, int y)
{
    return rect_has(&policy->place, x, y) &&
           widget_list_select_at(&policy->list, (size_t)(y - policy->place.y), STEP_KINDS);
}

enum status policy_menu_switch(const struct policy_menu *policy, struct driver *driver,
                               struct error *err)
{
    enum step_kind kind = (enum step_kind)policy->list.selected;
    bool is_asking = driver_session(driver)->gate.modes[kind] == GATE_ASK;

    return driver_set_policy(driver, kind, is_asking ? GATE_AUTO : GATE_ASK, err);
}

static void add_run(const struct session *session, struct strbuf *out)
{
    const struct run_limits *limits = &session->run.limits;
    const struct {
        bool is_set;
        const char *name;
    } words[] = {
        {limits->until_failure, "failure"},
        {limits->until_slower, "slower"},
    };
    const char *separator = " until ";

    strbuf_adds(out, "policy");
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!words[i].is_set)
            continue;
        strbuf_addf(out, "%s%s", separator, words[i].name);
        separator = ", ";
    }
    if (limits->steps) {
        strbuf_addf(out, "%s%u of %u steps", separator, session->run.steps, limits->steps);
        separator = ", ";
    }
    if (limits->usd > 0)
        strbuf_addf(out, "%s$%.2f of %.2f", separator,
                    session->used[RESOURCE_USD] - session->run.from_usd, limits->usd);
}

static void add_gate(const struct gate *gate, struct strbuf *out)
{
    const char *separator = "you: ";
    size_t start = out->len;

    for (size_t i = 0; i < STEP_KINDS; i++) {
        if (gate->modes[i] != GATE_ASK)
            continue;
        strbuf_addf(out, "%s%s", separator, step_kind_names[i]);
        separator = ", ";
    }
    if (out->len == start)
        strbuf_adds(out, "policy");
}

void policy_menu_add_summary(const struct session *session, struct strbuf *out)
{
    if (session->run.is_on)
        add_run(session, out);
    else
        add_gate(&session->gate, out);
}

/* The index of a word in a list ended by NULL, or -1. */
static int choice_of(const char *word, size_t len, const char *const *choices)
{
    for (int i = 0; choices[i]; i++)
        if (strlen(choices[i]) == len && strncmp(choices[i], word, len) == 0)
            return i;
    return -1;
}

enum status policy_menu_set(struct driver *driver, const char *text, struct error *err)
{
    size_t len = strcspn(text, " ");
    const char *rest = text + len + strspn(text + len, " ");
    int first = choice_of(text, len, step_kind_names);
    int second = choice_of(rest, strlen(rest), gate_mode_names);

    if (first < 0 || second < 0)
        return error_set(err, STATUS_INVALID,
                         "policy \"%s\": expected a kind of step, then auto or ask: keep auto",
                         text);
    return driver_set_policy(driver, (enum step_kind)first, (enum gate_mode)second, err);
}
