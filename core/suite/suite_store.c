#include "core/suite/suite_store.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/session/store/process_lease.h"
#include "core/system/file.h"

enum { SUITE_MAX_BYTES = 64 << 20, PROBLEM_MAX_BYTES = 16 << 20 };

char *suite_store_all(void)
{
    char *data = file_place_folder(FILE_DATA);
    char *folder = file_join(data, "suites");

    free(data);
    return folder;
}

static void find_folder(struct suite_store *store)
{
    char *suites = suite_store_all();

    store->folder = file_join(suites, store->id);
    free(suites);
}

static enum status on_event(void *data, const struct event *event, struct error *err)
{
    struct suite_store *store = data;

    return suite_state_apply(&store->state, event, err);
}

char *suite_store_journal(const struct suite_store *store)
{
    return file_join(store->folder, "events.jsonl");
}

static enum status open_journal(struct suite_store *store, bool for_writing, struct error *err)
{
    char *path = suite_store_journal(store);
    enum status st = for_writing ? journal_open(path, on_event, store, &store->journal, err)
                                 : journal_read_on(path, &store->place, on_event, store, err);

    if (!st && for_writing)
        st = process_lease_claim(store->folder, "the suite", err);

    free(path);
    return st;
}

/* True if the file of an earlier problem has this name. */
static bool is_taken(const struct suite *suite, size_t index, const char *name)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(file_name(suite->problems.items[i]), name) == 0)
            return true;
    return false;
}

/*
 * The name of a problem's copy: the name of its file, with a number if an earlier file has that
 * name.
 */
static char *name_copy(const struct suite *suite, size_t index)
{
    const char *name = file_name(suite->problems.items[index]);
    const char *end = strrchr(name, '.') ? strrchr(name, '.') : name + strlen(name);
    struct strbuf copy = {0};

    strbuf_adds(&copy, name);
    for (unsigned number = 2; is_taken(suite, index, strbuf_cstr(&copy)); number++) {
        strbuf_release(&copy);
        strbuf_addf(&copy, "%.*s-%u%s", (int)(end - name), name, number, end);
    }
    return strbuf_take(&copy);
}

static enum status copy_problem(struct suite_store *store, size_t index, struct error *err)
{
    char **path = &store->suite.problems.items[index];
    char *problems = file_join(store->folder, "problems");
    char *name = name_copy(&store->suite, index);
    struct strbuf text = {0};
    enum status st = file_read(*path, PROBLEM_MAX_BYTES, &text, err);

    if (!st)
        st = file_write_text(problems, name, strbuf_cstr(&text), err);
    if (!st) {
        free(*path);
        *path = file_join(problems, name);
    }
    strbuf_release(&text);
    free(name);
    free(problems);
    return st;
}

/*
 * Write suite.json.  Its problems have paths relative to the suite's folder, so that the folder can
 * move.
 */
static enum status write_suite(const struct suite_store *store, struct error *err)
{
    struct suite relative = store->suite;
    size_t skipped = strlen(store->folder) + 1;
    struct strbuf text = {0};
    enum status st;

    relative.problems.items =
        mem_alloc_zeroed(relative.problems.count, sizeof(*relative.problems.items));
    for (size_t i = 0; i < relative.problems.count; i++)
        relative.problems.items[i] = store->suite.problems.items[i] + skipped;
    suite_print(&relative, &text);
    st = file_write_text(store->folder, "suite.json", strbuf_cstr(&text), err);
    free(relative.problems.items);
    strbuf_release(&text);
    return st;
}

static enum status make_folders(const struct suite_store *store, struct error *err)
{
    char *problems = file_join(store->folder, "problems"),
         *tasks = file_join(store->folder, "tasks");
    enum status st = file_make_place(FILE_DATA, err);

    if (!st)
        st = file_make_folder(problems, err);
    if (!st)
        st = file_make_folder(tasks, err);
    free(problems);
    free(tasks);
    return st;
}

enum status suite_store_make(struct suite_store *store, struct suite *suite, struct error *err)
{
    enum status st;

    *store = (struct suite_store){.suite = *suite};
    *suite = (struct suite){0};
    catalog_new_id(store->id);
    find_folder(store);
    st = make_folders(store, err);
    for (size_t i = 0; !st && i < store->suite.problems.count; i++)
        st = copy_problem(store, i, err);
    if (!st)
        st = write_suite(store, err);
    if (!st)
        st = open_journal(store, true, err);
    if (st)
        suite_store_close(store);
    return st;
}

static int is_suite(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strlen(entry->d_name) < CATALOG_ID_SIZE;
}

