#include "tui/frame/status_bars.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "core/system/clock.h"
#include "tui/widgets/message.h"

/*
 * Separate a fact from the one before it. If there is no room for `columns` columns of the fact,
 * the line ends here.
 */
static void separate_for(struct pen *pen, int columns)
{
    static const char separator[] = " | ";

    if (pen->area.rect.w && pen->x + (int)strlen(separator) + columns > pen->area.rect.w)
        pen->x = pen->area.rect.w;
    else
        pen_puts(pen, ROLE_DIM, separator);
}

static void separate(struct pen *pen)
{
    enum { LEAST_FACT = 5 };

    separate_for(pen, LEAST_FACT);
}

/* "correct in 5 trials", or the outcome of a failure. */
static void put_outcome(const struct view_model *view_model, const struct attempt *attempt,
                        struct pen *pen)
{
    bool is_good = attempt->outcome == OUTCOME_CORRECT;

    separate(pen);
    pen_putf(pen, is_good ? ROLE_GOOD : ROLE_BAD, "%s", outcome_name(attempt->outcome));
    if (is_good && view_model->shown.attempt == attempt->number && view_model->shown.has_verdict)
        pen_putf(pen, ROLE_GOOD, " in %zu trials", view_model->shown.verdict.trials.count);
}

/* Put "5.74x over plain", if there is room for all of it: a ratio must name its baseline. */
static void put_speedup(const struct session *session, const struct attempt *attempt,
                        struct pen *pen)
{
    char number[FORMAT_SIZE];
    struct strbuf text = {0};

    strbuf_addf(&text, "%s over %s", scale_format_speedup(number, session, attempt),
                baseline_label_short(scale_strongest(session)));
    separate_for(pen, canvas_text_columns(strbuf_cstr(&text), text.len));
    pen_puts(pen, ROLE_BAR, strbuf_cstr(&text));
    strbuf_release(&text);
}

/* Put the gain over the best, by which the engineer decides, then time and speedup. */
static void put_speed(const struct session *session, const struct attempt *attempt, struct pen *pen)
{
    char text[FORMAT_SIZE];

    if (attempt->time.median_us <= 0)
        return;
    if (attempt->gain > 0) {
        separate(pen);
        pen_puts(pen, attempt->gain_low > 1 ? ROLE_GOOD : ROLE_WARNING,
                 format_gain(text, attempt->gain));
        if (attempt->gain_low > 0)
            pen_putf(
                pen, ROLE_DIM, " %s",
                format_gain_interval(text, attempt->gain, attempt->gain_low, attempt->gain_high));
        pen_puts(pen, ROLE_BAR, " over best");
    }
    separate(pen);
    pen_puts(pen, ROLE_BAR, format_time(text, attempt->time.median_us));
    if (scale_speedup(session, attempt) > 0)
        put_speedup(session, attempt, pen);
}

/* Put the promised gain, and the proposed change if the title is another text. */
static void put_advice(const struct step *step, struct pen *pen)
{
    char text[FORMAT_SIZE];

    if (step->gain > 0) {
        separate(pen);
        pen_putf(pen, ROLE_BAR, "promises %s", format_speedup(text, step->gain));
    }
    if (step->change && strcmp(step->change, step->title) != 0) {
        separate(pen);
        pen_puts(pen, ROLE_BAR, step->change);
    }
}

/* The facts on which the engineer decides about a step. */
static void put_evidence(const struct view_model *view_model, const struct step *step,
                         struct pen *pen)
{
    const struct attempt *attempt = session_attempt(view_model->session, step->attempt);
    const struct diff *changes = view_model_changes(view_model);

    if (step->kind == STEP_RECOMMENDATION)
        put_advice(step, pen);
    if (step->kind != STEP_KEEP || !attempt || !attempt->is_evaluated)
        return;
    put_outcome(view_model, attempt, pen);
    put_speed(view_model->session, attempt, pen);
    if (view_model->shown.attempt == attempt->number && changes &&
        changes->added + changes->removed > 0) {
        separate(pen);
        pen_putf(pen, ROLE_BAR, "+%zu -%zu", changes->added, changes->removed);
    }
}

/* A screen of at least so many columns shows the name of a pinned layout in the note. */
enum { WIDE_COLUMNS = 110 };

/* Hints for the commands of a context that have a key, in the order of the table. */
struct hint_list {
    struct hint *items;
    size_t count, capacity;
};

/* False for undo, redo and end-run if there is no decision or run for them. */
static bool has_effect(enum screen_command command, const struct session *session)
{
    switch ((int)command) {
    case COMMAND_UNDO:
        return session_undoable(session);
    case COMMAND_REDO:
        return session_redoable(session);
    case COMMAND_END_RUN:
        return session->run.is_on;
    default:
        return true;
    }
}

