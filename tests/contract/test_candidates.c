/*
 * Judges the candidates in tests/candidates, which engineers wrote by hand, through the real
 * worker. Every shipped problem has one in OpenCL, and all must be correct. Usage: test_candidates
 * LANGUAGE KERNEL.md...
 *
 * A candidate of PROBLEM is PROBLEM.md; further ones are PROBLEM.WORDS.md. Those in other languages
 * than OpenCL are in a folder of the language's name, and skipped if no device takes it.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/agent/reply/reply.h"
#include "core/system/file.h"
#include "tests/contract/judge_fixture.h"

#define PROBLEMS   KFORGE_SOURCE_DIR "/prompts/problems/"
#define CANDIDATES KFORGE_SOURCE_DIR "/tests/candidates/"

enum { SKIPPED = 77 };

/* Append the folder `to`, the file name of `path` up to its first dot, and `ending`. */
static void find_other(const char *path, const char *to, const char *ending, struct strbuf *other)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    strbuf_addf(other, "%s%.*s%s", to, (int)strcspn(name, "."), name, ending);
}

static void every_problem_has_a_candidate(void **state)
{
    glob_t problems;

    (void)state;
    assert_int_equal(glob(PROBLEMS "*.json", 0, NULL, &problems), 0);
    for (size_t i = 0; i < problems.gl_pathc; i++) {
        struct strbuf path = {0};

        find_other(problems.gl_pathv[i], CANDIDATES, ".md", &path);
        if (access(strbuf_cstr(&path), R_OK))
            fail_msg("%s has no candidate: %s is missing", problems.gl_pathv[i],
                     strbuf_cstr(&path));
        strbuf_release(&path);
    }
    globfree(&problems);
}

/* All tests share one judge: starting an executor takes most of the time of a small problem. */
static struct judge_fixture fixture;
static const char *language;

static void is_correct(void **state)
{
    const char *path = *state;
    struct candidate candidate = {0};
    struct strbuf problem = {0}, reply = {0};
    struct error err;

    find_other(path, PROBLEMS, ".json", &problem);
    judge_fixture_open(&fixture, strbuf_cstr(&problem));
    if (file_read(path, 1 << 20, &reply, &err) ||
        reply_parse(strbuf_cstr(&reply), language, &candidate, &err))
        fail_msg("%s: %s", path, err.text);
    judge_fixture_assert_correct(&fixture, &candidate, path);
    candidate_release(&candidate);
    strbuf_release(&reply);
    strbuf_release(&problem);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[64] = {cmocka_unit_test(every_problem_has_a_candidate)};
    size_t count = 1;
    int failed;

    if (argc < 2)
        return EXIT_FAILURE;
    language = argv[1];
    if (strcmp(language, "opencl") != 0 && !judge_fixture_choose_device(language)) {
        print_message("no %s device: skipped\n", language);
        return SKIPPED;
    }
    for (int i = 2; i < argc && count < 64; i++)
        tests[count++] = (struct CMUnitTest){argv[i], is_correct, NULL, NULL, argv[i]};
    failed = _cmocka_run_group_tests("candidates", tests, count, NULL, NULL);
    judge_fixture_close(&fixture);
    return failed;
}
