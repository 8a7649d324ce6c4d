#include "tui/cli/problem_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/system/file.h"
#include "tui/cli/worker_query.h"

enum { MAX_BYTES = 4 << 20 };

static enum status describe(const struct problem_file *file, const struct strbuf *source,
                            struct strbuf *out, struct error *err)
{
    struct json *members = json_object_new(), *answer = NULL;
    struct worker_query *worker_query = NULL;
    enum status st = worker_query_open(&file->worker, &worker_query, err);

    if (st) {
        json_free(members);
        return st;
    }
    json_put_string(members, "model", strbuf_cstr(source));
    json_put_string(members, "file", file->path);
    json_put_string(members, "tolerance", file->tolerance);
    st = worker_query_ask(worker_query, "describe", members, &answer, err);
    if (!st)
        json_print(json_get(answer, "problem"), out);
    json_free(answer);
    worker_query_close(worker_query);
    return st;
}

enum status problem_file_read(const struct problem_file *file, struct strbuf *out,
                              struct error *err)
{
    bool is_model = file_has_ending(file->path, ".py");
    struct strbuf source = {0};
    enum status st;

    if (!is_model && file->tolerance)
        return error_set(
            err, STATUS_INVALID,
            "%s: --tolerance is for PyTorch files; a JSON problem has its own tolerance",
            file->path);
    st = file_read(file->path, MAX_BYTES, &source, err);
    if (!st && !utf8_is_text(source.data, source.len))
        st = error_set(err, STATUS_INVALID, "%s: not a text in UTF-8", file->path);
    if (!st && is_model)
        st = describe(file, &source, out, err);
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
        return error_set(err, STATUS_INVALID, "no tolerance \"%s\": there is f32 and mixed", text);
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
