#ifndef CORE_LLM_ENDPOINT_H
#define CORE_LLM_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

struct http_response;

/*
 * Where a model's server is, with which key it is spoken to, and how patiently,
 * as the environment says.  The key lives here; nothing that this module
 * writes about a server contains it, even where the server repeats it.
 *
 *	KFORGE_API_KEY_ENV        the variable that holds the key, instead of the protocol's own
 *	KFORGE_HTTP_FIRST_BYTE_MS how long a server may take to begin its answer (300000)
 *	KFORGE_HTTP_SILENCE_MS    how long it may say nothing in its midst (300000), as some do
 *	                          that think so long
 *	KFORGE_HTTP_RETRY_MS      the wait before the second try; it doubles from there (1000)
 */
struct endpoint_spec {
    const char *default_url; /* where a key is required */
    const char *url_env;     /* the variable that names another */
    const char *path;        /* appended to the URL */
    const char *key_env;     /* the variable that holds the key */
    const char *key_header;  /* what stands before the key in its header */
};

struct endpoint {
    const struct endpoint_spec *spec;
    char *url; /* with the path */
    char *key_env;
    char *key_line;  /* the whole header; NULL without a key */
    const char *key; /* within key_line */
    int64_t first_byte_ms;
    int64_t silence_ms;
    int64_t retry_ms;
};

/* Read the environment.  Fails when a key is missing or a value is not what it should be. */
enum status endpoint_read(const struct endpoint_spec *spec, struct endpoint *endpoint,
                          struct error *err) MUST_CHECK;
void endpoint_release(struct endpoint *endpoint);

/* Append what a server said as part of one line: short, harmless to show, without the key. */
void endpoint_quote(const struct endpoint *endpoint, const char *text, struct strbuf *out);

/* Append the reason that a refusing response gives in its body, and what the engineer can check. */
void endpoint_explain(const struct endpoint *endpoint, const struct http_response *response,
                      const struct strbuf *body, struct strbuf *out);

#endif
