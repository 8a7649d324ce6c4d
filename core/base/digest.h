#ifndef CORE_BASE_DIGEST_H
#define CORE_BASE_DIGEST_H

#include <stddef.h>

/* SHA-256 (FIPS 180-4), from libmd. */

enum { DIGEST_HEX_SIZE = 65 };

/* Write the digest of the bytes in lower-case hexadecimal, with a terminator. */
void digest_sha256(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE]);

#endif
