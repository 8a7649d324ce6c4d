#include "tests/unit/unit.h"

#include "backends/opencl/resources.h"

/* What NVIDIA's assembler says of two kernels. */
static const char log_of_two[] =
    "\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'gemm_tail' for 'sm_90'\n"
    "ptxas info    : Function properties for gemm_tail\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, 388 bytes cmem[0]\n"
    "ptxas info    : Compiling entry function 'gemm' for 'sm_90'\n"
    "ptxas info    : Function properties for gemm\n"
    "    64 bytes stack frame, 48 bytes spill stores, 80 bytes spill loads\n"
    "ptxas info    : Used 255 registers, 388 bytes cmem[0]\n";

static struct kernel_resources read_for(const char *log, char *kernel)
{
    struct kernel_resources resources = {.kernel = kernel};

    opencl_resources_read(log, &resources);
    return resources;
}

static void registers_and_spills_are_those_of_the_kernel(void **state)
{
    char gemm[] = "gemm", tail[] = "gemm_tail";
    struct kernel_resources found = read_for(log_of_two, gemm);

    (void)state;
    assert_true(found.has_registers && found.has_spills);
    assert_int_equal(found.registers, 255);
    assert_int_equal(found.spill_bytes, 128);
    found = read_for(log_of_two, tail);
    assert_int_equal(found.registers, 12);
    assert_true(found.has_spills);
    assert_int_equal(found.spill_bytes, 0);
}

static void what_the_log_does_not_say_is_unknown(void **state)
{
    char gemm[] = "gemm", other[] = "other";
    struct kernel_resources found = read_for("warning: 3 registers\n", gemm);

    (void)state;
    assert_false(found.has_registers || found.has_spills);
    found = read_for(log_of_two, other);
    assert_false(found.has_registers || found.has_spills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_and_spills_are_those_of_the_kernel),
        cmocka_unit_test(what_the_log_does_not_say_is_unknown),
    };

    return cmocka_run_group_tests_name("opencl_resources", tests, NULL, NULL);
}
