#include "tui/screens/pasted_reply.h"

#include <stdio.h>

#include "core/base/text.h"

static bool is_awaited(struct driver *driver)
{
    static const char manual[] = "manual";
    const char *agent = driver_session(driver)->agent;

    return driver_live(driver)->busy == BUSY_AGENT && agent && text_begins(agent, manual);
}

/* The line typed at the prompt is ignored: Enter alone confirms. */
static void send(void *data, const char *line)
{
    struct pasted_reply *reply = data;
    struct error err = {0};

    (void)line;
    if (driver_answer(reply->driver, strbuf_cstr(&reply->text), &err))
        chrome_say_error(reply->host->chrome, &err);
    else
        chrome_say(reply->host->chrome, ROLE_TEXT, "reply sent");
    strbuf_release(&reply->text);
}

static void drop(void *data)
{
    struct pasted_reply *reply = data;

    strbuf_release(&reply->text);
}

void pasted_reply_take(struct pasted_reply *reply, const char *text, size_t len)
{
    static const struct screen_prompt prompt = {.entered = send, .left = drop};
    char label[CHROME_LABEL_SIZE];

    if (!is_awaited(reply->driver))
        return;
    strbuf_release(&reply->text);
    strbuf_add(&reply->text, text, len);
    snprintf(label, sizeof(label),
             "%zu bytes pasted: Enter sends them as the reply, Escape drops "
             "them ",
             len);
    reply->host->ops->ask(reply->host, &prompt, reply, label, "");
}

void pasted_reply_release(struct pasted_reply *reply)
{
    strbuf_release(&reply->text);
}
