#ifndef CORE_LLM_HTTP_H
#define CORE_LLM_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

struct loop;

/*
 * An address that takes POST requests, one at a time, inside the program's
 * loop: libcurl's multi interface driven by loop_watch() and loop timers.
 * The connection is kept for the next request.
 *
 * The proxy comes from libcurl's usual environment (HTTPS_PROXY, http_proxy,
 * ALL_PROXY, NO_PROXY), the certificates to trust from CURL_CA_BUNDLE or
 * SSL_CERT_FILE where one is set.  Redirects are not followed, so that
 * credentials go to no other host.  Headers are not logged.
 */
struct http;

/* Fails unless `url` is an http or https address.  The text does not repeat it: it may hold a
 * password. */
enum status http_open(struct loop *loop, const char *url, struct http **http,
                      struct error *err) MUST_CHECK;
void http_close(struct http *http); /* NULL does nothing */

/* Append the library's name and version, with those it uses. */
void http_add_version(struct strbuf *out);

/* "api.example.com", or "127.0.0.1:8080" where the address names a port. */
const char *http_host(const struct http *http);

enum {
    HTTP_FIRST_BYTE_MS = 300000, /* what a request gets that names no deadline */
    HTTP_SILENCE_MS = 300000,
};

/* Borrowed for the call of http_post(). */
struct http_request {
    const char *const *headers; /* "Name: value", ends with NULL */
    const char *body;
    size_t body_len;
    size_t max_bytes;      /* of the response's body: past it the request fails */
    int64_t first_byte_ms; /* from http_post() to the first byte; 0: HTTP_FIRST_BYTE_MS */
    int64_t silence_ms;    /* between two pieces; 0: HTTP_SILENCE_MS */
};

struct http_response {
    int status; /* 0: none has come */
    bool has_retry_after;
    int64_t retry_after_us; /* counted from its arrival */
};

/*
 * Who is told, always from the loop.  Each of the two may cancel, post the
 * next request or close the address.
 */
struct http_listener {
    void (*body)(void *data, const struct http_response *response, const char *bytes, size_t len);

    /*
     * Nothing more comes.  `failure->code` is STATUS_OK when the response is whole, else
     * STATUS_UNAVAILABLE (no connection), STATUS_IO (the connection broke), STATUS_TIMEOUT or
     * STATUS_INVALID (trying again is useless).
     */
    void (*end)(void *data, const struct http_response *response, const struct error *failure);
    void *data;
};

/* Begin a request; none may be under way. */
void http_post(struct http *http, const struct http_request *request,
               const struct http_listener *listener);

/* Give up the request under way, if any, without telling the listener. */
void http_cancel(struct http *http);

#endif
