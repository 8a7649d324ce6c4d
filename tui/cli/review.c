#include "core/session/recorded/review.h"

#include <stdlib.h>

#include "core/session/store/catalog.h"
#include "tui/cli/recommendation_table.h"
#include "tui/cli/screen_options.h"
#include "tui/cli/session_run.h"

struct reviewing {
    const char *session; /* NULL: all sessions */
    struct screen_options screen;
    struct review_filter filter;
    struct review review;
};

static enum status read_all(struct reviewing *r, struct error *err)
{
    char **ids = NULL;
    size_t count = 0;
    struct error why = {0};
    enum status st = catalog_list(&ids, &count, err);

    for (size_t i = 0; i < count; i++) {
        if (review_add(&r->review, ids[i], false, &why))
            command_notice(NULL, why.text);
        free(ids[i]);
    }
    free(ids);
    return st;
}

static void print_json(const struct review_item *item)
{
    struct json *object = json_object_new();

    json_put_string(object, "session", item->session);
    json_put_number(object, "step", item->step);
    json_put_string(object, "at", item->at);
    json_put_string(object, "problem", item->problem);
    json_put_string(object, "device", item->device);
    json_put_string(object, "agent", item->agent);
    json_put_string(object, "bottleneck", item->bottleneck);
    json_put_string(object, "evidence", item->evidence);
    json_put_string(object, "change", item->change);
    json_put_string(object, "tags", item->tags);
    json_put_string(object, "decision", decision_name(item->decision));
    if (item->decision != DECISION_PENDING)
        json_put_string(object, "by", item->decider == DECIDER_ENGINEER ? "engineer" : "policy");
    json_put_string(object, "reason", item->reason);
    if (item->promised > 0)
        json_put_number(object, "promised", item->promised);
    if (item->follower)
        json_put_number(object, "attempt", item->follower);
    if (item->is_judged)
        json_put_string(object, "outcome", outcome_name(item->outcome));
    if (review_has_gain(item))
        json_put_number(object, "gained", item->gained);
    command_print_json(object);
    json_free(object);
}

static void print(const struct reviewing *r)
{
    struct strbuf text = {0};

    for (size_t i = 0; r->screen.as_json && i < r->review.count; i++)
        if (review_passes(&r->review.items[i], &r->filter))
            print_json(&r->review.items[i]);
    if (r->screen.as_json)
        return;
    recommendation_table_write(&r->review, &r->filter, &text);
    command_print("%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

#define AT(field) offsetof(struct reviewing, field)

static const struct option_row own_options[] = {
    {.name = "tag",
     .value = "TAG",
     .help = "only recommendations with this tag",
     .kind = OPTION_TEXT,
     .offset = AT(filter.values[REVIEW_TAG])},
    {.name = "device",
     .value = "ID",
     .help = "only recommendations for this device",
     .kind = OPTION_TEXT,
     .offset = AT(filter.values[REVIEW_DEVICE])},
    {.name = "problem",
     .value = "NAME",
     .help = "only recommendations for this problem",
     .kind = OPTION_TEXT,
     .offset = AT(filter.values[REVIEW_PROBLEM])},
    {0},
};

static const struct option_set option_sets[] = {
    {own_options, 0},
    {screen_option_rows, AT(screen)},
    {0},
};

static enum status parse(struct reviewing *r, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&review_command, r, &arguments, err);

    r->session = arguments.items[0];
    return !st && arguments.count > 1 ? command_expects(&review_command, err) : st;
}

static enum exit_code show(const struct reviewing *r)
{
    struct driver_options driver = {.agent = "builtin"};
    const struct app_options options = {.driver = &driver,
                                        .begin = APP_BEGIN_REVIEW,
                                        .session = r->session,
                                        .filter = &r->filter,
                                        .theme = r->screen.theme,
                                        .keys = r->screen.keys};

    gate_preset("guided", &driver.gate);
    return session_run_workbench(&options);
}

static enum exit_code review_run(int argc, char **argv)
{
    struct reviewing r = {0};
    struct error err = {0};
    enum status st;

    if (parse(&r, argc, argv, &err))
        return command_fail(&err);
    if (screen_options_want_screen(&r.screen))
        return show(&r);
    st = r.session ? review_add(&r.review, r.session, true, &err) : read_all(&r, &err);
    if (!st)
        print(&r);
    review_release(&r.review);
    return st ? command_fail(&err) : EXIT_CODE_IMPROVED;
}

const struct command review_command = {
    .name = "review",
    .arguments = "[SESSION]",
    .options = option_sets,
    .summary = "List the recommendations of a session, or of all sessions: the promised speedup, "
               "the\ndecision, and the speedup that followed.",
    .details = NULL,
    .exits = "0 done, 2 usage or no such session, 5 disk",
    .run = review_run,
};
