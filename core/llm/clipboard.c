#include "core/llm/clipboard.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/file.h"

/* What hterm and others take at most, in bytes before they are encoded. */
enum { MAX_BYTES = 74994 };

/* Base64 (RFC 4648, section 4). */
static void add_base64(struct strbuf *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < len; at += 3) {
        size_t count = len - at < 3 ? len - at : 3;
        unsigned group = (unsigned)bytes[at] << 16;
        char quad[] = "====";

        group |= count > 1 ? (unsigned)bytes[at + 1] << 8 : 0;
        group |= count > 2 ? bytes[at + 2] : 0;
        for (size_t i = 0; i <= count; i++)
            quad[i] = digits[group >> (18 - 6 * i) & 63];
        strbuf_adds(out, quad);
    }
}

bool clipboard_copy(const char *text, size_t len)
{
    struct strbuf sequence = {0};
    int fd = len <= MAX_BYTES ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
    bool is_copied;

    if (fd < 0)
        return false;
    strbuf_adds(&sequence, "\033]52;c;");
    add_base64(&sequence, (const unsigned char *)text, len);
    strbuf_adds(&sequence, "\a");
    is_copied = !file_write_all(fd, sequence.data, sequence.len, NULL);
    strbuf_release(&sequence);
    close(fd);
    return is_copied;
}
