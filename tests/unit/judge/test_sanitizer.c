#include "tests/unit/unit.h"

#include "core/judge/tools/sanitizer.h"

static void assert_error(const struct access_error *e, const struct access_error *want)
{
    assert_string_equal(e->kind, want->kind);
    assert_string_equal(e->kernel, want->kernel);
    assert_int_equal(e->line, want->line);
    assert_int_equal(e->count, want->count);
    if (want->address)
        assert_string_equal(e->address, want->address);
    else
        assert_null(e->address);
}

/* An expected error; its texts are never written to. */
#define WANT(kind_, kernel_, line_, address_, count_)    \
    (&(struct access_error){.kind = (char[]){kind_},     \
                            .kernel = (char[]){kernel_}, \
                            .line = (line_),             \
                            .address = (address_),       \
                            .count = (count_)})

static void places_are_found_and_counted(void **state)
{
    static const char log[] =
        "========= COMPUTE-SANITIZER\n"
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at over+0xb0 in kernel.cu:5\n"
        "=========     by thread (0,0,0) in block (2,0,0)\n"
        "=========     Access to 0x7f0370802670 is out of bounds\n"
        "=========     and is 1,649 bytes after the nearest allocation at 0x7f0370801000 of size "
        "4,096 bytes\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
        "=========         Host Frame: cuLaunchKernelEx [0x2dc1ff]\n"
        "========= \n"
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at over+0xb0 in kernel.cu:5\n"
        "=========     by thread (1,0,0) in block (2,0,0)\n"
        "=========     Access to 0x7f0370802674 is out of bounds\n"
        "========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to \"unspecified launch "
        "failure\" on CUDA API call to cuCtxSynchronize.\n"
        "=========     Saved host backtrace up to driver entry point at error\n"
        "========= ERROR SUMMARY: 3 errors\n";
    char address[] = "Access to 0x7f0370802670 is out of bounds";
    struct sanitizing found = {0};

    (void)state;
    sanitizer_read(log, &found);
    assert_int_equal(found.errors.count, 1);
    assert_error(&found.errors.items[0],
                 WANT("Invalid __global__ write of size 4 bytes", "over", 5, address, 2));
    sanitizing_release(&found);
}

static void older_versions_name_the_kernel_last(void **state)
{
    static const char log[] = "========= Invalid __shared__ read of size 4 bytes\n"
                              "=========     at 0x150 in kernel.cu:7:turn(float *)\n"
                              "========= Invalid __shared__ read of size 4 bytes\n"
                              "=========     at 0x150 in turn(float *)\n";
    struct sanitizing found = {0};

    (void)state;
    sanitizer_read(log, &found);
    assert_int_equal(found.errors.count, 2);
    assert_error(&found.errors.items[0],
                 WANT("Invalid __shared__ read of size 4 bytes", "turn", 7, NULL, 1));
    assert_error(&found.errors.items[1],
                 WANT("Invalid __shared__ read of size 4 bytes", "turn", 0, NULL, 1));
    sanitizing_release(&found);
}

static void races_say_their_place_at_once(void **state)
{
    static const char log[] =
        "========= COMPUTE-SANITIZER\n"
        "========= Error: Race reported between Write access at race+0xc0 in kernel.cu:3\n"
        "=========     and Read access at race+0xd0 in kernel.cu:4 [256 hazards]\n"
        "========= \n"
        "========= Warning: Maximum number of hazards reached.\n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
    struct sanitizing found = {0};

    (void)state;
    sanitizer_read(log, &found);
    assert_int_equal(found.errors.count, 1);
    assert_error(&found.errors.items[0],
                 WANT("Error: Race reported between Write access", "race", 3, NULL, 1));
    sanitizing_release(&found);
}

static void a_clean_run_has_no_errors(void **state)
{
    struct sanitizing found = {0};

    (void)state;
    sanitizer_read("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", &found);
    assert_int_equal(found.errors.count, 0);
    assert_true(sanitizer_is_tool("racecheck"));
    assert_false(sanitizer_is_tool("spellcheck"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_found_and_counted),
        cmocka_unit_test(older_versions_name_the_kernel_last),
        cmocka_unit_test(races_say_their_place_at_once),
        cmocka_unit_test(a_clean_run_has_no_errors),
    };

    return cmocka_run_group_tests_name("sanitizer", tests, NULL, NULL);
}
