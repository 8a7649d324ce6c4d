/*
 * Compiles kernels in CuTe DSL for GPUs that are not there: the platform's example, shared memory,
 * clusters, and what is said of errors. Skipped without a Python that has nvidia-cutlass-dsl.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/array.h"
#include "core/judge/executor/program_compiler.h"
#include "core/system/file.h"

enum { SKIPPED = 77, LINE_OF_SUM = 13, BLOCK = 128, SHARED_BYTES = 16 };

static struct program_compiler *compiler;

static const char row_sums[] =
    "import cutlass\n"
    "import cutlass.cute as cute\n"
    "\n"
    "\n"
    "@cute.kernel\n"
    "def row_sums(x: cute.Pointer, y: cute.Pointer, N: cutlass.Int32, WARPS: cutlass.Constexpr):\n"
    "    thread, _, _ = cute.arch.thread_idx()\n"
    "    row, _, _ = cute.arch.block_idx()\n"
    "    line = cute.make_tensor(x + row * N, cute.make_layout(N))\n"
    "    parts = cutlass.memory.SmemAllocator().allocate_tensor(cutlass.Float32, "
    "cute.make_layout(WARPS))\n"
    "    value = cutlass.Float32(0.0)\n"
    "    for i in range(thread, N, 32 * WARPS):\n"
    "        value += line[i]\n"
    "    value = cute.arch.warp_reduction_sum(value)\n"
    "    if thread % 32 == 0:\n"
    "        parts[thread // 32] = value\n"
    "    cute.arch.sync_threads()\n"
    "    if thread == 0:\n"
    "        total = cutlass.Float32(0.0)\n"
    "        for w in cutlass.range_constexpr(WARPS):\n"
    "            total += parts[w]\n"
    "        cute.make_tensor(y + row, cute.make_layout(1))[0] = total\n";

static struct buffer_spec buffers[] = {
    {(char[]){"x"}, DTYPE_F32, 800},
    {(char[]){"b"}, DTYPE_F32, 800},
    {(char[]){"y"}, DTYPE_F32, 800},
};

static char row_sums_name[] = "row_sums", scaled_add_name[] = "scaled_add", scale_name[] = "scale";

/* Eight blocks on rows of 100. */
static struct launch launch_of(char *constants, unsigned ctas)
{
    return (struct launch){.kernel = row_sums_name,
                           .rank = 1,
                           .global = {8},
                           .warps = 4,
                           .ctas = ctas,
                           .constants = constants,
                           .arg_count = 3,
                           .args = {{.kind = ARG_BUFFER, .buffer = 0},
                                    {.kind = ARG_BUFFER, .buffer = 2},
                                    {.kind = ARG_INTEGER, .integer = 100}}};
}

static enum status compile(const char *source, const char *device, struct launch *launch,
                           struct program_code *code, struct error *err)
{
    const struct dispatch dispatch = {
        .options = (char[]){""},
        .buffers = {.items = buffers, .count = COUNT(buffers)},
        .tensor_count = COUNT(buffers),
        .launches = {.items = launch, .count = 1},
    };

    return program_compile(compiler,
                           &(struct program_request){.language = "cute",
                                                     .source = source,
                                                     .dispatch = &dispatch,
                                                     .device = device,
                                                     .limit_us = 60000000},
                           code, err);
}

static struct dispatch decode_dispatch(const struct program_code *code)
{
    struct json_ref at = json_ref_root(code->dispatch, "dispatch");
    struct dispatch made = {0};
    struct error err = {0};

    if (dispatch_decode(&made, &at, &err))
        fail_msg("%s", err.text);
    return made;
}

/* Code for two kinds of GPUs; the launch has the threads, the cluster and the shared memory. */
static void a_kernel_has_code_and_launch(void **state)
{
    static const char *const devices[] = {"NVRTC 13.0, sm_90a", "NVRTC 13.0, sm_100a"};
    char constants[] = "{\"WARPS\":4}";

    (void)state;
    for (unsigned i = 0; i < COUNT(devices); i++) {
        struct launch launch = launch_of(constants, i + 1);
        struct program_code code = {0};
        struct dispatch made;
        struct error err = {0};
        const char *ptx;

        if (compile(row_sums, devices[i], &launch, &code, &err))
            fail_msg("%s", err.text);
        if (!code.binary)
            fail_msg("%s", code.report.log);
        ptx = json_get_string(json_at(json_get(code.binary, "parts"), 0), "ptx", "");
        assert_non_null(strstr(ptx, strrchr(devices[i], ' ') + 1));
        assert_non_null(strstr(ptx, "kernel.py"));
        made = decode_dispatch(&code);
        assert_int_equal(made.launches.items[0].local[0], BLOCK);
        assert_int_equal(made.launches.items[0].global[0], 8 * BLOCK * (i + 1));
        assert_int_equal(made.launches.items[0].cluster[0], i ? 2 : 0);
        assert_int_equal(made.launches.items[0].shared, SHARED_BYTES);
        assert_int_equal(made.launches.items[0].arg_count, 3);
        dispatch_release(&made);
        program_code_release(&code);
    }
}

