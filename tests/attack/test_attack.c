/*
 * Judges candidates that try to deceive the judge, and honest ones, some of them unusual, through
 * the real worker. No attack may be correct, and every honest candidate must be. Usage: test_attack
 * DEVICE [PROBLEM], by default all problems. DEVICE is a device's id, a language that a device
 * takes, or `other`: an OpenCL driver that is not PoCL. KFORGE_DEVICE, if set, is the device.
 * Candidates are in that language, or else in the device's own.
 *
 * An attack is tests/attack/LANGUAGE/refused/PROBLEM.NAME.md and states the expected outcome; an
 * honest candidate is honest/PROBLEM.NAME.md. Both belong to problems/PROBLEM.json. The example in
 * the prompt of the language is judged on example.json. KFORGE_WORKER
 * is the path of kforge-worker.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/model/language.h"
#include "core/system/file.h"
#include "tests/contract/judge_fixture.h"

#define FOLDER KFORGE_SOURCE_DIR "/tests/attack/"

enum { SKIPPED = 77 };

/* Counts of candidates and of wrong verdicts. */
struct tally {
    const char *language; /* of the candidates; a row of core/model/language.h */
    unsigned attacks, honest;
    unsigned false_accepts, false_refusals;
    unsigned unexpected; /* refused, but with another outcome than stated */
};

/*
 * The language whose folder has the candidates. HIP has those of CUDA, which are read as HIP: the
 * two differ in functions that few of them call.
 */
static const char *corpus_of(const char *language)
{
    return strcmp(language, "hip") == 0 ? "cuda" : language;
}

/* Read a file; its code blocks become those of `language`. */
static enum status read_as(const char *path, const char *language, struct strbuf *out,
                           struct error *err)
{
    const char *own = language_of(corpus_of(language))->fences[0], *at, *next;
    struct strbuf text = {0}, mark = {0};
    enum status st = file_read(path, 1 << 20, &text, err);

    strbuf_addf(&mark, "```%s\n", own);
    at = strbuf_cstr(&text);
    while (!st && corpus_of(language) != language && (next = strstr(at, strbuf_cstr(&mark)))) {
        strbuf_add(out, at, (size_t)(next - at));
        strbuf_addf(out, "```%s\n", language_of(language)->fences[0]);
        at = next + mark.len;
    }
    strbuf_adds(out, at);
    strbuf_release(&mark);
    strbuf_release(&text);
    return st;
}

/* Judge the candidate in a file; the caller releases the verdict. */
static void judge_file(const struct judge_fixture *fixture, const char *path, const char *language,
                       struct verdict *verdict)
{
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error err;

    if (read_as(path, language, &reply, &err) ||
        reply_parse(strbuf_cstr(&reply), language, &candidate, &err))
        fail_msg("%s: %s", path, err.text);
    judge_fixture_skip_optimizer(&candidate);
    if (judge_evaluate(fixture->judge, &(struct judge_request){.candidate = &candidate}, verdict,
                       &err))
        fail_msg("%s: %s", path, err.text);
    candidate_release(&candidate);
    strbuf_release(&reply);
}

/* True when the file's line "Expected: ..." lists the outcome. */
static bool is_expected(const char *path, enum outcome outcome)
{
    struct strbuf text = {0};
    const char *line, *name = outcome_name(outcome), *found;
    bool is_listed;

    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    line = strstr(strbuf_cstr(&text), "Expected: ");
    assert_non_null(line);
    found = strstr(line, name);
    is_listed = found && found < line + strcspn(line, "\n");
    strbuf_release(&text);
    return is_listed;
}

static void show(const char *what, const char *path, const struct verdict *verdict)
{
    print_message("%s: %s: %s: %s\n", what, file_name(path), outcome_name(verdict->outcome),
                  verdict->detail);
}

/*
 * True when the device lacks the language version that the plan asks for, or a function of the
 * language that the candidate was written in first.
 */
static bool is_untried(const struct verdict *verdict, const struct tally *tally)
{
    return verdict->outcome == OUTCOME_BUILD_FAILED &&
           (corpus_of(tally->language) != tally->language || strstr(verdict->detail, "-cl-std"));
}

