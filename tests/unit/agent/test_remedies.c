#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/analyst.h"
#include "core/agent/builtin/plan/remedies.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/model/problem_reader.h"

/* Tests of the built-in analyst's conclusions from a GPU's counters. */

static char cuda_language[] = "cuda", hopper_compiler[] = "NVRTC 13.0, sm_90a";
static const struct device_info hopper = {
    .language = cuda_language, .compiler = hopper_compiler, .compute_units = 132};

static const char wasteful[] = "of what is fetched by global loads only 25 % is used";

/* A profile of two launches; the second takes longer. */
static struct profile profiled(void)
{
    struct profile profile = {.is_present = true, .source = mem_strdup("ncu")};

    vec_push(&profile.kernels,
             ((struct kernel_profile){.name = mem_strdup("first"), .us = 100, .share = 0.25}));
    vec_push(&profile.kernels,
             ((struct kernel_profile){.name = mem_strdup("second"), .us = 300, .share = 0.75}));
    return profile;
}

static void add_rule(struct profile *profile, const char *name, const char *kernel, double estimate)
{
    vec_push(&profile->rules, ((struct profile_rule){.name = mem_strdup(name),
                                                     .kernel = mem_strdup(kernel),
                                                     .text = mem_strdup(wasteful),
                                                     .has_estimate = estimate > 1,
                                                     .estimate = estimate}));
}

/* The analyst's recommendation for a softmax kernel that takes a hundred times its bound. */
static struct recommendation analyse(const char *first_line, const struct profile *profile)
{
    struct strbuf source = {0}, reply = {0};
    struct problem problem = {0};
    struct recommendation advice = {0};
    struct error err = {0};
    char nothing[] = "";

    strbuf_addf(&source, "%s\n", first_line);

    struct candidate candidate = {.language = cuda_language,
                                  .source = strbuf_take(&source),
                                  .plan = nothing,
                                  .remark = nothing};
    struct verdict verdict = {
        .outcome = OUTCOME_CORRECT,
        .timing = {.is_present = true, .time = {400, 390, 410}},
        .bound = {.is_present = true, .us = 4, .fraction = 0.01, .limiter = LIMITER_MEMORY}};
    const struct brief brief = {
        .problem = &problem, .device = &hopper, .previous = &candidate, .verdict = &verdict};

    if (profile)
        verdict.profile = *profile;
    if (problem_load(&problem, KFORGE_SOURCE_DIR "/prompts/problems/softmax.json", &err) ||
        analyst_reply(&brief, &reply, &err) ||
        recommendation_parse(&advice, strbuf_cstr(&reply), &err))
        fail_msg("%s", err.text);
    problem_release(&problem);
    strbuf_release(&reply);
    free(candidate.source);
    return advice;
}

static bool cites(const struct recommendation *advice, const char *text)
{
    return advice->evidence && strstr(advice->evidence, text);
}

static const char one_lane[] = "// schedule: fuse=1 vec=4 group=256 lanes=1 hold=4 store=0 fast=0";
static const char a_warp[] = "// schedule: fuse=1 vec=4 group=256 lanes=32 hold=4 store=0 fast=0";

static void the_bottleneck_in_the_counters_is_addressed(void **state)
{
    struct profile profile = profiled();
    struct recommendation without = analyse(one_lane, NULL), kernel_group;

    (void)state;
    add_rule(&profile, "uncoalesced", "second", 4);
    kernel_group = analyse(one_lane, &profile);
    assert_string_equal(kernel_group.change, "lanes: 1 -> 32");
    assert_string_equal(kernel_group.bottleneck, "neighbouring threads touch distant elements");
    assert_true(cites(&kernel_group, "ncu, uncoalesced in second: of what is fetched"));
    assert_true(kernel_group.gain > 1.5 && kernel_group.gain <= 2); /* sqrt(estimate) */
    assert_false(cites(&without, "ncu"));
    assert_true(without.gain < kernel_group.gain);
    recommendation_release(&without);
    recommendation_release(&kernel_group);
    profile_release(&profile);
}

/* The analyst does not cite a profiler rule that its change does not address. */
static void a_rule_that_is_not_addressed_is_not_cited(void **state)
{
    struct profile profile = profiled();
    struct recommendation advice;

    (void)state;
    add_rule(&profile, "bank_conflicts", "second", 4);
    advice = analyse(one_lane, &profile);
    assert_false(cites(&advice, "bank_conflicts"));
    recommendation_release(&advice);
    profile_release(&profile);
}

/* Memory accesses coalesce within one warp: more lanes than a warp has do not help. */
static void lanes_beyond_a_warp_do_not_coalesce(void **state)
{
    struct profile profile = profiled();
    struct recommendation advice;

    (void)state;
    add_rule(&profile, "uncoalesced", "second", 4);
    advice = analyse(a_warp, &profile);
    assert_false(cites(&advice, "uncoalesced"));
    recommendation_release(&advice);
    profile_release(&profile);
}

static void a_kernel_by_hand_is_written_anew_for_a_reason(void **state)
{
    struct profile profile = profiled();
    struct recommendation advice;

    (void)state;
    add_rule(&profile, "uncoalesced", "second", 8);
    advice = analyse("// by hand", &profile);
    assert_string_equal(advice.change, "fuse: 0 -> 1");
    assert_string_equal(advice.bottleneck, "neighbouring threads touch distant elements");
    assert_true(cites(&advice, wasteful));
    recommendation_release(&advice);
    profile_release(&profile);
}

static void the_launch_that_takes_longest_counts(void **state)
{
    struct profile profile = profiled();

    (void)state;
    add_rule(&profile, "spills", "second", 0);
    add_rule(&profile, "spills", "first", 0);
    assert_string_equal(remedies_rule(&profile, "spills")->kernel, "second");
    assert_null(remedies_rule(&profile, "cache"));
    profile_release(&profile);
}

static void every_remedy_has_a_reason(void **state)
{
    const struct remedy *remedy;

    (void)state;
    for (size_t i = 0; (remedy = remedies_at(i)); i++) {
        char *name = mem_strdup(remedy->rule);
        const struct profile_rule rule = {.name = name};

        assert_non_null(remedies_reason(&rule)->bottleneck);
        assert_true(knob_table[remedy->knob].families & remedy->families);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bottleneck_in_the_counters_is_addressed),
        cmocka_unit_test(a_rule_that_is_not_addressed_is_not_cited),
        cmocka_unit_test(lanes_beyond_a_warp_do_not_coalesce),
        cmocka_unit_test(a_kernel_by_hand_is_written_anew_for_a_reason),
        cmocka_unit_test(the_launch_that_takes_longest_counts),
        cmocka_unit_test(every_remedy_has_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
