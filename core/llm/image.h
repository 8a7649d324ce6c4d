#ifndef CORE_LLM_IMAGE_H
#define CORE_LLM_IMAGE_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * A picture beside the text of a message: a profiler's window, for models
 * that read pictures.  What kind it is, media_type() knows by its first bytes.
 * Borrows everything.
 */
struct image {
    const char *name; /* of its file, as the engineer knows it */
    const char *bytes;
    size_t len;
};

/* What the services take at most: 5 MiB once it is in base64. */
enum { IMAGE_MAX_BYTES = (5 << 20) / 4 * 3 };

/*
 * Write the image to a file in `folder`, which is made where it is missing,
 * and append the file's path.  The same image has the same file.
 */
enum status image_save(const struct image *image, const char *folder, struct strbuf *path,
                       struct error *err) MUST_CHECK;

#endif
