#include "core/agent/prompt/attachment.h"

#include "core/base/formats/media.h"
#include "core/base/text.h"
#include "core/llm/image.h"

bool attachment_is_image(const struct brief_attachment *attachment)
{
    const char *type = media_type(attachment->bytes, attachment->len);

    return type && text_begins(type, "image/");
}

enum status attachment_check(const struct brief_attachment *attachment, struct error *err)
{
    bool is_image = attachment_is_image(attachment);
    size_t most = is_image ? IMAGE_MAX_BYTES : ATTACHMENT_MAX_TEXT_BYTES;

    if (!media_type(attachment->bytes, attachment->len))
        return error_set(
            err, STATUS_INVALID,
            "%s: is neither text in UTF-8 nor an image in PNG, JPEG, WebP or GIF: convert it",
            attachment->name);
    if (attachment->len > most)
        return error_set(err, STATUS_INVALID, "%s: %zu bytes; %s may have %zu", attachment->name,
                         attachment->len, is_image ? "an image" : "a text", most);
    return STATUS_OK;
}
