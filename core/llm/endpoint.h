#ifndef CORE_LLM_ENDPOINT_H
#define CORE_LLM_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

struct http_response;

/*
 * The address, the key and the timeouts of a model's server, read from the environment. The key is
 * kept only here: no text that this module writes contains the key, even if the server repeats it.
 *
 *	KFORGE_API_KEY_ENV        the variable that holds the key, instead of the protocol's own
 *	KFORGE_THINKING           "off": do not ask models to think; "on" is the default
 *	KFORGE_HTTP_FIRST_BYTE_MS the longest time until an answer begins (300000)
 *	KFORGE_HTTP_SILENCE_MS    the longest pause within an answer (300000); some models think
 *	                          that long
 *	KFORGE_HTTP_RETRY_MS      the wait before the second try; it doubles with each try (1000)
 */
struct endpoint_spec {
    const char *default_url; /* the default address, which requires a key */
    const char *url_env;     /* the variable that gives another address */
    const char *path;        /* appended to the address */
    const char *key_env;     /* the variable that holds the key */
    const char *key_header;  /* the part of the header before the key */
};

struct endpoint {
    const struct endpoint_spec *spec;
    char *url; /* with the path */
    char *key_env;
    char *key_line;  /* the whole header; NULL without a key */
    const char *key; /* within key_line */
    bool thinks;     /* models are asked to think */
    int64_t first_byte_ms;
    int64_t silence_ms;
    int64_t retry_ms;
};

/* Read the environment.  Fails when a required key is missing or a value is malformed. */
enum status endpoint_read(const struct endpoint_spec *spec, struct endpoint *endpoint,
                          struct error *err) MUST_CHECK;
void endpoint_release(struct endpoint *endpoint);

/* Append the server's text to a line: shortened, safe to show, without the key. */
void endpoint_quote(const struct endpoint *endpoint, const char *text, struct strbuf *out);

/* Append the reason that a response with an error status gives, and what the engineer can check. */
void endpoint_explain(const struct endpoint *endpoint, const struct http_response *response,
                      const struct strbuf *body, struct strbuf *out);

#endif
