/* The names of plain kernels in C beside those of the language's own functions. Needs a compiler.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/codegen/plain.h"
#include "core/system/file.h"
#include "core/system/process.h"
#include "tests/unit/graph_fixture.h"

enum { NODES = 17 };

/* A chain of all functions of vectors, each as the node 2, 4, 8 or 16. */
static char *chain_from(const char *const *ops)
{
    struct strbuf text = {0};

    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"chain\", \"summary\": \"A chain.\", \"dims\": {},"
                " \"tensors\": {\"t0\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [8],"
                " \"fill\": {\"uniform\": [1, 2]}}, \"t17\": {\"role\": \"output\","
                " \"dtype\": \"f32\", \"shape\": [8]}}, \"graph\": [");
    for (int i = 0; i < NODES; i++) {
        const char *op = i == 2    ? ops[0]
                         : i == 4  ? ops[1]
                         : i == 8  ? ops[2]
                         : i == 16 ? ops[3]
                                   : "silu";

        strbuf_addf(&text, "%s{\"op\": \"%s\", \"in\": [\"t%d\"], \"out\": \"t%d\"}", i ? ", " : "",
                    op, i, i + 1);
    }
    strbuf_adds(&text, "], \"tolerance\": {\"class\": \"f32\"}}");
    return strbuf_take(&text);
}

static void assert_compiles(const char *source)
{
    char folder[] = "/tmp/kforge-names-XXXXXX", path[64];
    const char *const argv[] = {"cc", "-std=gnu17", "-fopenmp", "-fsyntax-only", "-march=native",
                                "-w", path,         NULL};
    struct error err = {0};
    int ended = -1;
    pid_t pid;

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/kernel.c", folder);
    assert_int_equal(file_write_text(folder, "kernel.c", source, &err), STATUS_OK);
    assert_int_equal(process_start_here(&pid, argv, &err), STATUS_OK);
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void kernels_have_names_of_their_own(void **state)
{
    static const char *const ops[][4] = {{"tanh", "exp", "log", "sqrt"},
                                         {"sin", "cos", "erf", "atan"},
                                         {"exp", "rsqrt", "sign", "tanh"}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char *text = chain_from(ops[i]);
        struct plain_target target = {.language = "c"};
        struct candidate candidate = {0};
        struct graph_fixture built;
        struct error err = {0};

        assert_int_equal(graph_fixture_build(text, &built, &err), STATUS_OK);
        assert_int_equal(plain_candidate(&built.problem, &target, &candidate, &err), STATUS_OK);
        assert_compiles(candidate.source);
        candidate_release(&candidate);
        graph_fixture_release(&built);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_have_names_of_their_own)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
