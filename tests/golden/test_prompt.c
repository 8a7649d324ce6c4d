/*
 * Compares each kind of prompt as the model gets it (tests/golden/prompt/NAME.md) and the variables
 * from which it is rendered (NAME.json). golden.template renders the same variables with Jinja2
 * itself.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/prompt/prompt.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "tests/golden/golden.h"

static const char candidate_text[] =
    "One work-item for each element.\n\n```opencl\n__kernel void linear_gelu(__global const float "
    "*x, __global const float *w,\n                          __global const float *b, __global "
    "float *y)\n{\n}\n```\n\n```json\n{\"launches\": [{\"kernel\": \"linear_gelu\", \"global\": "
    "[\"N\", \"M\"], \"args\": [\"x\", \"w\", \"b\", \"y\"]}]}\n```\n";

static const struct roofs roofs = {
    .memory = {{.bytes = 1e6, .bytes_per_us = 21000}, {.bytes = 1e8, .bytes_per_us = 9800}},
    .memory_count = 2,
    .flops_per_us = 330000,
};

static struct candidate candidate;

/* Verdicts as the worker sends them; ' stands for ". */
static const char correct[] =
    "{'kforge': 1, 'outcome': 'correct', 'detail': '6803 us, 88.46x over the plain kernel', "
    "'build': "
    "{'ms': 12.5},"
    " 'resources': [{'kernel': 'linear_gelu', 'max_group': 4096, 'preferred_multiple': 16,"
    "   'local_bytes': 0, 'private_bytes': 64}],"
    " 'verify': {'trials': [{'output': 'y', 'dims': 'M=1 N=1024 K=768', 'elements': 1024},"
    "   {'output': 'y', 'dims': 'M=512 N=1024 K=768', 'elements': 524288}]},"
    " 'timing': {'median_us': 6803.1, 'ci95_us': [6790.5, 6811], 'runs': 120, 'per_kernel':"
    "   [{'kernel': 'pack', 'median_us': 1400}, {'kernel': 'linear_gelu', 'median_us': 4600}]},"
    " 'against': [{'name': 'reference', 'median_us': 601700, 'ci95_us': [600000, 610000],"
    "   'speedup': 88.46, 'speedup_ci95': [88, 90]}],"
    " 'bound': {'flops': 8.1e8, 'bytes': 6.82e6, 'us': 2470, 'limiter': 'compute',"
    "   'fraction': 0.363},"
    " 'hazards': [{'name': 'bits', 'evidence': 'two runs differ by 1e-7'}],"
    " 'tuning': {'chosen': 'TILE=16 VEC=4', 'choices': 12}}";

/* The same verdict on a device with hardware counters. */
static const char profiled[] =
    "{'kforge': 1, 'outcome': 'correct', 'detail': '6803 us',"
    " 'timing': {'median_us': 6803.1, 'ci95_us': [6790.5, 6811], 'runs': 120},"
    " 'profile': {'source': 'ncu', 'raw': 'ID,Kernel Name', 'kernels': [{'name': 'linear_gelu',"
    "   'us': 6700, 'share': 1, 'metrics': [{'name': 'dram_percent', 'value': 12.3456, 'unit': "
    "'%'},"
    "   {'name': 'registers', 'value': 64, 'unit': ''}], 'hot': [{'line': 7, 'share': 0.625}]},"
    "  {'name': 'pack', 'us': 1, 'share': 0.01}],"
    "  'rules': [{'name': 'uncoalesced', 'kernel': 'linear_gelu', 'text': 'of what is fetched by "
    "global loads only 25 % is used (load_used_percent)', 'estimate': 4}, {'name': 'spills',"
    "   'kernel': 'linear_gelu', 'text': '12 instructions go to local memory'}]}}";

static const char build_failed[] =
    "{'kforge': 1, 'outcome': 'build_failed', 'detail': 'line 7: use of undeclared identifier z', "
    "'build':"
    " {'ms': 3, 'log': 'input.cl:7:12: error: use of undeclared identifier z\\n    y[i] = z[i];\\n"
    "           ^\\n1 error generated. ```\\n'}}";

/* Correct for one row; for more rows, the last columns have half of the expected value. */
static const char wrong_values[] =
    "{'kforge': 1, 'outcome': 'wrong_values', 'detail': 'y: 4736 of 37888 elements are off', "
    "'build':"
    " {'ms': 12.5}, 'verify': {'trials': ["
    "   {'output': 'y', 'dims': 'M=1 N=1024 K=768', 'elements': 1024},"
    "   {'output': 'y', 'dims': 'M=37 N=1024 K=768, outliers', 'elements': 37888, 'mismatched': "
    "4736,"
    "    'max_abs': 0.5, 'worst': [{'index': [0, 1017], 'got': 0.5, 'want': 1},"
    "     {'index': [36, 900], 'got': -0.25, 'want': -0.5},"
    "     {'index': [1, 903], 'got': 0.1, 'want': 0.2}]}],"
    "  'map': {'rows': 2, 'cols': 4, 'cells': [0, 0, 0.5, 5000, 0, 0, 0.5, 'inf']}}}";

