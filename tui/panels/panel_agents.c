#include "tui/panels/panel.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/session/state/notes.h"
#include "tui/panels/step_facts.h"
#include "tui/widgets/prose.h"

/*
 * Pane 7: the prompt and, below it, the reply that streams in; otherwise the text of the step in
 * view. At the top are the engineer's notes and attachments that no prompt has contained yet.
 */

/* While a reply streams in, the prompt has one third of the lines. */
enum { PROMPT_SHARE = 3, UTF8_MOST = 4 /* bytes of a character */, PART_INDENT = 11 };

struct agents {
    struct panel panel;
    struct page page;
    struct page pending; /* notes and attachments for the next prompt */
    struct page prompt;  /* the prompt of the streaming reply */
    struct page thinking;
    struct strbuf prose; /* the reply in view, with each paragraph on one line */
    bool is_unfolded;    /* the model's thinking is shown above the reply, else only its length */
    bool shows_thinking; /* as of the last drawing */
    unsigned step;       /* the step whose text was drawn last; 0: a streaming reply */
    unsigned answer;     /* the streaming reply in view, from 0 */
    unsigned drawn;      /* the streaming reply that was drawn last */
};

static void agents_release(struct panel *panel)
{
    struct agents *agents = (struct agents *)panel;

    page_release(&agents->page);
    page_release(&agents->pending);
    page_release(&agents->prompt);
    page_release(&agents->thinking);
    strbuf_release(&agents->prose);
}

static bool is_streaming(const struct view_model *view_model)
{
    const struct driver_live *live = view_model->live;

    return live && live->busy == BUSY_AGENT && live->first_part_us && !view_model->is_elsewhere;
}

/* The streaming reply in view. A round may have fewer replies than the one before. */
static unsigned answer_in_view(const struct agents *agents, const struct driver_live *live)
{
    return agents->answer < live->stream_count ? agents->answer : 0;
}

static void add_streaming(const struct agents *agents, const struct view_model *view_model,
                          struct strbuf *out)
{
    const struct driver_live *live = view_model->live;
    char key[KEYMAP_KEY_SIZE];

    strbuf_addf(out, " [%s", live->activity ? live->activity : "reply");
    if (live->stream_count > 1)
        strbuf_addf(out, " %u of %u, %s: next", answer_in_view(agents, live) + 1,
                    live->stream_count, keymap_key_of(view_model->keymap, COMMAND_NEXT_PLACE, key));
    strbuf_adds(out, "]");
}

static void agents_title(const struct panel *panel, const struct view_model *view_model,
                         struct strbuf *out)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    if (is_streaming(view_model))
        add_streaming((const struct agents *)panel, view_model, out);
    else if (step)
        strbuf_addf(out, " [step %u: %s]", step->number, step_kind_name(step->kind));
}

static enum screen_command agents_title_command(const struct panel *panel,
                                                const struct view_model *view_model)
{
    (void)panel;
    return is_streaming(view_model) && view_model->live->stream_count > 1 ? COMMAND_NEXT_PLACE
                                                                          : COMMAND_NONE;
}

/* Stay at the end of a streaming reply; show the text of a step from its start. */
static void follow(struct agents *agents, unsigned step)
{
    if (agents->step == step && agents->page.lines.count > 0)
        return;
    agents->step = step;
    agents->page.view.top = 0;
    agents->page.view.is_following = step == 0;
}

/* Add a text by or for a model. Line breaks in its prose are dropped. */
static void add_prose(struct page *page, enum role role, const char *text, size_t len, int columns)
{
    struct strbuf prose = {0};

    prose_unfold(text, len, &prose);
    page_add_wrapped(page, role, strbuf_cstr(&prose), columns);
    strbuf_release(&prose);
}

/* Draw the beginning of the prompt; return the area below it. */
static struct area draw_prompt(struct agents *agents, const struct view_model *view_model,
                               struct area area)
{
    const struct step *step = session_step(view_model->session, view_model->step);
    const struct strbuf *text = &view_model->step_text;
    int h = area.rect.h / PROMPT_SHARE;
    size_t enough = (size_t)area.rect.w * (size_t)(h + 1) * UTF8_MOST;
    struct area above = area_part(area, (struct rect){0, 0, area.rect.w, h - 1});
    struct pen pen = area_pen(area, 0, h - 1);

