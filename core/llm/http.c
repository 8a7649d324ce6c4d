#include "core/llm/http.h"

#include <curl/curl.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/log.h"
#include "core/system/loop.h"

struct http {
    struct loop *loop;
    char *url;
    char *host;
    CURLM *multi;
    struct loop_timer curl_timer; /* libcurl asks to be called then */

    /* The running request. */
    CURL *easy; /* NULL if no request runs */
    struct curl_slist *headers;
    struct http_listener listener;
    struct http_response response;
    struct strbuf received; /* bytes not passed to the listener yet */
    size_t bytes_left;      /* bytes that the response may still have */
    int64_t silence_ms;
    /* the request's deadline; after its end this timer calls the listener's end() */
    struct loop_timer deadline;
    struct error failure;
    bool is_over;
    char curl_detail[CURL_ERROR_SIZE];
};

/* The errors of libcurl that have a status and a text of their own.  The text follows the name of
 * the host; NULL, and all other errors, use libcurl's text. */
static const struct {
    CURLcode code;
    enum status status;
    const char *text;
} failures[] = {
    {CURLE_COULDNT_RESOLVE_HOST, STATUS_UNAVAILABLE, "is not a known host; check the address"},
    {CURLE_COULDNT_RESOLVE_PROXY, STATUS_UNAVAILABLE, "has an unknown proxy; check HTTPS_PROXY"},
    {CURLE_COULDNT_CONNECT, STATUS_UNAVAILABLE,
     "refuses the connection; check the address and the proxy"},
    {CURLE_SSL_CONNECT_ERROR, STATUS_UNAVAILABLE, NULL},
    {CURLE_GOT_NOTHING, STATUS_IO, "closed the connection without an answer"},
    {CURLE_PARTIAL_FILE, STATUS_IO, "cut its answer off"},
    {CURLE_SEND_ERROR, STATUS_IO, "broke the connection"},
    {CURLE_RECV_ERROR, STATUS_IO, "broke the connection"},
    {CURLE_HTTP2, STATUS_IO, NULL},
    {CURLE_HTTP2_STREAM, STATUS_IO, NULL},
    {CURLE_OPERATION_TIMEDOUT, STATUS_TIMEOUT, NULL},
    {CURLE_WRITE_ERROR, STATUS_INVALID,
     "sent a longer answer than kforge accepts; check the address"},
    {CURLE_PEER_FAILED_VERIFICATION, STATUS_INVALID,
     "has a certificate that is not trusted; check CURL_CA_BUNDLE"},
};

static void set_failure(struct http *http, CURLcode code)
{
    const char *detail = http->curl_detail[0] ? http->curl_detail : curl_easy_strerror(code);
    enum status status = STATUS_INVALID;
    const char *text = NULL;

    for (size_t i = 0; i < COUNT(failures); i++) {
        if (failures[i].code == code) {
            status = failures[i].status;
            text = failures[i].text;
        }
    }
    log_line("http: %s: %s", http->host, detail);
    error_set(&http->failure, status, text ? "%s %s" : "%s: %s", http->host, text ? text : detail);
}

static void release_request(struct http *http)
{
    loop_clear_timer(http->loop, &http->deadline);
    curl_multi_remove_handle(http->multi, http->easy);
    curl_easy_cleanup(http->easy);
    curl_slist_free_all(http->headers);
    strbuf_release(&http->received);
    http->easy = NULL;
    http->headers = NULL;
    http->failure = (struct error){0};
    http->is_over = false;
}

static void report_end(struct http *http)
{
    struct http_listener listener = http->listener;
    struct http_response response = http->response;
    struct error failure = http->failure;

    release_request(http);
    listener.end(listener.data, &response, &failure);
}

static void on_over(void *data)
{
    report_end(data);
}

static void on_deadline(void *data)
{
    struct http *http = data;

    if (http->response.status)
        error_set(&http->failure, STATUS_TIMEOUT,
                  "%s sent nothing for %.1f s: raise KFORGE_HTTP_SILENCE_MS if it is slow",
                  http->host, (double)http->silence_ms / 1e3);
    else
        error_set(&http->failure, STATUS_TIMEOUT,
                  "%s did not answer in time: raise KFORGE_HTTP_FIRST_BYTE_MS if it is slow",
                  http->host);
    report_end(http);
}