static void try_attack(const struct judge_fixture *fixture, const char *path, struct tally *tally)
{
    struct verdict verdict = {0};

    judge_file(fixture, path, tally->language, &verdict);
    tally->attacks++;
    if (is_expected(path, verdict.outcome)) {
        verdict_release(&verdict);
        return;
    }
    if (verdict.outcome == OUTCOME_CORRECT) {
        tally->false_accepts++;
        show("false accept", path, &verdict);
    } else if (is_untried(&verdict, tally)) {
        tally->attacks--;
        show("not tried", path, &verdict);
    } else {
        tally->unexpected++;
        show("refused for another reason", path, &verdict);
    }
    verdict_release(&verdict);
}

static void try_honest(const struct judge_fixture *fixture, const char *path, struct tally *tally)
{
    struct verdict verdict = {0};

    judge_file(fixture, path, tally->language, &verdict);
    if (is_untried(&verdict, tally)) {
        show("not tried", path, &verdict);
    } else if (verdict.outcome != OUTCOME_CORRECT) {
        tally->false_refusals++;
        show("false refusal", path, &verdict);
    }
    tally->honest += !is_untried(&verdict, tally);
    verdict_release(&verdict);
}

typedef void trial_fn(const struct judge_fixture *fixture, const char *path, struct tally *tally);

/* Judge every candidate of `kind` for the problem. */
static void try_all(const struct judge_fixture *fixture, const char *kind, trial_fn *try_one,
                    struct tally *tally)
{
    struct strbuf pattern = {0};
    glob_t found = {0};

    strbuf_addf(&pattern, FOLDER "%s/%s/%s.*.md", corpus_of(tally->language), kind,
                fixture->problem.name);
    if (glob(strbuf_cstr(&pattern), 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            try_one(fixture, found.gl_pathv[i], tally);
    globfree(&found);
    strbuf_release(&pattern);
}

static void try_problem(struct judge_fixture *fixture, const char *path, struct tally *tally)
{
    judge_fixture_open(fixture, path);
    if (!tally->language)
        tally->language = language_of(judge_fixture_language(fixture))->name;
    try_all(fixture, "refused", try_attack, tally);
    try_all(fixture, "honest", try_honest, tally);
}

/* The example in the prompt of the language (prompts/platforms) is honest too. */
static void try_example(struct judge_fixture *fixture, struct tally *tally)
{
    struct strbuf path = {0};

    judge_fixture_open(fixture, FOLDER "example.json");
    strbuf_addf(&path, KFORGE_SOURCE_DIR "/prompts/platforms/%s/example.md", tally->language);
    try_honest(fixture, strbuf_cstr(&path), tally);
    strbuf_release(&path);
}

/* What to try. */
struct trials {
    const char *problem;  /* a pattern */
    const char *language; /* NULL: the device's own */
};

static void nothing_false_is_accepted_and_nothing_honest_refused(void **state)
{
    struct judge_fixture fixture = {.unseen = JUDGE_UNSEEN};
    struct strbuf pattern = {0};
    const struct trials *trials = *state;
    struct tally tally = {.language = trials->language};
    glob_t problems;

    strbuf_addf(&pattern, FOLDER "problems/%s.json", trials->problem);
    assert_int_equal(glob(strbuf_cstr(&pattern), 0, NULL, &problems), 0);
    for (size_t i = 0; i < problems.gl_pathc; i++)
        try_problem(&fixture, problems.gl_pathv[i], &tally);
    try_example(&fixture, &tally);
    judge_fixture_close(&fixture);
    print_message("%u attacks on %zu problems: %u false accepts\n%u honest candidates: %u false "
                  "refusals\n",
                  tally.attacks, problems.gl_pathc, tally.false_accepts, tally.honest,
                  tally.false_refusals);
    globfree(&problems);
    strbuf_release(&pattern);
    assert_true(tally.attacks + tally.honest > 0);
    assert_int_equal(tally.false_accepts + tally.false_refusals + tally.unexpected, 0);
}

int main(int argc, char **argv)
{
    struct trials trials = {.problem = argc > 2 ? argv[2] : "*"};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(nothing_false_is_accepted_and_nothing_honest_refused, &trials),
    };

    if (argc != 2 && argc != 3)
        return EXIT_FAILURE;
    if (!getenv("KFORGE_DEVICE") && !judge_fixture_choose_device(argv[1])) {
        print_message("no %s device: skipped\n", argv[1]);
        return SKIPPED;
    }
    trials.language = language_of(argv[1])->name;
    return cmocka_run_group_tests_name("attack", tests, NULL, NULL);
}
