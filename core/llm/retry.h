#ifndef CORE_LLM_RETRY_H
#define CORE_LLM_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct http_response;

/*
 * Decides when to repeat a failed request.  There are at most RETRY_MAX_TRIES
 * tries.  The wait doubles each time and varies at random by a quarter, so
 * that clients that failed together do not return together.  A Retry-After
 * header of the server takes precedence, up to RETRY_MAX_WAIT_S.
 */
struct retry {
    int tries; /* begun so far */
    int64_t first_wait_us;
    uint64_t seed; /* seed of the random part of the waits, from random_bits() */
};

enum { RETRY_MAX_TRIES = 5, RETRY_MAX_WAIT_S = 120 };

/* True for a status that is temporary, such as 429 and 503. */
bool retry_is_useful(int http_status);

/* The wait before the next try.  False if there is none: all tries are used, or the server asks to
 * wait longer than RETRY_MAX_WAIT_S. */
bool retry_wait(const struct retry *retry, const struct http_response *response, int64_t *wait_us);

#endif
