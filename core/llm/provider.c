#include "core/llm/provider.h"

static enum status write_images(const struct message *message, const char *folder,
                                struct strbuf *out, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < message->image_count; i++) {
        strbuf_addf(out, "\nThe image %s is in the file ", message->images[i].name);
        st = image_save(&message->images[i], folder, out, err);
        strbuf_adds(out, "\n");
    }
    return st;
}

enum status conversation_write(const struct conversation *conversation, const char *folder,
                               struct strbuf *out, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < conversation->count; i++) {
        strbuf_addf(out, "%s%s\n", i ? "\n" : "", conversation->messages[i].text);
        st = write_images(&conversation->messages[i], folder, out, err);
    }
    return st;
}
