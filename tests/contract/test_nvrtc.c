/*
 * Compiles CUDA code with NVRTC, which needs no GPU: the built-in generator's kernels for each
 * problem named on the command line, under very different schedules, the device oracle, the kernels
 * that measure roofs, and the candidates in tests/attack/cuda. Skipped without NVRTC.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/compile_parts.h"
#include "backends/cuda/nvidia.h"
#include "backends/cuda/ptx.h"
#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/agent/reply/reply.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/codegen/dialect.h"
#include "core/judge/device_oracle/oracle_program.h"
#include "core/judge/roofs/roof_probe.h"
#include "core/model/plan/bare_source.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "tests/contract/schedule_changes.h"
#include "tests/contract/schedule_cover.h"

enum { SKIPPED = 77 };

struct bench {
    struct nvrtc nvrtc;
    int problem_count;
    char **problems;
};

/* The plan's compiler options at the problem's main dimensions. */
static char *options_of(const struct problem *problem, const struct candidate *candidate)
{
    const char *text = candidate->plan ? candidate->plan : "";
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct dispatch dispatch = {0};
    struct graph graph = {0};
    struct plan plan = {0};
    struct error err = {0};
    char *options;

    if (plan_parse(&plan, text, strlen(text), &err) || graph_build(&graph, problem, &scope, &err) ||
        plan_resolve(&plan, &graph, &scope, &dispatch, &err))
        fail_msg("%s: %s\n%s", problem->name, err.text, candidate->plan);
    options = mem_strdup(dispatch.options ? dispatch.options : "");
    dispatch_release(&dispatch);
    graph_release(&graph);
    plan_release(&plan);
    free(bindings);
    return options;
}

static void check_log(const struct nvrtc *nvrtc, nvrtcProgram program, const char *source)
{
    size_t size = 0;
    char *log;

    (void)nvrtc->nvrtcGetProgramLogSize(program, &size);
    log = mem_alloc_zeroed(size + 1, 1);
    (void)nvrtc->nvrtcGetProgramLog(program, log);
    fail_msg("%s\n%s", log, source);
}

/*
 * Compile for an architecture with options that spaces divide. The assembler optimizes nothing,
 * which takes a quarter of the time of all programs here and finds no further fault.
 */
static void check_program(const struct nvrtc *nvrtc, const char *source, const char *target,
                          char *options)
{
    char architecture[32];
    const char *words[64] = {architecture, "--device-as-default-execution-space",
                             "--ptxas-options=-O0"};
    nvrtcProgram program = NULL;
    int count = 3;

    snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s", target);
    for (const char *word; (word = strsep(&options, " "));)
        if (*word && count < 64)
            words[count++] = word;
    assert_int_equal(nvrtc->nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL), 0);
    if (nvrtc->nvrtcCompileProgram(program, count, words))
        check_log(nvrtc, program, source);
    (void)nvrtc->nvrtcDestroyProgram(&program);
}

/*
 * Compile to machine code: for sm_80 if the source multiplies with warp-level matrix units, else
 * for Hopper with its own features (sm_90a). Only the assembler reads inline assembly and adds up
 * shared memory; a source with neither, apart from the prelude's conversions, is compiled to PTX.
 */
static void check_compiles(const struct nvrtc *nvrtc, const char *source, char *options)
{
    const char *target = strstr(source, "multiply_8(") ? "sm_80" : "sm_90a";
    bool is_assembled = strstr(source, "asm volatile") || strstr(source, "__shared__");

    check_program(nvrtc, source, is_assembled ? target : "compute_90a", options);
}

static struct schedule schedule_of(const char *change)
{
    static char cuda[] = "cuda";
    const struct device_info device = {
        .language = cuda, .vector_width_f32 = 1, .compute_units = 132, .local_bytes = 227 << 10};
    struct schedule schedule = schedule_first(&device);
    struct error err;

    if (schedule_change(&schedule, change, &err))
        fail_msg("%s: %s", change, err.text);
    return schedule;
}

