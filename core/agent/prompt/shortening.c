#include "core/agent/prompt/shortening.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"

enum { BYTES_PER_TOKEN = 3 };

/* Put at most `keep` bytes of the text, in whole lines, and a line that counts the rest. */
static void put_beginning(struct json *object, const char *text, size_t keep)
{
    size_t whole = (size_t)json_get_number(object, "bytes", 0), end = keep;
    struct strbuf shorter = {0};

    while (end > 0 && text[end - 1] != '\n')
        end--;
    strbuf_add(&shorter, text, end);
    strbuf_addf(&shorter, "[%zu more bytes are left out: the prompt has to fit the model]\n",
                whole - end);
    json_put_string(object, "text", strbuf_cstr(&shorter));
    strbuf_release(&shorter);
}

struct json *shortening_text(const struct json *value, size_t keep)
{
    struct json *copy = json_dup(value);
    const char *text = json_get_string(value, "text", "");

    if (strlen(text) > keep)
        put_beginning(copy, text, keep);
    return copy;
}

static struct json *shorten_texts(const struct json *value, size_t keep)
{
    struct json *list = json_array_new();

    for (const struct json *item = json_first(value); item; item = json_next(item))
        json_push(list, json_get(item, "text") ? shortening_text(item, keep) : json_dup(item));
    return list;
}

static struct json *keep_last(const struct json *value, size_t keep)
{
    struct json *list = json_array_new();
    size_t count = json_count(value);

    for (size_t i = count > keep ? count - keep : 0; i < count; i++)
        json_push(list, json_dup(json_at(value, i)));
    return list;
}

static struct json *leave_out(const struct json *value, size_t keep)
{
    (void)value;
    (void)keep;
    return json_null_new();
}

/* The order of FORMATS.md ("Prompts"); `keep` counts bytes, or items of a list. */
static const struct {
    const char *variable;
    struct json *(*shorten)(const struct json *value, size_t keep);
    size_t keep;
} steps[] = {
    {"log", shortening_text, 4096},
    {"attachments", shorten_texts, 16384},
    {"reference", shortening_text, 16384},
    {"records", keep_last, 5},
    {"refused", keep_last, 5},
    {"log", shortening_text, 1024},
    {"attachments", shorten_texts, 2048},
    {"reference", shortening_text, 4096},
    {"example", leave_out, 0},
    {"facts", leave_out, 0},
    {"reference", leave_out, 0},
};

bool shortening_next(struct json *variables, size_t *step)
{
    const struct json *value;

    if (*step == COUNT(steps))
        return false;
    value = json_get(variables, steps[*step].variable);
    if (value && json_type(value) != JSON_NULL)
        json_put(variables, steps[*step].variable, steps[*step].shorten(value, steps[*step].keep));
    ++*step;
    return true;
}

size_t shortening_tokens(size_t bytes)
{
    return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}
