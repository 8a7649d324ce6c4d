#include "core/judge/executor/program_compiler.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/judge/executor/enclosure.h"
#include "core/judge/executor/program_launches.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/file.h"

enum { MAX_WORDS = 8, MOST_FORESEEN = 48, START_LIMIT_US = 60000000, REST_LIMIT_US = 5000000 };

/* Memory that the process and its copies may take. */
static const int64_t memory_bytes = INT64_C(6) << 30;

/* Compilers write libraries and objects of some size. */
#define LARGEST_FILE_BYTES "268435456"

struct program_compiler {
    const char *argv[MAX_WORDS]; /* ends with NULL */
    /* name of the shipped script that the process runs; NULL if no process runs */
    const char *name;
    char *script; /* path of the script */
    struct child child;
    struct enclosure enclosure;
    struct strbuf known;              /* language and target whose version is known */
    struct strbuf version;            /* "Triton 3.6.0" */
    struct program_variants foreseen; /* announced, and not yet sent to the process */
    bool works_ahead;                 /* some were sent: the process may work on them */
};

struct program_compiler *program_compiler_new(const char *const *argv)
{
    struct program_compiler *compiler = mem_alloc_zeroed(1, sizeof(*compiler));

    for (size_t i = 0; i < MAX_WORDS - 1 && argv[i]; i++)
        compiler->argv[i] = argv[i];
    return compiler;
}

static void end(struct program_compiler *compiler)
{
    if (compiler->child.process.pid)
        (void)kill(-compiler->child.process.pid, SIGKILL);
    child_end(&compiler->child, 0);
    enclosure_release(&compiler->enclosure);
    strbuf_release(&compiler->known);
    strbuf_release(&compiler->version);
    free(compiler->script);
    compiler->script = NULL;
    compiler->name = NULL;
    compiler->works_ahead = false;
}

void program_compiler_free(struct program_compiler *compiler)
{
    if (!compiler)
        return;
    end(compiler);
    program_variants_release(&compiler->foreseen);
    free(compiler);
}

void program_code_release(struct program_code *code)
{
    json_free(code->binary);
    json_free(code->dispatch);
    build_report_release(&code->report);
    *code = (struct program_code){0};
}

static enum status start(struct program_compiler *compiler, struct error *err)
{
    const char *argv[MAX_WORDS + 2] = {NULL};
    struct process_spec spec = {.argv = argv, .without_secrets = true, .own_session = true};
    size_t words = 0;
    enum status st = enclosure_make(&compiler->enclosure, err);

    if (st)
        return st;
    for (; compiler->argv[words]; words++)
        argv[words] = compiler->argv[words];
    argv[words] = compiler->script;
    enclosure_admit_programs(&compiler->enclosure, argv);
    enclosure_set(&compiler->enclosure, "KFORGE_FILE_BYTES", LARGEST_FILE_BYTES);
    spec.environment = compiler->enclosure.environment;
    st = child_start(&compiler->child, &spec, err);
    compiler->child.is_watched = true;
    compiler->child.allowed_bytes = memory_bytes;
    return st;
}

/* Start the process of a script unless it runs. */
static enum status ensure_process(struct program_compiler *compiler, const char *name,
                                  struct error *err)
{
    enum status st;

    if (compiler->name && strcmp(compiler->name, name) == 0)
        return STATUS_OK;
    end(compiler);
    compiler->name = name;
    compiler->script = file_shipped(name);
    st = start(compiler, err);
    if (st)
        end(compiler);
    return st;
}

/* The process did not answer: name the reason, and whose fault it is. */
static enum status report_silence(struct program_compiler *compiler, enum child_wait why,
                                  const struct program_request *request, enum outcome *outcome,
                                  struct error *err)
{
    bool is_new = compiler->version.len == 0;

