#include "tui/screens/screen_replay.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/session/recorded/timeline.h"
#include "tui/frame/hints.h"
#include "tui/frame/session_header.h"
#include "tui/frame/status_bars.h"
#include "tui/frame/time_bar.h"
#include "tui/panels/panes.h"
#include "tui/screens/screen_compare.h"
#include "tui/screens/session_actions.h"

enum { TENTHS = 10 };

/* Speeds of the replay, relative to the session. */
static const int speeds[] = {1, 2, 4, 8, 16, 32, 64};

enum { SPEED_COUNT = 7, USUAL_SPEED = 2 };

struct replay_screen {
    struct screen screen;
    struct timeline timeline;
    struct time_bar bar;
    struct view_model view_model;
    struct panes panes;
    struct loop_timer turn; /* for the next event; set while the replay plays */
    size_t speed;
    struct compare_point mark; /* the marked point; step 0: none */
    size_t mark_place;         /* place of the marked point */
    size_t place_after;        /* place to return to after a comparison; 0: stay */
};

static struct replay_screen *of(struct screen *screen)
{
    return (struct replay_screen *)screen;
}

static void seek(struct replay_screen *replay, size_t place)
{
    struct screen_host *host = replay->screen.host;
    struct error err = {0};

    if (timeline_seek(&replay->timeline, place, &err))
        chrome_say_error(host->chrome, &err);
    replay->view_model.is_elsewhere = false;
    view_model_refresh(&replay->view_model);
    panes_follow_step(&replay->panes, &replay->view_model, false);
    host->ops->changed(host);
}

static void stop(struct replay_screen *replay)
{
    loop_clear_timer(replay->screen.host->loop, &replay->turn);
}

static void take_turn(void *data);

/* Wait until the next event is due at the current speed; at the end, stop. */
static void play(struct replay_screen *replay)
{
    const struct timeline *timeline = &replay->timeline;
    int64_t wait_us;

    if (timeline->place == replay->timeline.recording.events.count)
        return;
    wait_us = timeline->at_us[timeline->place] - timeline_now_us(timeline);
    loop_set_timer(replay->screen.host->loop, &replay->turn, wait_us / speeds[replay->speed],
                   take_turn, replay);
}

static void take_turn(void *data)
{
    struct replay_screen *replay = data;

    seek(replay, replay->timeline.place + 1);
    play(replay);
}

/* Play, or stop playing. At the end of the session, play again from the start. */
static void play_or_stop(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);

    (void)call;
    if (replay->turn.is_set) {
        stop(replay);
        return;
    }
    if (replay->timeline.place == replay->timeline.recording.events.count)
        seek(replay, 1);
    play(replay);
}

/*
 * Change the speed. Below the slowest speed, the unsigned sum wraps around, which is also out of
 * range.
 */
static void turn_speed(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);
    size_t speed = replay->speed + (size_t)call->row->number;

    if (speed >= SPEED_COUNT)
        return;
    replay->speed = speed;
    if (replay->turn.is_set)
        play(replay);
}

/* The latest proposed step. */
static unsigned step_now(const struct replay_screen *replay)
{
    return (unsigned)replay->timeline.session.steps.count;
}

static void go_to_step(struct replay_screen *replay, unsigned step)
{
    stop(replay);
    seek(replay, step ? timeline_end_of_step(&replay->timeline, step) : 1);
}

/*
 * Go to the next or previous step. Going back from within a step leads to its start, which is the
 * end of the step before it.
 */
static void go_by_steps(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);
    unsigned step = step_now(replay);

    if (call->row->number < 0)
        go_to_step(replay, step ? step - 1 : 0);
    else if (step && replay->timeline.place < timeline_end_of_step(&replay->timeline, step))
        go_to_step(replay, step);
    else
        go_to_step(replay, step + 1);
}

static void go_by_events(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);

    stop(replay);
    seek(replay, replay->timeline.place + (size_t)call->row->number);
}

static void go_to_tenth(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);
    int tenth = *call->argument ? (int)strtol(call->argument, NULL, 10) : (int)call->key.code - '0';

    stop(replay);
    if (!*call->argument && !call->key.input)
        screen->host->ops->ask_for_command(screen->host, "tenth ");
    else if (tenth < 0 || tenth > TENTHS)
        chrome_say(screen->host->chrome, ROLE_BAD, "tenth: expected a number from 0 to 10");
    else
        seek(replay, timeline_place_at(&replay->timeline,
                                       timeline_length_us(&replay->timeline) * tenth / TENTHS));
}

static void go_to_named_step(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);
    char *end;
    unsigned long step = strtoul(call->argument, &end, 10);

    if (!*call->argument || *end || !step || step > replay->timeline.steps.count)
        chrome_say(screen->host->chrome, ROLE_BAD, "step: expected a number from 1 to %zu",
                   replay->timeline.steps.count);
    else
        go_to_step(replay, (unsigned)step);
}

static void go_in_background(struct replay_screen *replay, size_t place)
{
    struct error err = {0};

    if (timeline_seek(&replay->timeline, place, &err))
        chrome_say_error(replay->screen.host->chrome, &err);
}

