#include "core/agent/reply/reply.h"

#include <string.h>

#include "core/agent/reply/reply_block.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

enum { TITLE_MAX_BYTES = 60 };

/* The lines of a block.  The caller frees them. */
static char *take_lines(const struct fence *fence)
{
    struct strbuf lines = {0};

    fence_add_lines(fence->text, fence->text + fence->len, &lines);
    return strbuf_take(&lines);
}

static char *read_remark(const char *reply, const struct fence *kernel, const struct fence *plan)
{
    bool kernel_is_first = kernel->start < plan->start;
    const struct fence *first = kernel_is_first ? kernel : plan;
    const struct fence *second = kernel_is_first ? plan : kernel;
    struct strbuf remark = {0};

    fence_add_prose(reply, first->start, &remark);
    fence_add_prose(first->end, second->start, &remark);
    fence_add_prose(second->end, second->end + strlen(second->end), &remark);
    return strbuf_take(&remark);
}

enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err)
{
    struct reply_kernel kernel = {0};
    struct fence plan = {0};

    if (reply_find_kernel(reply, language, &kernel, err) || reply_find_plan(reply, &plan, err))
        return STATUS_INVALID;
    *candidate = (struct candidate){
        .language = mem_strdup(kernel.language),
        .source = take_lines(&kernel.fence),
        .plan = take_lines(&plan),
        .remark = read_remark(reply, &kernel.fence, &plan),
    };
    return STATUS_OK;
}

const char *reply_language(const char *reply, const char *wanted)
{
    struct reply_kernel kernel = {0};

    return reply_find_kernel(reply, wanted, &kernel, NULL) ? wanted : kernel.language;
}

void reply_format(const struct candidate *candidate, struct strbuf *out)
{
    if (candidate->remark && *candidate->remark)
        strbuf_addf(out, "%s\n\n", candidate->remark);
    reply_add_block(candidate->language, candidate->source, out);
    strbuf_adds(out, "\n");
    reply_add_block("json", candidate->plan, out);
}

/* The length of the title: the first line of `text`, cut between words if it is long. */
static size_t title_length(const char *text)
{
    size_t len = strcspn(text, "\r\n"), cut = TITLE_MAX_BYTES;

    if (len > TITLE_MAX_BYTES) {
        while (cut > 0 && text[cut] != ' ')
            cut--;
        len = cut ? cut : TITLE_MAX_BYTES;
    }
    while (len > 0 && strchr(" \t*_`#:.,", text[len - 1]))
        len--;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return len;
}

void reply_title(const struct candidate *candidate, const char *fallback, struct strbuf *out)
{
    const char *text = candidate->remark ? candidate->remark : "";
    size_t len;

    text += strspn(text, " \t\r\n#*->_`"); /* the marks of headings, lists and emphasis */
    len = title_length(text);
    if (len > 0)
        utf8_add_visible(out, text, len);
    else
        strbuf_adds(out, fallback);
}
