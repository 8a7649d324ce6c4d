#ifndef CORE_LLM_IMAGE_H
#define CORE_LLM_IMAGE_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * An image that goes with the text of a message, such as a profiler's window.
 * media_type() finds its format from the first bytes.  Borrows everything.
 */
struct image {
    const char *name; /* name of the engineer's file */
    const char *bytes;
    size_t len;
};

/* The limit of the services: 5 MiB in base64. */
enum { IMAGE_MAX_BYTES = (5 << 20) / 4 * 3 };

/*
 * Write the image to a file in `folder`, which is created if needed, and
 * append the file's path.  Equal images share a file, named by their digest.
 */
enum status image_save(const struct image *image, const char *folder, struct strbuf *path,
                       struct error *err) MUST_CHECK;

#endif
