#include "tests/unit/unit.h"

#include "core/llm/http.h"
#include "core/llm/retry.h"
#include "core/system/random.h"

enum { FIRST_US = 1000000, SEEDS = 2000 };

static int64_t wait_of(uint64_t seed, int tries)
{
    const struct retry retry = {.tries = tries, .first_wait_us = FIRST_US, .seed = seed};
    const struct http_response refusal = {.status = 503};
    int64_t wait_us = -1;

    assert_true(retry_wait(&retry, &refusal, &wait_us));
    return wait_us;
}

static void waits_double_and_differ_by_a_quarter(void **state)
{
    (void)state;
    for (int tries = 1; tries < RETRY_MAX_TRIES; tries++) {
        int64_t nominal = (int64_t)FIRST_US << (tries - 1), least = INT64_MAX, most = 0, sum = 0;

        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            int64_t wait_us = wait_of(seed, tries);

            least = wait_us < least ? wait_us : least;
            most = wait_us > most ? wait_us : most;
            sum += wait_us;
        }
        assert_in_range(least, nominal * 75 / 100, nominal * 76 / 100);
        assert_in_range(most, nominal * 124 / 100, nominal * 125 / 100);
        assert_in_range(sum / SEEDS, nominal * 98 / 100, nominal * 102 / 100);
    }
}

static void clients_that_failed_together_do_not_come_back_together(void **state)
{
    unsigned together = 0;

    (void)state;
    for (uint64_t seed = 0; seed + 1 < SEEDS; seed++)
        together += wait_of(seed, 1) == wait_of(seed + 1, 1);
    assert_in_range(together, 0, 2);
    assert_int_equal(wait_of(7, 3), wait_of(7, 3));
    assert_int_not_equal(4 * wait_of(7, 1), wait_of(7, 3)); /* each wait has its own random part */
    assert_true(random_bits() != random_bits());
}

static void a_server_that_says_how_long_is_obeyed(void **state)
{
    static const int64_t asked[] = {0, 1, 1500000, (int64_t)RETRY_MAX_WAIT_S * 1000000};
    const struct retry retry = {.tries = 2, .first_wait_us = FIRST_US, .seed = 1};
    struct http_response refusal = {.status = 429, .has_retry_after = true};
    int64_t wait_us = -1;

    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        refusal.retry_after_us = asked[i];
        assert_true(retry_wait(&retry, &refusal, &wait_us));
        assert_int_equal(wait_us, asked[i]);
    }
    refusal.retry_after_us = (int64_t)RETRY_MAX_WAIT_S * 1000000 + 1;
    assert_false(retry_wait(&retry, &refusal, &wait_us));
    assert_int_equal(wait_us, asked[3]);
}

static void the_fifth_try_is_the_last(void **state)
{
    const struct retry retry = {.tries = RETRY_MAX_TRIES, .first_wait_us = FIRST_US};
    const struct http_response refusal = {.status = 503};
    int64_t wait_us = -1;

    (void)state;
    assert_int_equal(RETRY_MAX_TRIES, 5);
    assert_false(retry_wait(&retry, &refusal, &wait_us));
    assert_int_equal(wait_us, -1);
}

static void only_what_may_pass_is_tried_again(void **state)
{
    static const int passing[] = {429, 500, 502, 503, 504, 529};
    static const int lasting[] = {200, 301, 400, 401, 403, 404, 413, 422, 501};

    (void)state;
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
        assert_true(retry_is_useful(passing[i]));
    for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++)
        assert_false(retry_is_useful(lasting[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_double_and_differ_by_a_quarter),
        cmocka_unit_test(clients_that_failed_together_do_not_come_back_together),
        cmocka_unit_test(a_server_that_says_how_long_is_obeyed),
        cmocka_unit_test(the_fifth_try_is_the_last),
        cmocka_unit_test(only_what_may_pass_is_tried_again),
    };

    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
