/*
 * Compiles baselines of a PyTorch model in the background. The model brings its own torch.compile,
 * because PyTorch before 2.0 has none: it fails for one baseline, and never ends for another.
 * Skipped without PyTorch.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/judge/torch/compiler.h"
#include "core/system/clock.h"
#include "core/system/file.h"

enum { SKIPPED = 77 };

static const char model[] = "import os, time, torch\n"
                            "\n"
                            "def compile(call, options=None):\n"
                            "    if call.__code__.co_name == 'compile':\n"
                            "        open(os.environ['KFORGE_KEPT'] + '/mark', 'w').close()\n"
                            "        raise ValueError('no kernel for this')\n"
                            "    while call.__code__.co_name == 'compile_bf16':\n"
                            "        time.sleep(0.01)\n"
                            "    return call\n"
                            "\n"
                            "torch.compile = compile\n"
                            "\n"
                            "class Model(torch.nn.Module):\n"
                            "    def forward(self, x): return x + 1\n"
                            "\n"
                            "def get_inputs(): return [torch.rand(4)]\n"
                            "def get_init_inputs(): return []\n";

static char kept[] = "/tmp/kforge-test-XXXXXX";

static char device_id[] = "opencl:0", device_name[] = "a CPU", driver[] = "a driver";

static struct device_info device = {
    .id = device_id, .name = device_name, .platform = driver, .is_cpu = true};

static struct compiler *compiler; /* the tests share it, because PyTorch takes a second to load */

static void start(void)
{
    static const char script[] = KFORGE_SOURCE_DIR "/backends/torch/bridge.py";
    static const char *argv[] = {NULL, "--contained", NULL, "-B", script, NULL};
    const struct compiler_spec spec = {.argv = argv,
                                       .limit_us = 60000000,
                                       .source = {model, "model.py", "f32"},
                                       .kept = kept,
                                       .device = &device};

    argv[0] = getenv("KFORGE_WORKER");
    argv[2] = getenv("KFORGE_PYTHON");
    compiler = compiler_new(&spec);
}

/*
 * The state of a child of this process as proc(5) names it: 'R', 'S', 'T'. `path` names its `stat`.
 * 0: it is no child.
 */
static char state_of(const char *path)
{
    struct strbuf text = {0};
    const char *name_end;
    char state = 0;

    if (!file_read(path, 4096, &text, NULL) && (name_end = strrchr(strbuf_cstr(&text), ')')) &&
        strlen(name_end) > 4 && strtol(name_end + 4, NULL, 10) == getpid())
        state = name_end[2];
    strbuf_release(&text);
    return state;
}

static char child_state(void)
{
    glob_t found;
    char state = 0;

    assert_int_equal(glob("/proc/[0-9]*/stat", GLOB_NOSORT, NULL, &found), 0);
    for (size_t i = 0; !state && i < found.gl_pathc; i++)
        state = state_of(found.gl_pathv[i]);
    globfree(&found);
    return state;
}

static void await_child(bool is_stopped)
{
    for (char state = 0; !state || (state == 'T') != is_stopped; state = child_state())
        usleep(1000);
}

/* Compile the baseline, or fail. */
static enum compiler_state compile(const char *name, struct error *why)
{
    struct pollfd done = {.fd = compiler_fd(compiler), .events = POLLIN};

    compiler_want(compiler, name);
    while (!compiler_is_done(compiler))
        assert_int_equal(poll(&done, 1, -1), 1);
    return compiler_state(compiler, name, why);
}

static void compiled_baselines_are_timed_in_a_pause(void **state)
{
    struct run_time time = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(compiler_state(compiler, "compile_tf32", &err), COMPILER_READY);
    assert_null(compiler_bridge(compiler));
    compiler_pause(compiler, true);
    assert_non_null(compiler_bridge(compiler));
    if (bridge_time(compiler_bridge(compiler), "compile_tf32", 1, &time, &err) ||
        bridge_rest(compiler_bridge(compiler), &err))
        fail_msg("%s", err.text);
    compiler_pause(compiler, false);
    assert_true(time.us > 0);
}

static void a_failure_names_the_line_and_the_folder_is_kept(void **state)
{
    struct error why = {0};
    char *mark = file_join(kept, "mark");

    (void)state;
    assert_int_equal(compile("compile", &why), COMPILER_FAILED);
    assert_string_equal(why.text, "model.py:6: ValueError: no kernel for this");
    assert_true(file_exists(mark));
    free(mark);
}

static int64_t settle_us(void)
{
    int64_t began_us = clock_now_us();

    compiler_settle(compiler);
    return clock_now_us() - began_us;
}

/*
 * What a stopped process has queued on a GPU is waited for, from the stop on: a pause that has
 * lasted for as long costs no time.
 */
static void check_settling(void)
{
    assert_true(settle_us() < 150000); /* a CPU has no queue */
    device.is_cpu = false;
    compiler_pause(compiler, false);
    compiler_pause(compiler, true);
    assert_null(compiler_bridge(compiler));
    assert_in_range(settle_us(), 50000, 10000000);
    assert_true(settle_us() < 150000);
    device.is_cpu = true;
}

/* The compilation never ends, and the process is stopped and killed in the middle of it. */
static void a_pause_stops_a_compilation(void **state)
{
    (void)state;
    compiler_want(compiler, "compile_bf16");
    compiler_pause(compiler, true);
    while (compiler_bridge(compiler)) { /* it has not begun */
        compiler_pause(compiler, false);
        usleep(1000);
        compiler_pause(compiler, true);
    }
    await_child(true);
    check_settling();
    compiler_pause(compiler, false);
    await_child(false);
    assert_false(compiler_is_done(compiler));
    compiler_free(compiler);
    assert_int_equal(child_state(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_baselines_are_timed_in_a_pause),
        cmocka_unit_test(a_failure_names_the_line_and_the_folder_is_kept),
        cmocka_unit_test(a_pause_stops_a_compilation),
    };
    struct error why = {0};
    int failed = SKIPPED;

    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(kept))
        return 1;
    start();
    if (compile("compile_tf32", &why) == COMPILER_FAILED && why.code == STATUS_UNAVAILABLE)
        fprintf(stderr, "%s\n", why.text);
    else
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == SKIPPED)
        compiler_free(compiler);
    file_remove_folder(kept);
    return failed;
}