/* A kernel whose family has been assembled with this setting before is compiled to PTX only. */
static void check_schedule(const struct nvrtc *nvrtc, const struct problem *problem,
                           const struct schedule *schedule, bool is_new)
{
    struct candidate candidate = {0};
    struct error err = {0};
    char *options;
    bool is_tried;

    if (emit_candidate(problem, "cuda", schedule, &candidate, &err))
        fail_msg("%s: %s", problem->name, err.text);
    options = options_of(problem, &candidate);
    is_tried = candidate.source && candidate.plan &&
               (!schedule->of[KNOB_MATRIX] || strstr(candidate.plan, "f16\""));
    if (is_tried && is_new)
        check_compiles(nvrtc, candidate.source, options);
    else if (is_tried)
        check_program(nvrtc, candidate.source, "compute_90a", options);
    free(options);
    candidate_release(&candidate);
}

/*
 * Each problem compiles under the first schedule, and under two others, which alternate, if they
 * give a family of kernels a setting that no earlier problem has covered.
 */
static void every_problem_compiles(void **state)
{
    const struct bench *bench = *state;
    struct schedule_cover cover = {0};

    for (int p = 0; p < bench->problem_count; p++) {
        const struct schedule schedules[] = {schedule_of(gpu_changes[0]),
                                             schedule_of(gpu_changes[p % GPU_CHANGE_COUNT]),
                                             schedule_of(matrix_changes[p % MATRIX_CHANGE_COUNT])};
        struct problem problem = {0};
        struct error err = {0};

        if (problem_load(&problem, bench->problems[p], &err))
            fail_msg("%s", err.text);
        for (size_t s = 0; s < sizeof(schedules) / sizeof(*schedules); s++) {
            const struct schedule_use use = {&problem, "cuda", &schedules[s]};
            bool is_new = schedule_cover_add(&cover, &use);

            if (is_new || s == 0)
                check_schedule(&bench->nvrtc, &problem, &schedules[s], is_new);
        }
        problem_release(&problem);
    }
    schedule_cover_release(&cover);
}

/* The number of times that `word` is in the PTX that the compiler makes for Hopper. */
static size_t count_in_ptx(const struct nvrtc *nvrtc, const char *source, const char *word)
{
    static const char *const options[] = {"--gpu-architecture=compute_90a",
                                          "--device-as-default-execution-space"};
    nvrtcProgram program = NULL;
    size_t size = 0, count = 0;
    char *ptx;

    assert_int_equal(nvrtc->nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL), 0);
    assert_int_equal(nvrtc->nvrtcCompileProgram(program, COUNT(options), options), 0);
    (void)nvrtc->nvrtcGetPTXSize(program, &size);
    ptx = mem_alloc_zeroed(size + 1, 1);
    (void)nvrtc->nvrtcGetPTX(program, ptx);
    for (const char *at = ptx; (at = strstr(at, word)); at += strlen(word))
        count++;
    (void)nvrtc->nvrtcDestroyProgram(&program);
    free(ptx);
    return count;
}

/* The assembler took 4 to 9 s for a loop of matrix instructions that was unrolled as a whole. */
static void roof_of_matrix_units_stays_a_loop(void **state)
{
    const struct bench *bench = *state;
    struct strbuf source = {0};
    size_t count;

    roof_probe_source(&roof_matrix_probe, dialect_of("cuda"), &source);
    count = count_in_ptx(&bench->nvrtc, strbuf_cstr(&source), "wgmma.mma_async");
    assert_in_range(count, 1, 16);
    strbuf_release(&source);
}

static void every_roof_compiles(void **state)
{
    const struct roof_probe *const probes[] = {&roof_memory_probe, &roof_matrix_probe};
    const struct bench *bench = *state;

    for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++) {
        struct strbuf source = {0};

        roof_probe_source(probes[i], dialect_of("cuda"), &source);
        check_compiles(&bench->nvrtc, strbuf_cstr(&source), NULL);
        strbuf_release(&source);
    }
}

static void check_comparison(const struct nvrtc *nvrtc, const struct oracle_program *program)
{
    for (int maps = 0; maps < 2; maps++) {
        const struct oracle_comparison_request request = {&program->dispatch,
                                                          program->tensors.items,
                                                          program->compared.items,
                                                          program->compared.count,
                                                          "cuda",
                                                          maps};
        struct oracle_comparison comparison = {.source = {0}};

        assert_true(request.count > 0);
        oracle_comparison_write(&request, &comparison);
        check_compiles(nvrtc, strbuf_cstr(&comparison.source), NULL);
        oracle_comparison_release(&comparison);
    }
}