    end(compiler);
    if (why == CHILD_CANCELLED)
        return error_set(err, STATUS_CANCELLED, "cancelled");
    if (is_new && why == CHILD_GONE)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: the compiler of %s does not start: name a Python that has it in "
                         "KFORGE_PYTHON",
                         compiler->argv[2] ? compiler->argv[2] : compiler->argv[0],
                         language_title(request->language));
    *outcome = why == CHILD_LATE     ? OUTCOME_TIMED_OUT
               : why == CHILD_GREEDY ? OUTCOME_OUT_OF_MEMORY
                                     : OUTCOME_CRASHED;
    if (why == CHILD_LATE)
        return error_set(err, STATUS_TIMEOUT, "the build took longer than %.3g s",
                         (double)request->limit_us * 1e-6);
    if (why == CHILD_GREEDY)
        return error_set(err, STATUS_INVALID, "the compiler took more than %lld MB of memory",
                         (long long)(memory_bytes >> 20));
    return error_set(err, STATUS_INVALID, "the compiler ended: %s",
                     why == CHILD_GARBLED   ? "its answer is not JSON"
                     : why == CHILD_CROWDED ? "it started too many processes"
                                            : "it is gone");
}

/* A request to the compiler, which asking frees, and its answer, which the caller frees. */
struct exchange {
    struct json *question, *answer;
};

static enum status ask(struct program_compiler *compiler, const struct program_request *request,
                       struct exchange *exchange, struct program_code *code, struct error *err)
{
    int64_t limit_us = request->limit_us;
    struct json *got = NULL;
    enum child_wait wait;
    enum status st;

    if (compiler->version.len == 0 && limit_us < START_LIMIT_US)
        limit_us = START_LIMIT_US;
    wait = child_ask(&compiler->child, exchange->question, limit_us, &request->cancel, &got);
    json_free(exchange->question);
    if (wait != CHILD_ANSWERED)
        return report_silence(compiler, wait, request, &code->outcome, err);
    st = wire_check(got, err);
    if (st)
        json_free(got);
    else
        exchange->answer = got;
    return st;
}

/* "sm_90a" of "NVRTC 13.0, sm_90a". */
static const char *target_of(const struct program_request *request)
{
    const char *last = request->device ? strrchr(request->device, ' ') : NULL;

    return last ? last + 1 : "";
}

static struct json *question_of(const struct program_request *request, const char *what)
{
    struct json *question = json_object_new();

    json_put_string(question, "do", what);
    json_put_string(question, "language", request->language);
    json_put_string(question, "target", target_of(request));
    return question;
}

/* Start the process, and learn the version of its compiler for the target. */
static enum status ensure(struct program_compiler *compiler, const struct program_request *request,
                          struct program_code *code, struct error *err)
{
    struct strbuf wanted = {0};
    enum status st = ensure_process(compiler, language_of(request->language)->compiler, err);

    strbuf_addf(&wanted, "%s %s", request->language, target_of(request));
    if (!st && strcmp(strbuf_cstr(&wanted), strbuf_cstr(&compiler->known)) != 0) {
        struct exchange exchange = {question_of(request, "version"), NULL};

        strbuf_release(&compiler->version);
        st = ask(compiler, request, &exchange, code, err);
        if (!st) {
            strbuf_release(&compiler->known);
            strbuf_adds(&compiler->known, strbuf_cstr(&wanted));
            strbuf_adds(&compiler->version, json_get_string(exchange.answer, "version", "?"));
        }
        json_free(exchange.answer);
    }
    strbuf_release(&wanted);
    return st;
}

static void read_refusal(const struct json *answer, struct build_report *report)
{
    report->log = mem_strdup(json_get_string(answer, "rejected", ""));
    for (const struct json *d = json_first(json_get(answer, "diagnostics")); d; d = json_next(d)) {
        struct diagnostic found = {
            .severity = SEVERITY_ERROR,
            .line = (unsigned)json_get_whole(d, "line", UINT32_MAX, 0),
            .text = mem_strdup(json_get_string(d, "text", "")),
        };

        vec_push(&report->diagnostics, found);
    }
}

