#include "tui/panel.h"

#include "core/base/mem.h"
#include "tui/page.h"

/* Pane 7: the prompt and below it the reply as it streams in; else the text of the step in view. */

/* Of the pane's lines one in so many is the prompt's. */
enum { PROMPT_SHARE = 3 };

struct agents {
    struct panel panel;
    struct page page;
    struct page prompt; /* what the stream answers */
    unsigned step;      /* whose text was drawn last; 0: a stream */
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
    page_release(&agents->prompt);
    free(agents);
}

static bool is_streaming(const struct scene *scene)
{
    return scene->live && scene->live->stream.len > 0 && !scene->is_elsewhere;
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

static void agents_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct agents *agents = (struct agents *)panel;
    const struct strbuf *text = is_streaming(scene) ? &scene->live->stream : &scene->step_text;

    follow(agents, is_streaming(scene) ? 0 : scene->step);
    if (is_streaming(scene))
        area = draw_prompt(agents, scene, area);
    if (text->len > 0) {
        page_grow(&agents->page, text, area.rect.w);
    } else {
        page_clear(&agents->page);
        page_add_wrapped(&agents->page, ROLE_WARNING, scene->live ? scene->live->notice : "",
                         area.rect.w);
    }
    page_draw(&agents->page, area);
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
