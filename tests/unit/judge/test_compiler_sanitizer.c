#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/tools/compiler_sanitizer.h"

/* Output of gcc 12's sanitizers, shortened, between lines of other origin. */
static const char printed[] =
    "printed by a kernel\n"
    "kernel.c:6:11: runtime error: index 5 out of bounds for type 'float [4]'\n"
    "=================================================================\n"
    "==29==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffe10 at pc 0x7f11 bp "
    "0x7f\n"
    "WRITE of size 4 at 0x7ffe10 thread T1\n"
    "    #0 0x7f11 in scale._omp_fn.0 /tmp/host-6m/kernel.c:6\n"
    "    #1 0x7f22 in GOMP_parallel /tmp/host-6m/openmp.c:375\n"
    "==29==ERROR: AddressSanitizer: use-after-poison on address 0x7ffe20 at pc 0x7f12 bp 0x7f\n"
    "READ of size 32 at 0x7ffe20 thread T1\n"
    "    #0 0x7f11 in memcpy ../asan/asan_interceptors.cpp:9\n"
    "    #1 0x7f11 in add(float*, int) /tmp/host-6m/kernel.cpp:8:3\n"
    "==29==ERROR: AddressSanitizer: use-after-poison on address 0x7ffe30 at pc 0x7f12 bp 0x7f\n"
    "WRITE of size 4 at 0x7ffe30 thread T0\n"
    "    #0 0x7f11 in scale::$_0::operator()(sycl::id<1>) const "
    "/tmp/host-6m/kernel.sycl.cpp:5\n"
    "WARNING: ThreadSanitizer: data race (pid=18)\n"
    "  Atomic read of size 4 at 0x7fff by thread T7:\n"
    "    #0 meet /tmp/host-6m/openmp.c:179 (kernel-1.so+0x204a)\n"
    "    #1 scale._omp_fn.0 /tmp/host-6m/kernel.c:6 (kernel-1.so+0x130a)\n"
    "WARNING: ThreadSanitizer: data race (pid=18)\n"
    "  Write of size 4 at 0x7fff by thread T7:\n"
    "    #0 scale._omp_fn.0 /tmp/host-6m/kernel.c:7 (kernel-1.so+0x130a)\n"
    "  Previous read of size 4 at 0x7fff by thread T8:\n"
    "    #0 scale._omp_fn.0 /tmp/host-6m/kernel.c:9 (kernel-1.so+0x130a)\n"
    "SUMMARY: ThreadSanitizer: data race /tmp/host-6m/kernel.c:7 in scale._omp_fn.0\n";

static void assert_finding(const struct access_error *found, const char *kind, const char *kernel,
                           unsigned line)
{
    assert_string_equal(found->kind, kind);
    assert_int_equal(found->line, line);
    if (kernel)
        assert_string_equal(found->kernel, kernel);
    else
        assert_null(found->kernel);
}

static void findings_have_the_places_in_the_source(void **state)
{
    struct sanitizing found = {0};

    (void)state;
    compiler_sanitizer_read(printed, &found);
    assert_int_equal(found.errors.count, 5);
    assert_finding(&found.errors.items[0], "index 5 out of bounds for type 'float [4]'", NULL, 6);
    assert_finding(&found.errors.items[1], "stack-buffer-overflow: write of size 4", "scale", 6);
    assert_string_equal(found.errors.items[1].address, "address 0x7ffe10");
    assert_finding(&found.errors.items[2], "outside of its buffer: read of size 32", "add", 8);
    assert_finding(&found.errors.items[3], "outside of its buffer: write of size 4", "scale", 5);
    assert_finding(&found.errors.items[4], "data race: write of size 4, previous read of size 4",
                   "scale", 7);
    sanitizing_release(&found);
}

static void what_the_compiler_lacks_is_said(void **state)
{
    struct compiler_sanitizer command = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(compiler_sanitizer_prepare("/usr/bin/gcc", "synccheck", &command, &err),
                     STATUS_UNAVAILABLE);
    assert_string_equal(err.text, "gcc has no synccheck: it has memcheck (AddressSanitizer and "
                                  "UBSan) and racecheck (ThreadSanitizer)");
    assert_int_equal(compiler_sanitizer_prepare("/bin/echo", "memcheck", &command, &err),
                     STATUS_UNAVAILABLE);
    assert_string_equal(err.text, "/bin/echo has no libasan.so: install the package with it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_have_the_places_in_the_source),
        cmocka_unit_test(what_the_compiler_lacks_is_said),
    };

    return cmocka_run_group_tests_name("compiler_sanitizer", tests, NULL, NULL);
}
