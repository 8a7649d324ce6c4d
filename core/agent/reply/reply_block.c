#include "core/agent/reply/reply_block.h"

#include <string.h>

#include "core/model/language.h"

static enum status find(const char *reply, const char *const *marks, const char *what,
                        struct fence *fence, struct error *err)
{
    struct fence found = {0};
    struct error why = {0};
    enum status st = fence_find(reply, marks, &found, &why);

    if (st)
        return error_set(err, st, "%s: %s", what, why.text);
    if (strspn(found.text, " \t\r\n") >= found.len)
        return error_set(err, STATUS_INVALID, "%s: the fenced block at line %zu is empty", what,
                         found.line);
    *fence = found;
    return STATUS_OK;
}

static bool is_mark(const struct language *language, const char *word)
{
    for (const char *const *mark = language->fences; *mark; mark++)
        if (strcmp(*mark, word) == 0)
            return true;
    return false;
}

/* True if the word marks blocks of one language only. */
static bool is_unique(const char *word)
{
    unsigned count = 0;

    for (const struct language *language = languages; language->name; language++)
        count += is_mark(language, word);
    return count == 1;
}

/* Find a block that is marked with the name of a language; false if there is none, or several. */
static bool find_named(const char *reply, struct reply_kernel *kernel)
{
    unsigned count = 0;

    for (const struct language *language = languages; language->name; language++) {
        const char *const marks[] = {language->name, NULL};
        struct fence fence = {0};

        if (!is_unique(language->name) || find(reply, marks, "kernel", &fence, NULL))
            continue;
        *kernel = (struct reply_kernel){fence, language->name};
        count++;
    }
    return count == 1;
}

enum status reply_find_kernel(const char *reply, const char *wanted, struct reply_kernel *kernel,
                              struct error *err)
{
    const char *const own[] = {wanted, NULL}, *const *fences = language_of(wanted)->fences;
    enum status st = find(reply, *fences ? fences : own, "kernel", &kernel->fence, err);

    kernel->language = wanted;
    return st == STATUS_NOT_FOUND && find_named(reply, kernel) ? STATUS_OK : st;
}

enum status reply_find_plan(const char *reply, struct fence *plan, struct error *err)
{
    static const char *const marks[] = {"json", NULL};

    return find(reply, marks, "launch plan", plan, err);
}

void reply_add_block(const char *info, const char *text, struct strbuf *out)
{
    size_t len = strlen(text);

    fence_add_marks(text, out);
    strbuf_addf(out, "%s\n%s%s", info, text, len && text[len - 1] != '\n' ? "\n" : "");
    fence_add_marks(text, out);
    strbuf_adds(out, "\n");
}
