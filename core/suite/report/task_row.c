#include "core/suite/report/task_row.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/record.h"
#include "core/base/vec.h"
#include "core/session/recorded/agent_results.h"
#include "core/session/state/scale.h"
#include "core/suite/suite_session.h"
#include "core/system/file.h"

/* Raise ROW_VERSION when a row gets another member, or a member another meaning. */
enum { ROW_VERSION = 2, ROW_MAX_BYTES = 1 << 20, OWN_BYTES = 24, MOST_PROCESSES = 16 };

/* The contents of the file: the journal that the row was computed from, and the row. */
struct row_file {
    unsigned version;
    char *session;
    int64_t journal_bytes;
    /* time of the journal's last change; JSON cannot store nanoseconds exactly */
    int64_t journal_us;
    struct report_row row;
};

static const struct field ratio_fields[] = {
    {FIELD(REAL, struct ratio, value)},
    {FIELD(REAL, struct ratio, low)},
    {FIELD(REAL, struct ratio, high)},
    {0},
};

static const struct field time_fields[] = {
    {FIELD(REAL, struct estimate, median_us)},
    {FIELD(REAL, struct estimate, low_us)},
    {FIELD(REAL, struct estimate, high_us)},
    {0},
};

static const struct field speedup_fields[] = {
    {FIELD(TEXT, struct report_speedup, over)},
    {FIELD(RECORD, struct report_speedup, ratio), .fields = ratio_fields},
    {0},
};

static const struct field agent_fields[] = {
    {FIELD(TEXT, struct report_agent, agent)},
    {FIELD(UNSIGNED, struct report_agent, attempts)},
    {FIELD(UNSIGNED, struct report_agent, correct)},
    {FIELD(UNSIGNED, struct report_agent, won)},
    {FIELD(BOOL, struct report_agent, has_best)},
    {FIELD(UNSIGNED, struct report_agent, replies)},
    {FIELD(UNSIGNED, struct report_agent, unknown_usd)},
    {FIELD(UNSIGNED, struct report_agent, unknown_tokens)},
    {FIELD(INT64, struct report_agent, prompt_tokens)},
    {FIELD(INT64, struct report_agent, reply_tokens)},
    {FIELD(INT64, struct report_agent, latency_us)},
    {FIELD(REAL, struct report_agent, usd)},
    {0},
};

static const struct field machine_fields[] = {
    {FIELD(TEXT, struct report_machine, host)},    {FIELD(TEXT, struct report_machine, device)},
    {FIELD(TEXT, struct report_machine, driver)},  {FIELD(TEXT, struct report_machine, compiler)},
    {FIELD(TEXT, struct report_machine, version)}, {0},
};

static const struct field speedup_item = {.kind = FIELD_RECORD, .fields = speedup_fields};
static const struct field agent_item = {.kind = FIELD_RECORD, .fields = agent_fields};

static const struct field row_fields[] = {
    {FIELD(BOOL, struct report_row, is_closed)},
    {FIELD(UNSIGNED, struct report_row, attempts)},
    {FIELD(UNSIGNED, struct report_row, until_correct)},
    {FIELD(UNSIGNED, struct report_row, until_best)},
    {FIELD(RECORD, struct report_row, time), .fields = time_fields},
    {FIELD(RECORD, struct report_row, speedup), .fields = ratio_fields},
    {FIELD(TEXT, struct report_row, over)},
    {FIELD(LIST, struct report_row, speedups), .item = &speedup_item,
     .size = sizeof(struct report_speedup)},
    {FIELD(TEXT, struct report_row, device)},
    {FIELD(REAL, struct report_row, bound_fraction)},
    {FIELD(BOOL, struct report_row, has_usd)},
    {FIELD(BOOL, struct report_row, has_tokens)},
    {FIELD(REAL, struct report_row, usd)},
    {FIELD(REAL, struct report_row, tokens)},
    {FIELD(REAL, struct report_row, minutes)},
    {FIELD(LIST, struct report_row, agents), .item = &agent_item,
     .size = sizeof(struct report_agent)},
    {FIELD(BOOL, struct report_row, has_machine)},
    {FIELD(RECORD, struct report_row, machine), .fields = machine_fields},
    {0},
};

static const struct field file_fields[] = {
    {FIELD(UNSIGNED, struct row_file, version)},
    {FIELD(TEXT, struct row_file, session)},
    {FIELD(INT64, struct row_file, journal_bytes)},
    {FIELD(INT64, struct row_file, journal_us)},
    {FIELD(RECORD, struct row_file, row), .fields = row_fields},
    {0},
};

/* Count the attempts up to the first correct one and up to the best, without undone ones. */
static void count_attempts(const struct session *session, struct report_row *row)
{
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->is_undone)
            continue;
        row->attempts++;
        if (attempt->outcome == OUTCOME_CORRECT && !row->until_correct)
            row->until_correct = row->attempts;
        if (attempt->number == session->now.best)
            row->until_best = row->attempts;
    }
}