/* The device oracle of a problem, with the comparison of its outputs. */
static void check_oracle(const struct nvrtc *nvrtc, const struct problem *problem, bool is_mixed)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    const struct rounding rounding = {.is_mixed = is_mixed};
    struct oracle_program program = {0};
    struct graph graph = {0};
    struct error err = {0};

    if (graph_build(&graph, problem, &scope, &err))
        fail_msg("%s", err.text);
    if (oracle_program_write(&(struct oracle_program_request){.problem = problem,
                                                              .graph = &graph,
                                                              .rounding = &rounding,
                                                              .language = "cuda",
                                                              .compares = true,
                                                              .inlined_elements = 1,
                                                              .most_kernels = 1},
                             &program, &err))
        fail_msg("%s", err.text);
    check_compiles(nvrtc, strbuf_cstr(&program.source), NULL);
    check_comparison(nvrtc, &program);
    oracle_program_release(&program);
    graph_release(&graph);
    free(bindings);
}

static void the_digest_compiles(void **state)
{
    const struct bench *bench = *state;
    struct strbuf source = {0};

    assert_int_equal(
        file_read(KFORGE_SOURCE_DIR "/backends/cuda/digest.cu", 1 << 20, &source, NULL), STATUS_OK);
    check_compiles(&bench->nvrtc, strbuf_cstr(&source), NULL);
    strbuf_release(&source);
}

/* Problems that together use all formulas of the device oracle. */
static bool has_formulas(const char *path)
{
    static const char *const names[] = {"/causal.json", "/conv.json", "/norms.json",
                                        "/product.json", "/reduce.json"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strstr(path, names[i]))
            return true;
    return false;
}

static void the_device_oracle_compiles(void **state)
{
    const struct bench *bench = *state;

    for (int p = 0; p < bench->problem_count; p++) {
        struct problem problem = {0};
        struct error err = {0};

        if (!has_formulas(bench->problems[p]))
            continue;
        if (problem_load(&problem, bench->problems[p], &err))
            fail_msg("%s", err.text);
        check_oracle(&bench->nvrtc, &problem, strstr(bench->problems[p], "/norms.json") == NULL);
        problem_release(&problem);
    }
}

/*
 * Append a candidate's source to `all`, in a namespace of its own, where its functions need no
 * linkage of C. Lines that include headers go to `headers`.
 */
static void add_candidate(const char *path, struct strbuf *headers, struct strbuf *all)
{
    static const char linkage[] = "extern \"C\" ";
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error err;

    if (file_read(path, 1 << 20, &reply, &err) ||
        reply_parse(strbuf_cstr(&reply), "cuda", &candidate, &err))
        fail_msg("%s: %s", path, err.text);
    strbuf_addf(all, "namespace candidate_%zu {\n#line 1 \"%s\"\n", all->len, file_name(path));
    for (const char *line = candidate.source; *line;) {
        int length = (int)strcspn(line, "\n");
        bool is_header = strncmp(line, "#include", 8) == 0;
        bool is_kernel = strncmp(line, linkage, sizeof(linkage) - 1) == 0;
        int skipped = is_kernel ? (int)sizeof(linkage) - 1 : 0;

        strbuf_addf(is_header ? headers : all, "%.*s\n", length - skipped, line + skipped);
        line += length + (line[length] == '\n');
    }
    strbuf_addf(all, "}\n");
    candidate_release(&candidate);
    strbuf_release(&reply);
}