/* Half of the floor's time. */
static const char suspect[] =
    "{'kforge': 1, 'outcome': 'suspect', 'detail': '90.0 us is below the floor of 180 us', "
    " 'verify': {'trials': [{'output': 'y', 'dims': 'M=1 N=1024 K=768', 'elements': 1024}]},"
    " 'floor': {'us': 180, 'bytes': 3670016, 'bytes_per_us': 20388.98, 'launch_us': 4.25}}";

/* Three times as fast as the graph's operations take. */
static const char beaten[] =
    "{'kforge': 1, 'outcome': 'correct', 'detail': '800 us',"
    " 'timing': {'median_us': 800, 'ci95_us': [790, 810], 'runs': 64},"
    " 'bound': {'flops': 808e6, 'bytes': 6.82e6, 'us': 2450, 'limiter': 'compute',"
    "   'fraction': 3.0625}}";

static const char bad_reply[] =
    "{'kforge': 1, 'outcome': 'bad_reply', 'detail': 'there is no block marked opencl'}";

static struct verdict read_verdict(const char *quoted)
{
    struct verdict verdict = {0};
    struct strbuf text = {0};
    struct error err = {0};
    struct json *json;
    struct json_ref root;

    strbuf_adds(&text, quoted);
    for (char *at = text.data; (at = strchr(at, '\'')); at++)
        *at = '"';
    json = json_parse(text.data, text.len, &err);
    root = json_ref_root(json, "verdict");
    if (!json || verdict_decode(&verdict, &root, &err))
        fail_msg("%s", err.text);
    json_free(json);
    strbuf_release(&text);
    return verdict;
}

static const char advice[] =
    "```json\n{\"bottleneck\": \"narrow loads\", \"evidence\": [\"memory = 12 %\"], \"change\": "
    "\"load w in vectors of 8 in the loop over K\", \"expect\": 1.4}\n```\n";

static const struct brief_record records[] = {
    {"unroll the loop over K by 4", 1.5, 1.2, OUTCOME_CORRECT},
    {"keep a tile of x in local memory", 1.3, 0, OUTCOME_WRONG_VALUES},
};

static const char *const refused[] = {"stage w through local memory"};

static const char *const notes[] = {"candidate vetoed: no local memory on this device",
                                    "keep the kernel short"};

static const struct brief_attachment attachments[] = {
    {"KCachegrind-3.png", "\x89PNG\r\n\x1A\n", 8, true},
    {"counters.csv", "metric,value\nllc_misses,12345", 29, false},
    {"window.png", "\x89PNG\r\n\x1A\n", 8, false},
};

struct prompt_case {
    struct problem problem;
    struct device_info device;
    struct recommendation advice;
    struct verdict verdict;
    struct brief brief;
};

static int set_up(void **state)
{
    static struct prompt_case prompt;
    static const char path[] = KFORGE_SOURCE_DIR "/prompts/problems/linear_gelu.json";

    prompt = (struct prompt_case){.device = {.id = mem_strdup("opencl:0"),
                                             .name = mem_strdup("Xeon"),
                                             .platform = mem_strdup("Portable Computing Language"),
                                             .compiler = mem_strdup("OpenCL C 1.2"),
                                             .language = mem_strdup("opencl"),
                                             .is_cpu = true,
                                             .compute_units = 2,
                                             .vector_width_f32 = 16,
                                             .max_work_group = 4096,
                                             .memory_bytes = 4000000000,
                                             .max_buffer_bytes = 1000000000,
                                             .local_bytes = 1000000}};
    assert_int_equal(problem_load(&prompt.problem, path, NULL), STATUS_OK);
    prompt.brief =
        (struct brief){.problem = &prompt.problem, .device = &prompt.device, .roofs = &roofs};
    *state = &prompt;
    return 0;
}

static int tear_down(void **state)
{
    struct prompt_case *prompt = *state;

    problem_release(&prompt->problem);
    device_info_release(&prompt->device);
    recommendation_release(&prompt->advice);
    verdict_release(&prompt->verdict);
    return 0;
}

static void set_candidate(struct prompt_case *prompt, const char *verdict)
{
    prompt->verdict = read_verdict(verdict);
    prompt->brief.previous = &candidate;
    prompt->brief.previous_reply = candidate_text;
    prompt->brief.verdict = &prompt->verdict;
}

