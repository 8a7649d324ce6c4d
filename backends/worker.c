#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/containment/containment.h"
#include "backends/executor.h"
#include "backends/service.h"
#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/base/strbuf.h"
#include "core/judge/host_library/blas.h"
#include "core/model/plan/plan.h"
#include "core/system/file.h"
#include "core/system/log.h"
#include "core/system/process.h"

/*
 * kforge-worker: the judge as a process.  It reads requests as lines of JSON from standard input
 * and answers on standard output (service.h).  During a request it reads further lines only to see
 * if they cancel it.  Between requests it prepares the next evaluation, and reports that with
 * "progress" messages, and with "roofs" when the roofs have changed. The log of its own code, such
 * as the parts of a comparison on the device, goes to the file that KFORGE_WORKER_LOG names.
 */

enum {
    DEFAULT_TRIALS = 5,
    DEFAULT_BUILD_LIMIT_US = 60000000,
    DEFAULT_RUN_LIMIT_US = 20000000,
    DEFAULT_TUNE_LIMIT_US = 20000000,
    DEFAULT_TIMING_LIMIT_US = 1500000,
    DEFAULT_TUNE_CHOICES = 256,
};

/* Called while the judge waits for a child process. */
static bool take_cancel(void *data)
{
    struct service *service = data;

    return inbox_take(&service->inbox);
}

/*
 * Called while no request waits.  An error is only logged, because the evaluation that needs the
 * same work reports it again.
 */
static void prepare(struct service *service)
{
    struct error err;

    if (judge_prepare(service->judge, &err))
        fprintf(stderr, "kforge-worker: %s\n", err.text);
    else if (inbox_is_idle(&service->inbox))
        service_report_expectations(service);
    if (inbox_is_idle(&service->inbox))
        service_compile(service);
}

static void serve(struct service *service)
{
    char *line;

    do {
        if (inbox_is_idle(&service->inbox))
            prepare(service);
        outbox_rest(&service->outbox, true);
        line = inbox_next(&service->inbox);
        outbox_rest(&service->outbox, false);
        if (line)
            service_answer(service, line);
        free(line);
    } while (line && !service->inbox.is_over);
    inbox_release(&service->inbox);
}

/*
 * Return the memory of tensors to the system when they are freed.  By default glibc raises the
 * threshold after the first large free() and keeps such blocks (mallopt(3), M_MMAP_THRESHOLD).
 */
