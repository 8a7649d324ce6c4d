/*
 * Compiles kernels that are programs on tiles, for targets of several makers, without a device, and
 * checks what a launch of the code gets. Skipped without a Python that has the compiler.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/judge/executor/program_compiler.h"

enum { SKIPPED = 77, LINE_OF_MAX = 9 };

static struct program_compiler *compiler;

static const char softmax[] = "import triton\n"
                              "import triton.language as tl\n"
                              "\n"
                              "@triton.jit\n"
                              "def softmax(x, y, N, BLOCK: tl.constexpr):\n"
                              "    columns = tl.arange(0, BLOCK)\n"
                              "    at = tl.program_id(0) * N + columns\n"
                              "    value = tl.load(x + at, mask=columns < N, other=-float('inf'))\n"
                              "    value = tl.exp(value - tl.max(value, 0))\n"
                              "    tl.store(y + at, value / tl.sum(value, 0), mask=columns < N)\n";

static struct buffer_spec buffers[] = {
    {(char[]){"x"}, DTYPE_F32, 800},
    {(char[]){"y"}, DTYPE_F32, 800},
};

static char name[] = "softmax";

/* Eight programs of the kernel on rows of 100. */
static struct launch launch_of(char *constants, unsigned warps)
{
    return (struct launch){.kernel = name,
                           .rank = 1,
                           .global = {8},
                           .warps = warps,
                           .ctas = 1,
                           .constants = constants,
                           .arg_count = 3,
                           .args = {{.kind = ARG_BUFFER, .buffer = 0},
                                    {.kind = ARG_BUFFER, .buffer = 1},
                                    {.kind = ARG_INTEGER, .integer = 100}}};
}

/* The text of `softmax` with one part replaced. */
static char *changed(const char *part, const char *by)
{
    const char *at = strstr(softmax, part);
    struct strbuf text = {0};

    assert_non_null(at);
    strbuf_addf(&text, "%.*s%s%s", (int)(at - softmax), softmax, by, at + strlen(part));
    return strbuf_take(&text);
}

static enum status compile(const char *source, const char *device, struct launch *launches,
                           size_t count, struct program_code *code, struct error *err)
{
    const struct dispatch dispatch = {
        .options = (char[]){""},
        .buffers = {.items = buffers, .count = COUNT(buffers)},
        .tensor_count = COUNT(buffers),
        .launches = {.items = launches, .count = count},
    };

    return program_compile(compiler,
                           &(struct program_request){.language = "triton",
                                                     .source = source,
                                                     .dispatch = &dispatch,
                                                     .device = device,
                                                     .limit_us = 60000000},
                           code, err);
}

/* The code and launches of a kernel that is launched twice, with other constants and warps. */
static void each_variant_has_code_and_launch(void **state)
{
    char small[] = "{\"BLOCK\":128}", large[] = "{\"BLOCK\":256}";
    struct launch launches[] = {launch_of(small, 2), launch_of(large, 1), launch_of(small, 2)};
    struct program_code code = {0};
    struct binary binary = {0};
    struct dispatch made = {0};
    struct json_ref at;
    struct error err = {0};

    (void)state;
    if (compile(softmax, "NVRTC 13.0, sm_90a", launches, COUNT(launches), &code, &err))
        fail_msg("%s", err.text);
    assert_non_null(code.binary);
    at = json_ref_root(code.binary, "binary");
    assert_int_equal(binary_decode(&binary, &at, &err), STATUS_OK);
    assert_int_equal(binary.parts.count, 2);
    assert_string_equal(binary.parts.items[0].kernel, "softmax");
    assert_string_equal(binary.parts.items[1].kernel, "softmax@2");
    assert_non_null(strstr(binary.parts.items[0].ptx, ".target sm_90a"));
    assert_non_null(strstr(binary.parts.items[0].ptx, "kernel.py"));
    assert_true(binary.parts.items[0].machine.len > 1000);
    at = json_ref_root(code.dispatch, "dispatch");
    assert_int_equal(dispatch_decode(&made, &at, &err), STATUS_OK);
    assert_int_equal(made.launches.items[0].local[0], 64);
    assert_int_equal(made.launches.items[0].global[0], 8 * 64);
    assert_int_equal(made.launches.items[1].local[0], 32);
    assert_string_equal(made.launches.items[1].kernel, "softmax@2");
    assert_string_equal(made.launches.items[2].kernel, "softmax");
    assert_true(made.launches.items[0].shared > 0);
    assert_int_equal(made.launches.items[0].arg_count, 5); /* two hidden pointers */
    dispatch_release(&made);
    binary_release(&binary);
    program_code_release(&code);
}

