#ifndef CORE_LLM_RETRY_H
#define CORE_LLM_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct http_response;

/*
 * When to try a request again: at most RETRY_MAX_TRIES times in all, after
 * waits that double and differ at random by a quarter, so that clients that
 * failed together do not come back together.  A server that says how long to
 * wait (Retry-After) is obeyed, within reason.
 */
struct retry {
    int tries; /* begun so far */
    int64_t first_wait_us;
    uint64_t seed; /* the waits differ by it: random_bits() */
};

enum { RETRY_MAX_TRIES = 5, RETRY_MAX_WAIT_S = 120 };

/* Whether a server that answers with this status may answer otherwise later. */
bool retry_is_useful(int http_status);

/* How long to wait before the next try.  False when there is none: no try is left, or the server
 * asks for more patience than RETRY_MAX_WAIT_S. */
bool retry_wait(const struct retry *retry, const struct http_response *response, int64_t *wait_us);

#endif
