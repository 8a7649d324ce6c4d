#include "core/llm/provider.h"

#include <string.h>

#include "core/llm/anthropic.h"
#include "core/llm/command.h"
#include "core/llm/manual.h"
#include "core/llm/openai.h"
#include "core/llm/recorded.h"

static const struct provider_ops *const providers[] = {
    &openai_provider, &anthropic_provider, &command_provider,
    &manual_provider, &recorded_provider,  NULL,
};

/* The operations that the part of `agent` before the colon names, or NULL. */
static const struct provider_ops *find_ops(const char *agent)
{
    size_t len = strcspn(agent, ":");

    for (size_t i = 0; providers[i]; i++)
        if (strlen(providers[i]->name) == len && memcmp(providers[i]->name, agent, len) == 0)
            return providers[i];
    return NULL;
}

bool provider_is_known(const char *agent)
{
    return find_ops(agent) != NULL;
}

static enum status fail_unknown(const char *agent, struct error *err)
{
    struct strbuf names = {0};

    for (size_t i = 0; providers[i]; i++)
        strbuf_add_item(&names, providers[i]->name);
    error_set(err, STATUS_NOT_FOUND, "no agent \"%s\": there is builtin, %s", agent,
              strbuf_cstr(&names));
    strbuf_release(&names);
    return STATUS_NOT_FOUND;
}

enum status provider_open(struct loop *loop, const char *agent, struct provider **provider,
                          struct error *err)
{
    const struct provider_ops *ops = find_ops(agent);
    const char *colon = strchr(agent, ':');

    if (!ops)
        return fail_unknown(agent, err);
    return ops->open(loop, colon ? colon + 1 : "", provider, err);
}

enum status provider_send(struct provider *provider, const struct conversation *conversation,
                          const struct provider_listener *listener, struct error *err)
{
    return provider->ops->send(provider, conversation, listener, err);
}

enum status provider_answer(struct provider *provider, const char *text, struct error *err)
{
    if (!provider->ops->answer)
        return error_set(err, STATUS_INVALID, "%s answers by itself", provider->ops->name);
    return provider->ops->answer(provider, text, err);
}

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

void provider_cancel(struct provider *provider)
{
    provider->ops->cancel(provider);
}

void provider_close(struct provider *provider)
{
    if (provider)
        provider->ops->close(provider);
}
