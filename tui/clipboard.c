#include "tui/clipboard.h"

#include <stdint.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/process.h"

/* Base64 (RFC 4648) of up to three bytes. */
static void add_base64(const unsigned char *bytes, size_t len, struct strbuf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = 0;

    for (size_t i = 0; i < 3; i++)
        group = group << 8 | (i < len ? bytes[i] : 0);
    for (size_t i = 0; i < 4; i++)
        strbuf_add(out, i <= len ? &digits[group >> (18 - 6 * i) & 63] : "=", 1);
}

void clipboard_add_osc52(const char *bytes, size_t len, struct strbuf *out)
{
    strbuf_adds(out, "\033]52;c;");
    for (size_t i = 0; i < len; i += 3)
        add_base64((const unsigned char *)bytes + i, len - i < 3 ? len - i : 3, out);
    strbuf_adds(out, "\a");
}

enum status clipboard_give_tmux(const char *bytes, size_t len, struct error *err)
{
    static const char *const argv[] = {"tmux", "load-buffer", "-w", "-", NULL};
    const struct process_spec spec = {.argv = argv, .without_secrets = true};
    struct process process = {0};
    enum status st = process_start(&process, &spec, err);
    char nothing;

    if (st)
        return st;
    st = file_write_all(process.in, bytes, len, err);
    close(process.in);
    process.in = -1;
    while (read(process.out, &nothing, 1) > 0) /* until it ends */
        ;
    process_end(&process);
    return st;
}