static void other_targets_are_compiled_for(void **state)
{
    static const char *const devices[] = {"NVRTC 13.0, sm_100a", "hiprtc 6.0, gfx942"};
    static const char *const marks[] = {".target sm_100a", "amdgcn-amd-amdhsa--gfx942"};
    char constants[] = "{\"BLOCK\":128}";
    struct launch launch = launch_of(constants, 4);

    (void)state;
    for (size_t i = 0; i < COUNT(devices); i++) {
        struct program_code code = {0};
        struct error err = {0};
        const struct json *part;

        if (compile(softmax, devices[i], &launch, 1, &code, &err))
            fail_msg("%s", err.text);
        if (!code.binary)
            fail_msg("%s", code.report.log);
        part = json_at(json_get(code.binary, "parts"), 0);
        assert_non_null(strstr(json_get_string(part, "ptx", ""), marks[i]));
        program_code_release(&code);
    }
}

/* Each is refused, with a line of the source where there is one. */
static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const struct {
        const char *part, *by, *constants;
        unsigned line;
        const char *text;
    } cases[] = {
        {"tl.max(value, 0)", "tl.largest(value, 0)", "{\"BLOCK\":128}", LINE_OF_MAX, "largest"},
        {"import triton\n", "import triton(\n", "{\"BLOCK\":128}", 1, "SyntaxError"},
        {"softmax", "softmax", "{}", 0, "the constant BLOCK has no value"},
        {"softmax", "softmax", "{\"BLOCK\":128,\"TILE\":1}", 0, "no parameter TILE"},
        {"def softmax", "def other", "{\"BLOCK\":128}", 0, "no kernel softmax: it has other"},
        {"@triton.jit", "@triton.autotune(configs=[triton.Config({})], key=[])\n@triton.jit",
         "{\"BLOCK\":128}", 0, "\"tune\" of the launch plan"},
        {"import triton\n", "import os\nos._exit(1)\n", "{\"BLOCK\":128}", 0, "status 1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char constants[64], *source = changed(cases[i].part, cases[i].by);
        struct launch launch = launch_of(constants, 4);
        struct program_code code = {0};
        struct error err = {0};

        snprintf(constants, sizeof(constants), "%s", cases[i].constants);
        if (compile(source, "NVRTC 13.0, sm_90a", &launch, 1, &code, &err))
            fail_msg("%s", err.text);
        assert_null(code.binary);
        assert_int_equal(code.report.diagnostics.count, 1);
        assert_int_equal(code.report.diagnostics.items[0].line, cases[i].line);
        if (!strstr(code.report.diagnostics.items[0].text, cases[i].text))
            fail_msg("%s", code.report.diagnostics.items[0].text);
        program_code_release(&code);
        free(source);
    }
}

/* A source runs Python: what it changes there must not reach the next compilation. */
static void a_source_cannot_change_the_compiler(void **state)
{
    char constants[] = "{\"BLOCK\":128}";
    char *source = changed("import triton\n", "import triton\n"
                                              "triton.compile = None\n"
                                              "import os; os.environ['PATH'] = ''\n");
    char *next = changed("-float('inf')", "-1e30");
    struct launch launch = launch_of(constants, 4);
    struct program_code code = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(compile(source, "NVRTC 13.0, sm_90a", &launch, 1, &code, &err), STATUS_OK);
    assert_null(code.binary);
    program_code_release(&code);
    assert_int_equal(compile(next, "NVRTC 13.0, sm_90a", &launch, 1, &code, &err), STATUS_OK);
    assert_non_null(code.binary);
    program_code_release(&code);
    free(source);
    free(next);
}

