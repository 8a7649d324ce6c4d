#include "core/agent/reply.h"

#include <string.h>

#include "core/agent/reply_block.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

enum { TITLE_MAX_BYTES = 60 };

/* The lines with their ends as on this system; the caller frees. */
static char *copy_lines(const char *text, size_t len)
{
    char *copy = mem_alloc_zeroed(len + 1, 1), *to = copy;

    for (size_t i = 0; i < len; i++)
        if (text[i] != '\r' || i + 1 == len || text[i + 1] != '\n')
            *to++ = text[i];
    return copy;
}

/* Append a part of the prose, without the blank lines around it, as a paragraph of its own. */
static void add_prose(struct strbuf *remark, const char *start, const char *end)
{
    while (start < end && strchr(" \t\r\n", *start))
        start++;
    while (start < end && strchr(" \t\r\n", end[-1]))
        end--;
    if (start == end)
        return;
    if (remark->len > 0)
        strbuf_adds(remark, "\n\n");
    strbuf_add(remark, start, (size_t)(end - start));
}

static char *read_remark(const char *reply, const struct fence *kernel, const struct fence *plan)
{
    bool kernel_is_first = kernel->start < plan->start;
    const struct fence *first = kernel_is_first ? kernel : plan;
    const struct fence *second = kernel_is_first ? plan : kernel;
    struct strbuf remark = {0};
    char *lines;

    add_prose(&remark, reply, first->start);
    add_prose(&remark, first->end, second->start);
    add_prose(&remark, second->end, second->end + strlen(second->end));
    lines = copy_lines(strbuf_cstr(&remark), remark.len);
    strbuf_release(&remark);
    return lines;
}

enum status reply_parse(const char *reply, const char *language, struct candidate *candidate,
                        struct error *err)
{
    struct fence kernel = {0}, plan = {0};

    if (reply_find_kernel(reply, language, &kernel, err) ||
        reply_find_plan(reply, &plan, err))
        return STATUS_INVALID;
    *candidate = (struct candidate){
        .language = mem_strdup(language),
        .source = copy_lines(kernel.text, kernel.len),
        .plan = copy_lines(plan.text, plan.len),
        .remark = read_remark(reply, &kernel, &plan),
    };
    return STATUS_OK;
}

void reply_format(const struct candidate *candidate, struct strbuf *out)
{
    if (candidate->remark && *candidate->remark)
        strbuf_addf(out, "%s\n\n", candidate->remark);
    reply_add_block(candidate->language, candidate->source, out);
    strbuf_adds(out, "\n");
    reply_add_block("json", candidate->plan, out);
}

/* Bytes of `text` that make a title: a line, cut between words where it is long. */
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

    text += strspn(text, " \t\r\n#*->_`"); /* what marks headings, lists and emphasis */
    len = title_length(text);
    if (len > 0)
        utf8_add_visible(out, text, len);
    else
        strbuf_adds(out, fallback);
}