static void report_body(struct http *http)
{
    struct http_listener listener = http->listener;
    struct http_response response = http->response;
    struct strbuf piece = http->received;

    http->received = (struct strbuf){0};
    if (http->is_over)
        loop_set_timer(http->loop, &http->deadline, 0, on_over, http);
    listener.body(listener.data, &response, piece.data, piece.len);
    strbuf_release(&piece);
}

static void note_result(struct http *http)
{
    CURLMsg *message;
    int rest;

    while ((message = curl_multi_info_read(http->multi, &rest))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        http->is_over = true;
        if (message->data.result)
            set_failure(http, message->data.result);
    }
}

/*
 * Run libcurl, and then call the listener: libcurl is not re-entrant, so no
 * listener runs inside of it.  The listener may close `http`, so its call
 * comes last, and only one is made; the timer makes the next one.
 */
static void work(struct http *http, curl_socket_t fd, int events)
{
    int running;

    curl_multi_socket_action(http->multi, fd, events, &running);
    note_result(http);
    if (http->received.len > 0)
        report_body(http);
    else if (http->is_over)
        report_end(http);
}

static void on_curl_timer(void *data)
{
    work(data, CURL_SOCKET_TIMEOUT, 0);
}

static void on_socket(void *data, int fd, unsigned ready)
{
    int events =
        (ready & LOOP_READ ? CURL_CSELECT_IN : 0) | (ready & LOOP_WRITE ? CURL_CSELECT_OUT : 0);

    work(data, fd, events);
}

/* CURLMOPT_TIMERFUNCTION: -1 removes the timer. */
static int set_curl_timer(CURLM *multi, long timeout_ms, void *data)
{
    struct http *http = data;

    (void)multi;
    if (timeout_ms < 0)
        loop_clear_timer(http->loop, &http->curl_timer);
    else
        loop_set_timer(http->loop, &http->curl_timer, timeout_ms * 1000, on_curl_timer, http);
    return 0;
}

/* CURLMOPT_SOCKETFUNCTION. */
static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data)
{
    static const unsigned events[] = {
        [CURL_POLL_IN] = LOOP_READ,
        [CURL_POLL_OUT] = LOOP_WRITE,
        [CURL_POLL_INOUT] = LOOP_READ | LOOP_WRITE,
        [CURL_POLL_REMOVE] = 0,
    };
    struct http *http = data;

    (void)easy;
    (void)socket_data;
    if (what == CURL_POLL_REMOVE)
        loop_unwatch(http->loop, fd);
    else
        loop_watch(http->loop, fd, events[what], on_socket, http);
    return 0;
}

static void restart_silence(struct http *http)
{
    loop_set_timer(http->loop, &http->deadline, http->silence_ms * 1000, on_deadline, http);
}

/* CURLOPT_WRITEFUNCTION: a return value below the length fails with CURLE_WRITE_ERROR. */
static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    struct http *http = data;
    size_t len = size * count;

    restart_silence(http);
    if (len > http->bytes_left)
        return 0;
    http->bytes_left -= len;
    strbuf_add(&http->received, bytes, len);
    return len;
}

/* Retry-After (RFC 9110 section 10.2.3): a number of seconds or a date. */
static void read_retry_after(struct http_response *response, const char *value)
{
    char *end;
    long long seconds = strtoll(value, &end, 10);

    if (end == value || strspn(end, " \r\n") != strlen(end)) {
        time_t date = curl_getdate(value, NULL);

        if (date < 0)
            return;
        seconds = (long long)(date - time(NULL));
    }
    if (seconds > INT32_MAX)
        seconds = INT32_MAX;
    response->has_retry_after = true;
    response->retry_after_us = seconds > 0 ? seconds * 1000000 : 0;
}

/* CURLOPT_HEADERFUNCTION: gets whole lines; a status line begins a new set of headers. */
static size_t take_header(char *bytes, size_t size, size_t count, void *data)
{
    static const char retry_after[] = "Retry-After:";
    struct http *http = data;
    struct strbuf line = {0};
    long status = 0;

    strbuf_add(&line, bytes, size * count);
    restart_silence(http);
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    if (strncmp(line.data, "HTTP/", 5) == 0)
        http->response = (struct http_response){0};
    else if (strncasecmp(line.data, retry_after, sizeof(retry_after) - 1) == 0)
        read_retry_after(&http->response, line.data + sizeof(retry_after) - 1);
    http->response.status = (int)status;
    strbuf_release(&line);
    return size * count;
}

