#ifndef CORE_BASE_DIGEST_H
#define CORE_BASE_DIGEST_H

#include "core/base/strbuf.h"

/* SHA-256 (FIPS 180-4), from libmd. */

enum { DIGEST_HEX_SIZE = 65 };

/* Write the digest of the bytes in lower-case hexadecimal, with a terminator. */
void digest_sha256(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE]);

/* Append the library's name and the version that kforge was built with. */
void digest_add_version(struct strbuf *out);

#endif