/* The answer of the compiler as a binary. */
static struct json *binary_of(const struct json *answer)
{
    struct json *binary = json_object_new();

    json_put_string(binary, "log", "");
    json_put_string(binary, "ptx", "");
    json_put_string(binary, "machine", "");
    json_put(binary, "parts", json_dup(json_get(answer, "parts")));
    return binary;
}

static enum status compile(struct program_compiler *compiler, const struct program_request *request,
                           struct json *kernels, struct program_code *code, struct error *err)
{
    struct exchange exchange = {question_of(request, "compile"), NULL};
    enum status st;

    json_put_string(exchange.question, "source", request->source);
    json_put(exchange.question, "kernels", kernels);
    if (compiler->foreseen.kernels) {
        json_put(exchange.question, "soon", program_variants_encode(&compiler->foreseen));
        program_variants_release(&compiler->foreseen);
        compiler->works_ahead = true;
    }
    st = ask(compiler, request, &exchange, code, err);
    if (!st && json_get(exchange.answer, "rejected"))
        read_refusal(exchange.answer, &code->report);
    else if (!st)
        code->binary = binary_of(exchange.answer);
    json_free(exchange.answer);
    return st;
}

static enum status make(struct program_compiler *compiler, const struct program_request *request,
                        const struct program_variants *variants, struct program_code *code,
                        struct error *err)
{
    struct strbuf by = {0};
    struct compiled_source source = {.text = request->source,
                                     .options = strbuf_cstr(&variants->text),
                                     .language = request->language};
    int64_t began_us = clock_now_us();
    enum status st;

    strbuf_addf(&by, "%s\n%s", request->device, strbuf_cstr(&compiler->version));
    source.compiler = strbuf_cstr(&by);
    compiled_digest(&source, code->digest);
    code->binary = compiled_recall(&source);
    code->report.is_present = true;
    code->report.is_cached = code->binary != NULL;
    st = code->binary ? STATUS_OK
                      : compile(compiler, request, program_variants_encode(variants), code, err);
    if (!st && code->binary && !code->report.is_cached)
        compiled_keep(&source, code->binary);
    code->report.ms = (double)(clock_now_us() - began_us) / 1000;
    strbuf_release(&by);
    return st;
}

enum status program_compile(struct program_compiler *compiler,
                            const struct program_request *request, struct program_code *code,
                            struct error *err)
{
    struct program_variants variants = {0};
    struct program_code made = {0};
    enum status st = ensure(compiler, request, &made, err);

    program_variants_find(request->dispatch, &variants);
    if (!st)
        st = make(compiler, request, &variants, &made, err);
    if (!st && made.binary) {
        program_variants_name(&variants, made.binary);
        made.dispatch = program_launches_encode(request->dispatch, &variants, made.binary);
    }
    made.report.options = mem_strdup(strbuf_cstr(&variants.described));
    program_variants_release(&variants);
    if (st)
        code->outcome = made.outcome;
    if (st)
        program_code_release(&made);
    else
        *code = made;
    return st;
}

bool program_compiler_foresee(struct program_compiler *compiler, const struct dispatch *dispatch)
{
    program_variants_find(dispatch, &compiler->foreseen);
    return json_count(compiler->foreseen.kernels) < MOST_FORESEEN;
}

void program_compiler_rest(struct program_compiler *compiler)
{
    const struct child_cancel never = {0};
    struct json *question, *answer = NULL;

    program_variants_release(&compiler->foreseen);
    if (!compiler->works_ahead)
        return;
    question = json_object_new();
    json_put_string(question, "do", "rest");
    if (child_ask(&compiler->child, question, REST_LIMIT_US, &never, &answer) != CHILD_ANSWERED)
        end(compiler);
    compiler->works_ahead = false;
    json_free(question);
    json_free(answer);
}
