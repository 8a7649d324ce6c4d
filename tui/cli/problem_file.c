#include "tui/cli/problem_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/system/file.h"

enum { MAX_BYTES = 4 << 20 };

enum status problem_file_open(const struct problem_file *file, struct strbuf *out, bool *is_model,
                              struct error *err)
{
    enum status st;

    *is_model = file_has_ending(file->path, ".py");
    if (!*is_model && file->tolerance)
        return error_set(
            err, STATUS_INVALID,
            "%s: --tolerance is for PyTorch files; a JSON problem has its own tolerance",
            file->path);
    if (!strpbrk(file->path, "/.") && !file_exists(file->path))
        return error_set(err, STATUS_INVALID,
                         "%s: no such file, and no problem of this name ships with kforge: kforge "
                         "without arguments lists those that do",
                         file->path);
    st = file_read(file->path, MAX_BYTES, out, err);
    if (!st && !utf8_is_text(out->data, out->len))
        st = error_set(err, STATUS_INVALID, "%s: not a text in UTF-8: save it as one", file->path);
    return st;
}

struct json *problem_file_question(const struct problem_file *file, const struct strbuf *source)
{
    struct json *members = json_object_new();

    json_put_string(members, "model", strbuf_cstr(source));
    json_put_string(members, "file", file->path);
    json_put_string(members, "tolerance", file->tolerance);
    return members;
}

static enum status describe(const struct problem_file *file, struct worker_query *worker_query,
                            const struct strbuf *source, struct strbuf *out, struct error *err)
{
    struct json *answer = NULL;
    enum status st = worker_query_ask(worker_query, "describe", problem_file_question(file, source),
                                      &answer, err);

    if (!st)
        json_print(json_get(answer, "problem"), out);
    json_free(answer);
    return st;
}

enum status problem_file_read(const struct problem_file *file, struct worker_query **worker_query,
                              struct strbuf *out, struct error *err)
{
    struct strbuf source = {0};
    bool is_model;
    enum status st = problem_file_open(file, &source, &is_model, err);

    if (!st && is_model && !*worker_query)
        st = worker_query_open(&file->worker, worker_query, err);
    if (!st && is_model)
        st = describe(file, *worker_query, &source, out, err);
    else if (!st)
        strbuf_add(out, strbuf_cstr(&source), source.len);
    strbuf_release(&source);
    return st;
}

char *problem_file_find(const char *name)
{
    struct strbuf shipped = {0};
    char *path;

    if (file_exists(name))
        return mem_strdup(name);
    strbuf_addf(&shipped, "prompts/problems/%s.json", name);
    path = file_shipped(strbuf_cstr(&shipped));
    strbuf_release(&shipped);
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

static enum status take_tolerance(void *field, const char *text, struct error *err)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "mixed") != 0)
        return error_set(err, STATUS_INVALID, "no tolerance \"%s\": expected f32 or mixed", text);
    *(const char **)field = text;
    return STATUS_OK;
}

const struct option_row tolerance_option[] = {
    {.name = "tolerance",
     .value = "f32|mixed",
     .help = "the precision that kernels for a PyTorch file may compute with; otherwise f32",
     .kind = OPTION_CUSTOM,
     .take = take_tolerance},
    {0},
};
