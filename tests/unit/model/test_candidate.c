#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/model/candidate.h"

static void survives_a_round_trip(void **state)
{
    struct candidate c = {.language = mem_strdup("opencl"),
                          .source = mem_strdup("kernel \"x\"\n"),
                          .plan = mem_strdup("{}")};
    struct candidate read = {0};
    struct json *json = candidate_encode(&c);
    struct json_ref root = json_ref_root(json, "candidate");

    (void)state;
    assert_int_equal(candidate_decode(&read, &root, NULL), STATUS_OK);
    assert_string_equal(read.language, "opencl");
    assert_string_equal(read.source, "kernel \"x\"\n");
    assert_string_equal(read.plan, "{}");
    assert_null(read.remark);
    candidate_release(&c);
    candidate_release(&read);
    json_free(json);
}

static void a_part_that_is_missing_is_an_error(void **state)
{
    struct candidate read = {0};
    struct error err = {0};
    struct json *json = json_object_new();
    struct json_ref root = json_ref_root(json, "candidate");

    (void)state;
    json_put_string(json, "language", "opencl");
    assert_int_equal(candidate_decode(&read, &root, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "\"source\""));
    assert_null(read.language);
    json_free(json);
}

/* `count` letters on the second line. */
static enum status check_name_of(size_t count, struct error *err)
{
    char *text = mem_alloc_zeroed(count + 16, 1);
    enum status st;

    memcpy(text, "int i;\nint ", 11);
    memset(text + 11, 'n', count);
    strcat(text, ";\n");
    st = candidate_check_names(text, err);
    free(text);
    return st;
}

static void a_name_without_end_is_an_error(void **state)
{
    struct error err = {0};

    (void)state;
    assert_int_equal(check_name_of(CANDIDATE_NAME_MAX, &err), STATUS_OK);
    assert_int_equal(check_name_of(CANDIDATE_NAME_MAX + 1, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "line 2: a name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_a_round_trip),
        cmocka_unit_test(a_part_that_is_missing_is_an_error),
        cmocka_unit_test(a_name_without_end_is_an_error),
    };

    return cmocka_run_group_tests_name("candidate", tests, NULL, NULL);
}