static void compare_variables(const char *name, const struct brief *brief)
{
    struct json *variables = prompt_variables(brief, NULL);
    struct strbuf text = {0};
    char file[80];

    snprintf(file, sizeof(file), "prompt/%s.json", name);
    json_print_pretty(variables, &text);
    strbuf_adds(&text, "\n");
    golden_compare(file, &text);
    strbuf_release(&text);
    json_free(variables);
}

static void render(enum agent_task task, const struct brief *brief, struct strbuf *text)
{
    struct error err = {0};

    if (prompt_render(task, brief, text, &err))
        fail_msg("%s", err.text);
}

static void compare(const char *name, enum agent_task task, const struct brief *brief)
{
    struct strbuf text = {0};
    char file[80];

    snprintf(file, sizeof(file), "prompt/%s.md", name);
    render(task, brief, &text);
    golden_compare(file, &text);
    compare_variables(name, brief);
    strbuf_release(&text);
}

static void asks_for_a_first_version(void **state)
{
    struct prompt_case *prompt = *state;

    compare("first", TASK_GENERATE, &prompt->brief);
}

static void carries_a_reference_over(void **state)
{
    struct prompt_case *prompt = *state;

    prompt->brief.reference = "__global__ void k(float *y) // with ``` in it\n{\n}";
    prompt->brief.reference_name = "linear_gelu.cu";
    compare("reference", TASK_GENERATE, &prompt->brief);
}

static void sends_a_build_error_back(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, build_failed);
    compare("build_failed", TASK_GENERATE, &prompt->brief);
}

static void says_where_and_how_values_are_wrong(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, wrong_values);
    compare("wrong_values", TASK_GENERATE, &prompt->brief);
}

static void says_what_is_suspected_and_why(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, suspect);
    compare("suspect", TASK_GENERATE, &prompt->brief);
}

static void says_that_a_candidate_does_less_than_the_graph(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, beaten);
    compare("beaten", TASK_ANALYSE, &prompt->brief);
}

static void sends_a_reply_without_a_kernel_back(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, bad_reply);
    prompt->brief.previous = NULL;
    prompt->brief.previous_reply = "I would rather not.";
    compare("bad_reply", TASK_GENERATE, &prompt->brief);
}

static void asks_for_the_recommended_change(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, correct);
    if (recommendation_parse(&prompt->advice, advice, NULL))
        fail_msg("no advice");
    prompt->brief.recommendation = &prompt->advice;
    prompt->brief.records = records;
    prompt->brief.record_count = 2;
    compare("recommendation", TASK_GENERATE, &prompt->brief);
}

static void passes_on_what_the_engineer_says_and_edits(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, correct);
    prompt->brief.notes = notes;
    prompt->brief.note_count = 2;
    prompt->brief.edit = "@@ -3 +3 @@\n-    float s = 0;\n+    float8 s = 0;\n";
    compare("engineer", TASK_GENERATE, &prompt->brief);
}

/* A file of the user's own takes the place of the shipped one, alone. */
static void takes_the_users_platform_files(void **state)
{
    const struct prompt_case *prompt = *state;
    char folder[] = "/tmp/kforge-prompt-XXXXXX";
    struct strbuf path = {0}, text = {0};

    assert_non_null(mkdtemp(folder));
    strbuf_addf(&path, "%s/kforge/platforms/opencl", folder);
    assert_int_equal(file_make_folder(strbuf_cstr(&path), NULL), 0);
    assert_int_equal(file_write_text(strbuf_cstr(&path), "facts.md", "Ours.\n", NULL), 0);
    setenv("XDG_CONFIG_HOME", folder, 1);
    render(TASK_GENERATE, &prompt->brief, &text);
    unsetenv("XDG_CONFIG_HOME");
    assert_non_null(strstr(strbuf_cstr(&text), "Ours.\n"));
    assert_null(strstr(strbuf_cstr(&text), "every compute unit is a core"));
    assert_non_null(strstr(strbuf_cstr(&text), "fenced block marked `opencl`"));
    file_remove_folder(folder);
    strbuf_release(&path);
    strbuf_release(&text);
}

static void asks_the_analyst(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, correct);
    compare("analyse", TASK_ANALYSE, &prompt->brief);
}

static void shows_the_analyst_what_was_counted(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, profiled);
    compare("profiled", TASK_ANALYSE, &prompt->brief);
}

static void shows_the_analyst_its_record_and_what_is_attached(void **state)
{
    struct prompt_case *prompt = *state;

    set_candidate(prompt, correct);
    prompt->brief.records = records;
    prompt->brief.record_count = 2;
    prompt->brief.refused = refused;
    prompt->brief.refused_count = 1;
    prompt->brief.attachments = attachments;
    prompt->brief.attachment_count = 3;
    compare("attached", TASK_ANALYSE, &prompt->brief);
}

