#include "tui/frame/status_bars.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "core/system/clock.h"
#include "tui/frame/policy_menu.h"

static void separate(struct pen *pen)
{
    pen_puts(pen, ROLE_DIM, " | ");
}

/* Tokens and dollars; "$0.31/2.00" if there is a budget. */
static void put_cost(const struct session *session, struct pen *pen)
{
    double usd = session->used[RESOURCE_USD], budget = session->limits.budget[RESOURCE_USD];
    char count[FORMAT_SIZE];

    if (session->has_tokens) {
        separate(pen);
        pen_putf(pen, ROLE_HEADER, "%s tokens",
                 format_count(count, session->prompt_tokens + session->reply_tokens));
    }
    if (usd > 0 || budget > 0) {
        separate(pen);
        pen_putf(pen, ROLE_HEADER, "$%.2f", usd);
    }
    if (budget > 0)
        pen_putf(pen, ROLE_HEADER, "/%.2f", budget);
}

/* The attempts of the current pass (functional or optimization) and their limit. */
static void put_attempts(const struct session *session, struct pen *pen)
{
    const struct position *now = &session->now;
    unsigned done = now->has_correct ? now->optimize_attempts : now->functional_attempts;
    unsigned limit = now->has_correct ? session->limits.optimize : session->limits.functional;

    if (limit) {
        separate(pen);
        pen_putf(pen, ROLE_HEADER, "attempt %u/%u", done, limit);
    }
}

static void put_policy(const struct session *session, struct pen *pen)
{
    struct strbuf text = {0};

    policy_menu_add_summary(session, &text);
    separate(pen);
    pen_puts(pen, session->run.is_on ? ROLE_WAITING : ROLE_HEADER, strbuf_cstr(&text));
    strbuf_release(&text);
}

/* Headers of fewer columns do not name the baseline of the best speedup. */
enum { NAMED_W = 100 };

