#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/vec.h"
#include "core/model/plan/dispatch.h"

static struct dispatch two_buffers(void)
{
    struct dispatch d = {.options = mem_strdup("-DTILE=16"), .tensor_count = 1};
    struct buffer_spec x = {mem_strdup("x"), DTYPE_F32, 12}, w = {mem_strdup("wt"), DTYPE_BF16, 6};
    struct launch launch = {
        .kernel = mem_strdup("scale"),
        .rank = 2,
        .global = {64, 32},
        .local = {16, 1},
        .arg_count = 4,
        .args = {{.kind = ARG_BUFFER, .buffer = 1},
                 {.kind = ARG_INTEGER, .integer = -7},
                 {.kind = ARG_NUMBER, .dtype = DTYPE_F64, .number = 0.1},
                 {.kind = ARG_LOCAL, .integer = 1024}},
    };

    vec_push(&d.buffers, x);
    vec_push(&d.buffers, w);
    vec_push(&d.launches, launch);
    return d;
}

static enum status recode(const struct dispatch *d, struct dispatch *read, struct error *err)
{
    struct strbuf text = {0};
    struct json *json = dispatch_encode(d);

    json_print(json, &text);
    json_free(json);
    json = json_parse(text.data, text.len, NULL);
    strbuf_release(&text);

    struct json_ref root = json_ref_root(json, "dispatch");
    enum status st = dispatch_decode(read, &root, err);
    json_free(json);
    return st;
}

static void survives_a_round_trip(void **state)
{
    struct dispatch d = two_buffers(), read = {0};
    const struct launch *launch;

    (void)state;
    assert_int_equal(recode(&d, &read, NULL), STATUS_OK);
    launch = &read.launches.items[0];
    assert_string_equal(read.options, "-DTILE=16");
    assert_int_equal(read.tensor_count, 1);
    assert_int_equal(read.buffers.items[1].dtype, DTYPE_BF16);
    assert_int_equal(read.buffers.items[1].elements, 6);
    assert_int_equal(read.prepare.count, 0);
    assert_int_equal(launch->rank, 2);
    assert_int_equal(launch->global[1], 32);
    assert_int_equal(launch->local[0], 16);
    assert_int_equal(launch->arg_count, 4);
    assert_int_equal(launch->args[0].buffer, 1);
    assert_int_equal(launch->args[1].integer, -7);
    assert_true(launch->args[2].number == 0.1);
    assert_int_equal(launch->args[3].kind, ARG_LOCAL);
    dispatch_release(&d);
    dispatch_release(&read);
}

static void finds_buffers_by_name(void **state)
{
    struct dispatch d = two_buffers();

    (void)state;
    assert_int_equal(dispatch_find(&d, "wt"), 1);
    assert_int_equal(dispatch_find(&d, "y"), 2);
    dispatch_release(&d);
}

/* The executor uses these numbers as indexes. */
static void refuses_what_would_be_out_of_range(void **state)
{
    struct dispatch d = two_buffers(), read = {0};
    struct error err = {0};

    (void)state;
    d.launches.items[0].args[0].buffer = 2;
    assert_int_equal(recode(&d, &read, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "without its buffer"));
    d.launches.items[0].args[0].buffer = 0;
    d.launches.items[0].rank = 4;
    assert_int_equal(recode(&d, &read, &err), STATUS_INVALID);
    d.launches.items[0].rank = 1;
    d.tensor_count = 3;
    assert_int_equal(recode(&d, &read, &err), STATUS_INVALID);
    assert_null(read.options);
    dispatch_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_a_round_trip),
        cmocka_unit_test(finds_buffers_by_name),
        cmocka_unit_test(refuses_what_would_be_out_of_range),
    };

    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
