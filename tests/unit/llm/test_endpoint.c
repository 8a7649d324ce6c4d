#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/llm/endpoint.h"
#include "core/llm/http.h"

static const struct endpoint_spec spec = {.default_url = "https://models.example",
                                          .url_env = "EXAMPLE_BASE_URL",
                                          .path = "/v1/chat",
                                          .key_env = "EXAMPLE_API_KEY",
                                          .key_header = "Authorization: Bearer "};

/* The environment variables for timeouts, and the fields that they set. */
static const struct {
    const char *name;
    size_t offset;
} times[] = {
    {"KFORGE_HTTP_FIRST_BYTE_MS", offsetof(struct endpoint, first_byte_ms)},
    {"KFORGE_HTTP_SILENCE_MS", offsetof(struct endpoint, silence_ms)},
    {"KFORGE_HTTP_RETRY_MS", offsetof(struct endpoint, retry_ms)},
};

static int64_t time_of(const struct endpoint *endpoint, size_t i)
{
    return *(const int64_t *)((const char *)endpoint + times[i].offset);
}

static int forget(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        unsetenv(times[i].name);
    unsetenv("KFORGE_API_KEY_ENV");
    unsetenv("EXAMPLE_API_KEY");
    return setenv("EXAMPLE_BASE_URL", "http://127.0.0.1:1", 1);
}

static void read_spec(struct endpoint *endpoint)
{
    struct error err;

    if (endpoint_read(&spec, endpoint, &err))
        fail_msg("%s", err.text);
}

static void a_model_may_be_silent_for_five_minutes(void **state)
{
    static const int64_t defaults[] = {300000, 300000, 1000};
    struct endpoint endpoint;

    (void)state;
    read_spec(&endpoint);
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        assert_int_equal(time_of(&endpoint, i), defaults[i]);
    endpoint_release(&endpoint);
    assert_int_equal(HTTP_FIRST_BYTE_MS, defaults[0]);
    assert_int_equal(HTTP_SILENCE_MS, defaults[1]);
}

static void each_time_has_a_variable(void **state)
{
    struct endpoint endpoint;

    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        forget(NULL);
        setenv(times[i].name, "1234", 1);
        read_spec(&endpoint);
        for (size_t j = 0; j < sizeof(times) / sizeof(*times); j++)
            assert_true((time_of(&endpoint, j) == 1234) == (i == j));
        endpoint_release(&endpoint);
        setenv(times[i].name, "", 1); /* an empty value counts as unset */
        read_spec(&endpoint);
        assert_int_not_equal(time_of(&endpoint, i), 0);
        endpoint_release(&endpoint);
    }
}

static void what_is_no_time_is_named(void **state)
{
    static const char *const wrong[] = {"soon", "-1", "10s", "99999999999", "1.5"};
    struct endpoint endpoint;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        for (size_t j = 0; j < sizeof(wrong) / sizeof(*wrong); j++) {
            setenv(times[i].name, wrong[j], 1);
            assert_int_equal(endpoint_read(&spec, &endpoint, &err), STATUS_INVALID);
            assert_non_null(strstr(err.text, times[i].name));
            assert_non_null(strstr(err.text, wrong[j]));
        }
        unsetenv(times[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_model_may_be_silent_for_five_minutes, forget),
        cmocka_unit_test_setup(each_time_has_a_variable, forget),
        cmocka_unit_test_setup(what_is_no_time_is_named, forget),
    };

    return cmocka_run_group_tests_name("endpoint", tests, NULL, NULL);
}