static void add_hints(const struct status_bars_facts *facts, const struct session *session,
                      unsigned context, struct hint_list *list)
{
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        struct strbuf keys = {0};

        keymap_add_keys(facts->keymap, row, &keys);
        if ((row->context & context) && keys.len && has_effect(row->command, session) &&
            !(facts->is_inbox && row->command == COMMAND_RUN_ON))
            vec_push(list, (struct hint){.row = row->name});
        strbuf_release(&keys);
    }
}

static void put_hints(const struct status_bars_facts *facts, const struct hint_list *list,
                      size_t first, struct pen *pen)
{
    hints_put(facts->keymap, list->items + first, list->count - first,
              (struct hint_roles){ROLE_KEY, ROLE_BAR}, pen);
}

/* The keys while an activity runs or pauses, as many as fit. */
static void put_running_keys(const struct view_model *view_model,
                             const struct status_bars_facts *facts, struct pen *pen)
{
    struct hint_list list = {0};

    add_hints(facts, view_model->session, CONTEXT_RUNNING, &list);
    add_hints(facts, view_model->session, CONTEXT_LIVE, &list);
    for (size_t i = 0; view_model->is_paused && i < list.count; i++)
        if (keymap_row_named(list.items[i].row)->command == COMMAND_PAUSE)
            list.items[i].words = "continue";
    put_hints(facts, &list, 0, pen);
    vec_release(&list);
}

static bool is_undo_or_redo(const struct hint *hint)
{
    enum screen_command command = keymap_row_named(hint->row)->command;

    return command == COMMAND_UNDO || command == COMMAND_REDO;
}

/*
 * Put the keys for the decision and for undo, and next to them how much of the text was read. Other
 * keys fill the room that is left.
 */
static void put_decision_keys(const struct view_model *view_model,
                              const struct status_bars_facts *facts, struct area line)
{
    const struct session *session = view_model->session;
    bool is_elsewhere = view_model->step != view_model_waiting(view_model)->number;
    /* while another step is in view, each of these keys shows the waiting one */
    bool has_keys = facts->is_armed || is_elsewhere;
    struct hint_list list = {0};
    struct pen pen = area_pen(line, 2, 0);
    size_t decisions, behind;
    int needed;

    add_hints(facts, session, CONTEXT_WAITING, &list);
    decisions = list.count;
    if (!facts->is_inbox)
        add_hints(facts, session, CONTEXT_LIVE, &list);
    for (behind = decisions; behind < list.count && is_undo_or_redo(&list.items[behind]);)
        behind++;
    needed = pen.x + hints_columns(facts->keymap, list.items, behind);
    pen.area.rect.w = read_note_put(&facts->note, facts->keymap, needed, line) - 1;
    for (size_t i = 0; !has_keys && i < decisions; i++) /* these keys do nothing yet */
        pen_putf(&pen, ROLE_DIM, ". %s  ", list.items[i].row);
    put_hints(facts, &list, has_keys ? 0 : decisions, &pen);
    vec_release(&list);
}

/* The keys for a closed session. */
static void put_closed_keys(const struct session *session, const struct status_bars_facts *facts,
                            struct pen *pen)
{
    const struct hint hints[] = {
        {"replay", NULL, .rank = 1},
        {"branch", "fork", .rank = 1},
        {"export", NULL, .rank = 1},
        {"trajectory", NULL, .rank = 2},
        {"review", NULL, .rank = 3},
        {"sessions", NULL, .rank = 3},
        {"quit", facts->goes_back ? "back" : "leave", .rank = 0},
        {"undo", "undo, continue", .rank = 4},
    };
    size_t count = COUNT(hints) - (session_undoable(session) ? 0 : 1);

    hints_put(facts->keymap, hints, count, (struct hint_roles){ROLE_KEY, ROLE_BAR}, pen);
}

/* A column so far left of the area that no evidence reaches the area: for measuring its length. */
enum { FAR_LEFT = -4096, LEAST_TITLE = 12 };

static int evidence_columns(const struct view_model *view_model, const struct step *step,
                            struct area area)
{
    struct pen pen = area_pen(area_part(area, (struct rect){0}), FAR_LEFT, 0);

    put_evidence(view_model, step, &pen);
    return pen.x - FAR_LEFT;
}

/*
 * Put the title into `columns` columns: the whole title, a cut one, or nothing if there are too
 * few.
 */