/*
 * Compare with the mark. The session moves to the later of the two points while the comparison is
 * open, because the comparison shows numbers of that moment.
 */
static void compare_with_mark(struct replay_screen *replay, const struct compare_point *here)
{
    const struct compare_point points[] = {replay->mark, *here};

    if (replay->mark_place > replay->timeline.place) {
        replay->place_after = replay->timeline.place;
        go_in_background(replay, replay->mark_place);
    }
    screen_compare_open(replay->screen.host, points, &replay->timeline.session,
                        &replay->view_model.source);
}

static void replay_returned(struct screen *screen)
{
    struct replay_screen *replay = of(screen);

    if (replay->place_after)
        go_in_background(replay, replay->place_after);
    replay->place_after = 0;
}

static void mark_or_compare(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);
    struct chrome *chrome = screen->host->chrome;
    struct compare_point here = compare_point_of(&replay->view_model);
    char key[KEYMAP_KEY_SIZE];

    (void)call;
    stop(replay);
    if (!here.step) {
        chrome_say(chrome, ROLE_WARNING, "no step yet: %s goes to the first one",
                   keymap_key_of(&chrome->keymap, COMMAND_BY_STEP, key));
    } else if (!replay->mark.step) {
        replay->mark = here;
        replay->mark_place = replay->timeline.place;
        chrome_say(chrome, ROLE_GOOD, "step %u is marked: go to another step and press %s again",
                   here.step, keymap_key_of(&chrome->keymap, COMMAND_MARK, key));
    } else if (replay->mark.step == here.step) {
        replay->mark = (struct compare_point){0};
        chrome_say(chrome, ROLE_TEXT, "the mark is removed");
    } else {
        compare_with_mark(replay, &here);
    }
}

static void enter_fork(void *data, const char *agent)
{
    const struct replay_screen *replay = data;
    struct screen_host *host = replay->screen.host;
    struct error err = {0};

    if (session_actions_fork(host, &replay->timeline.recording, replay->view_model.step, agent,
                             &err))
        chrome_say_error(host->chrome, &err);
}

static void ask_for_fork(struct screen *screen, const struct call *call)
{
    static const struct screen_prompt prompt = {.line = {.history = "agents"},
                                                .entered = enter_fork};
    struct replay_screen *replay = of(screen);

    (void)call;
    stop(replay);
    session_actions_ask_for_fork(screen->host, &prompt, replay, &replay->view_model);
}

static void put_state(const struct replay_screen *replay, struct pen *pen)
{
    const struct timeline *timeline = &replay->timeline;
    char now[FORMAT_SIZE], length[FORMAT_SIZE];

    pen_puts(pen, ROLE_WAITING, replay->turn.is_set ? "playing " : "stopped ");
    pen_putf(pen, ROLE_BAR, "%dx  ", speeds[replay->speed]);
    pen_putf(pen, ROLE_STRONG, "step %u of %zu  ", step_now(replay), timeline->steps.count);
    pen_putf(pen, ROLE_BAR, "%s of %s  ", format_duration(now, timeline_now_us(timeline)),
             format_duration(length, timeline_length_us(timeline)));
}

static void put_event(const struct replay_screen *replay, struct pen *pen)
{
    const struct timeline *timeline = &replay->timeline;
    const char *at = timeline->session.at;

    if (strlen(at) > CLOCK_TIME_AT)
        pen_putf(pen, ROLE_DIM, "%.8s  ", at + CLOCK_TIME_AT);
    if (replay->mark.step)
        pen_putf(pen, ROLE_KEY, "marked: %u  ", replay->mark.step);
    pen_puts(pen, ROLE_DIM, event_name(timeline->recording.events.items[timeline->place - 1].type));
}

static void draw_header(const struct replay_screen *replay, struct area area)
{
    static const char word[] = "REPLAY";
    int start = area.rect.w - (int)strlen(word) - 1;
    struct pen pen = area_pen(area, start, 0);

    session_header_draw(&replay->view_model, area_part(area, (struct rect){0, 0, start - 1, 1}));
    pen_puts(&pen, ROLE_WAITING, word);
    area_paint(area, ROLE_HEADER);
}

static void draw_lines(struct replay_screen *replay, const struct layout *layout,
                       struct canvas *canvas)
{
    const struct hint hints[] = {
        {"play", NULL, .rank = 2},
        {"previous-step", "", .rank = 3},
        {"next-step", "step", .rank = 3},
        {"slower", "", .rank = 6},
        {"faster", "speed", .rank = 6},
        {"tenth", "jump", .rank = 5},
        {"next-pane", "pane", .rank = 4},
        {"mark", "compare", .rank = 6},
        {"fork", NULL, .rank = 4},
        {"help", NULL, .rank = 1},
        {"quit", replay->screen.host->chrome->goes_back ? "back" : "leave", .rank = 0},
    };
    struct area bar = canvas_area(canvas, layout->bar),
                status = canvas_area(canvas, layout->status);
    const struct keymap *keymap = &replay->screen.host->chrome->keymap;
    struct pen pen = area_pen(bar, 1, 1);

