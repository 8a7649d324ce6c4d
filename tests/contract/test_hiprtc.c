/*
 * Compiles HIP with hiprtc, which needs no GPU: kernels of the built-in generator for each problem
 * named on the command line, a candidate whose parameters and faults are read back, and the kernels
 * that fill buffers. Skipped without hiprtc.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/compile.h"
#include "backends/diagnostics/compiler_log.h"
#include "backends/hip/code_object.h"
#include "backends/hip/platform.h"
#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/base/mem.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

enum { SKIPPED = 77 };

struct bench {
    struct nvrtc hiprtc;
    int problem_count;
    char **problems;
};

/* Compile for an MI200; the log of a program that does not compile is the failure's text. */
static void compile(const struct bench *bench, const char *text, const char *options,
                    struct binary *made)
{
    const struct program_source source = {.text = text, .options = options};
    struct build_report report = {0};

    if (compile_source(&(struct compile_target){&bench->hiprtc, "gfx90a", false}, &source, made,
                       &report))
        fail_msg("%s\n%s", made->log, text);
    build_report_release(&report);
}

static void check_parameter(const struct ptx_entry *entry, size_t index, const char *type,
                            size_t length)
{
    assert_string_equal(entry->parameters.items[index].type, type);
    assert_int_equal(entry->parameters.items[index].length, length);
}

/* The code object says which kernels there are, and what parameters the judge must give them. */
static void the_kernels_of_a_code_object_are_read(void **state)
{
    static const char text[] =
        "extern \"C\" __global__ void first(const float *x, int n, double scale, char flag)\n"
        "{ ((float *)x)[n] = scale + flag + blockDim.x; }\n"
        "extern \"C\" __global__ __launch_bounds__(64) void second(float *x) { x[0] = 1; }\n";
    struct ptx_entries found = {0};
    struct binary made = {0};

    compile(*state, text, "-O2", &made);
    code_object_read(&made.machine, &found);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.items[0].name, "first");
    assert_string_equal(found.items[1].name, "second");
    assert_int_equal(found.items[0].parameters.count, 4);
    check_parameter(&found.items[0], 0, "a pointer", 8);
    check_parameter(&found.items[0], 1, "a number", 4);
    check_parameter(&found.items[0], 2, "a number", 8);
    check_parameter(&found.items[0], 3, "a number", 1);
    assert_true(found.items[0].has_spills);
    assert_int_equal(found.items[0].spill_bytes, 0);
    ptx_entries_release(&found);
    for (size_t bytes = 0; bytes < made.machine.len; bytes += 61) { /* cut files are refused */
        struct strbuf part = {0};

        strbuf_add(&part, made.machine.data, bytes);
        code_object_read(&part, &found);
        ptx_entries_release(&found);
        strbuf_release(&part);
    }
    binary_release(&made);
}

/* An error has its place in the source as the agent wrote it. */
static void an_error_has_its_place(void **state)
{
    const struct bench *bench = *state;
    const struct program_source source = {
        .text = "extern \"C\" __global__ void f(float *x)\n{\n    x[0] = nowhere;\n}\n",
        .options = ""};
    struct build_report report = {0};
    struct binary made = {0};

    assert_int_equal(compile_source(&(struct compile_target){&bench->hiprtc, "gfx90a", false},
                                    &source, &made, &report),
                     NVRTC_ERROR_COMPILATION);
    report.log = mem_strdup(made.log);
    compiler_log_read_failure(&report);
    assert_int_equal(report.diagnostics.count, 1);
    assert_int_equal(report.diagnostics.items[0].line, 3);
    assert_int_equal(report.diagnostics.items[0].column, 12);
    assert_non_null(strstr(report.diagnostics.items[0].text, "nowhere"));
    assert_null(strstr(report.log, "/tmp"));
    assert_non_null(strstr(report.log, "kernel.hip:3:12"));
    binary_release(&made);
    build_report_release(&report);
}

static void check_problem(const struct bench *bench, const char *path)
{
    static char hip[] = "hip";
    const struct device_info device = {
        .language = hip, .vector_width_f32 = 1, .compute_units = 104, .local_bytes = 64 << 10};
    const struct schedule schedule = schedule_first(&device);
    struct strbuf options = {0};
    struct candidate candidate = {0};
    struct problem problem = {0};
    struct binary made = {0};
    struct error err = {0};

    if (problem_load(&problem, path, &err) ||
        emit_candidate(&problem, "hip", &schedule, &candidate, &err))
        fail_msg("%s: %s", path, err.text);
    for (size_t i = 0; i < problem.dims.count; i++)
        if (!problem.dims.items[i].is_dynamic)
            strbuf_addf(&options, "-D%s=%lld ", problem.dims.items[i].name,
                        (long long)problem.dims.items[i].value);
    compile(bench, candidate.source, strbuf_cstr(&options), &made);
    binary_release(&made);
    strbuf_release(&options);
    candidate_release(&candidate);
    problem_release(&problem);
}

static void kernels_of_the_built_in_agent_compile(void **state)
{
    const struct bench *bench = *state;

    for (int i = 0; i < bench->problem_count; i++)
        check_problem(bench, bench->problems[i]);
}

/* The kernels of random data in the type whose conversions HIP names in its own way. */
static void the_kernels_of_random_data_compile(void **state)
{
    struct strbuf text = {0};
    struct binary made = {0};

    assert_int_equal(file_read(KFORGE_SOURCE_DIR "/backends/cuda/random.cu", 1 << 20, &text, NULL),
                     0);
    compile(
        *state, strbuf_cstr(&text),
        "-DTYPE=TYPE_f16 -DREAL=REAL_f16 -DWHOLE=WHOLE_f16 -DSAME=SAME_f16 -DVALUE=VALUE_normal",
        &made);
    binary_release(&made);
    strbuf_release(&text);
}

static void the_digest_compiles(void **state)
{
    struct strbuf text = {0};
    struct binary made = {0};

    assert_int_equal(file_read(KFORGE_SOURCE_DIR "/backends/cuda/digest.cu", 1 << 20, &text, NULL),
                     0);
    compile(*state, strbuf_cstr(&text), "", &made);
    binary_release(&made);
    strbuf_release(&text);
}

static void the_architecture_is_found_in_properties(void **state)
{
    char properties[512] = "AMD gfx simulator", arch[16];

    (void)state;
    strcpy(properties + 396, "gfx90a:sramecc+:xnack-");
    assert_true(hip_arch_in(properties, sizeof(properties), arch, sizeof(arch)));
    assert_string_equal(arch, "gfx90a:sramecc+");
    assert_false(hip_arch_in("none", 4, arch, sizeof(arch)));
}

int main(int argc, char **argv)
{
    struct bench bench = {.problem_count = argc - 1, .problems = argv + 1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(the_kernels_of_a_code_object_are_read, &bench),
        cmocka_unit_test_prestate(an_error_has_its_place, &bench),
        cmocka_unit_test_prestate(kernels_of_the_built_in_agent_compile, &bench),
        cmocka_unit_test_prestate(the_kernels_of_random_data_compile, &bench),
        cmocka_unit_test_prestate(the_digest_compiles, &bench),
        cmocka_unit_test(the_architecture_is_found_in_properties),
    };
    struct error err = {0};

    if (nvrtc_open(&hip_platform, &bench.hiprtc, &err)) {
        printf("%s: skipped\n", err.text);
        return SKIPPED;
    }
    /* Do not close the compiler: what it holds until exit would be reported as a leak. */
    return cmocka_run_group_tests_name("hiprtc", tests, NULL, NULL);
}
