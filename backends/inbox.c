#include "backends/inbox.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/vec.h"

static bool is_cancel(const char *line)
{
    struct json *request = json_parse(line, strlen(line), NULL);
    bool cancel = strcmp(json_get_string(request, "do", ""), "cancel") == 0;

    json_free(request);
    return cancel;
}

bool inbox_take(struct inbox *inbox)
{
    bool is_cancelled = false;
    const char *line;

    if (lines_fill(&inbox->lines, STDIN_FILENO, NULL))
        inbox->is_over = true;
    while ((line = lines_next(&inbox->lines))) {
        if (inbox->is_busy && is_cancel(line))
            is_cancelled = true;
        else
            vec_push(&inbox->waiting, mem_strdup(line));
    }
    return is_cancelled || inbox->is_over;
}

bool inbox_is_idle(struct inbox *inbox)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return inbox->waiting.count == 0 && !inbox->is_over && poll(&input, 1, 0) == 0;
}

bool inbox_has_request(const struct inbox *inbox)
{
    return inbox->waiting.count > 0;
}

char *inbox_next(struct inbox *inbox)
{
    char *first;

    while (inbox->waiting.count == 0 && !inbox->is_over)
        inbox_take(inbox);
    if (inbox->waiting.count == 0)
        return NULL;
    first = inbox->waiting.items[0];
    inbox->waiting.count--;
    memmove(inbox->waiting.items, inbox->waiting.items + 1, inbox->waiting.count * sizeof(first));
    return first;
}

bool inbox_was_cancelled(const struct inbox *inbox)
{
    return inbox->waiting.count > 0 && is_cancel(inbox->waiting.items[0]);
}

void inbox_release(struct inbox *inbox)
{
    for (size_t i = 0; i < inbox->waiting.count; i++)
        free(inbox->waiting.items[i]);
    vec_release(&inbox->waiting);
    lines_release(&inbox->lines);
}