void status_bars_draw_header(const struct view_model *view_model, struct area area)
{
    const struct session *session = view_model->session;
    const struct attempt *best = session_attempt(session, session->now.best);
    struct pen pen = area_pen(area, 1, 0);
    char speedup[FORMAT_SIZE];

    pen_putf(&pen, ROLE_STRONG, "%s", session->problem_name ? session->problem_name : "kforge");
    pen_putf(&pen, ROLE_HEADER, " %s", session->id ? session->id : "");
    separate(&pen);
    if (best) {
        pen_putf(&pen, ROLE_STRONG, "best %s",
                 format_speedup(speedup, scale_speedup(session, best)));
        if (scale_speedup(session, best) > 0 && area.rect.w >= NAMED_W)
            pen_putf(&pen, ROLE_HEADER, " over %s", baseline_label_short(scale_strongest(session)));
        separate(&pen);
    }
    pen_putf(&pen, ROLE_HEADER, "%.24s",
             view_model->device ? view_model->device->name
             : session->device  ? session->device
                                : "no device yet");
    separate(&pen);
    pen_puts(&pen, ROLE_HEADER, session->agent ? session->agent : "no agent yet");
    put_policy(session, &pen);
    put_attempts(session, &pen);
    put_cost(session, &pen);
    area_paint(area, ROLE_HEADER);
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

static void put_speed(const struct session *session, const struct attempt *attempt, struct pen *pen)
{
    double speedup = scale_speedup(session, attempt);
    char text[FORMAT_SIZE];

    if (attempt->time.median_us <= 0)
        return;
    separate(pen);
    pen_puts(pen, ROLE_BAR, format_time(text, attempt->time.median_us));
    if (speedup > 0) {
        separate(pen);
        pen_putf(pen, ROLE_BAR, "%s", format_speedup(text, speedup));
    }
    if (attempt->gain > 0) {
        separate(pen);
        pen_putf(pen, attempt->gain_low > 1 ? ROLE_GOOD : ROLE_WARNING, "%+.1f%%",
                 100 * (attempt->gain - 1));
        if (attempt->gain_low > 0)
            pen_putf(pen, ROLE_DIM, " +-%.1f", 100 * (attempt->gain - attempt->gain_low));
        pen_puts(pen, ROLE_BAR, " over best");
    }
}

/* The facts on which the engineer decides about a step. */
static void put_evidence(const struct view_model *view_model, const struct step *step,
                         struct pen *pen)
{
    const struct attempt *attempt = session_attempt(view_model->session, step->attempt);

    if (step->kind == STEP_RECOMMENDATION && step->change) {
        separate(pen);
        pen_puts(pen, ROLE_BAR, step->change);
    }
    if (step->kind == STEP_RECOMMENDATION && step->gain > 0) {
        separate(pen);
        pen_putf(pen, ROLE_BAR, "promises %.2fx", step->gain);
    }
    if (step->kind != STEP_KEEP || !attempt || !attempt->is_evaluated)
        return;
    put_outcome(view_model, attempt, pen);
    put_speed(view_model->session, attempt, pen);
    if (view_model->shown.attempt == attempt->number &&
        view_model->added + view_model->removed > 0) {
        separate(pen);
        pen_putf(pen, ROLE_BAR, "+%zu -%zu", view_model->added, view_model->removed);
    }
}

/* From this width on the hints are sentences, else a few words. */
enum { WIDE_COLUMNS = 110 };

static void add_lines_seen(const struct read_progress *progress, bool is_wide, struct strbuf *out)
{
    if (progress->is_whole)
        strbuf_addf(out, "all %zu lines seen", progress->lines);
    else
        strbuf_addf(out,
                    is_wide ? "%zu of %zu lines seen (f: full pane)" : "%zu of %zu lines seen: f",
                    progress->seen, progress->lines);
    if (progress->cut)
        strbuf_addf(out, is_wide ? ", %zu cut (w: wrap)" : ", %zu cut: w", progress->cut);
}

/*
 * Draw at the right edge how much of the text to be decided on was on the screen; return the
 * columns left of it.
 */
static int put_read_progress(const struct status_bars_facts *facts, struct area line)
{
    const struct read_progress *progress = facts->read_progress;
    bool is_good = progress->is_here && progress->is_whole && !progress->cut;
    bool is_wide = line.rect.w >= WIDE_COLUMNS;
    struct strbuf text = {0};
    struct pen pen;
    int left;

    if (progress->is_here)
        add_lines_seen(progress, is_wide, &text);
    else if (is_wide)
        strbuf_addf(&text, "read pane %d first: press %d", facts->pane, facts->pane);
    else
        strbuf_addf(&text, "unread: press %d", facts->pane);
    left = line.rect.w - (int)text.len - 1;
    pen = area_pen(line, left, 0);
    pen_puts(&pen, is_good ? ROLE_GOOD : ROLE_WARNING, strbuf_cstr(&text));
    strbuf_release(&text);
    return left;
}

/* The keys of a context, as many as fit; dots in their place while they are not active. */
static void put_keys(const struct keymap *keymap, enum context context, bool is_armed,
                     struct pen *pen)
{
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        struct strbuf keys = {0};

        if (row->context != context)
            continue;
        keymap_add_keys(keymap, row, &keys);
        if (keys.len && pen->x + (int)(keys.len + 1 + strlen(row->name)) <= pen->area.rect.w) {
            pen_puts(pen, is_armed ? ROLE_KEY : ROLE_DIM, is_armed ? strbuf_cstr(&keys) : ".");
            pen_putf(pen, is_armed ? ROLE_BAR : ROLE_DIM, " %s  ", row->name);
        }
        strbuf_release(&keys);
    }
}