static void take_agents(const struct session *session, struct report_row *row)
{
    struct agent_result results[MOST_AGENTS];
    size_t count = agent_results_find(session, results);

    for (size_t i = 0; i < count; i++) {
        const struct agent_result *result = &results[i];

        vec_push(&row->agents, ((struct report_agent){.agent = mem_strdup(result->agent),
                                                      .attempts = result->attempts,
                                                      .correct = result->correct,
                                                      .won = result->won,
                                                      .has_best = result->has_best,
                                                      .replies = result->use.replies,
                                                      .unknown_usd = result->use.unknown_usd,
                                                      .unknown_tokens = result->use.unknown_tokens,
                                                      .prompt_tokens = result->use.prompt_tokens,
                                                      .reply_tokens = result->use.reply_tokens,
                                                      .latency_us = result->use.latency_us,
                                                      .usd = result->use.usd}));
    }
}

/* Latency of the reply with an attempt's candidate; 0 if no agent wrote it. */
static int64_t find_latency_us(const struct session *session, unsigned attempt)
{
    for (size_t i = 0; i < session->steps.count; i++) {
        const struct step *step = &session->steps.items[i];

        if (step->kind == STEP_CANDIDATE && step->attempt == attempt)
            return step->effort.latency_us;
    }
    return 0;
}

/*
 * The sum of the latencies of a round's replies, which are requested at the same time, minus the
 * longest one. 0 unless the attempt is the first of its round.
 */
static int64_t find_overlap_us(const struct session *session, size_t first)
{
    const unsigned round = session->attempts.items[first].asked_by;
    int64_t sum = 0, longest = 0;

    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];
        int64_t us = 0;

        if (attempt->asked_by != round || attempt->origin != ORIGIN_AGENT)
            continue;
        if (i < first)
            return 0;
        us = find_latency_us(session, attempt->number);
        sum += us;
        longest = us > longest ? us : longest;
    }
    return sum - longest;
}

/* The wall time of replies and evaluations; a budget counts each reply by itself instead. */
static double find_minutes(const struct session *session)
{
    double minutes = session->used[RESOURCE_MINUTES];

    for (size_t i = 0; i < session->attempts.count; i++)
        minutes -= (double)find_overlap_us(session, i) / 60e6;
    return minutes > 0 ? minutes : 0;
}

static void take_session(const struct session *session, struct report_row *row)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    count_attempts(session, row);
    take_agents(session, row);
    row->is_closed = session->now.stage == STAGE_CLOSED;
    row->device = mem_strdup(session->device);
    row->has_usd = session->unknown[RESOURCE_USD] == 0;
    row->has_tokens = session->unknown[RESOURCE_TOKENS] == 0;
    row->usd = session->used[RESOURCE_USD];
    row->tokens = session->used[RESOURCE_TOKENS];
    row->minutes = find_minutes(session);
    if (!best)
        return;
    row->time = best->time;
    row->speedup = scale_speedup_ratio(session, best);
    row->bound_fraction = best->bound_fraction;
    row->over = row->speedup.value > 0 ? mem_strdup(scale_strongest(session)) : NULL;
}

/*
 * Add the speedup over the session's strongest baseline, which the best kernel's verdict may lack.
 */
static void add_strongest(struct report_row *row)
{
    const struct report_speedup strongest = {NULL, row->speedup};

    if (!row->speedups.count || !row->over || report_row_speedup(row, row->over))
        return;
    vec_push(&row->speedups, strongest);
    row->speedups.items[row->speedups.count - 1].over = mem_strdup(row->over);
}

static char *folder_of(const struct suite_store *store)
{
    return file_join(store->folder, "tasks");
}

static char *path_of(const struct suite_store *store, size_t task, const char *ending)
{
    char *folder = folder_of(store), *path;
    struct strbuf name = {0};

    strbuf_addf(&name, "%zu.row.%s", task + 1, ending);
    path = file_join(folder, strbuf_cstr(&name));
    strbuf_release(&name);
    free(folder);
    return path;
}

/* Find the size and the time of a session's journal; false if it has none. */
static bool look_at_journal(const char *session, struct row_file *file)
{
    char *path = catalog_journal(session);
    struct stat info;
    bool is_there = stat(path, &info) == 0;

    free(path);
    if (!is_there)
        return false;
    file->journal_bytes = (int64_t)info.st_size;
    file->journal_us = (int64_t)info.st_mtim.tv_sec * 1000000 + info.st_mtim.tv_nsec / 1000;
    return true;
}

/* Replace the row by the one that was read, but keep the members that the caller has set. */
static void replace(struct report_row *row, struct report_row *read)
{
    read->at = row->at;
    read->phase = row->phase;
    read->trouble = row->trouble;
    memcpy(read->session, row->session, sizeof(read->session));
    row->trouble = NULL;
    report_row_release(row);
    *row = *read;
}

