#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/kernel_files.h"
#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_derive.h"
#include "core/base/utf8.h"
#include "core/judge/tools/listing_form.h"
#include "core/judge/tools/sanitizer.h"
#include "core/model/language.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "core/system/loop.h"
#include "tui/cli/command.h"
#include "tui/cli/eval_language.h"
#include "tui/cli/eval_watch.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/text/verdict_report.h"
#include "tui/cli/worker_options.h"
#include "tui/term/signals.h"

enum { FILE_MAX_BYTES = 16 << 20 };

struct evaluation_of_file {
    struct loop *loop;
    struct evaluator *evaluator;
    struct problem_file file;
    struct problem problem;
    char *path;                 /* path of the problem, if it is a file */
    struct strbuf problem_text; /* text of the problem, or source of a PyTorch file */
    /* problem_text is the source of a PyTorch file; false once the worker has described it */
    bool is_model;
    const char *reply_path;
    bool as_json;
    struct judge_tools tools;
    bool wants_ptx, wants_sass;
    /* form of the listing to print instead of a verdict; LISTING_NONE: judge */
    enum listing_form form;
    struct strbuf reply; /* the reply; a kernel file is turned into one */
    struct candidate candidate;
    bool watches; /* judge again at each save */
    bool leaves;  /* do not wait for baselines that are being compiled */
    bool follows; /* the verdict has arrived, and another one with these baselines will follow */
    bool is_loaded;
    struct eval_watch watch;
    enum exit_code code;
};

static void give_up(struct evaluation_of_file *e, const struct error *err)
{
    e->code = command_fail(err);
    loop_stop(e->loop);
}

