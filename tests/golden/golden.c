#include "tests/golden/golden.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "tests/unit/unit.h"

void golden_compare(const char *name, const struct strbuf *text)
{
    char *path = file_join(KFORGE_SOURCE_DIR "/tests/golden", name);
    struct strbuf expected = {0};
    struct error err = {0};

    if (getenv("UPDATE_GOLDEN"))
        assert_int_equal(file_write(path, strbuf_cstr(text), text->len, &err), STATUS_OK);
    if (file_read(path, 1 << 24, &expected, &err))
        fail_msg("%s", err.text);
    if (expected.len != text->len || memcmp(expected.data, text->data, text->len) != 0)
        fail_msg("%s differs; it is now:\n%s", path, strbuf_cstr(text));
    strbuf_release(&expected);
    free(path);
}
