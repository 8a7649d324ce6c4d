#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/judge/tools/bottleneck.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/ncu_run.h"
#include "core/system/file.h"

/*
 * The pages in tests/unit/profiles are from ncu 2025.3 on an H100 and, the source, an H200, reduced
 * to the columns that kforge reads.
 */
static char *page(const char *name)
{
    struct strbuf path = {0}, text = {0};
    struct error err;

    strbuf_addf(&path, "%s/tests/unit/profiles/%s", KFORGE_SOURCE_DIR, name);
    if (file_read(strbuf_cstr(&path), 1 << 22, &text, &err))
        fail_msg("%s", err.text);
    strbuf_release(&path);
    return strbuf_take(&text);
}

static struct profile read_profile(void)
{
    struct profile profile = {0};
    char *raw = page("raw.csv");

    assert_true(ncu_read_raw(raw, &profile));
    free(raw);
    return profile;
}

static const struct profile_rule *rule_of(const struct profile *profile, const char *kernel,
                                          const char *name)
{
    for (size_t i = 0; i < profile->rules.count; i++)
        if (strcmp(profile->rules.items[i].kernel, kernel) == 0 &&
            strcmp(profile->rules.items[i].name, name) == 0)
            return &profile->rules.items[i];
    return NULL;
}

/* ncu knows every metric that kforge requests: its page lacks none. */
static void every_requested_metric_is_in_the_page(void **state)
{
    struct profile profile = read_profile();
    char *raw = page("raw.csv"), *metric;
    struct strbuf list = {0};
    char *rest;

    (void)state;
    ncu_list_metrics(&list);
    rest = list.data;
    while ((metric = strsep(&rest, ",")))
        assert_non_null(strstr(raw, metric));
    assert_int_equal(profile.kernels.count, 2);
    for (size_t i = 0; i < profile.kernels.count; i++)
        assert_int_equal(profile.kernels.items[i].metrics.count, 36);
    strbuf_release(&list);
    free(raw);
    profile_release(&profile);
}

/* The issue of instructions is the busiest part of one kernel, loads and stores of the other. */
static void the_busiest_pipe_is_found(void **state)
{
    struct profile profile = read_profile();
    const struct profile_metric *metric =
        profile_find_metric(&profile.kernels.items[0], "sm_percent");

    (void)state;
    assert_non_null(metric);
    assert_true(fabs(metric->value - 19.88) < 0.001);
    assert_string_equal(metric->unit, "%");
    metric = profile_find_metric(&profile.kernels.items[1], "sm_percent");
    assert_non_null(metric);
    assert_true(fabs(metric->value - 3.08) < 0.001);
    profile_release(&profile);
}

static void kernels_have_names_and_times(void **state)
{
    struct profile profile = read_profile();

    (void)state;
    assert_string_equal(profile.kernels.items[0].name, "scale");
    assert_string_equal(profile.kernels.items[1].name, "conflict");
    assert_true(profile.kernels.items[0].us > 1 && profile.kernels.items[0].us < 1000);
    assert_true(fabs(profile.kernels.items[0].share + profile.kernels.items[1].share - 1) < 1e-6);
    profile_release(&profile);
}

/* The kernel with which ncu prepares itself is none of the candidate's. */
static void the_warm_up_is_left_out(void **state)
{
    struct profile profile = {0};
    struct strbuf text = {0};
    char *raw = page("raw.csv");
    const char *last = strstr(raw, "\"1\",");

    (void)state;
    assert_non_null(last);
    strbuf_adds(&text, raw);
    strbuf_add(&text, last, strcspn(last, ","));
    last = strstr(last, "conflict");
    strbuf_addf(&text, ",\"1\",\"probe\",\"127.0.0.1\",\"kforge_warm_up%s",
                last + strlen("conflict"));
    assert_true(ncu_read_raw(strbuf_cstr(&text), &profile));
    assert_int_equal(profile.kernels.count, 2);
    strbuf_release(&text);
    free(raw);
    profile_release(&profile);
}

/* The two profiled kernels were written to have these bottlenecks. */
static void bottlenecks_are_named(void **state)
{
    struct profile profile = read_profile();
    const struct profile_rule *rule;

    (void)state;
    profile.kernels.items[0].share = 0.5; /* the launch was so short that it would be ignored */
    bottleneck_find(&profile);
    rule = rule_of(&profile, "scale", "uncoalesced");
    assert_non_null(rule);
    assert_true(rule->has_estimate && rule->estimate > 1);
    assert_non_null(strstr(rule->text, "load_used_percent"));
    assert_non_null(rule_of(&profile, "conflict", "bank_conflicts"));
    assert_null(rule_of(&profile, "conflict", "uncoalesced"));
    assert_null(rule_of(&profile, "scale", "bank_conflicts"));
    assert_null(rule_of(&profile, "scale", "spills"));
    profile_release(&profile);
}

