#include "core/llm/endpoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/llm/answer.h"
#include "core/llm/http.h"
#include "core/llm/retry.h"

enum {
    MAX_QUOTED_BYTES = 240,
    FIRST_RETRY_MS = 1000,
};

/* The variable, or `fallback`; an empty variable counts as not set. */
static const char *environment(const char *name, const char *fallback)
{
    const char *value = getenv(name);

    return value && *value ? value : fallback;
}

static enum status read_ms(const char *name, int64_t fallback, int64_t *ms, struct error *err)
{
    const char *text = environment(name, NULL);
    char *end = NULL;
    long long value = text ? strtoll(text, &end, 10) : fallback;

    if (text && (*end || value < 0 || value > INT32_MAX))
        return error_set(err, STATUS_INVALID,
                         "%s=%s: expected milliseconds, a whole number of 0 or more", name, text);
    *ms = value;
    return STATUS_OK;
}

static enum status read_times(struct endpoint *endpoint, struct error *err)
{
    enum status st =
        read_ms("KFORGE_HTTP_FIRST_BYTE_MS", HTTP_FIRST_BYTE_MS, &endpoint->first_byte_ms, err);

    if (!st)
        st = read_ms("KFORGE_HTTP_SILENCE_MS", HTTP_SILENCE_MS, &endpoint->silence_ms, err);
    if (!st)
        st = read_ms("KFORGE_HTTP_RETRY_MS", FIRST_RETRY_MS, &endpoint->retry_ms, err);
    return st;
}

static enum status read_thinking(struct endpoint *endpoint, struct error *err)
{
    const char *given = environment("KFORGE_THINKING", "on");

    endpoint->thinks = strcmp(given, "on") == 0;
    if (endpoint->thinks || strcmp(given, "off") == 0)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID, "KFORGE_THINKING=%s: expected on or off", given);
}

/* `base`, without the slashes at its end, and `path`. */
static char *join_url(const char *base, const char *path)
{
    struct strbuf url = {0};

    strbuf_adds(&url, base);
    while (url.len > 0 && url.data[url.len - 1] == '/')
        url.len--;
    strbuf_adds(&url, path);
    return strbuf_take(&url);
}

static enum status read_key(struct endpoint *endpoint, const char *key, struct error *err)
{
    struct strbuf line = {0};

    for (const char *p = key; *p; p++)
        if (!isgraph((unsigned char)*p))
            return error_set(
                err, STATUS_INVALID,
                "%s holds a blank or an unprintable character: set it to the key alone",
                endpoint->key_env);
    strbuf_adds(&line, endpoint->spec->key_header);
    strbuf_adds(&line, key);
    endpoint->key_line = strbuf_take(&line);
    endpoint->key = endpoint->key_line + strlen(endpoint->spec->key_header);
    return STATUS_OK;
}

static enum status read_all(struct endpoint *endpoint, struct error *err)
{
    const struct endpoint_spec *spec = endpoint->spec;
    const char *base = environment(spec->url_env, spec->default_url);
    const char *key;

    endpoint->url = join_url(base, spec->path);
    endpoint->key_env = mem_strdup(environment("KFORGE_API_KEY_ENV", spec->key_env));
    key = environment(endpoint->key_env, NULL);
    if (!key && strcmp(base, spec->default_url) == 0)
        return error_set(err, STATUS_UNAVAILABLE, "%s needs a key: set %s", base,
                         endpoint->key_env);
    if ((key && read_key(endpoint, key, err)) || read_thinking(endpoint, err))
        return STATUS_INVALID;
    return read_times(endpoint, err);
}

enum status endpoint_read(const struct endpoint_spec *spec, struct endpoint *endpoint,
                          struct error *err)
{
    struct endpoint read = {.spec = spec};
    enum status st = read_all(&read, err);

    if (st)
        endpoint_release(&read);
    else
        *endpoint = read;
    return st;
}

void endpoint_release(struct endpoint *endpoint)
{
    free(endpoint->url);
    free(endpoint->key_env);
    if (endpoint->key_line)
        explicit_bzero(endpoint->key_line, strlen(endpoint->key_line));
    free(endpoint->key_line);
    *endpoint = (struct endpoint){0};
}

void endpoint_quote(const struct endpoint *endpoint, const char *text, struct strbuf *out)
{
    struct strbuf clean = {0};
    const char *found;

    while (endpoint->key && (found = strstr(text, endpoint->key))) {
        strbuf_add(&clean, text, (size_t)(found - text));
        strbuf_adds(&clean, "***");
        text = found + strlen(endpoint->key);
    }
    strbuf_adds(&clean, text);
    if (clean.len > MAX_QUOTED_BYTES)
        clean.len = MAX_QUOTED_BYTES;
    for (size_t i = 0; i < clean.len; i++)
        if (isspace((unsigned char)clean.data[i]))
            clean.data[i] = ' ';
    utf8_add_visible(out, clean.data, clean.len);
    strbuf_release(&clean);
}

/* The message in the body of an error, in the shapes that servers and gateways use. */
static const char *find_reason(const struct json *document, const char *body)
{
    const char *text = answer_error_text(document);

    if (!text)
        text = json_get_string(document, "message", NULL);
    if (!text)
        text = json_get_string(document, "detail", *body ? body : "no reason given");
    return text;
}

/*
 * The text of an HTML page that a gateway sends instead of a document: that of its title, or, if it
 * has none, all text outside of tags.
 */
static void add_page_text(const char *page, struct strbuf *out)
{
    const char *title = strcasestr(page, "<title>");
    const char *end = title ? strcasestr(title, "</title>") : NULL;

    if (end)
        page = title;
    for (; *page && page != end; page += *page != '\0') {
        if (*page == '<')
            page += strcspn(page, ">");
        else
            strbuf_add(out, page, 1);
    }
}

static void add_remedy(const struct endpoint *endpoint, const struct http_response *response,
                       struct strbuf *out)
{
    int status = response->status;

    if (status == 401 || status == 403)
        strbuf_addf(out, "; %s %s", endpoint->key ? "check" : "set", endpoint->key_env);
    else if (status == 404 || status / 100 == 3)
        strbuf_addf(out, "; check the model's name and %s", endpoint->spec->url_env);
    else if (response->retry_after_us > (int64_t)RETRY_MAX_WAIT_S * 1000000)
        strbuf_addf(out, "; it asks to wait %.0f s: resume then",
                    (double)response->retry_after_us / 1e6);
}

void endpoint_explain(const struct endpoint *endpoint, const struct http_response *response,
                      const struct strbuf *body, struct strbuf *out)
{
    struct json *document = json_parse(strbuf_cstr(body), body->len, NULL);
    struct strbuf text = {0};

    if (body->len > 0 && body->data[0] == '<')
        add_page_text(strbuf_cstr(body), &text);
    else
        strbuf_adds(&text, strbuf_cstr(body));
    endpoint_quote(endpoint, find_reason(document, strbuf_cstr(&text)), out);
    add_remedy(endpoint, response, out);
    strbuf_release(&text);
    json_free(document);
}