    if (!step || step->kind != STEP_PROMPT || h < 2)
        return area;
    page_clear(&agents->prompt);
    add_prose(&agents->prompt, ROLE_DIM, strbuf_cstr(text), text->len < enough ? text->len : enough,
              area.rect.w);
    page_draw(&agents->prompt, above);
    pen_putf(&pen, ROLE_HUNK,
             agents->prompt.lines.count > (size_t)h - 1
                 ? "the prompt of step %u continues; the reply:"
                 : "end of the prompt, step %u; the reply:",
             step->number);
    return area_part(area, (struct rect){0, h, area.rect.w, area.rect.h - h});
}

static void add_pending(struct page *page, const char *when, const char *what, int columns)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%s: %s", when, what);
    page_add_wrapped(page, ROLE_WAITING, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

/* Add notes and attachments that no agent has seen yet, and the last notice of the driver. */
static void add_all_pending(struct page *page, const struct view_model *view_model, int columns)
{
    const struct session *session = view_model->session;
    size_t count;
    const char **notes = notes_texts(session, &count);

    for (size_t i = 0; i < count; i++)
        add_pending(page, "with the next prompt", notes[i], columns);
    for (size_t i = session->now.first_attachment; i < session->attachments.count; i++)
        add_pending(page, "with the next analysis", session->attachments.items[i].name, columns);
    if (view_model->live && view_model->live->activity)
        page_add_wrapped(page, ROLE_WARNING, view_model->live->notice, columns);
    free(notes);
}

/* Draw the pending notes; return the area below them. */
static struct area draw_pending(struct agents *agents, const struct view_model *view_model,
                                struct area area)
{
    struct page *page = &agents->pending;
    int h;

    page_clear(page);
    add_all_pending(page, view_model, area.rect.w);
    h = (int)page->lines.count < area.rect.h / 2 ? (int)page->lines.count : area.rect.h / 2;
    page_draw(page, area_part(area, (struct rect){0, 0, area.rect.w, h}));
    return area_part(area, (struct rect){0, h, area.rect.w, area.rect.h - h});
}

static void add_part(struct page *page, const char *name, const char *text, int columns)
{
    if (text && *text)
        page_add_named(page, ROLE_TEXT, name, text, (struct page_room){PART_INDENT, columns});
}

static void add_advice(struct page *page, const struct recommendation *advice, int columns)
{
    char speedup[FORMAT_SIZE];

    page_add_wrapped(page, ROLE_STRONG, advice->change ? advice->change : "", columns);
    if (advice->has_gain)
        page_add(page, ROLE_GOOD, "promises   %s", format_speedup(speedup, advice->gain));
    add_part(page, "bottleneck", advice->bottleneck, columns);
    add_part(page, "evidence", advice->evidence, columns);
    add_part(page, "tags", advice->tags, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    if (advice->prose)
        add_prose(page, ROLE_TEXT, advice->prose, strlen(advice->prose), columns);
}

static void add_step(struct page *page, const struct view_model *view_model, int columns)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    if (!step) {
        page_add(page, ROLE_DIM, "No prompt yet: prompts and replies appear here.");
        return;
    }
    step_facts_add_effort(page, &step->effort, columns);
    if (page->lines.count > 0)
        page_add(page, ROLE_TEXT, "%s", "");
    if (view_model->has_advice)
        add_advice(page, &view_model->advice, columns);
    else
        add_prose(page, ROLE_TEXT, strbuf_cstr(&view_model->step_text), view_model->step_text.len,
                  columns);
}

/* Write the reply in view. If another reply was shown before, scroll to its end. */
static void draw_answer(struct agents *agents, const struct driver_live *live, int columns)
{
    unsigned answer = answer_in_view(agents, live);

    if (answer != agents->drawn) {
        page_clear(&agents->page);
        agents->page.view.is_following = true;
    }
    agents->drawn = answer;
    agents->prose.len = 0;
    prose_unfold(strbuf_cstr(&live->streams[answer]), live->streams[answer].len, &agents->prose);
    page_grow(&agents->page, &agents->prose, columns);
}

/* A line with the length of the thinking. */
static void put_thinking(const struct agents *agents, const struct driver_thoughts *thoughts,
                         const struct keymap *keymap, struct area area)
{
    const struct keymap_row *row = keymap_row_of(COMMAND_THINKING);
    struct pen pen = area_pen(area, 0, 0);
    char count[FORMAT_SIZE], key[KEYMAP_KEY_SIZE];

    pen_putf(&pen, ROLE_HUNK, "thinking: ~%s tokens, %.1f s",
             format_count(count, (int64_t)(thoughts->text.len / BYTES_PER_TOKEN)),
             (double)(thoughts->last_us - thoughts->first_us) * 1e-6);
    pen_putf(&pen, ROLE_DIM, " (%s: %s)", keymap_key(keymap, row, key),
             agents->is_unfolded ? "fold" : "unfold");
    area_link(area, (struct rect){0, 0, pen.x, 1}, keymap_index(row));
}

/*
 * Draw the reasoning of the model whose reply is in view; return the area below it, for the reply.
 */
static struct area draw_thinking(struct agents *agents, const struct view_model *view_model,
                                 struct area area)
{
    const struct driver_live *live = view_model->live;
    unsigned answer = answer_in_view(agents, live);
    const struct driver_thoughts *thoughts = &live->thoughts[answer];
    int h = 1, w = area.rect.w;

    agents->shows_thinking = agents->is_unfolded && thoughts->text.len > 0;
    if (!thoughts->text.len)
        return area;
    put_thinking(agents, thoughts, view_model->keymap, area);
    if (agents->shows_thinking) {
        h = live->streams[answer].len ? area.rect.h / 2 : area.rect.h;
        page_grow(&agents->thinking, &thoughts->text, w);
        page_draw(&agents->thinking, area_part(area, (struct rect){0, 1, w, h - 1}));
    }
    return area_part(area, (struct rect){0, h, w, area.rect.h - h});
}

/* While several replies stream in, ] and [ go from one to the next; `t` unfolds the thinking. */
static bool agents_command(struct panel *panel, const struct view_model *view_model,
                           const struct call *call, struct panel_answer *answer)
{
    struct agents *agents = (struct agents *)panel;
    enum screen_command command = call->row->command;
    unsigned count = is_streaming(view_model) ? view_model->live->stream_count : 0;

    (void)answer;
    if (command == COMMAND_THINKING) {
        agents->is_unfolded = !agents->is_unfolded;
        agents->thinking.view.is_following = true;
        return true;
    }
    if (count < 2 || (command != COMMAND_NEXT_PLACE && command != COMMAND_PREVIOUS_PLACE))
        return false;
    agents->answer = (answer_in_view(agents, view_model->live) +
                      (command == COMMAND_NEXT_PLACE ? 1 : count - 1)) %
                     count;
    return true;
}

static void agents_draw(struct panel *panel, const struct view_model *view_model, struct area area)
{
    struct agents *agents = (struct agents *)panel;
    struct page *page = &agents->page;

    follow(agents, is_streaming(view_model) ? 0 : view_model->step);
    area = draw_pending(agents, view_model, area);
    agents->shows_thinking = false;
    if (is_streaming(view_model)) {
        area = draw_prompt(agents, view_model, area);
        area = draw_thinking(agents, view_model, area);
        draw_answer(agents, view_model->live, area.rect.w);
    } else {
        page_clear(page);
        add_step(page, view_model, area.rect.w);
    }
    page_draw(page, area);
}

static struct panel_body agents_body(struct panel *panel, const struct view_model *view_model)
{
    struct agents *agents = (struct agents *)panel;

    (void)view_model;
    return (struct panel_body){.text = agents->shows_thinking ? &agents->thinking.view
                                                              : &agents->page.view};
}

const struct panel_ops panel_agents = {
    .size = sizeof(struct agents),
    .release = agents_release,
    .draw = agents_draw,
    .command = agents_command,
    .body = agents_body,
    .title = agents_title,
    .title_command = agents_title_command,
};
