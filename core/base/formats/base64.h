#ifndef CORE_BASE_FORMATS_BASE64_H
#define CORE_BASE_FORMATS_BASE64_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/* Append `len` bytes in base64 (RFC 4648, section 4), on one line and with padding. */
void base64_add(struct strbuf *out, const void *bytes, size_t len);

/* Append the decoded bytes. False, with nothing appended, when `text` is not base64. */
bool base64_decode(struct strbuf *out, const char *text);

#endif
