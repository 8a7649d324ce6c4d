#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/cuda.h"
#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "tests/contract/device_fixture.h"

/*
 * Tests of CUDA features that the common contract of back ends lacks; skipped on a machine without
 * a CUDA device.
 */

enum { SKIPPED = 77 };

static struct program *build(const struct device_fixture *s, const char *source)
{
    const struct program_source text = {.text = source, .options = ""};
    struct build_report report = {0};
    struct program *program = NULL;
    struct error err = {0};

    assert_ok(s->ops->build(s->device, &text, &program, &report, &err), &err);
    if (!program)
        fail_msg("%s", report.log);
    build_report_release(&report);
    return program;
}

static char ranks[] = "ranks", copy[] = "copy", wild[] = "wild", spin[] = "spin";

static void blocks_of_a_cluster_know_their_rank(void **state)
{
    static const int32_t want[] = {0, 1, 2, 3, 0, 1, 2, 3};
    const struct device_fixture *s = *state;
    struct program *program =
        build(s, "extern \"C\" __global__ void ranks(int *out)\n"
                 "{\n"
                 "    int rank;\n"
                 "    asm volatile(\"mov.u32 %0, %cluster_ctarank;\" : \"=r\"(rank));\n"
                 "    out[blockIdx.x] = rank;\n"
                 "}\n");
    struct buffer *buffer = device_fixture_poisoned(s, sizeof(want));
    struct launch launch = {.kernel = ranks,
                            .rank = 1,
                            .global = {8},
                            .local = {1},
                            .cluster = {4},
                            .arg_count = 1,
                            .args = {{.kind = ARG_BUFFER}}};

    device_fixture_assert_runs(s, program, &launch, &buffer);
    device_fixture_assert_contents(s, buffer, want, sizeof(want));
    s->ops->buffer_free(buffer);
    s->ops->program_free(program);
}

/* Copies the box at row 2, column 12 of a tensor to `y`; elements outside the tensor are zero. */
static const char copy_source[] =
    "struct __align__(64) map { unsigned long long opaque[16]; };\n"
    "extern \"C\" __global__ void copy(const __grid_constant__ map x, int *y)\n"
    "{\n"
    "    __shared__ alignas(128) int box[8 * 8];\n"
    "    __shared__ alignas(8) unsigned long long barrier;\n"
    "    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);\n"
    "    unsigned to = (unsigned)__cvta_generic_to_shared(box);\n"
    "    if (threadIdx.x == 0) {\n"
    "        asm volatile(\"mbarrier.init.shared.b64 [%0], 1;\" :: \"r\"(at));\n"
    "        asm volatile(\"fence.proxy.async;\");\n"
    "        asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier\"\n"
    "                     \"::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];\"\n"
    "                     :: \"r\"(to), \"l\"(&x), \"r\"(12), \"r\"(2), \"r\"(at) : \"memory\");\n"
    "        asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;\" :: \"r\"(at));\n"
    "    }\n"
    "    __syncthreads();\n"
    "    asm volatile(\"{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\"\n"
    "                 \" @!p bra again; }\" :: \"r\"(at) : \"memory\");\n"
    "    y[threadIdx.x] = box[threadIdx.x];\n"
    "}\n";

static void a_tensor_map_copies_a_box(void **state)
{
    enum { ROWS = 8, COLUMNS = 16, BOX = 8, ELEMENTS = BOX * BOX };
    const struct device_fixture *s = *state;
    int32_t x[ROWS * COLUMNS], want[ELEMENTS] = {0};
    const struct value value =
        row_value(DTYPE_I32, (size_t)ROWS * COLUMNS, (struct fill){FILL_INTEGERS, 1, 1000});
    struct program *program = build(s, copy_source);
    struct buffer *buffers[] = {device_fixture_filled(s, &value),
                                device_fixture_poisoned(s, sizeof(want))};
    struct launch launch = {
        .kernel = copy,
        .rank = 1,
        .global = {ELEMENTS},
        .local = {ELEMENTS},
        .arg_count = 2,
        .args = {{.kind = ARG_TENSOR_MAP}, {.kind = ARG_BUFFER, .buffer = 1}},
        .tensor_map_count = 1,
        .tensor_maps =
            {{.dtype = DTYPE_I32, .rank = 2, .shape = {ROWS, COLUMNS}, .box = {BOX, BOX}}},
    };

    fill_make(&value, FIXTURE_SEED, FIXTURE_STREAM, x);
    for (size_t row = 0; row < BOX && row + 2 < ROWS; row++)
        for (size_t column = 0; column + 12 < COLUMNS; column++)
            want[row * BOX + column] = x[(row + 2) * COLUMNS + column + 12];
    device_fixture_assert_runs(s, program, &launch, buffers);
    device_fixture_assert_contents(s, buffers[1], want, sizeof(want));
    s->ops->buffer_free(buffers[0]);
    s->ops->buffer_free(buffers[1]);
    s->ops->program_free(program);
}

/*
 * A kernel that takes 50 us by the device's own clock is timed within 2 %, without the overhead of
 * its launch.
 */