static void put_title(const char *title, int columns, struct pen *pen)
{
    static const char open[] = " \"", end[] = "\"", cut_end[] = "...\"";
    int needed = canvas_text_columns(title, strlen(title)) + (int)(strlen(open) + strlen(end));
    int left = pen->x + columns - (int)strlen(cut_end);
    struct pen cut = *pen;

    if (needed <= columns) {
        pen_putf(pen, ROLE_STRONG, "%s%s%s", open, title, end);
    } else if (columns >= LEAST_TITLE) {
        cut.area = area_part(pen->area, (struct rect){0, pen->y, left, 1});
        cut.y = 0;
        pen_putf(&cut, ROLE_STRONG, "%s%s", open, title);
        pen->x = left;
        pen_puts(pen, ROLE_STRONG, cut_end);
    }
}

static void put_waiting(const struct view_model *view_model, const struct step *step,
                        struct pen *pen)
{
    pen_putf(pen, ROLE_WAITING, "STEP %u ", step->number);
    if (view_model->step != step->number) {
        pen_puts(pen, ROLE_WAITING, "waits for you: press any decision key to show it");
        return;
    }
    pen_puts(pen, ROLE_STRONG, step_kind_name(step->kind));
    /* a column stays free at the right, as on the other lines */
    put_title(step->title,
              pen->area.rect.w - pen->x - evidence_columns(view_model, step, pen->area) - 1, pen);
    put_evidence(view_model, step, pen);
}

/* The stage of the evaluation and its progress; nothing once the stage is complete. */
static void put_progress(const struct evaluation_progress *progress, struct pen *pen)
{
    if (!progress->stage || (progress->total && progress->done == progress->total))
        return;
    pen_putf(pen, ROLE_BAR, " | %s", progress->stage);
    if (progress->total)
        pen_putf(pen, ROLE_BAR, " %u/%u", progress->done, progress->total);
}

/* A rate is shown only after a second, because the first parts of a reply arrive together. */
enum { LEAST_RATE_US = 1000000 };

/* Put the cost of the exchange so far, the prompt included. */
static void put_cost_so_far(const struct driver_live *live, struct pen *pen)
{
    if (live->has_price)
        pen_putf(pen, ROLE_BAR, ", ~$%.3g so far", live->usd);
    else
        pen_puts(pen, ROLE_BAR, ", price unknown");
}

/*
 * Put the number of tokens that have arrived and their rate per second, over all replies together.
 * The models' reasoning is included.
 */
static void put_rate(const struct driver_live *live, struct pen *pen)
{
    int64_t us = clock_now_us() - live->first_part_us;
    size_t bytes = 0;
    char count[FORMAT_SIZE];

    for (unsigned i = 0; i < live->stream_count; i++)
        bytes += live->streams[i].len + live->thoughts[i].text.len;
    pen_putf(pen, ROLE_BAR, " | ~%s tokens",
             format_count(count, (int64_t)(bytes / BYTES_PER_TOKEN)));
    if (us >= LEAST_RATE_US)
        pen_putf(pen, ROLE_BAR, ", ~%.0f/s", (double)bytes / BYTES_PER_TOKEN / ((double)us * 1e-6));
}

/* The reason why nothing is under way. */
static const char *idleness(const struct view_model *view_model)
{
    if (view_model->is_paused)
        return "paused";
    if (view_model->live && view_model->live->is_by_hand)
        return "by hand: each save is judged; :watch off lets the agents continue";
    return "";
}

/* Put the driver's notice, unless the line of messages shows it. */
static void put_notice(const char *notice, const struct message_log *messages, struct pen *pen)
{
    if (*notice && !(messages && message_shows(messages, notice)))
        pen_putf(pen, ROLE_WARNING, " | %s", notice);
}

static void put_activity(const struct view_model *view_model, const struct message_log *messages,
                         struct pen *pen)
{
    const struct driver_live *live = view_model->live;
    char text[FORMAT_SIZE];

    if (view_model->session->now.stage == STAGE_CLOSED) {
        pen_putf(pen, ROLE_STRONG, "closed: %s",
                 view_model->session->closed_because ? view_model->session->closed_because : "");
        return;
    }
    if (!live || !live->activity) {
        pen_puts(pen, ROLE_STRONG, idleness(view_model));
        return;
    }
    pen_putf(pen, ROLE_STRONG, "%s %s", live->activity,
             format_duration(text, clock_now_us() - live->since_us));
    put_progress(&live->progress, pen);
    if (live->busy == BUSY_AGENT && live->first_part_us) {
        put_rate(live, pen);
        put_cost_so_far(live, pen);
    }
    if (view_model->is_paused)
        pen_puts(pen, ROLE_WARNING, " | pauses after this step");
    put_notice(live->notice, messages, pen);
}

/* Put the error that has stopped the session. The line of messages has it too, until a key is
 * pressed. */