/* The one-shot example of the prompts compiles. */
static void the_example_compiles(void **state)
{
    char constants[] = "{}", *path = file_shipped("prompts/platforms/cute/example.md");
    struct launch launch = launch_of(constants, 1);
    struct program_code code = {0};
    struct candidate candidate = {0};
    struct strbuf text = {0};
    struct error err = {0};

    (void)state;
    launch.kernel = scaled_add_name;
    launch.args[3] = launch.args[2];
    launch.args[2] = (struct launch_arg){.kind = ARG_BUFFER, .buffer = 1};
    launch.arg_count = 4;
    if (file_read(path, 1 << 20, &text, &err) ||
        reply_parse(strbuf_cstr(&text), "cute", &candidate, &err) ||
        compile(candidate.source, "NVRTC 13.0, sm_90a", &launch, &code, &err))
        fail_msg("%s", err.text);
    if (!code.binary)
        fail_msg("%s", code.report.log);
    program_code_release(&code);
    candidate_release(&candidate);
    strbuf_release(&text);
    free(path);
}

/* Compile the candidate of a file for the problem `scale`. True if there is code. */
static bool has_code(const char *path, bool *expects_failure)
{
    char constants[] = "{}";
    struct launch launch = launch_of(constants, 1);
    struct program_code code = {0};
    struct candidate candidate = {0};
    struct strbuf text = {0};
    struct error err = {0};
    bool has;

    launch.kernel = scale_name;
    if (file_read(path, 1 << 20, &text, &err) ||
        reply_parse(strbuf_cstr(&text), "cute", &candidate, &err))
        fail_msg("%s: %s", path, err.text);
    *expects_failure = strstr(strbuf_cstr(&text), "Expected: build_failed") != NULL;
    has = compile(candidate.source, "NVRTC 13.0, sm_90a", &launch, &code, &err) == STATUS_OK &&
          code.binary != NULL;
    program_code_release(&code);
    candidate_release(&candidate);
    strbuf_release(&text);
    return has;
}

/*
 * The attacks that act while they are compiled are stopped, and the compiler works on: the others,
 * and the honest candidates, have code, which a GPU is needed to judge (test_attack).
 */
static void attacks_on_the_compiler_are_stopped(void **state)
{
    glob_t found = {0};

    (void)state;
    assert_int_equal(glob(KFORGE_SOURCE_DIR "/tests/attack/cute/*/scale.*.md", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bool expects_failure = false;

        if (has_code(found.gl_pathv[i], &expects_failure) == expects_failure)
            fail_msg("%s: %s", found.gl_pathv[i], expects_failure ? "compiled" : "did not compile");
    }
    globfree(&found);
}

/* The text of `row_sums` with one part replaced. */
static char *changed(const char *part, const char *by)
{
    const char *at = strstr(row_sums, part);
    struct strbuf text = {0};

    assert_non_null(at);
    strbuf_addf(&text, "%.*s%s%s", (int)(at - row_sums), row_sums, by, at + strlen(part));
    return strbuf_take(&text);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const struct {
        const char *part, *by, *constants;
        unsigned line;
        const char *text;
    } cases[] = {
        {"value += line[i]", "value += line @ i", "{\"WARPS\":4}", LINE_OF_SUM,
         "unsupported operand"},
        {"import cutlass\n", "import cutlass(\n", "{\"WARPS\":4}", 1, "SyntaxError"},
        {"cute", "cute", "{}", 0, "the constant WARPS has no value"},
        {"cute", "cute", "{\"WARPS\":4,\"TILE\":1}", 0, "no parameter TILE"},
        {"def row_sums", "def other", "{\"WARPS\":4}", 0, "no kernel row_sums: it has other"},
        {"N: cutlass.Int32, ", "", "{\"WARPS\":4}", 0,
         "given 3 arguments by the launch plan and takes 2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char constants[64], *source = changed(cases[i].part, cases[i].by);
        struct launch launch = launch_of(constants, 1);
        struct program_code code = {0};
        struct error err = {0};

        snprintf(constants, sizeof(constants), "%s", cases[i].constants);
        if (compile(source, "NVRTC 13.0, sm_90a", &launch, &code, &err))
            fail_msg("%s", err.text);
        assert_null(code.binary);
        assert_int_equal(code.report.diagnostics.count, 1);
        if (!strstr(code.report.diagnostics.items[0].text, cases[i].text))
            fail_msg("%s", code.report.diagnostics.items[0].text);
        assert_int_equal(code.report.diagnostics.items[0].line, cases[i].line);
        program_code_release(&code);
        free(source);
    }
}

static bool has_compiler(void)
{
    char constants[] = "{\"WARPS\":4}";
    struct launch launch = launch_of(constants, 1);
    struct program_code code = {0};
    struct error err = {0};
    enum status st = compile(row_sums, "NVRTC 13.0, sm_90a", &launch, &code, &err);

    program_code_release(&code);
    if (st == STATUS_UNAVAILABLE)
        printf("%s: skipped\n", err.text);
    return st != STATUS_UNAVAILABLE;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_code_and_launch),
        cmocka_unit_test(the_example_compiles),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(attacks_on_the_compiler_are_stopped),
    };
    const char *const argv[] = {getenv("KFORGE_WORKER"), "--contained", getenv("KFORGE_PYTHON"),
                                "-B", NULL};
    int failed = SKIPPED;

    signal(SIGPIPE, SIG_IGN);
    compiler = program_compiler_new(argv);
    if (has_compiler())
        failed = cmocka_run_group_tests_name("cute_compiler", tests, NULL, NULL);
    program_compiler_free(compiler);
    return failed;
}
