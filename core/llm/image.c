#include "core/llm/image.h"

#include <string.h>

#include "core/base/digest.h"
#include "core/base/formats/media.h"
#include "core/system/file.h"

enum { DIGEST_DIGITS = 12 };

enum status image_save(const struct image *image, const char *folder, struct strbuf *path,
                       struct error *err)
{
    const char *type = media_type(image->bytes, image->len);
    char digest[DIGEST_HEX_SIZE];
    struct strbuf file = {0};
    enum status st = file_make_folder(folder, err);

    digest_sha256(image->bytes, image->len, digest);
    strbuf_addf(&file, "%s/image-%.*s.%s", folder, DIGEST_DIGITS, digest,
                type ? strchr(type, '/') + 1 : "bin");
    if (!st && !file_exists(strbuf_cstr(&file)))
        st = file_write(strbuf_cstr(&file), image->bytes, image->len, err);
    if (!st)
        strbuf_adds(path, strbuf_cstr(&file));
    strbuf_release(&file);
    return st;
}
