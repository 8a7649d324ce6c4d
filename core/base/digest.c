#include "core/base/digest.h"

#include <sys/types.h>

#include <sha2.h>

void digest_sha256(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE])
{
    SHA256Data(bytes, len, hex);
}

void digest_add_version(struct strbuf *out)
{
    strbuf_adds(out, "libmd " LIBMD_VERSION);
}
