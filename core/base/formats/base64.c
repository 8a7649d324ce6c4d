#include "core/base/formats/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct strbuf *out, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t left = len; left > 0; left -= left < 3 ? left : 3, at += 3) {
        uint32_t group = (uint32_t)at[0] << 16;
        char quad[] = "====";

        group |= left > 1 ? (uint32_t)at[1] << 8 : 0;
        group |= left > 2 ? at[2] : 0;
        for (size_t i = 0; i < 4 && i <= left; i++)
            quad[i] = digits[group >> (18 - 6 * i) & 63];
        strbuf_add(out, quad, 4);
    }
}

bool base64_decode(struct strbuf *out, const char *text)
{
    size_t count = strspn(text, digits), padding = strlen(text + count);

    if ((count + padding) % 4 != 0 || padding > 2 || strspn(text + count, "=") != padding)
        return false;
    for (size_t i = 0; i < count; i += 4) {
        size_t quad = count - i < 4 ? count - i : 4;
        uint32_t group = 0;

        for (size_t d = 0; d < 4; d++)
            group = group << 6 | (d < quad ? (uint32_t)(strchr(digits, text[i + d]) - digits) : 0);
        for (size_t byte = 0; byte + 1 < quad; byte++)
            strbuf_add(out, &(char){(char)(group >> (16 - 8 * byte))}, 1);
    }
    return true;
}
