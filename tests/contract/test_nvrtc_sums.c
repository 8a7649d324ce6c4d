/*
 * The loops over float32 numbers in the device oracle round each term, as those of the CPU do: the
 * machine code that NVRTC makes of a sum of products has no operation that multiplies and adds at
 * once. Skipped without NVRTC.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/nvidia.h"
#include "backends/cuda/nvrtc.h"
#include "core/base/mem.h"
#include "core/judge/device_oracle/oracle_program.h"
#include "core/model/problem_reader.h"

enum { SKIPPED = 77 };

static const char sum_of_products[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
    "\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4, 10], \"fill\": {\"uniform\": "
    "[0, 1]}},"
    "\"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4, 10], \"fill\": {\"uniform\": "
    "[0, 1]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4]}}, \"graph\": ["
    "{\"op\": \"mul\", \"in\": [\"a\", \"b\"], \"out\": \"p\"},"
    "{\"op\": \"sum\", \"in\": [\"p\"], \"dim\": 1, \"out\": \"y\"}],"
    "\"tolerance\": {\"class\": \"f32\"}}";

/* The PTX of a source; the caller frees. */
static char *compile(const struct nvrtc *nvrtc, const char *source)
{
    const char *options[] = {"--gpu-architecture=compute_90",
                             "--device-as-default-execution-space"};
    nvrtcProgram program = NULL;
    size_t size = 0;
    char *ptx;

    assert_int_equal(nvrtc->nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL), 0);
    assert_int_equal(nvrtc->nvrtcCompileProgram(program, 2, options), 0);
    assert_int_equal(nvrtc->nvrtcGetPTXSize(program, &size), 0);
    ptx = mem_alloc_zeroed(size + 1, 1);
    assert_int_equal(nvrtc->nvrtcGetPTX(program, ptx), 0);
    (void)nvrtc->nvrtcDestroyProgram(&program);
    return ptx;
}

static void a_loop_rounds_its_terms(void **state)
{
    const struct rounding rounding = {0};
    struct oracle_program program = {0};
    struct problem problem = {0};
    struct graph graph = {0};
    struct binding bindings[1];
    struct error err = {0};
    char *ptx;

    if (problem_parse(&problem, sum_of_products, strlen(sum_of_products), "p.json", &err))
        fail_msg("%s", err.text);

    struct scope scope = problem_scope(&problem, 0, bindings);

    assert_int_equal(graph_build(&graph, &problem, &scope, &err), STATUS_OK);
    if (oracle_program_write(&(struct oracle_program_request){.problem = &problem,
                                                              .graph = &graph,
                                                              .rounding = &rounding,
                                                              .language = "cuda",
                                                              .inlined_elements = 1},
                             &program, &err))
        fail_msg("%s", err.text);
    ptx = compile(*state, strbuf_cstr(&program.source));
    assert_null(strstr(ptx, "fma.rn.f32"));
    free(ptx);
    oracle_program_release(&program);
    graph_release(&graph);
    problem_release(&problem);
}

int main(void)
{
    struct nvrtc nvrtc = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_loop_rounds_its_terms, &nvrtc),
    };
    struct error err = {0};

    if (nvrtc_open(&cuda_platform, &nvrtc, &err)) {
        printf("%s: skipped\n", err.text);
        return SKIPPED;
    }
    /* NVRTC stays open, as in test_nvrtc.c. */
    return cmocka_run_group_tests_name("nvrtc_sums", tests, NULL, NULL);
}
