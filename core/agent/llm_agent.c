#include "core/agent/llm_agent.h"

#include <stdlib.h>

#include "core/agent/prompt/attachment.h"
#include "core/base/mem.h"
#include "core/llm/providers.h"

struct llm_agent {
    struct agent agent;
    struct provider *provider;
};

/* The images among the attachments.  The caller frees the list, which borrows their bytes. */
static struct image *list_images(const struct brief *brief, size_t *count)
{
    struct image *images = mem_alloc_zeroed(brief->attachment_count + 1, sizeof(*images));

    *count = 0;
    for (size_t i = 0; i < brief->attachment_count; i++) {
        const struct brief_attachment *attached = &brief->attachments[i];

        if (attachment_is_image(attached))
            images[(*count)++] = (struct image){attached->name, attached->bytes, attached->len};
    }
    return images;
}

static enum status llm_agent_start(struct agent *agent, const struct agent_request *request,
                                   const struct provider_listener *listener, struct error *err)
{
    struct llm_agent *model = (struct llm_agent *)agent;
    struct message message = {.role = MESSAGE_USER, .text = request->prompt};
    const struct conversation conversation = {
        .messages = &message, .count = 1, .number = request->brief->exchange};
    struct image *images = list_images(request->brief, &message.image_count);
    enum status st;

    message.images = images;
    st = model->provider->ops->send(model->provider, &conversation, listener, err);
    free(images);
    return st;
}

static enum status llm_agent_answer(struct agent *agent, const char *text, struct error *err)
{
    struct provider *provider = ((struct llm_agent *)agent)->provider;

    if (!provider->ops->answer)
        return error_set(err, STATUS_INVALID, "%s takes no pasted reply: it writes its own",
                         provider->ops->name);
    return provider->ops->answer(provider, text, err);
}

static void llm_agent_cancel(struct agent *agent)
{
    struct provider *provider = ((struct llm_agent *)agent)->provider;

    provider->ops->cancel(provider);
}

static void llm_agent_close(struct agent *agent)
{
    struct provider *provider = ((struct llm_agent *)agent)->provider;

    provider->ops->close(provider);
    free(agent);
}

static const struct agent_ops llm_agent_ops = {
    .name = "model",
    .start = llm_agent_start,
    .answer = llm_agent_answer,
    .cancel = llm_agent_cancel,
    .close = llm_agent_close,
};

enum status llm_agent_open(struct loop *loop, const char *name, struct agent **agent,
                           struct error *err)
{
    struct provider *provider;
    enum status st = providers_open(loop, name, &provider, err);

    if (st)
        return st;

    struct llm_agent *model = mem_alloc_zeroed(1, sizeof(*model));

    model->agent.ops = &llm_agent_ops;
    model->provider = provider;
    *agent = &model->agent;
    return STATUS_OK;
}