static void hot_lines_are_those_of_the_source(void **state)
{
    struct profile profile = read_profile();
    char *source = page("source.csv");

    (void)state;
    ncu_read_source(source, &profile);
    assert_true(profile.kernels.items[0].hot.count > 0);
    assert_int_equal(profile.kernels.items[0].hot.items[0].line, 7);
    assert_true(profile.kernels.items[0].hot.items[0].share > 0.5);
    assert_int_equal(profile.kernels.items[1].hot.items[0].line, 17);
    free(source);
    profile_release(&profile);
}

static void a_profile_survives_the_way_to_a_file(void **state)
{
    struct profile profile = read_profile(), read = {0};
    struct json *json;
    struct json_ref root;

    (void)state;
    bottleneck_find(&profile);
    json = record_encode(profile_fields, &profile);
    root = json_ref_root(json, "profile");
    assert_int_equal(record_read(profile_fields, &read, sizeof(read), &root, NULL), STATUS_OK);
    assert_int_equal(read.kernels.count, profile.kernels.count);
    assert_int_equal(read.rules.count, profile.rules.count);
    assert_string_equal(read.rules.items[0].text, profile.rules.items[0].text);
    json_free(json);
    profile_release(&read);
    profile_release(&profile);
}

static void assert_why(const char *log, const char *want)
{
    char *why = ncu_find_error(log);

    if (want)
        assert_non_null(strstr(why, want));
    else
        assert_null(why);
    free(why);
}

static void why_nothing_was_profiled_is_one_line(void **state)
{
    (void)state;
    assert_why(
        "==PROF== Connected to process 12\n==ERROR== ERR_NVGPUCTRPERM - The user does not "
        "have permission to access NVIDIA GPU Performance Counters on the target device 0.\n",
        "NVreg_RestrictProfilingToAdminUsers=0");
    assert_why("==ERROR== Failed to prepare kernel for profiling\nmore\n",
               "Failed to prepare kernel for profiling");
    assert_why("==PROF== Disconnected from process 12\n", NULL);
}

static void what_is_no_page_is_refused(void **state)
{
    struct profile profile = {0};

    (void)state;
    assert_false(ncu_read_raw("", &profile));
    assert_false(ncu_read_raw("==WARNING== No kernels were profiled.\n", &profile));
    assert_false(ncu_read_raw("\"ID\",\"Kernel Name\"\n\"\",\"\"\n", &profile));
    ncu_read_source("\"Function Name\",\"x\"\n\"#\",\"Warp Stall Sampling (All Samples)\"\n1,2\n",
                    &profile);
    assert_int_equal(profile.kernels.count, 0);
}

static bool has_word(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Without lines of the source ncu prints its page into the log, between its messages. */
static void a_page_can_be_in_the_log(void **state)
{
    static const char before[] = "==PROF== Connected to process 5 (/bin/kforge-worker)\n";
    struct profile profile = {0};
    const char *const *words;
    char *raw = page("raw.csv");
    struct strbuf log = {0};
    struct ncu_run run;
    struct error err;

    (void)state;
    assert_int_equal(ncu_run_begin(&run, "/bin/false", &err), STATUS_OK);
    words = ncu_run_command(&run);
    assert_true(has_word(words, "SourceCounters") && has_word(words, "--export"));
    run.without_lines = true;
    words = ncu_run_command(&run);
    assert_false(has_word(words, "SourceCounters") || has_word(words, "--export"));
    strbuf_addf(&log, "%s%s==PROF== Disconnected\n", before, raw);
    assert_int_equal(file_write(run.log, strbuf_cstr(&log), log.len, &err), STATUS_OK);
    ncu_run_read(&run, &err, &profile);
    assert_null(profile.missing);
    assert_int_equal(profile.kernels.count, 2);
    assert_string_equal(profile.raw, raw);
    profile_release(&profile);
    ncu_run_release(&run);
    strbuf_release(&log);
    free(raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_requested_metric_is_in_the_page),
        cmocka_unit_test(the_busiest_pipe_is_found),
        cmocka_unit_test(kernels_have_names_and_times),
        cmocka_unit_test(the_warm_up_is_left_out),
        cmocka_unit_test(bottlenecks_are_named),
        cmocka_unit_test(hot_lines_are_those_of_the_source),
        cmocka_unit_test(a_profile_survives_the_way_to_a_file),
        cmocka_unit_test(why_nothing_was_profiled_is_one_line),
        cmocka_unit_test(what_is_no_page_is_refused),
        cmocka_unit_test(a_page_can_be_in_the_log),
    };

    return cmocka_run_group_tests_name("ncu", tests, NULL, NULL);
}