static enum status set_address(struct http *http, const char *url)
{
    CURLU *parts = curl_url();
    char *scheme = NULL, *host = NULL, *port = NULL;
    bool is_http;

    curl_url_set(parts, CURLUPART_URL, url, 0);
    curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0);
    curl_url_get(parts, CURLUPART_HOST, &host, 0);
    curl_url_get(parts, CURLUPART_PORT, &port, 0);
    is_http = host && scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (is_http) {
        struct strbuf name = {0};

        strbuf_addf(&name, port ? "%s:%s" : "%s", host, port);
        http->host = strbuf_take(&name);
        http->url = mem_strdup(url);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(parts);
    return is_http ? STATUS_OK : STATUS_INVALID;
}

enum status http_open(struct loop *loop, const char *url, struct http **http, struct error *err)
{
    struct http *opened = mem_alloc_zeroed(1, sizeof(*opened));

    opened->loop = loop;
    if (set_address(opened, url)) {
        free(opened);
        return error_set(err, STATUS_INVALID,
                         "not an address that begins with http:// or https://");
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    opened->multi = curl_multi_init();
    curl_multi_setopt(opened->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(opened->multi, CURLMOPT_SOCKETDATA, opened);
    curl_multi_setopt(opened->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
    curl_multi_setopt(opened->multi, CURLMOPT_TIMERDATA, opened);
    *http = opened;
    return STATUS_OK;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    http_cancel(http);
    curl_multi_cleanup(http->multi);
    loop_clear_timer(http->loop, &http->curl_timer);
    curl_global_cleanup();
    free(http->url);
    free(http->host);
    free(http);
}

void http_add_version(struct strbuf *out)
{
    strbuf_adds(out, curl_version());
}

const char *http_host(const struct http *http)
{
    return http->host;
}

/* The command curl reads these variables, but libcurl does not. */
static const char *trusted_certificates(void)
{
    const char *path = getenv("CURL_CA_BUNDLE");

    return path && *path ? path : getenv("SSL_CERT_FILE");
}

static void set_callbacks(struct http *http)
{
    curl_easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(http->easy, CURLOPT_WRITEDATA, http);
    curl_easy_setopt(http->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(http->easy, CURLOPT_HEADERDATA, http);
    curl_easy_setopt(http->easy, CURLOPT_ERRORBUFFER, http->curl_detail);
}

static void set_request(struct http *http, const struct http_request *request)
{
    const char *certificates = trusted_certificates();

    http->headers = curl_slist_append(NULL, "Expect:"); /* do not wait for "100 Continue" */
    for (size_t i = 0; request->headers[i]; i++)
        http->headers = curl_slist_append(http->headers, request->headers[i]);
    curl_easy_setopt(http->easy, CURLOPT_URL, http->url);
    curl_easy_setopt(http->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(http->easy, CURLOPT_USERAGENT, "kforge/" KFORGE_VERSION);
    curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
    curl_easy_setopt(http->easy, CURLOPT_COPYPOSTFIELDS, request->body);
    curl_easy_setopt(http->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    /* Do not wait, when cancelling, for the thread that looks up the host's name. */
    curl_easy_setopt(http->easy, CURLOPT_QUICK_EXIT, 1L);
    if (certificates && *certificates)
        curl_easy_setopt(http->easy, CURLOPT_CAINFO, certificates);
}

void http_post(struct http *http, const struct http_request *request,
               const struct http_listener *listener)
{
    int64_t first_byte_ms = request->first_byte_ms ? request->first_byte_ms : HTTP_FIRST_BYTE_MS;

    http->easy = curl_easy_init();
    http->listener = *listener;
    http->response = (struct http_response){0};
    http->bytes_left = request->max_bytes;
    http->silence_ms = request->silence_ms ? request->silence_ms : HTTP_SILENCE_MS;
    http->curl_detail[0] = '\0';
    set_callbacks(http);
    set_request(http, request);
    loop_set_timer(http->loop, &http->deadline, first_byte_ms * 1000, on_deadline, http);
    curl_multi_add_handle(http->multi, http->easy);
}

void http_cancel(struct http *http)
{
    if (http->easy)
        release_request(http);
}