static void keep_no_tensors(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

/*
 * Contain this process.  The judge writes only the folders of its children and its cache of
 * measurements.
 */
static struct safeguards contain(void)
{
    struct strbuf writable = {0};
    char *cache = file_place_folder(FILE_CACHE);
    struct safeguards got;

    (void)!file_make_place(FILE_CACHE, NULL); /* if it fails, measured roofs are not kept */
    strbuf_addf(&writable, "%s:%s", file_temporary_folder(), cache);
    got = containment_enter_judge(strbuf_cstr(&writable));
    free(cache);
    strbuf_release(&writable);
    return got;
}

static int run_worker(const struct judge_options *given)
{
    static const char *const executor_argv[] = {"/proc/self/exe", "--executor", NULL};
    const char *python = getenv("KFORGE_PYTHON");
    char *script = file_shipped("backends/torch/bridge.py");
    const char *const bridge_argv[] = {
        "/proc/self/exe", "--contained", python ? python : "python3", "-B", script, NULL};
    const char *const compiler_argv[] = {"/proc/self/exe", "--contained",
                                         python ? python : "python3", "-B", NULL};
    struct service service = {.safeguards = contain()};
    struct judge_options options = *given;

    options.shares_device = true;
    options.progress = service_send_progress;
    options.measured = service_send_roofs;
    options.data = &service;
    options.executor.argv = executor_argv;
    options.executor.cancel = (struct child_cancel){STDIN_FILENO, take_cancel, &service};
    process_hide();
    keep_no_tensors();
    options.bridge_argv = bridge_argv;
    options.compiler_argv = compiler_argv;
    signal(SIGPIPE, SIG_IGN);
    service.judge = judge_new(&options);
    outbox_open(&service.outbox);
    serve(&service);
    judge_free(service.judge);
    outbox_close(&service.outbox);
    free(script);
    return EXIT_SUCCESS;
}

static enum status parse_oracle(const char *word, enum oracle_choice *choice, struct error *err)
{
    static const char *const words[] = {
        [ORACLE_BY_SIZE] = "size", [ORACLE_ON_HOST] = "host", [ORACLE_ON_DEVICE] = "device"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *choice = (enum oracle_choice)i;
            return STATUS_OK;
        }
    return error_set(err, STATUS_INVALID, "--oracle: expected size, host or device, found %s",
                     word);
}

static enum status take_option(struct judge_options *options, int id, struct error *err)
{
    switch (id) {
    case 'd':
        options->executor.device = optarg;
        return STATUS_OK;
    case 'b':
        return quantity_parse_seconds(optarg, "--build-limit", &options->executor.build_limit_us,
                                      err);
    case 'r':
        return quantity_parse_seconds(optarg, "--run-limit", &options->executor.run_limit_us, err);
    case 't':
        return quantity_parse_seconds(optarg, "--tune-limit", &options->tune.budget_us, err);
    case 'm':
        return quantity_parse_seconds(optarg, "--timing-limit", &options->timing_budget_us, err);
    case 'o':
        return parse_oracle(optarg, &options->oracle, err);
    case 'p':
        options->baselines = optarg;
        return STATUS_OK;
    case 'a':
        options->makes_all_trials = true;
        return STATUS_OK;
    case 'c':
        return quantity_parse_count(optarg, "--tune-choices", PLAN_MAX_CHOICES,
                                    &options->tune.choices, err);
    default:
        return error_set(err, STATUS_INVALID,
                         "usage: kforge-worker [--device ID] [--build-limit SECONDS] [--run-limit "
                         "SECONDS] [--tune-limit SECONDS] [--timing-limit SECONDS] [--tune-choices "
                         "N] [--baselines NAMES] [--oracle size|host|device] [--all-trials] | "
                         "--version");
    }
}

static enum status parse(struct judge_options *options, int argc, char **argv, struct error *err)
{
    static const struct option long_options[] = {{"device", required_argument, NULL, 'd'},
                                                 {"build-limit", required_argument, NULL, 'b'},
                                                 {"run-limit", required_argument, NULL, 'r'},
                                                 {"tune-limit", required_argument, NULL, 't'},
                                                 {"timing-limit", required_argument, NULL, 'm'},
                                                 {"tune-choices", required_argument, NULL, 'c'},
                                                 {"baselines", required_argument, NULL, 'p'},
                                                 {"oracle", required_argument, NULL, 'o'},
                                                 {"all-trials", no_argument, NULL, 'a'},
                                                 {0}};
    enum status st = STATUS_OK;
    int id;

    opterr = 0;
    while (!st && (id = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        st = take_option(options, id, err);
    return !st && optind < argc ? take_option(options, '?', err) : st;
}

int main(int argc, char **argv)
{
    struct judge_options options = {
        .executor = {.build_limit_us = DEFAULT_BUILD_LIMIT_US,
                     .run_limit_us = DEFAULT_RUN_LIMIT_US},
        .tune = {.budget_us = DEFAULT_TUNE_LIMIT_US, .choices = DEFAULT_TUNE_CHOICES},
        .trials = DEFAULT_TRIALS,
        .unseen = JUDGE_UNSEEN,
        .precision = 0.01,
        .timing_budget_us = DEFAULT_TIMING_LIMIT_US,
    };
    struct error err;

    blas_suit_machine(argv);
    if (argc >= 2 && strcmp(argv[1], "--executor") == 0)
        return executor_serve(argc > 2 && strcmp(argv[2], "--under-tool") == 0);
    if (argc > 2 && strcmp(argv[1], "--contained") == 0)
        containment_run(argv + 2);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("kforge-worker " KFORGE_VERSION) == EOF;
    if (parse(&options, argc, argv, &err)) {
        fprintf(stderr, "kforge-worker: %s\n", err.text);
        return 2;
    }
    blas_use_cores(false);
    if (getenv("KFORGE_WORKER_LOG"))
        log_open(getenv("KFORGE_WORKER_LOG"));
    return run_worker(&options);
}