/* Fill a brief in which every part that can be shortened is long. */
static void fill(struct prompt_case *prompt, struct strbuf *reference)
{
    static struct brief_record many[50];
    struct strbuf log = {0};

    set_candidate(prompt, build_failed);
    for (int line = 0; line < 400; line++)
        strbuf_addf(&log, "input.cl:%d:1: error: the compiler is at a loss for words\n", line);
    for (int line = 0; line < 1000; line++)
        strbuf_addf(reference, "// line %d of the reference\n", line);
    for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
        many[i] = (struct brief_record){i ? "a later change" : "the oldest change", 1.2, 1.1,
                                        OUTCOME_CORRECT};
    free(prompt->verdict.build.log);
    prompt->verdict.build.log = strbuf_take(&log);
    prompt->brief.reference = reference->data;
    prompt->brief.reference_name = "long.cu";
    prompt->brief.records = many;
    prompt->brief.record_count = sizeof(many) / sizeof(*many);
}

/* The removable parts that a prompt still has, in the order of their removal. */
struct parts {
    bool whole_log, some_log, whole_reference, oldest_record, facts, reference;
};

static struct parts find_parts(const char *text)
{
    return (struct parts){
        .whole_log = strstr(text, "input.cl:200:1"),
        .some_log = strstr(text, "input.cl:60:1"),
        .whole_reference = strstr(text, "line 999 of the reference"),
        .oldest_record = strstr(text, "the oldest change"),
        .facts = strstr(text, "OpenCL C 1.2. On a CPU"),
        .reference = strstr(text, "line 1 of the reference"),
    };
}

/* As the context becomes smaller, the parts disappear in the stated order. */
static void fits_the_context_in_the_stated_order(void **state)
{
    static const struct parts order[] = {
        {true, true, true, true, true, true},       {false, true, true, true, true, true},
        {false, true, false, true, true, true},     {false, true, false, false, true, true},
        {false, false, false, false, true, true},   {false, false, false, false, false, true},
        {false, false, false, false, false, false},
    };
    struct prompt_case *prompt = *state;
    struct strbuf reference = {0};
    size_t at = 0;

    fill(prompt, &reference);
    for (unsigned context = 30000; context > 4000; context -= 150) {
        struct strbuf text = {0};
        struct parts parts;

        prompt->brief.context = context;
        render(TASK_GENERATE, &prompt->brief, &text);
        parts = find_parts(strbuf_cstr(&text));
        at += memcmp(&parts, &order[at], sizeof(parts)) != 0;
        assert_true(at < sizeof(order) / sizeof(*order));
        assert_memory_equal(&parts, &order[at], sizeof(parts));
        assert_true(text.len / 3 <= context - context / 4);
        assert_non_null(strstr(strbuf_cstr(&text), "One work-item for each element."));
        strbuf_release(&text);
    }
    assert_int_equal(at, sizeof(order) / sizeof(*order) - 1);
    strbuf_release(&reference);
}

static void without_a_known_context_nothing_is_shortened(void **state)
{
    struct prompt_case *prompt = *state;
    struct strbuf reference = {0}, text = {0};

    fill(prompt, &reference);
    render(TASK_GENERATE, &prompt->brief, &text);
    assert_non_null(strstr(strbuf_cstr(&text), "line 999 of the reference"));
    strbuf_release(&reference);
    strbuf_release(&text);
}

static void says_when_no_prompt_fits(void **state)
{
    struct prompt_case *prompt = *state;
    struct strbuf text = {0};
    struct error err = {0};

    prompt->brief.context = 1000;
    assert_int_equal(prompt_render(TASK_GENERATE, &prompt->brief, &text, &err), STATUS_INVALID);
    assert_int_equal(text.len, 0);
    assert_non_null(strstr(err.text, "the context of 1000 has room for 750"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(asks_for_a_first_version),
        TEST(carries_a_reference_over),
        TEST(sends_a_build_error_back),
        TEST(says_where_and_how_values_are_wrong),
        TEST(says_what_is_suspected_and_why),
        TEST(says_that_a_candidate_does_less_than_the_graph),
        TEST(sends_a_reply_without_a_kernel_back),
        TEST(asks_for_the_recommended_change),
        TEST(passes_on_what_the_engineer_says_and_edits),
        TEST(takes_the_users_platform_files),
        TEST(asks_the_analyst),
        TEST(shows_the_analyst_what_was_counted),
        TEST(shows_the_analyst_its_record_and_what_is_attached),
        TEST(fits_the_context_in_the_stated_order),
        TEST(without_a_known_context_nothing_is_shortened),
        TEST(says_when_no_prompt_fits),
    };

    return cmocka_run_group_tests_name("prompt", tests, NULL, NULL);
}
