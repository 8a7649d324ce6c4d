#include "core/base/base64.h"

#include <stdint.h>

void base64_add(struct strbuf *out, const void *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
