#include "tui/frame/session_header.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/strbuf.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "tui/frame/policy_menu.h"

enum { MARGIN = 1, SEPARATOR_W = 3, DEVICE_W = 24, NAME_W = 24 };

/* The fields in their order; a separator is between two of them. */
enum header_field { PROBLEM, BEST, DEVICE, AGENT, POLICY, ATTEMPTS, TOKENS, DOLLARS };

/* The order in which parts are left out. A part that stays may be cut at the edge. */
enum loss {
    LOSS_SESSION,
    LOSS_DEVICE_NAME,
    LOSS_SERVICE,
    LOSS_BASELINE,
    LOSS_DEVICE,
    LOSS_POLICY,
    LOSS_AGENT,
    LOSS_TOKENS,
    LOSS_ATTEMPTS,
    STAYS,
};

struct part {
    struct strbuf text;
    enum role role;
    enum header_field field;
    enum loss loss;
};

enum { PARTS_MAX = 12 };

struct header {
    struct part parts[PARTS_MAX];
    size_t count;
};

static struct strbuf *add(struct header *header, enum header_field field, enum loss loss,
                          enum role role)
{
    struct part *part = &header->parts[header->count++];

    *part = (struct part){.role = role, .field = field, .loss = loss};
    return &part->text;
}

static void add_problem(struct header *header, const struct session *session)
{
    strbuf_adds(add(header, PROBLEM, STAYS, ROLE_STRONG),
                session->problem_name ? session->problem_name : "kforge");
    if (session->id)
        strbuf_addf(add(header, PROBLEM, LOSS_SESSION, ROLE_HEADER), " %s", session->id);
}

static void add_best(struct header *header, const struct session *session)
{
    const struct attempt *best = session_attempt(session, session->now.best);
    char text[FORMAT_SIZE];

    if (!best)
        return;
    strbuf_addf(add(header, BEST, STAYS, ROLE_STRONG), "best %s",
                scale_format_speedup(text, session, best));
    if (scale_speedup(session, best) > 0)
        strbuf_addf(add(header, BEST, LOSS_BASELINE, ROLE_HEADER), " over %s",
                    baseline_label_short(scale_strongest(session)));
}

/* The length of a name up to the last word that ends within DEVICE_W, or of the whole word. */
static size_t short_length(const char *name)
{
    size_t len = strlen(name), found = len;

    for (size_t i = 1; i <= DEVICE_W && i < len; i++)
        if (name[i] == ' ' || name[i] == '-')
            found = i;
    return len > DEVICE_W ? found : len;
}

/* The device's id, and its name if there is room. */
static void add_device(struct header *header, const struct view_model *view_model)
{
    const struct device_info *device = view_model->device;
    const char *id = device ? device->id : view_model->session->device;

    strbuf_adds(add(header, DEVICE, LOSS_DEVICE, ROLE_HEADER), id ? id : "no device yet");
    if (device)
        strbuf_addf(add(header, DEVICE, LOSS_DEVICE_NAME, ROLE_HEADER), " %.*s",
                    (int)short_length(device->name), device->name);
}

/*
 * Add the agent. The service is the part before the colon in "openai:gpt-5". Of further writers,
 * only the number is shown.
 */
static void add_agent(struct header *header, const struct session *session)
{
    const char *agent = session->agent ? session->agent : "no agent yet";
    const char *colon = strchr(agent, ':'), *model = colon && colon[1] ? colon + 1 : agent;

    if (model > agent)
        strbuf_add(add(header, AGENT, LOSS_SERVICE, ROLE_HEADER), agent, (size_t)(model - agent));
    strbuf_adds(add(header, AGENT, LOSS_AGENT, ROLE_HEADER), model);
    if (session->roles.other_count)
        strbuf_addf(add(header, AGENT, LOSS_AGENT, ROLE_HEADER), " +%zu",
                    session->roles.other_count);
}

/* The attempts of the current pass (functional or optimization) and their limit. */
static void add_attempts(struct header *header, const struct session *session)
{
    const struct position *now = &session->now;
    unsigned done = now->has_correct ? now->optimize_attempts : now->functional_attempts;
    unsigned limit = now->has_correct ? session->limits.optimize : session->limits.functional;

    if (limit)
        strbuf_addf(add(header, ATTEMPTS, LOSS_ATTEMPTS, ROLE_HEADER), "attempt %u/%u", done,
                    limit);
}

/* Tokens and dollars; "$0.31/2.00" if there is a budget.  Dollars stay longer than tokens. */
static void add_cost(struct header *header, const struct session *session)
{
    double usd = session->used[RESOURCE_USD], budget = session->limits.budget[RESOURCE_USD];
    bool has_dollars = usd > 0 || budget > 0;
    char count[FORMAT_SIZE];
    struct strbuf *dollars;

    if (session->has_tokens)
        strbuf_addf(add(header, TOKENS, has_dollars ? LOSS_TOKENS : STAYS, ROLE_HEADER),
                    "%s tokens",
                    format_count(count, session->prompt_tokens + session->reply_tokens));
    if (!has_dollars)
        return;
    dollars = add(header, DOLLARS, STAYS, ROLE_HEADER);
    strbuf_addf(dollars, "$%.2f", usd);
    if (budget > 0)
        strbuf_addf(dollars, "/%.2f", budget);
}

static int columns_of(const struct header *header, enum loss least)
{
    const struct part *last = NULL;
    int columns = 2 * MARGIN;

    for (size_t i = 0; i < header->count; i++) {
        const struct part *part = &header->parts[i];

        if (part->loss < least)
            continue;
        columns += canvas_text_columns(strbuf_cstr(&part->text), part->text.len);
        columns += last && last->field != part->field ? SEPARATOR_W : 0;
        last = part;
    }
    return columns;
}

/* Cut a long name of a problem, so that only the session's id is left out because of it. */
static void shorten_problem(struct header *header, int columns)
{
    static const char dots[] = "...";
    struct strbuf *name = &header->parts[0].text;

    if (name->len <= NAME_W || columns_of(header, LOSS_SESSION + 1) <= columns)
        return;
    name->len = NAME_W - strlen(dots);
    strbuf_adds(name, dots);
}

static void put(const struct header *header, enum loss least, struct pen *pen)
{
    const struct part *last = NULL;

    for (size_t i = 0; i < header->count; i++) {
        const struct part *part = &header->parts[i];

        if (part->loss < least)
            continue;
        if (last && last->field != part->field)
            pen_puts(pen, ROLE_DIM, " | ");
        pen_puts(pen, part->role, strbuf_cstr(&part->text));
        last = part;
    }
}

void session_header_draw(const struct view_model *view_model, struct area area)
{
    const struct session *session = view_model->session;
    struct pen pen = area_pen(area, MARGIN, 0);
    struct header header = {.count = 0};
    enum loss least = 0;

    add_problem(&header, session);
    add_best(&header, session);
    add_device(&header, view_model);
    add_agent(&header, session);
    policy_menu_add_summary(session, add(&header, POLICY, LOSS_POLICY,
                                         session->run.is_on ? ROLE_WAITING : ROLE_HEADER));
    add_attempts(&header, session);
    add_cost(&header, session);
    shorten_problem(&header, area.rect.w);
    while (least < STAYS && columns_of(&header, least) > area.rect.w)
        least++;
    put(&header, least, &pen);
    for (size_t i = 0; i < header.count; i++)
        strbuf_release(&header.parts[i].text);
    area_paint(area, ROLE_HEADER);
}