static void a_time_is_that_of_the_kernel(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program =
        build(s, "extern \"C\" __global__ void spin(void)\n"
                 "{\n"
                 "    unsigned long start, now;\n"
                 "    asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(start));\n"
                 "    do {\n"
                 "        asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now));\n"
                 "    } while (now - start < 100000);\n"
                 "}\n");
    struct launch launch = {.kernel = spin, .rank = 1, .global = {1}, .local = {1}};
    struct launch_list list = {.items = &launch, .count = 1};
    double each_us = 0;
    struct run_times times = {.each_us = &each_us};
    struct error err = {0};

    assert_ok(s->ops->run(program, &list, NULL, &times, &err), &err);
    printf("a kernel of 100 us: %.2f us\n", each_us);
    assert_true(each_us >= 100 && each_us < 104);
    s->ops->program_free(program);
}

static void the_compiled_code_is_listed(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program = build(s, "extern \"C\" __global__ void shown(int *x) { *x = 1; }\n");
    struct strbuf ptx = {0}, machine = {0};
    struct error err = {0};

    assert_ok(s->ops->code(program, CODE_PTX, &ptx, &err), &err);
    assert_non_null(strstr(strbuf_cstr(&ptx), ".entry shown("));
    assert_ok(s->ops->code(program, CODE_MACHINE, &machine, &err), &err);
    assert_true(machine.len > 4);
    assert_memory_equal(machine.data,
                        "\x7f"
                        "ELF",
                        4);
    strbuf_release(&ptx);
    strbuf_release(&machine);
    s->ops->program_free(program);
}

/* Several blocks of page-locked memory, and a part of one. */
static void large_copies_lose_no_byte(void **state)
{
    const struct device_fixture *s = *state;
    size_t bytes = 3 * ((size_t)1 << 25) + 12345;
    struct buffer *buffer = device_fixture_poisoned(s, bytes);
    unsigned char *want = mem_alloc_zeroed(bytes, 1);
    struct error err = {0};

    for (size_t i = 0; i < bytes; i++)
        want[i] = (unsigned char)(i * 2654435761U >> 13);
    assert_ok(s->ops->buffer_write(buffer, want, &err), &err);
    device_fixture_assert_contents(s, buffer, want, bytes);
    s->ops->buffer_free(buffer);
    free(want);
}

/* Elements that the model made: too many for two blocks, and one that differs in the last bit. */
static void a_large_given_tensor_is_compared(void **state)
{
    const struct device_fixture *s = *state;
    int64_t bytes = 3 * ((int64_t)1 << 25) + 12345;
    unsigned char *given = mem_alloc_zeroed((size_t)bytes, 1);
    const struct value value = {.name = "x",
                                .role = TENSOR_INPUT,
                                .dtype = DTYPE_BOOL,
                                .shape = {.rank = 1, .dims = {bytes}},
                                .fill = {.kind = FILL_MODEL},
                                .given = {.bytes = given, .stride = 0, .count = 1}};
    const struct contents contents = {.value = &value, .seed = 1};
    struct buffer *buffer = device_fixture_poisoned(s, (size_t)bytes);
    struct error err = {0};
    bool holds = false;

    for (int64_t i = 0; i < bytes; i++)
        given[i] = (unsigned char)(i * 2654435761U >> 13);
    assert_ok(s->ops->buffer_fill(buffer, &contents, &err), &err);
    assert_ok(s->ops->buffer_holds(buffer, &contents, &holds, &err), &err);
    assert_true(holds);
    given[bytes - 1] ^= 1;
    assert_ok(s->ops->buffer_holds(buffer, &contents, &holds, &err), &err);
    assert_false(holds);
    s->ops->buffer_free(buffer);
    free(given);
}

/* This test must be the last: afterwards the context is lost. */
static void a_wild_pointer_is_named(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program = build(s, "extern \"C\" __global__ void wild(long at)\n"
                                       "{\n"
                                       "    if (at)\n"
                                       "        *(int *)at = 1;\n"
                                       "}\n");
    const struct launch launch = {
        .kernel = wild,
        .rank = 1,
        .global = {1},
        .local = {1},
        .arg_count = 1,
        .args = {{.kind = ARG_NUMBER, .dtype = DTYPE_I64}},
    };
    struct launch launches[] = {launch, launch, launch};
    const struct launch_list list = {.items = launches, .count = 3};
    struct error err = {0};

    launches[1].args[0].number = 4096;
    assert_int_equal(s->ops->step(program, &list, NULL, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "finish wild, launch 2 of 3"));
    assert_non_null(strstr(err.text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    s->ops->program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_cluster_know_their_rank),
        cmocka_unit_test(a_tensor_map_copies_a_box),
        cmocka_unit_test(a_time_is_that_of_the_kernel),
        cmocka_unit_test(the_compiled_code_is_listed),
        cmocka_unit_test(large_copies_lose_no_byte),
        cmocka_unit_test(a_large_given_tensor_is_compared),
        cmocka_unit_test(a_wild_pointer_is_named),
    };
    struct device_list list = {0};
    struct device_fixture s = {.ops = &cuda_backend};
    struct CMUnitTest with_subject[sizeof(tests) / sizeof(tests[0])];
    struct error err = {0};
    int failed;

    if (cuda_backend.probe(&list, NULL) || list.count == 0) {
        puts("no CUDA device: skipped");
        return SKIPPED;
    }
    s.info = &list.items[0];
    if (cuda_backend.open(0, &s.device, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    memcpy(with_subject, tests, sizeof(tests));
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        with_subject[i].initial_state = &s;
    failed = cmocka_run_group_tests_name("cuda", with_subject, NULL, NULL);
    cuda_backend.close(s.device);
    device_list_release(&list);
    return failed;
}