/* All in one program, because starting the compiler takes most of the time of a small kernel. */
static void every_candidate_compiles(void **state)
{
    const struct bench *bench = *state;
    struct strbuf source = {0}, all = {0}, option = {0};
    char *headers = nvrtc_headers(&cuda_platform), *completed;
    glob_t found;

    assert_int_equal(glob(KFORGE_SOURCE_DIR "/tests/attack/cuda/*/*.md", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!strstr(found.gl_pathv[i], "/scale.child_grid.md"))
            add_candidate(found.gl_pathv[i], &source, &all);
    globfree(&found);
    strbuf_addf(&source, "%s", strbuf_cstr(&all));
    strbuf_addf(&option, "--include-path=%s", headers ? headers : ".");
    completed = bare_source_complete(strbuf_cstr(&source), "kernel.cu");
    check_program(&bench->nvrtc, completed, "compute_90", option.data);
    free(completed);
    free(headers);
    strbuf_release(&option);
    strbuf_release(&source);
    strbuf_release(&all);
}

/* A binary has all parts that loading needs, also after it was encoded and decoded. */
static void a_binary_survives_encoding_and_decoding(void **state)
{
    const struct bench *bench = *state;
    const struct program_source source = {
        .text = "extern \"C\" __global__ void kept(float *x) { x[N] = 1; }\n", .options = "-DN=4"};
    struct build_report report = {0};
    struct binary made = {0}, found = {0};
    struct ptx_entries entries = {0};
    struct json *travels;
    struct json_ref root;

    assert_int_equal(compile_source(&(struct compile_target){&bench->nvrtc, "sm_90a", false},
                                    &source, &made, &report),
                     0);
    assert_true(report.ms > 0);
    travels = binary_encode(&made);
    root = json_ref_root(travels, "binary");
    assert_int_equal(binary_decode(&found, &root, NULL), STATUS_OK);
    assert_int_equal(found.machine.len, made.machine.len);
    assert_memory_equal(found.machine.data, made.machine.data, made.machine.len);
    assert_memory_equal(found.machine.data,
                        "\x7f"
                        "ELF",
                        4);
    assert_non_null(strstr(found.log, "registers"));
    ptx_read(found.ptx, &entries);
    assert_int_equal(entries.count, 1);
    assert_string_equal(entries.items[0].name, "kept");
    ptx_entries_release(&entries);
    json_free(travels);
    binary_release(&found);
    binary_release(&made);
    build_report_release(&report);
}

static void a_source_that_does_not_compile_has_only_a_log(void **state)
{
    const struct bench *bench = *state;
    const struct program_source source = {.text = "int nowhere() { return here; }\n",
                                          .options = ""};
    struct build_report report = {0};
    struct binary made = {0};

    assert_int_equal(compile_source(&(struct compile_target){&bench->nvrtc, "sm_90a", false},
                                    &source, &made, &report),
                     NVRTC_ERROR_COMPILATION);
    assert_non_null(strstr(made.log, "here"));
    assert_null(made.ptx);
    binary_release(&made);
    build_report_release(&report);
}

/* Names of headers that NVRTC lacks; the fault is in line 9. */
static const char with_names[] =
    "#include <cstdint>\n"
    "# include <float.h>\n"
    "typedef unsigned long uint64_t;\n"
    "constexpr float LN2 = 0.5f, M_LN2 = 0.7f;\n"
    "constexpr float least = -INFINITY, none = NAN, most = HUGE_VALF, tiny = FLT_MIN;\n"
    "__constant__ double far = -HUGE_VAL, circle = M_PI + DBL_EPSILON + M_LN2 + LN2;\n"
    "extern \"C\" __global__ void names(float *x, uint32_t *n, int64_t *m, uint64_t *o)\n"
    "{ x[0] = least + none + most + tiny + FLT_MAX + FLT_EPSILON + (float)(far + circle);\n"
    "  n[0] = UINT32_MAX - INT_MAX; m[0] = INT64_MIN; o[0] = ULLONG_MAX; %s }\n";

static void headers_that_nvrtc_lacks_are_not_missed(void **state)
{
    const struct bench *bench = *state;

    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        struct strbuf text = {0};
        struct build_report report = {0};
        struct binary made = {0};

        strbuf_addf(&text, with_names, is_wrong ? "wrong = 1;" : "");
        if (compile_source(&(struct compile_target){&bench->nvrtc, "compute_90", false},
                           &(struct program_source){.text = strbuf_cstr(&text), .options = ""},
                           &made, &report) != (is_wrong ? NVRTC_ERROR_COMPILATION : 0))
            fail_msg("%s", made.log);
        assert_null(strstr(made.log, "warning"));
        assert_true(!is_wrong || strstr(made.log, "kernel.cu(9)"));
        binary_release(&made);
        build_report_release(&report);
        strbuf_release(&text);
    }
}

/*
 * Two kernels with a function of both, a function of the second alone, and a loop; `%s` is in the
 * second.
 */