/* The keys for a closed session. */
static void put_closed_keys(const struct keymap *keymap, struct pen *pen)
{
    static const enum screen_command next[] = {COMMAND_BRANCH, COMMAND_TRAJECTORY, COMMAND_REVIEW,
                                               COMMAND_SESSIONS, COMMAND_QUIT};

    for (size_t i = 0; i < COUNT(next); i++) {
        const struct keymap_row *row = keymap_row_of(next[i]);
        struct strbuf keys = {0};

        keymap_add_keys(keymap, row, &keys);
        pen_puts(pen, ROLE_KEY, strbuf_cstr(&keys));
        pen_putf(pen, ROLE_BAR, " %s  ", next[i] == COMMAND_QUIT ? "leave" : row->name);
        strbuf_release(&keys);
    }
    pen_puts(pen, ROLE_KEY, ":replay");
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
    if (pen->area.rect.w >= 60)
        pen_putf(pen, ROLE_STRONG, " \"%s\"", step->title);
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

/*
 * A token is about four bytes, until the provider counts.  A rate is shown after a second: the
 * first parts of a reply arrive together.
 */
enum { BYTES_PER_TOKEN = 4, LEAST_RATE_US = 1000000 };

/* Tokens that have arrived, and in each second, of all replies together. */
static void put_rate(const struct driver_live *live, struct pen *pen)
{
    int64_t us = clock_now_us() - live->first_text_us;
    size_t bytes = 0;
    char count[FORMAT_SIZE];

    for (unsigned i = 0; i < live->stream_count; i++)
        bytes += live->streams[i].len;
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
        return "by hand: each save is judged; :watch off lets the agents go on";
    return "";
}

static void put_activity(const struct view_model *view_model, struct pen *pen)
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
    if (live->busy == BUSY_AGENT && live->first_text_us)
        put_rate(live, pen);
    if (view_model->is_paused)
        pen_puts(pen, ROLE_WARNING, " | pauses after this step");
    if (live->notice[0])
        pen_putf(pen, ROLE_WARNING, " | %s", live->notice);
}

/* An error has stopped the session.  It stays stopped until it is resumed in a new process. */
static void put_trouble(const struct view_model *view_model, struct pen *pen, struct pen *remedy)
{
    pen_putf(pen, ROLE_BAD, "stopped: %s", view_model->trouble);
    if (view_model->session->id && !view_model->can_resume) {
        pen_puts(remedy, ROLE_BAR, "q leaves; the session cannot be resumed");
        return;
    }
    pen_puts(remedy, ROLE_BAR, "q leaves; once this is fixed, ");
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
        put_trouble(view_model, &pen, &keys);
    } else if (step) {
        put_waiting(view_model, step, &pen);
        keys.area.rect.w = put_read_progress(facts, below) - 1;
        put_keys(facts->keymap, CONTEXT_WAITING, facts->is_armed, &keys);
        put_keys(facts->keymap, CONTEXT_LIVE, true, &keys);
    } else {
        put_activity(view_model, &pen);
        if (view_model->session->now.stage == STAGE_CLOSED) {
            put_closed_keys(facts->keymap, &keys);
            return;
        }
        put_keys(facts->keymap, CONTEXT_RUNNING, true, &keys);
        put_keys(facts->keymap, CONTEXT_LIVE, true, &keys);
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

void status_bars_draw_keys(const char *keys, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    pen_puts(&pen, ROLE_STATUS, keys);
    area_paint(area, ROLE_STATUS);
}

void status_bars_draw_status(const struct view_model *view_model, struct area area)
{
    const char *words = situation(view_model);
    int width = canvas_text_columns(words, strlen(words));
    struct rect left = {0, 0, area.rect.w - width - 3, 1};
    struct pen pen = area_pen(area, area.rect.w - width - 1, 0);

    status_bars_draw_keys("1-7 pane  f full  / search  : command  ^P palette  ? help  q leave",
                          area_part(area, left));
    pen_puts(&pen, ROLE_STATUS, words);
    area_paint(area, ROLE_STATUS);
}
