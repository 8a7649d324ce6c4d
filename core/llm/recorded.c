#include "core/llm/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/llm/delivery.h"
#include "core/system/file.h"

enum { MAX_JOURNAL_BYTES = 1 << 30, MAX_TEXT_BYTES = 64 << 20 };

struct answered {
    char *prompt; /* the id of a text; NULL if the recording does not name it */
    char *reply;  /* the id of a text */
    struct usage usage;
    bool is_given;
};

struct recorded {
    struct provider provider;
    struct loop *loop;
    char *folder;
    bool is_strict;
    char *last_prompt; /* the id of the latest prompt, while the events are read */
    struct {
        struct answered *items;
        size_t count, capacity;
    } answers;
    struct delivery delivery;
};

static void close_recorded(struct provider *provider)
{
    struct recorded *recorded = (struct recorded *)provider;

    if (!recorded)
        return;
    delivery_cancel(&recorded->delivery);
    for (size_t i = 0; i < recorded->answers.count; i++) {
        free(recorded->answers.items[i].prompt);
        free(recorded->answers.items[i].reply);
    }
    vec_release(&recorded->answers);
    free(recorded->last_prompt);
    free(recorded->folder);
    free(recorded);
}

/* A reply belongs to the latest request before it: several agents may get one prompt at a time. */
static void take_event(struct recorded *recorded, const struct json *event)
{
    const char *type = json_get_string(event, "type", "");
    const char *text = json_get_string(event, "text", NULL);

    if (strcmp(type, "model.request") == 0) {
        free(recorded->last_prompt);
        recorded->last_prompt = mem_strdup(text);
    } else if (strcmp(type, "model.reply") == 0 && text) {
        const struct answered answered = {
            .prompt = mem_strdup(recorded->last_prompt),
            .reply = mem_strdup(text),
            .usage = {
                .has_tokens = json_get(event, "prompt_tokens") != NULL,
                .prompt_tokens = (int64_t)json_get_whole(event, "prompt_tokens", INT64_MAX, 0),
                .reply_tokens = (int64_t)json_get_whole(event, "reply_tokens", INT64_MAX, 0)}};

        vec_push(&recorded->answers, answered);
    }
}

static enum status take_lines(struct recorded *recorded, const char *path, const char *text,
                              struct error *err)
{
    enum status st = STATUS_OK;
    unsigned number = 1;

    for (size_t len; !st && *text; text += len + (text[len] == '\n'), number++) {
        struct error why = {0};
        struct json *event;

        len = strcspn(text, "\n");
        event = json_parse(text, len, &why);
        if (event)
            take_event(recorded, event);
        else
            st = error_set(err, STATUS_INVALID, "%s:%u: %s", path, number, why.text);
        json_free(event);
    }
    return st;
}

static enum status read_events(struct recorded *recorded, struct error *err)
{
    char *path = file_join(recorded->folder, "events.jsonl");
    struct strbuf text = {0};
    enum status st = file_read(path, MAX_JOURNAL_BYTES, &text, err);

    if (!st)
        st = take_lines(recorded, path, strbuf_cstr(&text), err);
    if (!st && recorded->answers.count == 0)
        st = error_set(err, STATUS_INVALID, "%s: the recording holds no reply", path);
    strbuf_release(&text);
    free(path);
    return st;
}

static char *find_folder(const char *name)
{
    struct strbuf shipped = {0};
    char *folder;

    if (file_exists(name))
        return mem_strdup(name);
    strbuf_addf(&shipped, "prompts/sessions/%s", name);
    folder = file_shipped(strbuf_cstr(&shipped));
    strbuf_release(&shipped);
    if (!file_exists(folder)) { /* the error then names the folder as the user wrote it */
        free(folder);
        folder = mem_strdup(name);
    }
    return folder;
}

static enum status open_recorded(struct loop *loop, const char *model, struct provider **provider,
                                 struct error *err)
{
    static const char strict[] = "strict:";
    bool is_strict = text_begins(model, strict);
    struct recorded *recorded;
    enum status st;

    if (!*model)
        return error_set(err, STATUS_INVALID, "recorded needs a recording, as in recorded:FOLDER");
    recorded = mem_alloc_zeroed(1, sizeof(*recorded));
    recorded->provider.ops = &recorded_provider;
    recorded->loop = loop;
    recorded->is_strict = is_strict;
    recorded->folder = find_folder(is_strict ? model + strlen(strict) : model);
    st = read_events(recorded, err);
    if (st)
        close_recorded(&recorded->provider);
    else
        *provider = &recorded->provider;
    return st;
}

static enum status read_text(const struct recorded *recorded, const char *id, struct strbuf *out,
                             struct error *err)
{
    struct strbuf path = {0};
    enum status st;

    if (strspn(id, "0123456789abcdef") != strlen(id))
        return error_set(err, STATUS_INVALID, "%s: \"%.60s\" names no text", recorded->folder, id);
    strbuf_addf(&path, "%s/texts/%s", recorded->folder, id);
    st = file_read(strbuf_cstr(&path), MAX_TEXT_BYTES, out, err);
    strbuf_release(&path);
    return st;
}

/* True if the reply was recorded for the prompt, the last message, and has not been given yet. */
static bool is_answer(const struct recorded *recorded, const struct answered *answered,
                      const struct conversation *conversation)
{
    struct strbuf prompt = {0};
    bool is_same;

    if (answered->is_given)
        return false;
    is_same =
        answered->prompt && !read_text(recorded, answered->prompt, &prompt, NULL) &&
        strcmp(strbuf_cstr(&prompt), conversation->messages[conversation->count - 1].text) == 0;
    strbuf_release(&prompt);
    return is_same;
}

static struct answered *find_answer(const struct recorded *recorded,
                                    const struct conversation *conversation)
{
    size_t number = conversation->number;

    if (!recorded->is_strict)
        return number < recorded->answers.count ? &recorded->answers.items[number] : NULL;
    for (size_t i = 0; i < recorded->answers.count; i++)
        if (is_answer(recorded, &recorded->answers.items[i], conversation))
            return &recorded->answers.items[i];
    return NULL;
}

static enum status send(struct provider *provider, const struct conversation *conversation,
                        const struct provider_listener *listener, struct error *err)
{
    struct recorded *recorded = (struct recorded *)provider;
    struct answered *answer = find_answer(recorded, conversation);
    struct error failure = {0};

    if (recorded->delivery.is_busy)
        return error_set(err, STATUS_INVALID, "recorded: the previous reply is still arriving");
    delivery_begin(&recorded->delivery, recorded->loop, listener);
    if (!answer)
        error_set(&failure, STATUS_UNAVAILABLE, "%s: %s", recorded->folder,
                  recorded->is_strict ? "no reply to this prompt is recorded; without \"strict:\" "
                                        "replies come in order, whatever the prompt"
                                      : "the recording has no further reply");
    else if (!read_text(recorded, answer->reply, &recorded->delivery.text, &failure))
        recorded->delivery.usage = answer->usage;
    if (answer)
        answer->is_given = true;
    delivery_end(&recorded->delivery, failure.code ? &failure : NULL);
    return STATUS_OK;
}

static void cancel(struct provider *provider)
{
    delivery_cancel(&((struct recorded *)provider)->delivery);
}

const struct provider_ops recorded_provider = {
    .name = "recorded",
    .open = open_recorded,
    .send = send,
    .cancel = cancel,
    .close = close_recorded,
};
