#include "core/base/vec.h"
#include "core/session/recorded/review_report.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/store/catalog.h"
#include "tui/cli/review_counterfactual.h"
#include "tui/cli/screen_options.h"
#include "tui/cli/session_run.h"
#include "tui/cli/text/recommendation_table.h"

struct reviewing {
    const char *session; /* NULL: all sessions */
    struct screen_options screen;
    struct review_filter filter;
    bool as_markdown;
    bool is_counterfactual;
    struct counterfactual_options counterfactual;
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

static void print(const struct reviewing *r)
{
    struct review_rows rows = {0};
    struct strbuf text = {0};

    review_choose(&r->review, &r->filter, &rows);
    if (r->screen.as_json)
        review_report_json(&r->review, &rows, &text);
    else if (r->as_markdown)
        review_report_markdown(&r->review, &rows, &text);
    else
        recommendation_table_write(&r->review, &rows, &text);
    command_print("%s", strbuf_cstr(&text));
    vec_release(&rows);
    strbuf_release(&text);
}

static enum status take_shown(void *field, const char *text, struct error *err)
{
    enum review_shown *shown = field;

    for (size_t i = 0; review_shown_names[i]; i++) {
        if (strcmp(text, review_shown_names[i]) == 0) {
            *shown = (enum review_shown)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_INVALID,
                     "--only \"%s\": expected unreviewed, reviewed, starred, noted or kept", text);
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
    {.name = "only",
     .value = "unreviewed|reviewed|starred|noted|kept",
     .help = "only those with this mark of yours, or whose candidate was kept",
     .kind = OPTION_CUSTOM,
     .offset = AT(filter.shown),
     .take = take_shown},
    {.name = "markdown",
     .help = "print a Markdown document",
     .kind = OPTION_FLAG,
     .offset = AT(as_markdown)},
    {.name = "counterfactual",
     .help = "measure the worth of each of your edits and vetoes: fork SESSION at the step,\n"
             "accept the proposal, continue by policy with the same budget, and time both",
     .kind = OPTION_FLAG,
     .offset = AT(is_counterfactual)},
    {.name = "repeats",
     .value = "N",
     .help = "with --counterfactual: make N forks of each step, so that the interval includes how\n"
             "much forks vary",
     .kind = OPTION_COUNT,
     .offset = AT(counterfactual.repeats),
     .most = 100},
    {.name = "timing-limit",
     .value = "SECONDS",
     .help = "with --counterfactual: as for kforge run",
     .kind = OPTION_SECONDS,
     .offset = AT(counterfactual.worker.timing_limit_us)},
    {.name = "worker",
     .value = "COMMAND",
     .help = "with --counterfactual: as for kforge run",
     .kind = OPTION_TEXT,
     .offset = AT(counterfactual.worker.prefix)},
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

static enum exit_code measure(struct reviewing *r)
{
    struct error err;

    if (!r->session) {
        (void)error_set(&err, STATUS_INVALID,
                        "--counterfactual needs a SESSION: kforge sessions lists them");
        return command_fail(&err);
    }
    r->counterfactual.session = r->session;
    r->counterfactual.as_json = r->screen.as_json;
    return review_counterfactual(&r->counterfactual);
}

static enum exit_code review_run(int argc, char **argv)
{
    struct reviewing r = {0};
    struct error err = {0};
    enum status st;

    if (parse(&r, argc, argv, &err))
        return command_fail(&err);
    if (r.is_counterfactual)
        return measure(&r);
    if (!r.as_markdown && screen_options_want_screen(&r.screen))
        return show(&r);
    st = review_read_marks(&r.review, &err);
    if (!st)
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
    .details = "--counterfactual runs sessions: with the built-in agents it needs no model.",
    .exits = "0 done, 2 usage or no such session, 5 device, model or disk, 130 interrupted",
    .run = review_run,
};
