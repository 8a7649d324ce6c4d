#include "core/llm/clipboard.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/osc52.h"
#include "core/system/file.h"

/* The longest text that hterm and other terminals accept, in bytes before base64. */
enum { MAX_BYTES = 74994 };

bool clipboard_copy(const char *text, size_t len)
{
    struct strbuf sequence = {0};
    int fd = len <= MAX_BYTES ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
    bool is_copied;

    if (fd < 0)
        return false;
    osc52_add_copy(&sequence, text, len);
    is_copied = !file_write_all(fd, sequence.data, sequence.len, NULL);
    strbuf_release(&sequence);
    close(fd);
    return is_copied;
}
