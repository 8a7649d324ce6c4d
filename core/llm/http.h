#ifndef CORE_LLM_HTTP_H
#define CORE_LLM_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

struct loop;

/*
 * A client for POST requests to one address, one request at a time.  It runs
 * libcurl's multi interface in the program's event loop (loop_watch() and loop
 * timers), and keeps the connection for the next request.
 *
 * libcurl reads the proxy from the environment (HTTPS_PROXY, http_proxy,
 * ALL_PROXY, NO_PROXY).  CURL_CA_BUNDLE or SSL_CERT_FILE name the trusted
 * certificates.  Redirects are not followed, so credentials never reach
 * another host.  Headers are not logged.
 */
struct http;

/* Fails unless `url` is an http or https address.  The error does not repeat the address, which may
 * hold a password. */
enum status http_open(struct loop *loop, const char *url, struct http **http,
                      struct error *err) MUST_CHECK;
void http_close(struct http *http); /* NULL does nothing */

/* Append the names and versions of libcurl and the libraries that it uses. */
void http_add_version(struct strbuf *out);

/* The host for messages: "api.example.com", or "127.0.0.1:8080" if the address names a port. */
const char *http_host(const struct http *http);

enum {
    HTTP_FIRST_BYTE_MS = 300000, /* the defaults of struct http_request */
    HTTP_SILENCE_MS = 300000,
};

/* http_post() borrows it for the call. */
struct http_request {
    const char *const *headers; /* "Name: value", ends with NULL */
    const char *body;
    size_t body_len;
    size_t max_bytes; /* a longer response fails */
    /* the longest time from http_post() to the first byte; 0: HTTP_FIRST_BYTE_MS */
    int64_t first_byte_ms;
    /* the longest time between two pieces of the response; 0: HTTP_SILENCE_MS */
    int64_t silence_ms;
};

struct http_response {
    int status; /* 0: no response so far */
    bool has_retry_after;
    int64_t retry_after_us; /* from the arrival of the header */
};

/*
 * Receives the response.  The loop calls both functions; each may cancel, post
 * the next request or close the client.
 */
struct http_listener {
    /* The next piece of the body. */
    void (*body)(void *data, const struct http_response *response, const char *bytes, size_t len);

    /*
     * The request has ended.  `failure->code` is STATUS_OK when the response is complete, else
     * STATUS_UNAVAILABLE (no connection), STATUS_IO (the connection broke), STATUS_TIMEOUT or
     * STATUS_INVALID (another try is useless).
     */
    void (*end)(void *data, const struct http_response *response, const struct error *failure);
    void *data;
};

/* Begin a request; no other one may be running. */
void http_post(struct http *http, const struct http_request *request,
               const struct http_listener *listener);

/* End the running request, if there is one, without calling the listener. */
void http_cancel(struct http *http);

#endif
