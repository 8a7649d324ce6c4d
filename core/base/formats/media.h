#ifndef CORE_BASE_FORMATS_MEDIA_H
#define CORE_BASE_FORMATS_MEDIA_H

#include <stddef.h>

/*
 * The media type of a file, detected from its first bytes: "image/png", "image/jpeg", "image/gif",
 * "image/webp", or "text/plain" for UTF-8 without NUL bytes. NULL for anything else.
 */
const char *media_type(const char *bytes, size_t len);

#endif