static void put_error(const char *text, struct message_log *messages, struct pen *pen)
{
    bool fits;

    pen_puts(pen, ROLE_BAD, "stopped");
    fits = pen->x + 2 + canvas_text_columns(text, strlen(text)) <= pen->area.rect.w;
    if (messages && message_shows(messages, text)) {
        if (!fits) {
            pen_puts(pen, ROLE_BAR, ", as the last line says");
            return;
        }
        message_withdraw(messages);
    }
    pen_puts(pen, ROLE_BAD, ": ");
    message_put(ROLE_BAD, text, pen);
}

/* Put the error, and how to resume the session in a new process. */
static void put_trouble(const struct view_model *view_model, const struct status_bars_facts *facts,
                        struct pen *pen, struct pen *remedy)
{
    char key[KEYMAP_KEY_SIZE];

    put_error(view_model->trouble, facts->messages, pen);
    pen_putf(remedy, ROLE_BAR, "%s %s; ", keymap_key_of(facts->keymap, COMMAND_QUIT, key),
             facts->goes_back ? "goes back" : "leaves");
    if (view_model->session->id && !view_model->can_resume) {
        pen_puts(remedy, ROLE_BAR, "the session cannot be resumed");
        return;
    }
    pen_puts(remedy, ROLE_BAR, "once this is fixed, ");
    if (view_model->session->id)
        pen_putf(remedy, ROLE_BAR, "run \"kforge resume %s\"", view_model->session->id);
    else
        pen_puts(remedy, ROLE_BAR, "start the session again");
}

void status_bars_draw_decision(const struct view_model *view_model,
                               const struct status_bars_facts *facts, struct area area)
{
    const struct step *step = view_model_waiting(view_model);
    struct area below = area_part(area, (struct rect){0, 1, area.rect.w, 1});
    struct pen pen = area_pen(area, 1, 0), keys = area_pen(below, 2, 0);

    if (view_model->trouble) {
        put_trouble(view_model, facts, &pen, &keys);
    } else if (step) {
        put_waiting(view_model, step, &pen);
        put_decision_keys(view_model, facts, below);
    } else {
        put_activity(view_model, facts->messages, &pen);
        if (view_model->session->now.stage == STAGE_CLOSED) {
            put_closed_keys(view_model->session, facts, &keys);
            return;
        }
        put_running_keys(view_model, facts, &keys);
    }
}

/* The state of the session in a few words. */
static const char *situation(const struct view_model *view_model)
{
    if (view_model->session->now.stage == STAGE_CLOSED)
        return "closed";
    if (view_model->trouble)
        return "stopped";
    if (view_model_waiting(view_model))
        return "waiting for you";
    if (view_model->live && view_model->live->activity)
        return view_model->live->activity;
    if (view_model->is_paused)
        return "paused";
    return view_model->live && view_model->live->is_by_hand ? "by hand" : "";
}

struct area status_bars_draw_end(const struct keymap *keymap, enum scene pinned, const char *words,
                                 struct area area)
{
    const struct keymap_row *row = keymap_row_of(COMMAND_LAYOUT);
    char key[KEYMAP_KEY_SIZE];
    struct strbuf pin = {0};
    int start = area.rect.w - canvas_text_columns(words, strlen(words)) - 1;
    struct pen pen = area_pen(area, start, 0);

    pen_puts(&pen, ROLE_STATUS, words);
    if (pinned && area.rect.w >= WIDE_COLUMNS)
        strbuf_addf(&pin, "layout %s ", scene_name(pinned));
    if (pinned)
        strbuf_addf(&pin, "pinned (%s)%s", keymap_key(keymap, row, key), *words ? " | " : "");
    start -= canvas_text_columns(strbuf_cstr(&pin), pin.len);
    pen = area_pen(area, start, 0);
    pen_puts(&pen, ROLE_STATUS, strbuf_cstr(&pin));
    if (pinned)
        hints_link(area, (struct rect){start, 0, (int)pin.len, 1}, row);
    area_paint(area, ROLE_STATUS);
    if (pinned || *words)
        area = area_part(area, (struct rect){0, 0, start - 2, 1});
    strbuf_release(&pin);
    return area;
}

void status_bars_draw_status(const struct view_model *view_model,
                             const struct status_bars_facts *facts, struct area area)
{
    const struct hint hints[] = {
        {"next-pane", "pane", .keys = "1-7", .rank = 2},
        {"full", NULL, .rank = 3},
        {"search", NULL, .rank = 4},
        {"prompt", "command", .rank = 3},
        {"palette", NULL, .keys = "^P", .rank = 4},
        {"help", NULL, .rank = 1},
        {"quit", facts->goes_back ? "back" : "leave", .rank = 0},
    };

    hints_draw(facts->keymap, hints, COUNT(hints),
               status_bars_draw_end(facts->keymap, facts->pinned, situation(view_model), area));
}
