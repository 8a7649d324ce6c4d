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

enum status reply_find_kernel(const char *reply, const char *language, struct fence *kernel,
                              struct error *err)
{
    const char *const own[] = {language, NULL}, *const *fences = language_of(language)->fences;

    return find(reply, *fences ? fences : own, "kernel", kernel, err);
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
