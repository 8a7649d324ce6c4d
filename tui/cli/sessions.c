#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/session/state/fold.h"
#include "core/session/state/scale.h"
#include "core/session/state/session.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"
#include "tui/cli/command.h"

struct listing {
    const char *search; /* NULL: all sessions */
    bool as_json;
    bool is_empty; /* no session was listed so far */
};

static enum status fold(void *data, const struct event *event, struct error *err)
{
    return fold_apply(data, event, err);
}

/* True if the id, a name or the best title has the text; case is ignored. */
static bool is_wanted(const struct listing *listing, const struct session *s,
                      const struct attempt *best)
{
    const char *const texts[] = {s->id,     s->problem_name, s->agent,
                                 s->device, s->forked_from,  best ? best->title : NULL};

    if (!listing->search)
        return true;
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i] && strcasestr(texts[i], listing->search))
            return true;
    return false;
}

/* The widest names of the shipped problems and of most agents fit; a longer one takes its room. */
enum { PROBLEM_W = 22, AGENT_W = 16 };

static void print_line(const struct session *s, const struct attempt *best)
{
    struct strbuf text = {0};

    command_print("%-18s %-*s %-*s %3zu attempt%-3s", s->id, PROBLEM_W, s->problem_name, AGENT_W,
                  s->agent, s->attempts.count, s->attempts.count == 1 ? "" : "s");
    if (best) {
        scale_describe(s, best, &text);
        command_print("best %s", strbuf_cstr(&text));
    }
    strbuf_release(&text);
    printf("%s\n", s->now.stage == STAGE_CLOSED ? "" : "  (open)");
}

static struct json *encode_best(const struct session *s, const struct attempt *best)
{
    double speedup = scale_speedup(s, best);
    struct json *object = json_object_new();

    json_put_number(object, "attempt", best->number);
    json_put_string(object, "title", best->title);
    json_put_string(object, "commit", best->commit);
    if (best->time.median_us > 0)
        json_put_number(object, "median_us", best->time.median_us);
    if (speedup > 0) {
        json_put_number(object, "speedup", speedup);
        json_put_string(object, "over", scale_strongest(s));
    }
    if (best->bound_fraction > 0)
        json_put_number(object, "bound_fraction", best->bound_fraction);
    return object;
}

/* The agents that write kernels in turn with the first one. */
static void put_others(const struct session *s, struct json *object)
{
    struct json *others =
        s->roles.other_count ? json_put(object, "others", json_array_new()) : NULL;

    for (size_t i = 0; i < s->roles.other_count; i++)
        json_push(others, json_string_new(s->roles.others[i]));
}

static void print_json(const struct session *s, const struct attempt *best)
{
    struct json *object = json_object_new();

    json_put_string(object, "session", s->id);
    json_put_string(object, "opened_at", s->opened_at);
    json_put_string(object, "problem", s->problem_name);
    json_put_string(object, "agent", s->agent);
    put_others(s, object);
    json_put_string(object, "analyst", s->roles.analyst);
    json_put_string(object, "device", s->device);
    json_put_string(object, "repository", s->repository);
    json_put_string(object, "forked_from", s->forked_from);
    json_put_bool(object, "open", s->now.stage != STAGE_CLOSED);
    json_put_string(object, "closed_because", s->closed_because);
    json_put_number(object, "steps", (double)s->steps.count);
    json_put_number(object, "attempts", (double)s->attempts.count);
    if (!s->unknown[RESOURCE_USD])
        json_put_number(object, "cost_usd", s->used[RESOURCE_USD]);
    if (best)
        json_put(object, "best", encode_best(s, best));
    command_print_json(object);
    json_free(object);
}

/* List a session. If it cannot be read, print a notice, so that the others are still listed. */
static void list_session(struct listing *listing, const char *id)
{
    struct session session = {0};
    struct error err = {0};
    char *path = catalog_journal(id);

    if (journal_read(path, fold, &session, &err)) {
        command_notice(NULL, err.text);
    } else if (session.id) {
        const struct attempt *best = session_attempt(&session, session.now.best);

        if (is_wanted(listing, &session, best)) {
            (listing->as_json ? print_json : print_line)(&session, best);
            listing->is_empty = false;
        }
    }
    session_release(&session);
    free(path);
}

static const struct option_row own_options[] = {
    {.name = "json",
     .help = "print the sessions as JSON, one object on each line",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct listing, as_json)},
    {0},
};

static const struct option_set option_sets[] = {{own_options, 0}, {0}};

static enum status parse(struct listing *listing, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&sessions_command, listing, &arguments, err);

    listing->search = arguments.items[0];
    return !st && arguments.count > 1 ? command_expects(&sessions_command, err) : st;
}

static void say_none(const char *search)
{
    struct strbuf line = {0};

    if (search)
        strbuf_addf(&line, "no session has \"%s\" in its id, problem, agent, device or title",
                    search);
    else
        strbuf_adds(&line, "no session yet: kforge run begins one");
    command_notice(NULL, strbuf_cstr(&line));
    strbuf_release(&line);
}

static enum exit_code sessions(int argc, char **argv)
{
    struct listing listing = {.is_empty = true};
    char **ids = NULL;
    size_t count = 0;
    struct error err;
    enum status st;

    if (parse(&listing, argc, argv, &err))
        return command_fail(&err);
    st = catalog_list(&ids, &count, &err);
    for (size_t i = 0; i < count; i++) {
        list_session(&listing, ids[i]);
        free(ids[i]);
    }
    free(ids);
    if (!st && listing.is_empty)
        say_none(listing.search);
    return st ? command_fail(&err) : EXIT_CODE_IMPROVED;
}

const struct command sessions_command = {
    .name = "sessions",
    .arguments = "[TEXT]",
    .options = option_sets,
    .summary = "List the sessions, the oldest first.",
    .details = "With TEXT, list only sessions with TEXT in their id, problem, agent, device, or in "
               "the title\nof their best kernel.",
    .exits = "0 done, 2 usage, 5 disk",
    .run = sessions,
};
