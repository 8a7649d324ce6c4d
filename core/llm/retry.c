#include "core/llm/retry.h"

#include <stddef.h>
#include <sys/random.h>

#include "core/llm/http.h"

bool retry_is_useful(int http_status)
{
    /* 529 is Anthropic's "overloaded". */
    static const int temporary[] = {429, 500, 502, 503, 504, 529};

    for (size_t i = 0; i < sizeof(temporary) / sizeof(*temporary); i++)
        if (temporary[i] == http_status)
            return true;
    return false;
}

/* Between three and five quarters of `wait_us`. */
static int64_t vary(int64_t wait_us)
{
    uint16_t random = 0;

    if (getrandom(&random, sizeof(random), 0) < 0)
        return wait_us;
    return wait_us * 3 / 4 + wait_us / 2 * random / UINT16_MAX;
}

bool retry_wait(const struct retry *retry, const struct http_response *response, int64_t *wait_us)
{
    int64_t wait = response->has_retry_after ? response->retry_after_us
                                             : vary(retry->first_wait_us << (retry->tries - 1));

    if (retry->tries >= RETRY_MAX_TRIES || wait > (int64_t)RETRY_MAX_WAIT_S * 1000000)
        return false;
    *wait_us = wait;
    return true;
}
