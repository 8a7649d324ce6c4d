#include "core/suite/task_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/record.h"
#include "core/system/clock.h"
#include "core/system/file.h"

enum { RECORD_MAX_BYTES = 1 << 16, HOST_BYTES = 256, NAME_BYTES = 32, EXIT_INTERRUPTED = 130 };

static const struct field fields[] = {
    {FIELD(TEXT, struct task_record, host)},
    {FIELD(TEXT, struct task_record, job)},
    {FIELD(TEXT, struct task_record, began)},
    {FIELD(UNSIGNED, struct task_record, runs)},
    {FIELD(TEXT, struct task_record, lost_on)},
    {FIELD(TEXT, struct task_record, ended)},
    {FIELD(UNSIGNED, struct task_record, exit), .presence = offsetof(struct task_record, has_exit)},
    {0},
};

static char *folder_of(const struct suite_store *store)
{
    return file_join(store->folder, "tasks");
}

static void name_record(char name[NAME_BYTES], size_t task)
{
    snprintf(name, NAME_BYTES, "%zu.json", task + 1);
}

static char *path_of(const struct suite_store *store, size_t task)
{
    char name[NAME_BYTES], *folder = folder_of(store), *path;

    name_record(name, task);
    path = file_join(folder, name);
    free(folder);
    return path;
}

enum status task_record_read(const struct suite_store *store, size_t task,
                             struct task_record *record, struct error *err)
{
    char *path = path_of(store, task);
    struct strbuf text = {0};
    struct json *json = NULL;
    struct json_ref root;
    enum status st = file_read(path, RECORD_MAX_BYTES, &text, err);

    *record = (struct task_record){0};
    if (!st && !(json = json_parse(strbuf_cstr(&text), text.len, err)))
        st = STATUS_INVALID;
    if (!st) {
        root = json_ref_root(json, path);
        st = record_decode(fields, record, &root, err);
    }
    if (st)
        task_record_release(record);
    json_free(json);
    strbuf_release(&text);
    free(path);
    return st;
}

static enum status write_record(const struct suite_store *store, size_t task,
                                const struct task_record *record, struct error *err)
{
    struct json *json = record_encode(fields, record);
    char name[NAME_BYTES], *folder = folder_of(store);
    struct strbuf text = {0};
    enum status st;

    json_print(json, &text);
    strbuf_adds(&text, "\n");
    name_record(name, task);
    st = file_write_text(folder, name, strbuf_cstr(&text), err);
    json_free(json);
    strbuf_release(&text);
    free(folder);
    return st;
}

static char *stamp(void)
{
    char text[CLOCK_STAMP_SIZE];

    clock_stamp(text);
    return mem_strdup(text);
}

/*
 * The id of this element, JOB_INDEX, as Slurm's commands take it; NULL if Slurm does not run this
 * process.
 */
static char *find_job(void)
{
    const char *job = getenv("SLURM_ARRAY_JOB_ID"), *element = getenv("SLURM_ARRAY_TASK_ID");
    struct strbuf text = {0};

    if (!job || !element)
        return NULL;
    strbuf_addf(&text, "%s_%s", job, element);
    return strbuf_take(&text);
}

enum status task_record_begin(const struct suite_store *store, size_t task, struct error *err)
{
    char host[HOST_BYTES] = "";
    struct task_record before, record = {0};
    enum status st;

    (void)gethostname(host, sizeof(host) - 1);
    record = (struct task_record){
        .host = mem_strdup(host), .job = find_job(), .began = stamp(), .runs = 1};
    if (!task_record_read(store, task, &before, NULL)) {
        record.runs = before.runs + 1;
        record.lost_on = before.ended ? NULL : mem_strdup(before.host);
        task_record_release(&before);
    }
    st = write_record(store, task, &record, err);
    task_record_release(&record);
    return st;
}

enum status task_record_end(const struct suite_store *store, size_t task, unsigned exit,
                            struct error *err)
{
    struct task_record record;
    enum status st = task_record_read(store, task, &record, err);

    if (st)
        return st;
    record.ended = stamp();
    record.exit = exit;
    record.has_exit = true;
    st = write_record(store, task, &record, err);
    task_record_release(&record);
    return st;
}

bool task_record_has_failed(const struct task_record *record)
{
    /*
     * The exit codes of a session that has a result or waits for the engineer; others are failures.
     */
    static const bool is_result[] = {[0] = true, true, false, true, true, false, true};

    if (!record->ended || record->exit == EXIT_INTERRUPTED)
        return false;
    return record->exit >= COUNT(is_result) || !is_result[record->exit];
}

void task_record_remove(const struct suite_store *store, size_t task)
{
    char *path = path_of(store, task);

    (void)unlink(path);
    free(path);
}

void task_record_release(struct task_record *record)
{
    record_release(fields, record);
    *record = (struct task_record){0};
}
