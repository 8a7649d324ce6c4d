#include "tui/panel.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/notes.h"
#include "tui/facts.h"

/*
 * Pane 7: the prompt and below it the reply as it streams in; else the text
 * of the step in view, a recommendation in its parts.  First what the
 * engineer has said that no prompt has carried yet.
 */

/* Of the pane's lines one in so many is the prompt's. */
enum { PROMPT_SHARE = 3 };

struct agents {
    struct panel panel;
    struct page page;
    struct page pending; /* what goes to the agents next */
    struct page prompt;  /* what the stream answers */
    unsigned step;       /* whose text was drawn last; 0: a stream */
};

static struct panel *agents_open(void)
{
    struct agents *agents = mem_alloc_zeroed(1, sizeof(*agents));

    agents->panel.ops = &panel_agents;
    return &agents->panel;
}

static void agents_close(struct panel *panel)
{
    struct agents *agents = (struct agents *)panel;

    page_release(&agents->page);
    page_release(&agents->pending);
    page_release(&agents->prompt);
    free(agents);
}

static bool is_streaming(const struct scene *scene)
{
    const struct driver_live *live = scene->live;

    return live && live->busy == BUSY_AGENT && live->stream.len > 0 && !scene->is_elsewhere;
}

static void agents_title(const struct panel *panel, const struct scene *scene, struct strbuf *out)
{
    const struct step *step = session_step(scene->session, scene->step);

    (void)panel;
    if (is_streaming(scene))
        strbuf_addf(out, " [%s]", scene->live->activity ? scene->live->activity : "reply");
    else if (step)
        strbuf_addf(out, " [step %u: %s]", step->number, step_kind_name(step->kind));
}

/* A stream is followed; a text of a step is read from its start. */
static void follow(struct agents *agents, unsigned step)
{
    if (agents->step == step && agents->page.lines.count > 0)
        return;
    agents->step = step;
    agents->page.view.top = 0;
    agents->page.view.is_following = step == 0;
}

/* The beginning of the prompt, and what is left of the area. */
static struct area draw_prompt(struct agents *agents, const struct scene *scene, struct area area)
{
    const struct step *step = session_step(scene->session, scene->step);
    int h = area.rect.h / PROMPT_SHARE;
    struct area above = area_part(area, (struct rect){0, 0, area.rect.w, h - 1});
    struct pen pen = area_pen(area, 0, h - 1);

    if (!step || step->kind != STEP_PROMPT || h < 2)
        return area;
    page_clear(&agents->prompt);
    page_add_wrapped(&agents->prompt, ROLE_DIM, strbuf_cstr(&scene->step_text), area.rect.w);
    page_draw(&agents->prompt, above);
    pen_putf(&pen, ROLE_HUNK, "that was the prompt, step %u; the reply:", step->number);
    return area_part(area, (struct rect){0, h, area.rect.w, area.rect.h - h});
}

static void add_pending(struct page *page, const char *when, const char *what, int columns)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%s: %s", when, what);
    page_add_wrapped(page, ROLE_WAITING, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

/* What the engineer said and attached, and no agent has seen yet; and the agent's last word. */
static void add_all_pending(struct page *page, const struct scene *scene, int columns)
{
    const struct session *session = scene->session;
    size_t count;
    const char **notes = notes_texts(session, &count);

    for (size_t i = 0; i < count; i++)
        add_pending(page, "with the next prompt", notes[i], columns);
    for (size_t i = session->now.first_attachment; i < session->attachments.count; i++)
        add_pending(page, "with the next analysis", session->attachments.items[i].name, columns);
    if (scene->live && scene->live->activity)
        page_add_wrapped(page, ROLE_WARNING, scene->live->notice, columns);
    free(notes);
}

/* Return what is left of the area. */
static struct area draw_pending(struct agents *agents, const struct scene *scene, struct area area)
{
    struct page *page = &agents->pending;
    int h;

    page_clear(page);
    add_all_pending(page, scene, area.rect.w);
    h = (int)page->lines.count < area.rect.h / 2 ? (int)page->lines.count : area.rect.h / 2;
    page_draw(page, area_part(area, (struct rect){0, 0, area.rect.w, h}));
    return area_part(area, (struct rect){0, h, area.rect.w, area.rect.h - h});
}

static void add_part(struct page *page, const char *name, const char *text, int columns)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%-10s %s", name, text ? text : "");
    if (text && *text)
        page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&line), columns);
    strbuf_release(&line);
}

static void add_advice(struct page *page, const struct recommendation *advice, int columns)
{
    page_add_wrapped(page, ROLE_STRONG, advice->change ? advice->change : "", columns);
    if (advice->has_gain)
        page_add(page, ROLE_GOOD, "promises   %.2fx", advice->gain);
    add_part(page, "bottleneck", advice->bottleneck, columns);
    add_part(page, "evidence", advice->evidence, columns);
    add_part(page, "tags", advice->tags, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_wrapped(page, ROLE_TEXT, advice->prose ? advice->prose : "", columns);
}

static void add_step(struct page *page, const struct scene *scene, int columns)
{
    const struct step *step = session_step(scene->session, scene->step);

    if (!step) {
        page_add(page, ROLE_DIM, "Nothing yet: here is what goes to the agent, and what it says.");
        return;
    }
    facts_add_effort(page, &step->effort, columns);
    if (page->lines.count > 0)
        page_add(page, ROLE_TEXT, "%s", "");
    if (scene->has_advice)
        add_advice(page, &scene->advice, columns);
    else
        page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&scene->step_text), columns);
}

static void agents_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct agents *agents = (struct agents *)panel;
    struct page *page = &agents->page;

    follow(agents, is_streaming(scene) ? 0 : scene->step);
    area = draw_pending(agents, scene, area);
    if (is_streaming(scene)) {
        area = draw_prompt(agents, scene, area);
        page_grow(page, &scene->live->stream, area.rect.w);
    } else {
        page_clear(page);
        add_step(page, scene, area.rect.w);
    }
    page_draw(page, area);
}

static struct panel_body agents_body(struct panel *panel, const struct scene *scene)
{
    (void)scene;
    return (struct panel_body){.text = &((struct agents *)panel)->page.view};
}

const struct panel_ops panel_agents = {
    .open = agents_open,
    .close = agents_close,
    .draw = agents_draw,
    .body = agents_body,
    .title = agents_title,
};