static void on_progress(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

/* True if the reply or its plan is invalid, so that no kernel ran. */
static bool is_bad_input(const struct verdict *verdict)
{
    return verdict->outcome == OUTCOME_BAD_REPLY || verdict->outcome == OUTCOME_BAD_PLAN;
}

static void forget_candidate(struct evaluation_of_file *e)
{
    candidate_release(&e->candidate);
    e->candidate = (struct candidate){0};
}

static enum exit_code code_of(const struct verdict *verdict)
{
    if (is_bad_input(verdict))
        return EXIT_CODE_USAGE;
    return verdict->outcome == OUTCOME_CORRECT ? EXIT_CODE_IMPROVED : EXIT_CODE_INCORRECT;
}

static void print(const struct evaluation_of_file *e, const struct verdict *verdict,
                  const struct json *encoded)
{
    struct strbuf text = {0};

    if (e->as_json) {
        json_print_pretty(encoded, &text);
        strbuf_adds(&text, "\n");
    } else if (e->follows && verdict->outcome == OUTCOME_CORRECT) {
        verdict_report_write_baselines(verdict, &text);
    } else {
        verdict_report_write(verdict, &text);
    }
    command_print("%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

/*
 * Print the verdict, and wait for the baselines that are still missing. JSON output has only the
 * complete verdict.
 */
static void follow(struct evaluation_of_file *e, const struct verdict *verdict,
                   const struct json *encoded)
{
    struct error err;

    if (!e->as_json)
        print(e, verdict, encoded);
    fflush(stdout);
    e->follows = true;
    if (evaluator_await(e->evaluator, &err))
        give_up(e, &err);
}

/* Handle a verdict. Bad input is an error message in text output, and a verdict in JSON output. */
static void on_verdict(void *data, const struct verdict *verdict, const struct json *encoded)
{
    struct evaluation_of_file *e = data;

    if (e->watches) {
        eval_watch_conclude(&e->watch, verdict, encoded, e->as_json);
        return;
    }
    e->code = code_of(verdict);
    if (!e->follows && !e->leaves && verdict->awaited.count) {
        follow(e, verdict, encoded);
        return;
    }
    if (is_bad_input(verdict) && !e->as_json)
        fprintf(stderr, "kforge: %s: %s\n", e->reply_path, verdict->detail);
    else
        print(e, verdict, encoded);
    loop_stop(e->loop);
}

static void refuse(struct evaluation_of_file *e, const struct error *why)
{
    struct verdict verdict = {0};
    struct json *encoded;

    verdict_conclude(&verdict, OUTCOME_BAD_REPLY, "%s", why->text);
    encoded = verdict_encode(&verdict);
    on_verdict(e, &verdict, encoded);
    json_free(encoded);
    verdict_release(&verdict);
}

static enum status ask(struct evaluation_of_file *e, const struct candidate *candidate,
                       struct error *err)
{
    const struct judge_listing listing = {.candidate = candidate, .form = e->form};
    const struct judge_request request = {
        .candidate = candidate,
        .best = e->watch.previous.source ? &e->watch.previous : NULL,
        .tools = e->tools,
    };

    return e->form ? evaluator_list(e->evaluator, &listing, err)
                   : evaluator_evaluate(e->evaluator, &request, err);
}

/*
 * Judge the candidate. This is possible only when the problem is loaded, because parsing the reply
 * needs the device's language. A missing plan is derived if possible, as in sessions.
 */
static void judge(struct evaluation_of_file *e)
{
    const struct device_info *device = evaluator_device(e->evaluator);
    const char *language = eval_language(e->reply_path, strbuf_cstr(&e->reply), device);
    struct strbuf completed = {0};
    struct error err, why;

    forget_candidate(e);
    if (eval_language_check(e->reply_path, device, &why) ||
        reply_derive_plan(strbuf_cstr(&e->reply), language, &e->problem, &completed, &why) ||
        reply_parse(strbuf_cstr(&completed), language, &e->candidate, &why))
        refuse(e, &why);
    else if (ask(e, &e->candidate, &err))
        give_up(e, &err);
    else if (e->watches)
        eval_watch_set_candidate(&e->watch, &e->candidate);
    strbuf_release(&completed);
}

static enum status read_reply(struct evaluation_of_file *e, struct error *err)
{
    const struct language *language = language_of_file(e->reply_path);
    enum status st;

    strbuf_release(&e->reply);
    if (language)
        return kernel_files_read_alone(e->reply_path, language->name, &e->reply, err);
    st = file_read(e->reply_path, FILE_MAX_BYTES, &e->reply, err);
    if (!st && !utf8_is_text(e->reply.data, e->reply.len))
        st = error_set(err, STATUS_INVALID, "%s: not a text in UTF-8: save it as one",
                       e->reply_path);
    return st;
}

/*
 * Judge the saved file, if it has changed. The evaluation of an older version is cancelled, because
 * only the newest version matters.
 */
static void on_saved(void *data)
{
    struct evaluation_of_file *e = data;
    struct error err;
    bool fails = read_reply(e, &err) != STATUS_OK;

    if (fails && !e->watch.is_failing)
        command_notice(NULL, err.text);
    e->watch.is_failing = fails;
    if (fails || !e->is_loaded)
        return; /* the newest version is judged when the problem is loaded */
    if (!eval_watch_begin(&e->watch, &e->reply))
        return;
    evaluator_cancel(e->evaluator);
    judge(e);
}

static void on_folder_lost(void *data)
{
    struct evaluation_of_file *e = data;
    struct error err;

    error_set(&err, STATUS_UNAVAILABLE, "%s: its folder is gone: make it again", e->reply_path);
    give_up(e, &err);
}

static void on_loaded(void *data)
{
    struct evaluation_of_file *e = data;

    e->is_loaded = true;
    if (e->watches && (e->watch.is_failing || e->watch.is_judging))
        return; /* a new worker: the evaluator sends it the request again */
    if (!e->watches)
        judge(e);
    else
        on_saved(e);
}

static enum status load(struct evaluation_of_file *e, struct error *err)
{
    enum status st = problem_parse(&e->problem, strbuf_cstr(&e->problem_text), e->problem_text.len,
                                   e->file.path, err);

    return st ? st : evaluator_load(e->evaluator, strbuf_cstr(&e->problem_text), e->file.path, err);
}

static void take_description(struct evaluation_of_file *e, const struct json *answer)
{
    struct error err;

    e->is_model = false;
    e->problem_text.len = 0;
    json_print(json_get(answer, "problem"), &e->problem_text);
    if (load(e, &err))
        give_up(e, &err);
}

/* Time the candidate again, now in turn with the compiled baselines. */
static void complete(struct evaluation_of_file *e)
{
    struct error err;

    if (ask(e, &e->candidate, &err))
        give_up(e, &err);
}

/*
 * Handle an answer: the description of a PyTorch file, the message that its baselines are compiled,
 * or a listing.
 */
static void on_answer(void *data, const struct json *answer)
{
    struct evaluation_of_file *e = data;

    if (e->is_model) {
        take_description(e, answer);
        return;
    }
    if (e->follows) {
        complete(e);
        return;
    }
    command_print("%s", json_get_string(answer, "text", ""));
    e->code = EXIT_CODE_IMPROVED;
    loop_stop(e->loop);
}

/* Handle a failure of the worker. A watch continues: the next save starts another worker. */
static void on_failed(void *data, const struct error *err)
{
    struct evaluation_of_file *e = data;

    if (!e->watches || !e->is_loaded) {
        give_up(e, err);
        return;
    }
    e->watch.is_judging = false;
    command_notice(NULL, err->text);
}

static void on_signal(void *data, int number)
{
    struct evaluation_of_file *e = data;

    if (number == SIGTSTP)
        signals_stop();
    if (number != SIGINT && number != SIGTERM && number != SIGHUP)
        return;
    if (!e->as_json)
        eval_watch_print_summary(&e->watch);
    e->code = EXIT_CODE_INTERRUPTED;
    loop_stop(e->loop);
}

static enum status read_files(struct evaluation_of_file *e, struct error *err)
{
    enum status st = problem_file_open(&e->file, &e->problem_text, &e->is_model, err);

    return st ? st : read_reply(e, err);
}

/* Begin to watch before the file is read again, so that no save is missed. */
static enum status start_watch(struct evaluation_of_file *e, struct error *err)
{
    const struct file_watch_spec spec = {.saved = on_saved, .lost = on_folder_lost, .data = e};
    enum status st = STATUS_OK;

    if (e->watches && e->form)
        st = error_set(err, STATUS_INVALID, "--watch judges kernels: leave out --ptx and --sass");
    else if (e->watches)
        st = eval_watch_open(&e->watch, e->loop, e->reply_path, &spec, err);
    if (!st && e->watches && !e->as_json)
        command_print("watching %s: each save is judged; Ctrl-C ends\n", e->reply_path);
    fflush(stdout);
    return st;
}

/*
 * Start. The worker that describes a PyTorch file also judges, because its Python has already
 * loaded PyTorch.
 */
static enum status start(struct evaluation_of_file *e, struct error *err)
{
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .loaded = on_loaded,
                                                .done = on_verdict,
                                                .answered = on_answer,
                                                .failed = on_failed,
                                                .notice = command_notice,
                                                .data = e};
    enum status st = read_files(e, err);

    if (!st)
        st = start_watch(e, err);
    if (!st)
        st = evaluator_open(e->loop, &e->file.worker, &listener, &e->evaluator, err);
    if (st || !e->is_model)
        return st ? st : load(e, err);
    return evaluator_ask(e->evaluator, "describe",
                         problem_file_question(&e->file, &e->problem_text), err);
}

static enum status take_sanitizer(void *field, const char *tool, struct error *err)
{
    struct judge_tools *used = field;
    struct strbuf tools = {0};
    enum status st = STATUS_OK;

    used->sanitizer = tool ? tool : sanitizer_tools[0];
    if (!sanitizer_is_tool(used->sanitizer)) {
        for (size_t i = 0; sanitizer_tools[i]; i++)
            strbuf_add_item(&tools, sanitizer_tools[i]);
        st = error_set(err, STATUS_INVALID, "--sanitize \"%s\": expected one of %s", tool,
                       strbuf_cstr(&tools));
    }
    strbuf_release(&tools);
    return st;
}

#define AT(field) offsetof(struct evaluation_of_file, field)

static const struct option_row own_options[] = {
    {.name = "json",
     .help = "print the verdict as JSON; a bad reply or plan is then a verdict too",
     .kind = OPTION_FLAG,
     .offset = AT(as_json)},
    {.name = "watch",
     .help = "judge again at each save of the file, in comparison with the last correct version",
     .kind = OPTION_FLAG,
     .offset = AT(watches)},
    {.name = "no-wait",
     .help =
         "end with the first verdict; do not wait for baselines that PyTorch is still compiling",
     .kind = OPTION_FLAG,
     .offset = AT(leaves)},
    {.name = "profile",
     .help = "say what limits a correct kernel, from the counters of ncu (CUDA) or of the\n"
             "processor (C, C++, SYCL)",
     .kind = OPTION_FLAG,
     .offset = AT(tools.profile)},
    {.name = "sanitize",
     .value = "TOOL",
     .help = "also run the candidate under compute-sanitizer (CUDA) or oclgrind (OpenCL), or\n"
             "built with gcc's sanitizers (C, C++, SYCL):\n"
             "memcheck (without TOOL), racecheck, initcheck or synccheck",
     .kind = OPTION_CUSTOM,
     .offset = AT(tools),
     .take = take_sanitizer,
     .is_value_optional = true},
    {.name = "ptx",
     .help = "print the PTX that the compiler makes, instead of judging; of a plan with\n"
             "tunables, the PTX of the fastest choice",
     .kind = OPTION_FLAG,
     .offset = AT(wants_ptx)},
    {.name = "sass",
     .help = "print the machine code in the same way",
     .kind = OPTION_FLAG,
     .offset = AT(wants_sass)},
    {0},
};

static const struct option_set option_sets[] = {
    {own_options, 0},
    {tolerance_option, AT(file.tolerance)},
    {worker_options, AT(file.worker)},
    {0},
};

static enum status parse(struct evaluation_of_file *e, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&eval_command, e, &arguments, err);

    if (!st && arguments.count != 2)
        st = command_expects(&eval_command, err);
    if (!st && e->wants_ptx && e->wants_sass)
        st = error_set(err, STATUS_INVALID, "--ptx and --sass: one listing at a time");
    if (st)
        return st;
    e->path = problem_file_find(arguments.items[0]);
    e->file.path = e->path ? e->path : arguments.items[0];
    e->reply_path = arguments.items[1];
    e->form = e->wants_sass ? LISTING_SASS : e->wants_ptx ? LISTING_PTX : LISTING_NONE;
    return STATUS_OK;
}

static enum exit_code eval(int argc, char **argv)
{
    struct evaluation_of_file e = {0};
    struct signals signals;
    struct error err;

    if (parse(&e, argc, argv, &err))
        return command_fail(&err);
    e.loop = loop_new();
    if (e.watches)
        signals_watch(&signals, e.loop, on_signal, &e);
    if (start(&e, &err))
        e.code = command_fail(&err);
    else
        loop_run(e.loop);
    evaluator_close(e.evaluator);
    eval_watch_release(&e.watch);
    if (e.watches)
        signals_unwatch(&signals);
    loop_free(e.loop);
    candidate_release(&e.candidate);
    problem_release(&e.problem);
    strbuf_release(&e.reply);
    free(e.path);
    strbuf_release(&e.problem_text);
    return e.code;
}

const struct command eval_command = {
    .name = "eval",
    .arguments = "PROBLEM KERNEL",
    .options = option_sets,
    .summary = "Judge one candidate, and print the verdict.",
    .details =
        PROBLEM_DETAILS "\nKERNEL is a kernel, NAME.cl or NAME.cu, with its plan in NAME.json or "
                        "plan.json\nin the same folder; or a reply as an agent writes it "
                        "(FORMATS.md): a plan and the kernels'\nsource.  kforge derives a missing "
                        "plan if it follows from the kernel.\n"
                        "PyTorch compiles its baselines while the verdict is printed; kforge ends "
                        "when they are\ndone, and --json prints only the complete verdict.\n"
                        "With --watch, an editor may keep the kernel open: kforge prints a line "
                        "for each save,\nand keeps text and verdict of each in its data folder.",
    .exits = "0 correct, 2 usage, input, or no such device, 3 not correct, 5 no worker",
    .run = eval,
};