static const char two_kernels[] =
    "static __device__ float twice(float x) { return 2 * x; }\n"
    "static __device__ float thrice(float x) { return 3 * x; }\n"
    "extern \"C\" __global__ void one(float *x) { int unused; x[0] = twice(x[0]); }\n"
    "extern \"C\" __global__ void __launch_bounds__(64) two(float *x)\n"
    "{\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 4; i++) x[i] = twice(thrice(x[i])) + %s;\n"
    "}\n";

/* Compile the source in parts; returns whether it has been. */
static bool compile_two(const struct bench *bench, struct kept_kernels *kept, const char *value,
                        struct binary *made)
{
    const struct compile_target target = {&bench->nvrtc, "sm_90a", false};
    struct strbuf text = {0};
    struct build_report report = {0};
    bool is_made;

    strbuf_addf(&text, two_kernels, value);
    is_made = compile_parts(
        &target, &(struct program_source){.text = strbuf_cstr(&text), .options = "-DN=1"}, kept,
        made, &report);
    build_report_release(&report);
    strbuf_release(&text);
    return is_made;
}

static size_t count_text(const char *text, const char *what)
{
    size_t count = 0;

    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

/* A hundred small kernels and a large one are some thirty parts. */
static void small_kernels_of_many_share_parts(void **state)
{
    const struct bench *bench = *state;
    const struct compile_target target = {&bench->nvrtc, "sm_90a", false};
    struct strbuf text = {0};
    struct build_report report = {0};
    struct binary made = {0};
    size_t entries = 0;

    for (int i = 0; i < 100; i++)
        strbuf_addf(&text, "extern \"C\" __global__ void k%d(float *x) { x[%d] = 1; }\n", i, i);
    strbuf_adds(&text, "extern \"C\" __global__ void large(float *x)\n{\n");
    for (int i = 0; i < 100; i++)
        strbuf_addf(&text, "    x[%d] += x[%d];\n", i, 99 - i);
    strbuf_adds(&text, "}\n");
    assert_true(compile_parts(&target,
                              &(struct program_source){.text = strbuf_cstr(&text), .options = ""},
                              NULL, &made, &report));
    assert_in_range(made.parts.count, 10, 40);
    for (size_t i = 0; i < made.parts.count; i++)
        entries += count_text(made.parts.items[i].ptx, ".visible .entry");
    assert_int_equal(entries, 101);
    assert_string_equal(made.parts.items[0].kernel, "k0");
    assert_string_equal(made.parts.items[made.parts.count - 1].kernel, "large");
    assert_int_equal(count_text(made.log, "Used "), 101);
    binary_release(&made);
    build_report_release(&report);
    strbuf_release(&text);
}

static void kernels_are_compiled_one_by_one_and_kept(void **state)
{
    struct kept_kernels *kept = mem_alloc_zeroed(1, sizeof(*kept));
    struct binary made = {0}, again = {0}, changed = {0};

    assert_true(compile_two(*state, kept, "N", &made));
    assert_int_equal(kept->next, 2);
    assert_int_equal(made.parts.count, 2);
    assert_string_equal(made.parts.items[0].kernel, "one");
    assert_string_equal(made.parts.items[1].kernel, "two");
    assert_null(strstr(made.parts.items[0].ptx, "two"));
    assert_true(made.parts.items[1].machine.len > 0);
    assert_int_equal(count_text(made.log, "registers"), 2);
    assert_int_equal(count_text(made.log, "unused"), 2); /* the message, and the line */
    assert_null(strstr(made.log, "thrice"));
    assert_true(compile_two(*state, kept, "N", &again));
    assert_int_equal(kept->next, 2);
    assert_string_equal(again.log, made.log);
    assert_true(compile_two(*state, kept, "N * 2", &changed));
    assert_int_equal(kept->next, 3);
    assert_string_equal(changed.parts.items[0].ptx, made.parts.items[0].ptx);
    assert_string_not_equal(changed.parts.items[1].ptx, made.parts.items[1].ptx);
    binary_release(&again);
    assert_true(compile_two(*state, NULL, "N", &again));
    assert_string_equal(again.parts.items[1].ptx, made.parts.items[1].ptx);
    binary_release(&made);
    binary_release(&again);
    binary_release(&changed);
    kept_kernels_release(kept);
    free(kept);
}

/* The options are part of what a kernel is made from. */
static void kernels_are_not_kept_for_other_options(void **state)
{
    const struct bench *bench = *state;
    const struct compile_target targets[] = {{&bench->nvrtc, "sm_90a", false},
                                             {&bench->nvrtc, "sm_90", false}};
    static const char text[] = "extern \"C\" __global__ void one(int *x) { *x = N; }\n"
                               "extern \"C\" __global__ void two(int *x) { *x = -N; }\n";
    const struct program_source sources[] = {{.text = text, .options = "-DN=1"},
                                             {.text = text, .options = "-DN=2"}};
    struct kept_kernels *kept = mem_alloc_zeroed(1, sizeof(*kept));

    for (size_t i = 0; i < 4; i++) {
        struct build_report report = {0};
        struct binary made = {0};

        assert_true(compile_parts(&targets[i / 2], &sources[i % 2], kept, &made, &report));
        assert_int_equal(kept->next, 2 * i + 2);
        binary_release(&made);
        build_report_release(&report);
    }
    kept_kernels_release(kept);
    free(kept);
}

static void kernels_that_share_something_are_compiled_as_a_whole(void **state)
{
    static const char *const sources[] = {
        "__device__ __align__(16) int n[1];\n"
        "extern \"C\" __global__ void one() { n[0] = 1; }\n"
        "extern \"C\" __global__ void two(int *x) { *x = n[0]; }\n",
        "inline __device__ int next() { static int n; return n++; }\n"
        "extern \"C\" __global__ void one(int *x) { *x = next(); }\n"
        "extern \"C\" __global__ void two(int *x) { *x = next(); }\n",
        "#define PAIR(a, b) extern \"C\" __global__ void a() {} extern \"C\" __global__ void b() "
        "{}\n"
        "PAIR(one, two)\n"
        "extern \"C\" __global__ void three() {}\n"
        "extern \"C\" __global__ void four() {}\n",
        "extern \"C\" __global__ void one() { nowhere; }\n"
        "extern \"C\" __global__ void two() {}\n",
    };
    const struct bench *bench = *state;
    const struct compile_target target = {&bench->nvrtc, "sm_90a", false};
    struct kept_kernels *kept = mem_alloc_zeroed(1, sizeof(*kept));

    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct program_source source = {.text = sources[i], .options = ""};
        struct build_report report = {0};
        struct binary made = {0};

        assert_false(compile_parts(&target, &source, kept, &made, &report));
        assert_null(made.log);
        build_report_release(&report);
    }
    kept_kernels_release(kept);
    free(kept);
}

