#include "tests/unit/unit.h"

#include <stdlib.h>

#include "backends/opencl/resources.h"
#include "core/base/mem.h"

/* What NVIDIA's driver 580 says of two kernels, of which one may use 24 registers only. */
static const char log_of_two[] =
    "(): Warning: Function gemm is a kernel, so overriding noinline attribute.\n"
    "\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'gemm_tail' for 'sm_90a'\n"
    "ptxas info    : Function properties for gemm_tail\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 56 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 57.876 ms\n"
    "ptxas info    : Compiling entry function 'gemm' for 'sm_90a'\n"
    "ptxas info    : Function properties for gemm\n"
    "ptxas         .     176 bytes stack frame, 288 bytes spill stores, 360 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 64.916 ms\n";

static struct kernel_resources read_for(const char *log, const char *kernel)
{
    struct kernel_resources resources = {.kernel = mem_strdup(kernel)};

    opencl_resources_read(log, &resources);
    free(resources.kernel);
    return resources;
}

static void registers_and_spills_are_those_of_the_kernel(void **state)
{
    struct kernel_resources found = read_for(log_of_two, "gemm");

    (void)state;
    assert_true(found.has_registers && found.has_spills);
    assert_int_equal(found.registers, 24);
    assert_int_equal(found.spill_bytes, 648);
    found = read_for(log_of_two, "gemm_tail");
    assert_int_equal(found.registers, 56);
    assert_true(found.has_spills);
    assert_int_equal(found.spill_bytes, 0);
}

static void what_the_log_does_not_say_is_unknown(void **state)
{
    struct kernel_resources found = read_for("warning: 3 registers\n", "gemm");

    (void)state;
    assert_false(found.has_registers || found.has_spills);
    found = read_for(log_of_two, "other");
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
