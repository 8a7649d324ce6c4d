#include "tui/panel.h"

#include "core/base/mem.h"
#include "tui/page.h"

/* Pane 7: the reply as it streams in; else the text of the step in view. */

struct agents {
    struct panel panel;
    struct page page;
    unsigned step; /* whose text was drawn last; 0: a stream */
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

static void agents_draw(struct panel *panel, const struct scene *scene, struct area area)
{
    struct agents *agents = (struct agents *)panel;
    const struct strbuf *text = is_streaming(scene) ? &scene->live->stream : &scene->step_text;

    follow(agents, is_streaming(scene) ? 0 : scene->step);
    page_clear(&agents->page);
    if (text->len == 0 && scene->live && scene->live->notice[0])
        page_add_wrapped(&agents->page, ROLE_WARNING, scene->live->notice, area.rect.w);
    page_add_wrapped(&agents->page, ROLE_TEXT, strbuf_cstr(text), area.rect.w);
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
