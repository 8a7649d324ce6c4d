#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/judge/baselines.h"
#include "core/judge/evaluation.h"
#include "core/judge/torch/bridge.h"
#include "core/system/file.h"

/*
 * What the process of a model is asked when a timing is over. A script stands for the process: it
 * writes each request into a file, and answers that all is well.
 */

static char folder[] = "/tmp/kforge-test-XXXXXX";

/* The requests of baselines_put_away(), on a CPU or a GPU; the caller frees. */
static char *requests_of(bool is_cpu, bool holds_memory)
{
    char script[256], log[64], source[] = "the text of a model";
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct device_info device = {.is_cpu = is_cpu};
    const struct problem problem = {.torch = {.source = source}};
    const struct evaluation_context context = {.device = &device, .problem = &problem};
    struct bridge *bridge =
        bridge_new(&(struct bridge_options){.argv = argv, .limit_us = 60000000});
    struct baselines baselines = {.context = &context, .bridge = bridge};
    struct strbuf text = {0};
    struct error err = {0};

    (void)snprintf(log, sizeof(log), "%s/requests", folder);
    (void)snprintf(script, sizeof(script),
                   "while read -r line; do echo \"$line\" >> %s; echo '{}'; done", log);
    (void)unlink(log);
    baselines.model.holds_memory = holds_memory;
    baselines_put_away(&baselines);
    baselines.context = &context;
    baselines_put_away(&baselines);
    bridge_free(bridge);
    if (file_read(log, 1 << 16, &text, &err))
        strbuf_addf(&text, "none");
    return strbuf_take(&text);
}

/* Once: what it gave back is not asked for again. */
static void a_model_that_was_timed_gives_back_memory(void **state)
{
    char *asked = requests_of(false, true), *first;

    (void)state;
    first = strstr(asked, "\"rest\"");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\"rest\""));
    free(asked);
}

static void no_other_model_is_asked(void **state)
{
    char *idle = requests_of(false, false), *on_cpu;

    (void)state;
    assert_string_equal(idle, "none");
    free(idle);
    on_cpu = requests_of(true, false);
    assert_string_equal(on_cpu, "none");
    free(on_cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_was_timed_gives_back_memory),
        cmocka_unit_test(no_other_model_is_asked),
    };
    int failed;

    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    file_remove_folder(folder);
    return failed;
}