    draw_header(replay, canvas_area(canvas, layout->header));
    time_bar_draw(&replay->bar, &replay->timeline,
                  area_part(bar, (struct rect){0, 0, bar.rect.w, 1}));
    if (layout->kind == LAYOUT_SMALL)
        pen = area_pen(status, 0, 0);
    else
        hints_draw(keymap, hints, COUNT(hints),
                   status_bars_draw_end(keymap, replay->panes.focus.pinned, "", status));
    put_state(replay, &pen);
    put_event(replay, &pen);
}

static struct rect replay_draw(struct screen *screen, struct canvas *canvas)
{
    struct replay_screen *replay = of(screen);
    struct layout layout;

    replay->panes.focus.pinned = screen->host->chrome->pinned;
    layout = layout_of(canvas->w, canvas->h, &replay->panes.focus);
    if (!panes_draw(&replay->panes, &replay->view_model, &screen->host->chrome->search, &layout,
                    canvas))
        return (struct rect){0};
    draw_lines(replay, &layout, canvas);
    screen_read_on(screen, &replay->panes);
    return layout.message.h ? layout.message : layout.status;
}

static void interrupt(struct screen *screen, const struct call *call)
{
    (void)call;
    stop(of(screen));
}

static void pin_layout(struct screen *screen, const struct call *call)
{
    screen_pin_layout(screen->host, &of(screen)->panes, call->argument);
}

static const struct screen_binding bindings[] = {
    {COMMAND_PLAY, play_or_stop},
    {COMMAND_SPEED, turn_speed},
    {COMMAND_BY_STEP, go_by_steps},
    {COMMAND_BY_EVENT, go_by_events},
    {COMMAND_TENTH, go_to_tenth},
    {COMMAND_STEP, go_to_named_step},
    {COMMAND_MARK, mark_or_compare},
    {COMMAND_FORK, ask_for_fork},
    {COMMAND_INTERRUPT, interrupt},
    {COMMAND_LAYOUT, pin_layout},
    {0},
};

static bool replay_command(struct screen *screen, const struct call *call)
{
    struct replay_screen *replay = of(screen);

    return screen_call(screen, bindings, call) ||
           screen_compare_from_panes(screen->host, &replay->panes, &replay->view_model, call);
}

static unsigned replay_contexts(const struct screen *screen)
{
    return CONTEXT_REPLAY | panes_contexts(&((const struct replay_screen *)screen)->panes);
}

static struct panel_body replay_body(struct screen *screen)
{
    struct replay_screen *replay = of(screen);

    return panes_body(&replay->panes, &replay->view_model);
}

static void replay_selected(struct screen *screen)
{
    struct replay_screen *replay = of(screen);

    panes_follow_selection(&replay->panes, &replay->view_model);
}

static void replay_copy(struct screen *screen, struct strbuf *out)
{
    struct replay_screen *replay = of(screen);

    panes_copy(&replay->panes, &replay->view_model, out);
}

/* A press on the time bar seeks to that time. */
static void replay_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct replay_screen *replay = of(screen);
    struct layout layout = layout_of(canvas->w, canvas->h, &replay->panes.focus);

    if (layout.bar.h && mouse.y == layout.bar.y && mouse.action == MOUSE_PRESSED) {
        stop(replay);
        seek(replay, time_bar_place(&replay->timeline, mouse.x, layout.bar.w));
    } else {
        panes_mouse(&replay->panes, &replay->view_model, canvas, mouse);
    }
}

static void replay_close(struct screen *screen)
{
    struct replay_screen *replay = of(screen);

    stop(replay);
    view_model_release(&replay->view_model);
    panes_release(&replay->panes);
    timeline_release(&replay->timeline);
    time_bar_release(&replay->bar);
    free(replay);
}

static const struct screen_ops replay_ops = {
    .close = replay_close,
    .draw = replay_draw,
    .contexts = replay_contexts,
    .body = replay_body,
    .command = replay_command,
    .mouse = replay_mouse,
    .selected = replay_selected,
    .returned = replay_returned,
    .copy = replay_copy,
};

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    return recording_text(data, id, out, err);
}

enum status screen_replay_open(struct screen_host *host, const char *name, unsigned step,
                               struct error *err)
{
    struct replay_screen *replay = mem_alloc_zeroed(1, sizeof(*replay));
    enum status st = timeline_open(&replay->timeline, name, err);

    if (st) {
        free(replay);
        return st;
    }
    replay->screen = (struct screen){&replay_ops, host};
    replay->speed = USUAL_SPEED;
    replay->view_model.session = &replay->timeline.session;
    replay->view_model.keymap = &host->chrome->keymap;
    replay->view_model.source =
        (struct view_model_source){.text = text_of, .data = &replay->timeline.recording};
    replay->view_model.query.options = screen_query_options(host);
    panes_open(&replay->panes);
    replay->panes.focus.is_unnumbered = true; /* digits jump in time */
    seek(replay, step ? timeline_end_of_step(&replay->timeline, step) : 1);
    host->ops->push(host, &replay->screen);
    return STATUS_OK;
}
