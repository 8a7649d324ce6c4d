#include "core/base/formats/media.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"

/*
 * Signatures are from PNG (section 5.2), JPEG (ISO 10918-1, B.1.1.3), GIF89a (17) and RFC 9649
 * (2.4).
 */
static const struct {
    const char *type;
    size_t offset;
    const char *bytes;
} signatures[] = {
    {"image/png", 0, "\x89PNG\r\n\x1a\n"},
    {"image/jpeg", 0, "\xff\xd8\xff"},
    {"image/gif", 0, "GIF87a"},
    {"image/gif", 0, "GIF89a"},
    {"image/webp", 8, "WEBPVP8"},
};

const char *media_type(const char *bytes, size_t len)
{
    for (size_t i = 0; i < COUNT(signatures); i++) {
        size_t size = strlen(signatures[i].bytes), end = signatures[i].offset + size;

        if (len >= end && memcmp(bytes + signatures[i].offset, signatures[i].bytes, size) == 0)
            return signatures[i].type;
    }
    return utf8_is_text(bytes, len) ? "text/plain" : NULL;
}