int main(int argc, char **argv)
{
    struct bench bench = {.problem_count = argc - 1, .problems = argv + 1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_problem_compiles, &bench),
        cmocka_unit_test_prestate(every_roof_compiles, &bench),
        cmocka_unit_test_prestate(the_digest_compiles, &bench),
        cmocka_unit_test_prestate(roof_of_matrix_units_stays_a_loop, &bench),
        cmocka_unit_test_prestate(the_device_oracle_compiles, &bench),
        cmocka_unit_test_prestate(every_candidate_compiles, &bench),
        cmocka_unit_test_prestate(a_binary_survives_encoding_and_decoding, &bench),
        cmocka_unit_test_prestate(a_source_that_does_not_compile_has_only_a_log, &bench),
        cmocka_unit_test_prestate(headers_that_nvrtc_lacks_are_not_missed, &bench),
        cmocka_unit_test_prestate(kernels_are_compiled_one_by_one_and_kept, &bench),
        cmocka_unit_test_prestate(small_kernels_of_many_share_parts, &bench),
        cmocka_unit_test_prestate(kernels_are_not_kept_for_other_options, &bench),
        cmocka_unit_test_prestate(kernels_that_share_something_are_compiled_as_a_whole, &bench),
    };
    struct error err = {0};

    if (nvrtc_open(&cuda_platform, &bench.nvrtc, &err)) {
        printf("%s: skipped\n", err.text);
        return SKIPPED;
    }
    /*
     * Do not close NVRTC: the sanitizer would report memory that the library holds until exit as a
     * leak.
     */
    return cmocka_run_group_tests_name("nvrtc", tests, NULL, NULL);
}
