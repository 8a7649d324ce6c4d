#include "core/base/utf8.h"

#include <string.h>

#include "core/base/array.h"

/*
 * The length of the sequence that starts with `lead`, and the bits that `lead` contributes; 0 when
 * no sequence starts with it.
 */
static size_t sequence_length(unsigned char lead, uint32_t *bits)
{
    if (lead < 0x80) {
        *bits = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead < 0xE0) {
        *bits = lead & 0x1FU;
        return 2;
    }
    if (lead >= 0xE0 && lead < 0xF0) {
        *bits = lead & 0x0FU;
        return 3;
    }
    if (lead >= 0xF0 && lead < 0xF5) {
        *bits = lead & 0x07U;
        return 4;
    }
    return 0;
}

static int is_valid(uint32_t code, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    return code >= least[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
}

size_t utf8_decode(const char *text, size_t len, uint32_t *code)
{
    uint32_t value = 0;
    size_t length = sequence_length((unsigned char)text[0], &value);

    *code = UTF8_REPLACEMENT;
    if (length == 0 || length > len)
        return 1;
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];

        if ((next & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (next & 0x3FU);
    }
    if (!is_valid(value, length))
        return 1;
    *code = value;
    return length;
}

bool utf8_is_text(const char *text, size_t len)
{
    for (size_t at = 0, taken; at < len; at += taken) {
        uint32_t code;

        taken = utf8_decode(text + at, len - at, &code);
        if (code == 0 || (code == UTF8_REPLACEMENT && taken == 1))
            return false;
    }
    return true;
}

void utf8_encode(struct strbuf *out, uint32_t code)
{
    char bytes[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length; i-- > 1;) {
        bytes[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    bytes[0] = (char)(lead[length] | code);
    strbuf_add(out, bytes, length);
}

/* The number of bytes at the end that begin a code point, which the next piece may complete. */
static size_t split_length(const char *text, size_t len)
{
    for (size_t n = 1; n <= 3 && n <= len; n++) {
        unsigned char byte = (unsigned char)text[len - n];
        size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;

        if ((byte & 0xC0) != 0x80)
            return whole > n ? n : 0;
    }
    return 0;
}

size_t utf8_add_whole(struct strbuf *out, const char *text, size_t len, int is_last)
{
    size_t whole = is_last ? len : len - split_length(text, len);

    for (size_t at = 0; at < whole;) {
        uint32_t code;

        at += utf8_decode(text + at, whole - at, &code);
        utf8_encode(out, code);
    }
    return whole;
}

int utf8_is_hazardous(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0000, 0x001F}, {0x007F, 0x009F},   {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},
        {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},
        {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
        {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
    };

    for (size_t i = 0; i < COUNT(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return 1;
    return 0;
}

void utf8_add_visible(struct strbuf *out, const char *text, size_t len)
{
    while (len > 0) {
        uint32_t code;
        size_t taken = utf8_decode(text, len, &code);

        if (code != '\n' && code != '\t' && utf8_is_hazardous(code))
            strbuf_addf(out, "<U+%04X>", (unsigned)code);
        else
            utf8_encode(out, code);
        text += taken;
        len -= taken;
    }
}

void utf8_add_last_line(struct strbuf *out, const char *text, size_t len, size_t most)
{
    size_t end = len, begin;

    while (end > 0 && strchr(" \t\r\n", text[end - 1]))
        end--;
    for (begin = end; begin > 0 && text[begin - 1] != '\n'; begin--)
        ;
    if (end - begin > most)
        end = begin + most;
    if (end > begin)
        strbuf_adds(out, ": ");
    utf8_add_visible(out, text + begin, end - begin);
}
