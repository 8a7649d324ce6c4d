#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/llm/anthropic.h"
#include "core/llm/chat.h"
#include "core/llm/openai.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a body in pieces of `step` bytes; return true when it is a complete answer with `text`. */
static bool read_body(const struct answer_format *format, const char *body, size_t len, size_t step,
                      struct strbuf *text)
{
    struct answer answer = {.format = format};
    enum status st = STATUS_OK;
    struct error err;

    for (size_t at = 0; at < len && !st; at += step)
        st = answer_feed(&answer, body + at, len - at < step ? len - at : step, &err);
    if (!st)
        st = answer_finish(&answer, &err);
    *text = answer_take_text(&answer);
    if (!utf8_is_text(strbuf_cstr(text), text->len))
        abort();
    answer_release(&answer);
    return !st;
}

/* The result must not depend on the size of the pieces. */
static void compare(const struct answer_format *format, const char *body, size_t len, size_t step)
{
    struct strbuf whole = {0}, pieces = {0};
    bool is_whole = read_body(format, body, len, len, &whole);

    if (read_body(format, body, len, step, &pieces) != is_whole)
        abort();
    if (is_whole && (whole.len != pieces.len ||
                     memcmp(strbuf_cstr(&whole), strbuf_cstr(&pieces), whole.len) != 0))
        abort();
    strbuf_release(&whole);
    strbuf_release(&pieces);
}

/* The first byte of the input is the size of the pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *body = (const char *)data + 1;

    if (size < 2)
        return 0;
    compare(&openai_protocol.answer, body, size - 1, data[0] + 1U);
    compare(&anthropic_protocol.answer, body, size - 1, data[0] + 1U);
    return 0;
}
