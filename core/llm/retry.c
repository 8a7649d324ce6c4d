#include "core/llm/retry.h"

#include <stddef.h>

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/llm/http.h"

bool retry_is_useful(int http_status)
{
    /* 529 is Anthropic's "overloaded". */
    static const int temporary[] = {429, 500, 502, 503, 504, 529};

    for (size_t i = 0; i < COUNT(temporary); i++)
        if (temporary[i] == http_status)
            return true;
    return false;
}

/* The wait before the next try, times a random factor between 3/4 and 5/4. */
static int64_t vary(const struct retry *retry)
{
    int64_t wait_us = retry->first_wait_us << (retry->tries - 1);
    uint64_t random = splitmix(retry->seed + ((uint64_t)retry->tries - 1) * SPLITMIX_STEP) >> 48;

    return wait_us * 3 / 4 + wait_us / 2 * (int64_t)random / UINT16_MAX;
}

bool retry_wait(const struct retry *retry, const struct http_response *response, int64_t *wait_us)
{
    int64_t wait = response->has_retry_after ? response->retry_after_us : vary(retry);

    if (retry->tries >= RETRY_MAX_TRIES || wait > (int64_t)RETRY_MAX_WAIT_S * 1000000)
        return false;
    *wait_us = wait;
    return true;
}
