#include "core/suite/slurm/slurm_lists.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/vec.h"
#include "core/system/file.h"

enum { LIST_MAX_BYTES = 64 << 20 };

char *slurm_lists_path(const struct suite_store *store, unsigned list, const char *ending)
{
    struct strbuf path = {0};

    strbuf_addf(&path, "%s/jobs/%u.%s", store->folder, list, ending);
    return strbuf_take(&path);
}

/* Read the task's number at the beginning of each line. */
static void read_lines(struct slurm_list *list, const char *text)
{
    for (const char *line = text; *line;
         line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        size_t number = strtoul(line, NULL, 10);

        vec_push(list, number ? number - 1 : SIZE_MAX);
    }
}

enum status slurm_lists_read(struct slurm_lists *lists, const struct suite_store *store,
                             struct error *err)
{
    struct error inner = {0};
    enum status st = STATUS_OK;

    *lists = (struct slurm_lists){0};
    while (!st) {
        char *path = slurm_lists_path(store, (unsigned)lists->count + 1, "tasks");
        struct strbuf text = {0};
        struct slurm_list list = {0};

        st = file_read(path, LIST_MAX_BYTES, &text, &inner);
        if (!st) {
            read_lines(&list, strbuf_cstr(&text));
            vec_push(lists, list);
        }
        strbuf_release(&text);
        free(path);
    }
    return st == STATUS_NOT_FOUND ? STATUS_OK : error_set(err, st, "%s", inner.text);
}

static enum status write_list(const struct slurm_lists *lists, const struct suite_store *store,
                              const struct slurm_list *list, struct error *err)
{
    char *folder = file_join(store->folder, "jobs");
    struct strbuf text = {0}, name = {0};
    enum status st = file_make_folder(folder, err);

    for (size_t i = 0; i < list->count; i++) {
        char session[CATALOG_ID_SIZE];

        suite_store_session(store, list->items[i], session);
        strbuf_addf(&text, "%zu %s\n", list->items[i] + 1, session);
    }
    strbuf_addf(&name, "%zu.tasks", lists->count + 1);
    if (!st)
        st = file_write_text(folder, strbuf_cstr(&name), strbuf_cstr(&text), err);
    strbuf_release(&text);
    strbuf_release(&name);
    free(folder);
    return st;
}

enum status slurm_lists_add(struct slurm_lists *lists, const struct suite_store *store,
                            const size_t *tasks, size_t count, struct error *err)
{
    struct slurm_list list = {0};
    enum status st;

    for (size_t i = 0; i < count; i++)
        vec_push(&list, tasks[i]);
    st = write_list(lists, store, &list, err);
    if (st)
        vec_release(&list);
    else
        vec_push(lists, list);
    return st;
}

void slurm_lists_drop(struct slurm_lists *lists, const struct suite_store *store)
{
    char *path = slurm_lists_path(store, (unsigned)lists->count, "tasks");

    (void)unlink(path);
    free(path);
    lists->count--;
    vec_release(&lists->items[lists->count]);
}

size_t slurm_lists_task(const struct slurm_lists *lists, unsigned list, size_t line)
{
    if (list < 1 || list > lists->count || line >= lists->items[list - 1].count)
        return SIZE_MAX;
    return lists->items[list - 1].items[line];
}

void slurm_lists_release(struct slurm_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        vec_release(&lists->items[i]);
    vec_release(lists);
}
