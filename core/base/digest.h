#ifndef CORE_BASE_DIGEST_H
#define CORE_BASE_DIGEST_H

#include "core/base/strbuf.h"

/* SHA-256 (FIPS 180-4), computed by libmd. */

enum { DIGEST_HEX_SIZE = 65 };

/* Write the digest in lower-case hexadecimal, with a terminator. */
void digest_sha256(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE]);

/* Append the library's name, and its version when kforge was built. */
void digest_add_version(struct strbuf *out);

#endif
