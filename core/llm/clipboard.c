#include "core/llm/clipboard.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/base64.h"
#include "core/system/file.h"

/* What hterm and others take at most, in bytes before they are encoded. */
enum { MAX_BYTES = 74994 };

bool clipboard_copy(const char *text, size_t len)
{
    struct strbuf sequence = {0};
    int fd = len <= MAX_BYTES ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
    bool is_copied;

    if (fd < 0)
        return false;
    strbuf_adds(&sequence, "\033]52;c;");
    base64_add(&sequence, text, len);
    strbuf_adds(&sequence, "\a");
    is_copied = !file_write_all(fd, sequence.data, sequence.len, NULL);
    strbuf_release(&sequence);
    close(fd);
    return is_copied;
}