static bool read_file(const char *path, struct row_file *file)
{
    struct strbuf text = {0};
    struct json *json = NULL;
    struct json_ref root;
    bool is_read = !file_read(path, ROW_MAX_BYTES, &text, NULL) &&
                   (json = json_parse(strbuf_cstr(&text), text.len, NULL));

    if (is_read) {
        root = json_ref_root(json, path);
        is_read = !record_decode(file_fields, file, &root, NULL);
    }
    json_free(json);
    strbuf_release(&text);
    return is_read;
}

bool task_row_find(const struct suite_store *store, size_t task, struct report_row *row)
{
    char *path = path_of(store, task, "json");
    struct row_file file = {0}, now = {0};
    bool is_found = read_file(path, &file) && file.version == ROW_VERSION && file.session &&
                    strcmp(file.session, row->session) == 0 &&
                    look_at_journal(row->session, &now) &&
                    now.journal_bytes == file.journal_bytes && now.journal_us == file.journal_us;

    if (is_found) {
        replace(row, &file.row);
        file.row = (struct report_row){0};
    }
    record_release(file_fields, &file);
    free(path);
    return is_found;
}

/* Write the file without fsync(2): a file that a crash damages is treated as missing. */
static bool write_whole(const char *path, const struct strbuf *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_written = fd >= 0 && !file_write_all(fd, strbuf_cstr(text), text->len, NULL);

    if (fd >= 0 && close(fd) != 0)
        is_written = false;
    return is_written;
}

/* Write the row's file.  A failure is ignored, because the row can be computed again. */
static void write_file(const struct suite_store *store, size_t task, const struct row_file *file)
{
    struct json *json = record_encode(file_fields, file);
    char own[OWN_BYTES], *path = path_of(store, task, "json"), *beside;
    struct strbuf text = {0};

    snprintf(own, sizeof(own), "%ld", (long)getpid());
    beside = path_of(store, task, own);
    json_print(json, &text);
    strbuf_adds(&text, "\n");
    if (!write_whole(beside, &text) || rename(beside, path) != 0)
        (void)unlink(beside);
    json_free(json);
    strbuf_release(&text);
    free(beside);
    free(path);
}

/*
 * Compute the row. If the journal grows during this, the recorded size is too small, and the row is
 * computed again later.
 */
static enum status compute(const struct suite_store *store, size_t task,
                           struct suite_verdicts *verdicts, struct report_row *row,
                           struct error *err)
{
    struct row_file file = {.version = ROW_VERSION, .session = row->session};
    struct session session = {0};
    bool is_there = look_at_journal(row->session, &file), is_whole;
    enum status st = suite_session_read(row->session, &session, err);

    if (!st) {
        take_session(&session, row);
        is_whole = suite_verdicts_add(verdicts, &session, row);
        add_strongest(row);
        file.row = *row; /* borrowed for writing */
        if (is_there && is_whole)
            write_file(store, task, &file);
    }
    session_release(&session);
    return st;
}

enum status task_row_read(const struct suite_store *store, size_t task,
                          struct suite_verdicts *verdicts, struct report_row *row,
                          struct error *err)
{
    return task_row_find(store, task, row) ? STATUS_OK : compute(store, task, verdicts, row, err);
}

static void keep(const struct suite_store *store, size_t task, const char *session,
                 struct suite_verdicts *verdicts)
{
    struct report_row row = {0};
    struct error err;

    snprintf(row.session, sizeof(row.session), "%s", session);
    if (!task_row_find(store, task, &row))
        (void)!compute(store, task, verdicts, &row, &err);
    report_row_release(&row);
}

void task_row_keep(const struct suite_store *store, size_t task, const char *session)
{
    struct suite_verdicts verdicts = {0};

    keep(store, task, session, &verdicts);
    suite_verdicts_close(&verdicts);
}

/*
 * Keep the rows of every `step`-th task from `first` on, so that long sessions are spread over the
 * processes.
 */
static void keep_share(const struct suite_store *store, const size_t *tasks, size_t count,
                       size_t first, size_t step)
{
    struct suite_verdicts verdicts = {0};

    for (size_t i = first; i < count; i += step) {
        char session[CATALOG_ID_SIZE];

        suite_store_session(store, tasks[i], session);
        keep(store, tasks[i], session, &verdicts);
    }
    suite_verdicts_close(&verdicts);
}

void task_rows_keep(const struct suite_store *store, const size_t *tasks, size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t shares = processors < 1 ? 1 : (size_t)processors;
    pid_t pids[MOST_PROCESSES];

    shares = shares > MOST_PROCESSES ? MOST_PROCESSES : shares;
    for (size_t i = 0; i < shares; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            keep_share(store, tasks, count, i, shares);
            _exit(0);
        }
    }
    for (size_t i = 0; i < shares; i++)
        if (pids[i] > 0)
            (void)waitpid(pids[i], NULL, 0);
}
