#include "tests/unit/unit.h"

#include <string.h>

#include "backends/cuda/device.h"

static CUresult name_error(CUresult code, const char **name)
{
    *name = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
    return CUDA_SUCCESS;
}

/* A driver may run out of memory in any call, such as one that loads a program. */
static void memory_that_ran_out_is_no_crash(void **state)
{
    char id[] = "cuda:0";
    const struct device device = {
        .cuda.cuGetErrorName = name_error, .cuda.cuGetErrorString = name_error, .info.id = id};
    struct error err = {0};

    (void)state;
    assert_int_equal(
        cuda_check(cuda_result(&device, CUDA_ERROR_OUT_OF_MEMORY, STATUS_IO), &err, "load it"),
        STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "cuda:0 cannot load it: CUDA_ERROR_OUT_OF_MEMORY"));
    assert_int_equal(
        cuda_check(cuda_result(&device, CUDA_ERROR_INVALID_PTX, STATUS_IO), &err, "load it"),
        STATUS_IO);
    assert_int_equal(cuda_check(cuda_result(&device, CUDA_SUCCESS, STATUS_IO), &err, "load it"),
                     STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_ran_out_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
