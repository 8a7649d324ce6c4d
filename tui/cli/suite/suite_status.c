#include "tui/cli/suite/suite_status.h"

#include <stdio.h>

#include "core/base/format.h"
#include "core/suite/suite_standing.h"

static void describe_task(const struct suite_store *store, size_t index, struct strbuf *out)
{
    struct suite_task at = suite_task_at(&store->suite, index);

    suite_add_label(&store->suite, at.problem, out);
    strbuf_addf(out, ", %s, repeat %u", store->suite.arms.items[at.arm].name, at.repeat + 1);
}

/* Append the progress, such as "3 attempts, best 71.8 us, last event 2 min ago". */
static void add_progress(const struct task_standing *task, struct strbuf *out)
{
    char text[FORMAT_SIZE];

    if (task->attempts)
        strbuf_addf(out, ", %u %s", task->attempts, task->attempts == 1 ? "attempt" : "attempts");
    if (task->best_us > 0)
        strbuf_addf(out, ", best %s", format_time(text, task->best_us));
    if (task->silent_s >= 0)
        strbuf_addf(out, ", last event %s ago",
                    format_duration(text, (int64_t)(task->silent_s * 1e6)));
}

static void add_run(const struct task_standing *task, struct strbuf *out)
{
    if (task->host)
        strbuf_addf(out, " on %s", task->host);
    if (task->runs > 1)
        strbuf_addf(out, ", run %u", task->runs);
    if (task->lost_on)
        strbuf_addf(out, ", cut off on %s before", task->lost_on);
}

static void add_task(const struct suite_store *store, size_t index,
                     const struct task_standing *task, struct strbuf *out)
{
    strbuf_addf(out, "%zu  ", index + 1);
    describe_task(store, index, out);
    strbuf_addf(out, ": %s", standing_names[task->is]);
    if (task->is != STANDING_QUEUED)
        add_run(task, out);
    if (task->reason)
        strbuf_addf(out, ": %s", task->reason);
    add_progress(task, out);
    strbuf_adds(out, "\n");
}

static void add_counts(const struct suite_store *store, const struct suite_standings *standings,
                       struct strbuf *out)
{
    strbuf_addf(out, "suite %s: %zu tasks", store->id, standings->count);
    for (size_t i = 0; i < STANDINGS; i++)
        if (standings->in[i])
            strbuf_addf(out, ", %zu %s", standings->in[i], standing_names[i]);
    strbuf_adds(out, "\n");
    if (standings->silence)
        strbuf_addf(
            out,
            "Slurm does not answer on this machine (%s): this is read from the sessions' files\n",
            standings->silence);
}

/* True for a task that gets a separate line; waiting and ended tasks are only counted. */
static bool is_listed(const struct task_standing *task)
{
    return task->is != STANDING_WAITS && task->is != STANDING_ENDED;
}

static void print_text(const struct suite_store *store, const struct suite_standings *standings)
{
    struct strbuf text = {0};
    size_t ended = standings->in[STANDING_ENDED];

    add_counts(store, standings, &text);
    for (size_t i = 0; i < standings->count; i++)
        if (is_listed(&standings->tasks[i]))
            add_task(store, i, &standings->tasks[i], &text);
    if (standings->process.pid) {
        process_lease_describe(&standings->process, &text);
        strbuf_adds(&text, " runs it\n");
    } else if (ended < standings->count) {
        strbuf_addf(&text, "no process runs it: kforge suite resume %s does%s%s\n", store->id,
                    standings->process.is_elsewhere ? ", on " : "",
                    standings->process.is_elsewhere ? standings->process.host : "");
    }
    command_print("%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

static void put_text(struct json *object, const char *key, const char *text)
{
    if (text && *text)
        json_put_string(object, key, text);
}

static void put_task(struct json *list, const struct suite_store *store, size_t index,
                     const struct task_standing *task)
{
    struct json *object = json_push(list, json_object_new());
    struct suite_task at = suite_task_at(&store->suite, index);
    struct strbuf label = {0};

    suite_add_label(&store->suite, at.problem, &label);
    json_put_number(object, "task", (double)index + 1);
    json_put_string(object, "problem", strbuf_cstr(&label));
    json_put_string(object, "arm", store->suite.arms.items[at.arm].name);
    json_put_number(object, "repeat", at.repeat + 1);
    json_put_string(object, "state", standing_names[task->is]);
    put_text(object, "session", task->session);
    put_text(object, "host", task->host);
    put_text(object, "job", task->job);
    put_text(object, "lost_on", task->lost_on);
    put_text(object, "reason", task->reason);
    if (task->runs)
        json_put_number(object, "runs", task->runs);
    json_put_number(object, "attempts", task->attempts);
    if (task->best_us > 0)
        json_put_number(object, "best_us", task->best_us);
    if (task->silent_s >= 0)
        json_put_number(object, "silent_s", task->silent_s);
    strbuf_release(&label);
}

static void print_json(const struct suite_store *store, const struct suite_standings *standings)
{
    struct json *object = json_object_new(), *open;

    json_put_string(object, "suite", store->id);
    json_put_string(object, "name", store->suite.name);
    json_put_number(object, "tasks", (double)standings->count);
    for (size_t i = 0; i < STANDINGS; i++)
        json_put_number(object, standing_names[i], (double)standings->in[i]);
    if (standings->is_slurm)
        json_put_bool(object, "slurm_answers", standings->silence == NULL);
    if (standings->process.pid)
        json_put_number(object, "process", standings->process.pid);
    put_text(object, "process_host", standings->process.host);
    open = json_put(object, "open", json_array_new());
    for (size_t i = 0; i < standings->count; i++)
        if (is_listed(&standings->tasks[i]))
            put_task(open, store, i, &standings->tasks[i]);
    command_print_json(object);
    json_free(object);
}

enum exit_code suite_status_print(const struct suite_options *options)
{
    struct suite_store store = {0};
    struct suite_standings standings;
    const char *id;
    struct error err;

    if (suite_options_id(options, &id, &err) || suite_store_open(&store, id, false, &err))
        return command_fail(&err);
    suite_standings_read(&standings, &store);
    if (options->as_json)
        print_json(&store, &standings);
    else
        print_text(&store, &standings);
    suite_standings_release(&standings);
    suite_store_close(&store);
    return EXIT_CODE_IMPROVED;
}
