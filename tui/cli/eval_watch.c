#include "tui/cli/eval_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/store/catalog.h"
#include "core/system/file.h"
#include "tui/cli/command.h"
#include "tui/cli/text/verdict_report.h"

/* The folder of a path, "." for none; the caller frees. */
static char *folder_of(const char *path)
{
    struct strbuf folder = {0};
    size_t len = (size_t)(file_name(path) - path);

    strbuf_add(&folder, path, len > 1 ? len - 1 : len);
    if (len == 0)
        strbuf_adds(&folder, ".");
    return strbuf_take(&folder);
}

/* The name of the kernel's own plan, "softmax.json" for "softmax.cl"; the caller frees it. */
static char *plan_of(const char *path)
{
    const char *name = file_name(path), *dot = strrchr(name, '.');
    struct strbuf plan = {0};

    strbuf_addf(&plan, "%.*s.json", dot ? (int)(dot - name) : (int)strlen(name), name);
    return strbuf_take(&plan);
}

/* The path of the folder for the attempts. The first attempt makes the folder. */
static char *attempts_folder(void)
{
    char *data = file_place_folder(FILE_DATA), *all = file_join(data, "watched"), *folder;
    char id[CATALOG_ID_SIZE];

    catalog_new_id(id);
    folder = file_join(all, id);
    free(all);
    free(data);
    return folder;
}

enum status eval_watch_open(struct eval_watch *watch, struct loop *loop, const char *path,
                            const struct file_watch_spec *spec, struct error *err)
{
    char *folder = folder_of(path), *plan = plan_of(path);
    const char *const names[] = {file_name(path), plan, "plan.json", NULL};
    struct file_watch_spec watched = *spec;
    enum status st;

    watched.folder = folder;
    watched.names = names;
    st = file_watch_open(loop, &watched, &watch->files, err);
    if (!st)
        watch->folder = attempts_folder();
    free(plan);
    free(folder);
    return st;
}

void eval_watch_release(struct eval_watch *watch)
{
    file_watch_close(watch->files);
    free(watch->folder);
    strbuf_release(&watch->text);
    candidate_release(&watch->candidate);
    candidate_release(&watch->previous);
    *watch = (struct eval_watch){0};
}

/*
 * Write a file of the attempt. A failure, such as a full disk, is reported and does not end the
 * command.
 */
static void keep(const struct eval_watch *watch, const char *ending, const struct strbuf *text)
{
    struct strbuf name = {0};
    struct error err;
    char *path;

    strbuf_addf(&name, "%u.%s", watch->number, ending);
    path = file_join(watch->folder, strbuf_cstr(&name));
    if (file_make_folder(watch->folder, &err) || file_write(path, text->data, text->len, &err))
        command_notice(NULL, err.text);
    free(path);
    strbuf_release(&name);
}

bool eval_watch_begin(struct eval_watch *watch, const struct strbuf *text)
{
    if (watch->number > 0 && strcmp(strbuf_cstr(text), strbuf_cstr(&watch->text)) == 0)
        return false;
    strbuf_release(&watch->text);
    strbuf_add(&watch->text, text->data, text->len);
    watch->number++;
    watch->is_judging = true;
    keep(watch, "md", text);
    return true;
}

void eval_watch_set_candidate(struct eval_watch *watch, struct candidate *candidate)
{
    candidate_release(&watch->candidate);
    watch->candidate = *candidate;
    *candidate = (struct candidate){0};
}

void eval_watch_conclude(struct eval_watch *watch, const struct verdict *verdict,
                         const struct json *encoded, bool as_json)
{
    struct strbuf text = {0};

    json_print_pretty(encoded, &text);
    keep(watch, "json", &text);
    strbuf_release(&text);
    strbuf_addf(&text, "#%u ", watch->number);
    verdict_report_write_short(verdict, watch->previous_number, &text);
    if (as_json)
        command_print_json(encoded);
    else
        command_print("%s", strbuf_cstr(&text));
    fflush(stdout);
    strbuf_release(&text);
    watch->is_judging = false;
    if (verdict->outcome != OUTCOME_CORRECT)
        return;
    candidate_release(&watch->previous);
    watch->previous = watch->candidate;
    if (verdict->tuning.chosen)
        watch->previous.tuned = mem_strdup(verdict->tuning.chosen);
    watch->candidate = (struct candidate){0};
    watch->previous_number = watch->number;
}

void eval_watch_print_summary(const struct eval_watch *watch)
{
    if (watch->number)
        command_print("%u attempt%s in %s\n", watch->number, watch->number == 1 ? "" : "s",
                      watch->folder);
}
