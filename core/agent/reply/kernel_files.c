#include "core/agent/reply/kernel_files.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_block.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/model/language.h"
#include "core/system/file.h"

enum { FILE_MAX_BYTES = 16 << 20, ANY_SIZE = 64 };

static const char plan_name[] = "plan.json";

char *kernel_files_source(const char *folder, const char *language)
{
    return file_join(folder, language_of(language)->source_file);
}

char *kernel_files_plan(const char *folder)
{
    return file_join(folder, plan_name);
}

/* Append a macro of the plan's options, "-DBLOCK={BLOCK}": "{NAME}" is a tunable's first value, or
 * a size that any dimension may have. */
static void add_macro(const char *option, const struct json *tunables, struct strbuf *flags)
{
    size_t len = strcspn(option, "{"), end = strcspn(option, "}");
    struct strbuf name = {0};

    strbuf_add(flags, option, len);
    if (option[len] && option[end] && end > len) {
        const struct json *first;

        strbuf_add(&name, option + len + 1, end - len - 1);
        first = json_first(json_get(tunables, strbuf_cstr(&name)));
        strbuf_addf(flags, "%.0f%s", json_number(first, ANY_SIZE), option + end + 1);
        strbuf_release(&name);
    }
    strbuf_adds(flags, "\n");
}

static void add_macros(const char *plan, struct strbuf *flags)
{
    struct error ignored;
    struct json *root = json_parse(plan, strlen(plan), &ignored);

    if (!root)
        return; /* the judge will report the fault of the plan */
    for (const struct json *option = json_first(json_get(root, "build")); option;
         option = json_next(option)) {
        const char *text = json_string(option, "");

        if (strncmp(text, "-D", 2) == 0 && !strchr(text, '\n'))
            add_macro(text, json_get(root, "tune"), flags);
    }
    json_free(root);
}

/* Write one option on each line; clangd reads the file of the nearest folder. */
static enum status write_flags(const char *folder, const struct candidate *candidate,
                               struct error *err)
{
    const struct language *language = language_of(candidate->language);
    struct strbuf flags = {0};
    enum status st;

    for (const char *const *flag = language->clang_options; *flag; flag++)
        strbuf_addf(&flags, "%s\n", *flag);
    add_macros(candidate->plan, &flags);
    if (language->clang_headers) {
        char *headers = file_shipped(language->clang_headers);

        strbuf_addf(&flags, "-isystem\n%s\n-include\n%s/kernel.h\n", headers, headers);
        free(headers);
    }
    st = file_write_text(folder, "compile_flags.txt", strbuf_cstr(&flags), err);
    strbuf_release(&flags);
    return st;
}

enum status kernel_files_write(const char *folder, const char *language, const char *reply,
                               struct error *err)
{
    const struct language *facts = language_of(language);
    struct candidate candidate = {0};
    enum status st = reply_parse(reply, language, &candidate, err);

    if (!st)
        st = file_make_folder(folder, err);
    if (!st)
        st = file_write_text(folder, facts->source_file, candidate.source, err);
    if (!st)
        st = file_write_text(folder, plan_name, candidate.plan, err);
    if (!st)
        st = write_flags(folder, &candidate, err);
    candidate_release(&candidate);
    return st;
}

static enum status read_text(const char *path, struct strbuf *text, struct error *err)
{
    enum status st = file_read(path, FILE_MAX_BYTES, text, err);

    if (!st && !utf8_is_text(text->data, text->len))
        st = error_set(err, STATUS_INVALID, "%s: not a text in UTF-8: save it as one", path);
    if (!st && strspn(strbuf_cstr(text), " \t\r\n") == text->len)
        st =
            error_set(err, STATUS_INVALID, "%s: the file is empty: write the kernel into it", path);
    return st;
}

static void replace(char **text, const struct strbuf *with)
{
    free(*text);
    *text = mem_strdup(strbuf_cstr(with));
}

enum status kernel_files_read(const char *folder, const char *language, const char *reply,
                              struct strbuf *edited, struct error *err)
{
    char *source_path = kernel_files_source(folder, language);
    char *plan_path = kernel_files_plan(folder);
    struct strbuf source = {0}, plan = {0};
    struct candidate candidate = {0};
    enum status st = read_text(source_path, &source, err);

    if (!st)
        st = read_text(plan_path, &plan, err);
    if (!st)
        st = reply_parse(reply, language, &candidate, err);
    if (!st && strcmp(candidate.source, strbuf_cstr(&source)) == 0 &&
        strcmp(candidate.plan, strbuf_cstr(&plan)) == 0) {
        strbuf_adds(edited, reply);
    } else if (!st) {
        replace(&candidate.source, &source);
        replace(&candidate.plan, &plan);
        reply_format(&candidate, edited);
    }
    candidate_release(&candidate);
    strbuf_release(&source);
    strbuf_release(&plan);
    free(source_path);
    free(plan_path);
    return st;
}

/* Append the plan that lies beside the kernel; STATUS_NOT_FOUND if there is none. */
static enum status read_plan_beside(const char *path, struct strbuf *plan, struct error *err)
{
    size_t folder = (size_t)(file_name(path) - path);
    size_t stem = (size_t)(strrchr(path, '.') - path);
    struct strbuf beside = {0};
    enum status st;

    strbuf_addf(&beside, "%.*s.json", (int)stem, path);
    st = read_text(strbuf_cstr(&beside), plan, err);
    if (st == STATUS_NOT_FOUND) {
        strbuf_release(&beside);
        strbuf_addf(&beside, "%.*s%s", (int)folder, path, plan_name);
        st = read_text(strbuf_cstr(&beside), plan, err);
    }
    strbuf_release(&beside);
    return st;
}

enum status kernel_files_read_alone(const char *path, const char *language, struct strbuf *reply,
                                    struct error *err)
{
    struct strbuf source = {0}, plan = {0};
    struct error why;
    enum status st = read_text(path, &source, err);
    enum status plan_st = st ? STATUS_NOT_FOUND : read_plan_beside(path, &plan, &why);

    if (!st && plan_st && plan_st != STATUS_NOT_FOUND) {
        *err = why;
        st = plan_st;
    }
    if (!st)
        reply_add_block(language, strbuf_cstr(&source), reply);
    if (!st && plan.len > 0) {
        strbuf_adds(reply, "\n");
        reply_add_block("json", strbuf_cstr(&plan), reply);
    }
    strbuf_release(&source);
    strbuf_release(&plan);
    return st;
}
