#include "tests/unit/unit.h"

#include "backends/cuda/ptx.h"

/* Declarations as NVRTC 13.0 writes them, and some from later versions (.ptr). */
static const char text[] = ".version 9.0\n"
                           ".target sm_90a\n"
                           ".extern .shared .align 16 .b8 sh[];\n"
                           "\n"
                           ".visible .entry numbers(\n"
                           "\t.param .u64 numbers_param_0,\n"
                           "\t.param .u64 .ptr .align 1 numbers_param_1,\n"
                           "\t.param .f32 numbers_param_2,\n"
                           "\t.param .align 2 .b8 numbers_param_3[2],\n"
                           "\t.param .align 64 .b8 numbers_param_4[128]\n"
                           ")\n"
                           "{\n"
                           "\t.param .b32 retval0;\n"
                           "\tld.param.u64 \t%rd1, [numbers_param_0];\n"
                           "}\n"
                           "\t// .globl\tnothing\n"
                           ".visible .entry nothing()\n"
                           "{\n"
                           "}\n"
                           ".visible .entry demanding(\n"
                           "\t.param .u64 demanding_param_0\n"
                           ")\n"
                           ".reqntid 16, 2, 1\n"
                           "{\n";

static void entries_have_their_parameters(void **state)
{
    static const char *const types[] = {"u64", "u64", "f32", "b8", "b8"};
    static const size_t lengths[] = {0, 0, 0, 2, 128};
    struct ptx_entries found = {0};

    (void)state;
    ptx_read(text, &found);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.items[0].name, "numbers");
    assert_int_equal(found.items[0].parameters.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(found.items[0].parameters.items[i].type, types[i]);
        assert_int_equal(found.items[0].parameters.items[i].length, lengths[i]);
    }
    assert_string_equal(found.items[1].name, "nothing");
    assert_int_equal(found.items[1].parameters.count, 0);
    ptx_entries_release(&found);
}

static void demanded_blocks_are_read(void **state)
{
    struct ptx_entries found = {0};

    (void)state;
    ptx_read(text, &found);
    assert_int_equal(found.items[0].required_block[0], 0);
    assert_int_equal(found.items[2].required_block[0], 16);
    assert_int_equal(found.items[2].required_block[1], 2);
    assert_int_equal(found.items[2].required_block[2], 1);
    ptx_entries_release(&found);
}

static void what_is_no_ptx_has_no_entries(void **state)
{
    struct ptx_entries found = {0};

    (void)state;
    ptx_read("", &found);
    ptx_read(".param .u64 x\n.reqntid 3\n{ .entry", &found);
    assert_int_equal(found.count, 0);
    ptx_entries_release(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_their_parameters),
        cmocka_unit_test(demanded_blocks_are_read),
        cmocka_unit_test(what_is_no_ptx_has_no_entries),
    };

    return cmocka_run_group_tests_name("ptx", tests, NULL, NULL);
}