/*
 * Find the latest suite by the time of suite.json, which is written once.  The order of ids would
 * not do: they begin with the month, so that it breaks at New Year.
 */
static enum status find_latest(char id[CATALOG_ID_SIZE], struct error *err)
{
    char *folder = suite_store_all(), *pattern = file_join(folder, "*/suite.json"), *end;
    enum status st = STATUS_OK;
    glob_t found;

    file_find_oldest_first(pattern, &found);
    if (found.gl_pathc) {
        end = found.gl_pathv[found.gl_pathc - 1];
        end[strlen(end) - strlen("/suite.json")] = '\0';
        snprintf(id, CATALOG_ID_SIZE, "%s", file_name(end));
    } else {
        st = error_set(err, STATUS_NOT_FOUND, "no suite yet: kforge suite run FILE begins one");
    }
    globfree(&found);
    free(pattern);
    free(folder);
    return st;
}

/* Find the only id that begins with `prefix`. */
static enum status find(const char *prefix, char id[CATALOG_ID_SIZE], struct error *err)
{
    char *folder = suite_store_all();
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, is_suite, alphasort);
    size_t matches = 0;
    enum status st = STATUS_OK;

    for (int i = 0; i < found; i++) {
        if (text_begins(entries[i]->d_name, prefix)) {
            matches++;
            snprintf(id, CATALOG_ID_SIZE, "%.*s", CATALOG_ID_SIZE - 1, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (matches != 1)
        st = error_set(err, STATUS_NOT_FOUND, "%s suite begins with \"%s\": the suites are in %s",
                       matches ? "more than one" : "no", prefix, folder);
    free(entries);
    free(folder);
    return st;
}

static enum status read_suite(struct suite_store *store, struct error *err)
{
    char *path = file_join(store->folder, "suite.json");
    struct strbuf text = {0};
    enum status st = file_read(path, SUITE_MAX_BYTES, &text, err);

    if (!st)
        st = suite_parse(&store->suite, strbuf_cstr(&text), text.len, path, err);
    for (size_t i = 0; !st && i < store->suite.problems.count; i++) {
        char *relative = store->suite.problems.items[i];

        store->suite.problems.items[i] = file_join(store->folder, relative);
        free(relative);
    }
    strbuf_release(&text);
    free(path);
    return st;
}

static enum status check_counts(const struct suite_store *store, struct error *err)
{
    if (!store->state.id || store->state.count == suite_task_count(&store->suite))
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "%s: suite.json has %zu tasks and the journal %zu: put the old file back",
                     store->folder, suite_task_count(&store->suite), store->state.count);
}

enum status suite_store_open(struct suite_store *store, const char *prefix, bool for_writing,
                             struct error *err)
{
    enum status st;

    *store = (struct suite_store){0};
    st = prefix ? find(prefix, store->id, err) : find_latest(store->id, err);
    if (!st) {
        find_folder(store);
        st = read_suite(store, err);
    }
    if (!st)
        st = open_journal(store, for_writing, err);
    if (!st)
        st = check_counts(store, err);
    if (st)
        suite_store_close(store);
    return st;
}

enum status suite_store_read_on(struct suite_store *store, struct error *err)
{
    enum status st = open_journal(store, false, err);

    return st ? st : check_counts(store, err);
}

enum status suite_store_record(struct suite_store *store, struct event *event, struct error *err)
{
    enum status st = journal_append(store->journal, event, err);

    return st ? st : suite_state_apply(&store->state, event, err);
}

void suite_store_session(const struct suite_store *store, size_t task, char id[CATALOG_ID_SIZE])
{
    const char *own = store->state.count > task ? store->state.tasks[task].session : "";

    if (own[0])
        snprintf(id, CATALOG_ID_SIZE, "%s", own);
    else
        snprintf(id, CATALOG_ID_SIZE, "%.16s-%zu", store->id, task + 1);
}

enum status suite_store_open_problems(struct suite_store *store, const char *id, struct error *err)
{
    enum status st;

    *store = (struct suite_store){0};
    snprintf(store->id, sizeof(store->id), "%s", id);
    find_folder(store);
    st = read_suite(store, err);
    if (st)
        suite_store_close(store);
    return st;
}

char *suite_store_log(const struct suite_store *store, size_t task)
{
    struct strbuf path = {0};

    strbuf_addf(&path, "%s/tasks/%zu.log", store->folder, task + 1);
    return strbuf_take(&path);
}

void suite_store_close(struct suite_store *store)
{
    if (store->journal)
        process_lease_end(store->folder);
    journal_close(store->journal);
    suite_release(&store->suite);
    suite_state_release(&store->state);
    free(store->folder);
    *store = (struct suite_store){0};
}