/* With BLOCK 64 it may run once, with 256 it hangs the first time, and with 512 it waits for that.
 */
static const char watched[] = "import os, sys, time\n"
                              "block = sys._getframe(1).f_locals['kernel']['constants']['BLOCK']\n"
                              "has_begun = os.path.exists(f'../{block}')\n"
                              "with open(f'../{block}', 'w') as mark: pass\n"
                              "assert block != 64 or not has_begun, 'compiled again'\n"
                              "if block == 256 and not has_begun: time.sleep(3600)\n"
                              "end = time.monotonic() + 20\n"
                              "while block == 512 and not os.path.exists('../256'):\n"
                              "    assert time.monotonic() < end, 'nothing is compiled ahead'\n"
                              "    time.sleep(0.01)\n";

static struct dispatch dispatch_of(struct launch *launch)
{
    return (struct dispatch){.options = (char[]){""},
                             .buffers = {.items = buffers, .count = COUNT(buffers)},
                             .tensor_count = COUNT(buffers),
                             .launches = {.items = launch, .count = 1}};
}

static void must_compile(const char *source, char *constants)
{
    struct launch launch = launch_of(constants, 1);
    struct program_code code = {0};
    struct error err = {0};

    if (compile(source, "NVRTC 13.0, sm_90a", &launch, 1, &code, &err))
        fail_msg("%s", err.text);
    if (!code.binary)
        fail_msg("%s: %s", constants, code.report.log);
    program_code_release(&code);
}

/* What is announced is compiled before it is asked for, and once; to rest ends the work on it. */
static void what_is_foreseen_is_compiled_ahead(void **state)
{
    char first[] = "{\"BLOCK\":128}", other[] = "{\"BLOCK\":512}";
    char early[] = "{\"BLOCK\":64}", hanging[] = "{\"BLOCK\":256}";
    struct launch launches[] = {launch_of(early, 1), launch_of(hanging, 1)};
    struct strbuf source = {0};

    (void)state;
    strbuf_addf(&source, "%s%s", watched, softmax);
    for (size_t i = 0; i < COUNT(launches); i++) {
        const struct dispatch dispatch = dispatch_of(&launches[i]);

        assert_true(program_compiler_foresee(compiler, &dispatch));
    }
    must_compile(strbuf_cstr(&source), first);
    must_compile(strbuf_cstr(&source), other);
    program_compiler_rest(compiler);
    must_compile(strbuf_cstr(&source), hanging);
    must_compile(strbuf_cstr(&source), early);
    strbuf_release(&source);
}

static bool has_compiler(void)
{
    char constants[] = "{\"BLOCK\":128}";
    struct launch launch = launch_of(constants, 4);
    struct program_code code = {0};
    struct error err = {0};
    enum status st = compile(softmax, "NVRTC 13.0, sm_90a", &launch, 1, &code, &err);

    program_code_release(&code);
    if (st == STATUS_UNAVAILABLE)
        printf("%s: skipped\n", err.text);
    return st != STATUS_UNAVAILABLE;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_variant_has_code_and_launch),
        cmocka_unit_test(other_targets_are_compiled_for),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(a_source_cannot_change_the_compiler),
        cmocka_unit_test(what_is_foreseen_is_compiled_ahead),
    };
    const char *const argv[] = {getenv("KFORGE_WORKER"), "--contained", getenv("KFORGE_PYTHON"),
                                "-B", NULL};
    int failed = SKIPPED;

    signal(SIGPIPE, SIG_IGN);
    compiler = program_compiler_new(argv);
    if (has_compiler())
        failed = cmocka_run_group_tests_name("program_compiler", tests, NULL, NULL);
    program_compiler_free(compiler);
    return failed;
}
