#include "backends/service.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/judge/executor/wire.h"
#include "core/judge/host_library/host_library.h"
#include "core/judge/listing.h"
#include "core/judge/tools/sanitizer.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

struct command {
    const char *name;
    enum status (*serve)(struct service *service, const struct json_ref *request,
                         struct json *answer, struct error *err);
};

static void send_message(struct service *service, struct json *message)
{
    if (!outbox_send(&service->outbox, message))
        service->inbox.is_over = true;
}

static struct json *message_new(const struct service *service, const char *event)
{
    struct json *message = json_object_new();

    if (service->id)
        json_put(message, "id", json_dup(service->id));
    json_put_string(message, "event", event);
    return message;
}

void service_send_progress(void *data, const struct evaluation_progress *progress)
{
    struct service *service = data;
    struct json *message = message_new(service, "progress");

    evaluation_progress_encode(progress, message);
    send_message(service, message);
}

void service_send_roofs(void *data, const struct roofs *roofs)
{
    struct service *service = data;
    struct json *message = message_new(service, "roofs");

    json_put(message, "roofs", roofs_encode(roofs));
    send_message(service, message);
}

/* Add the libraries that the judge computes with on the host. */
static void put_libraries(struct json *answer)
{
    struct strbuf libraries = {0};

    host_library_add_version(&libraries);
    json_put_string(answer, "libraries", strbuf_cstr(&libraries));
    strbuf_release(&libraries);
}

static enum status serve_hello(struct service *service, const struct json_ref *request,
                               struct json *answer, struct error *err)
{
    const struct device_info *device;
    const struct roofs *roofs;
    enum status st = judge_device(service->judge, &device, &roofs, err);

    (void)request;
    if (st)
        return st;
    json_put_string(answer, "version", KFORGE_VERSION);
    json_put(answer, "device", device_info_encode(device));
    json_put(answer, "roofs", roofs_encode(roofs));
    put_libraries(answer);
    return STATUS_OK;
}

static enum status put_roofs(struct service *service, const struct device_info *device,
                             enum roofs_wanted wanted, struct json *listed, struct error *err)
{
    struct roofs roofs;
    enum status st = judge_roofs(service->judge, device, wanted, &roofs, err);

    if (!st)
        json_put(listed, "roofs", roofs_encode(&roofs));
    return st;
}

/*
 * Say why the cache cannot be written: measured roofs are then measured again by the next worker.
 */
static void put_cache(struct json *answer)
{
    struct error err;

    if (file_make_place(FILE_CACHE, &err))
        json_put_string(answer, "not_kept", err.text);
}

static enum roofs_wanted read_wanted(const struct json *request)
{
    const char *measure = json_get_string(request, "measure", "");

    if (strcmp(measure, "anew") == 0)
        return ROOFS_ANEW;
    return strcmp(measure, "once") == 0 ? ROOFS_ONCE : ROOFS_KEPT;
}

static enum status serve_devices(struct service *service, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct device_list devices = {0};
    struct json *array = json_put(answer, "devices", json_array_new());
    enum roofs_wanted wanted = read_wanted(request->value);
    enum status st = judge_probe(service->judge, &devices, err);

    put_libraries(answer);
    json_put_string(answer, "absent", strbuf_cstr(&devices.absent));
    if (wanted != ROOFS_KEPT)
        put_cache(answer);
    for (size_t i = 0; !st && i < devices.count; i++) {
        struct json *listed = json_push(array, device_info_encode(&devices.items[i]));

        json_put(listed, "containment", safeguards_encode(&devices.safeguards));
        json_put(listed, "judge", safeguards_encode(&service->safeguards));
        st = put_roofs(service, &devices.items[i], wanted, listed, err);
    }
    device_list_release(&devices);
    return st;
}

/*
 * The request's problem: its text, and the name that errors use for it.  Both are borrowed from the
 * request.
 */
static enum status read_problem(const struct json_ref *request, const char **text,
                                const char **file, struct error *err)
{
    struct json_ref text_at = json_ref_member(request, "problem");
    struct json_ref file_at = json_ref_member(request, "file");
    enum status st = json_read_string(&text_at, text, err);

    return st ? st : json_read_string(&file_at, file, err);
}

static enum status serve_describe(struct service *service, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    struct json_ref text_at = json_ref_member(request, "model");
    struct json_ref file_at = json_ref_member(request, "file");
    struct model_source source = {.tolerance = json_get_string(request->value, "tolerance", "f32")};
    struct json *problem = NULL;
    enum status st = json_read_string(&text_at, &source.text, err);

    if (!st)
        st = json_read_string(&file_at, &source.file, err);
    if (!st)
        st = judge_describe(service->judge, &source, &problem, err);
    if (!st)
        json_put(answer, "problem", problem);
    return st;
}

static enum status serve_lint(struct service *service, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *text, *file;
    struct problem problem = {0};
    struct hazard_list findings = {0};
    enum status st = read_problem(request, &text, &file, err);

    if (!st)
        st = problem_parse(&problem, text, strlen(text), file, err);
    if (!st)
        st = judge_lint(service->judge, &problem, text, &findings, err);
    if (!st) {
        json_put_string(answer, "name", problem.name);
        json_put(answer, "findings", hazard_list_encode(&findings));
    }
    hazard_list_release(&findings);
    problem_release(&problem);
    return st;
}

static enum status serve_load(struct service *service, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *text, *file;
    enum status st = read_problem(request, &text, &file, err);

    (void)answer;
    service->expected = 0;
    return st ? st : judge_load(service->judge, text, strlen(text), file, err);
}

/* Decode the optional member `key` as a candidate; `*present` says if it is there. */
static enum status read_candidate(const struct json_ref *request, const char *key,
                                  struct candidate *candidate, bool *present, struct error *err)
{
    struct json_ref member = json_ref_member(request, key);

    *present = json_type(member.value) == JSON_OBJECT;
    return *present ? candidate_decode(candidate, &member, err) : STATUS_OK;
}

/* Read which tools shall run on the candidate; borrows from the request. */
static enum status read_tools(const struct json_ref *request, struct judge_tools *tools,
                              struct error *err)
{
    struct json_ref tool = json_ref_member(request, "sanitize");

    tools->profile = json_get_bool(request->value, "profile", false);
    tools->skips_slower = json_get_bool(request->value, "skips_slower", false);
    tools->skips_lines = json_get_bool(request->value, "skips_lines", false);
    tools->sanitizer = json_get_string(request->value, "sanitize", NULL);
    if (tools->sanitizer && !sanitizer_is_tool(tools->sanitizer))
        return json_ref_error(&tool, err, "expected memcheck, racecheck, initcheck or synccheck");
    return STATUS_OK;
}

static enum status serve_evaluate(struct service *service, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    struct candidate candidate = {0}, best = {0}, first = {0};
    struct judge_request asked = {.candidate = &candidate};
    struct verdict verdict = {0};
    bool has_candidate = false, has_best = false, has_first = false;
    enum status st = read_candidate(request, "candidate", &candidate, &has_candidate, err);

    if (!st)
        st = read_candidate(request, "best", &best, &has_best, err);
    if (!st)
        st = read_candidate(request, "first", &first, &has_first, err);
    if (!st && !has_candidate)
        st = json_ref_error(request, err, "no candidate");
    if (!st)
        st = read_tools(request, &asked.tools, err);
    asked.best = has_best ? &best : NULL;
    asked.first = has_first ? &first : NULL;
    if (!st)
        st = judge_evaluate(service->judge, &asked, &verdict, err);
    if (!st)
        json_put(answer, "verdict", verdict_encode(&verdict));
    verdict_release(&verdict);
    candidate_release(&candidate);
    candidate_release(&best);
    candidate_release(&first);
    return st;
}

static enum status serve_listing(struct service *service, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct json_ref form = json_ref_member(request, "form");
    struct candidate candidate = {0};
    struct judge_listing asked = {.candidate = &candidate,
                                  .form =
                                      listing_form_of(json_get_string(request->value, "form", "")),
                                  .tuned = json_get_string(request->value, "tuned", NULL)};
    bool has_candidate = false;
    struct strbuf text = {0};
    enum status st = read_candidate(request, "candidate", &candidate, &has_candidate, err);

    if (!st && !has_candidate)
        st = json_ref_error(request, err, "no candidate");
    if (!st && asked.form == LISTING_NONE)
        st = json_ref_error(&form, err, "expected %s or %s", listing_form_name(LISTING_PTX),
                            listing_form_name(LISTING_SASS));
    if (!st)
        st = judge_listing(service->judge, &asked, &text, err);
    if (!st)
        json_put_string(answer, "text", strbuf_cstr(&text));
    strbuf_release(&text);
    candidate_release(&candidate);
    return st;
}

/*
 * The interval in milliseconds at which a compiling worker checks whether another one waits for the
 * device.
 */
enum { SHARING_MS = 100 };

/*
 * True if no request is served and one waits: it may have been read while the judge waited for
 * PyTorch or for the device, so that nothing is left on standard input.
 */
static bool is_asked(const struct service *service)
{
    return !service->inbox.is_busy && inbox_has_request(&service->inbox);
}

/* Wait until all baselines are compiled or input arrives; `*are_compiled` tells which. */
static enum status await_compiled(struct service *service, bool *are_compiled, struct error *err)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
    bool must_share = true;
    enum status st = STATUS_OK;

    while (!st && !fds[0].revents && !is_asked(service) &&
           judge_is_compiling(service->judge, &fds[1].fd)) {
        if (must_share)
            st = judge_share(service->judge, err);
        if (!st && !is_asked(service))
            poll(fds, 2, SHARING_MS);
        must_share = judge_is_awaited(service->judge);
    }
    judge_rest(service->judge);
    *are_compiled = !judge_is_compiling(service->judge, &fds[1].fd);
    return st;
}

static enum status serve_await(struct service *service, const struct json_ref *request,
                               struct json *answer, struct error *err)
{
    static const struct evaluation_progress progress = {.stage = "compiling baselines"};
    enum status st = judge_compile(service->judge, err);
    bool are_compiled = false;

    (void)request;
    (void)answer;
    if (!st)
        service_send_progress(service, &progress);
    while (!st && !are_compiled) {
        st = await_compiled(service, &are_compiled, err);
        if (!st && !are_compiled && inbox_take(&service->inbox))
            st = error_set(err, STATUS_CANCELLED, "cancelled");
    }
    service->is_compiling = false;
    return st;
}

static enum status serve_nothing(struct service *service, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    (void)service;
    (void)request;
    (void)answer;
    (void)err;
    return STATUS_OK;
}

static enum status serve_quit(struct service *service, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    service->inbox.is_over = true;
    return serve_nothing(service, request, answer, err);
}

static const struct command commands[] = {
    {"hello", serve_hello},     {"devices", serve_devices}, {"describe", serve_describe},
    {"lint", serve_lint},       {"load", serve_load},       {"evaluate", serve_evaluate},
    {"listing", serve_listing}, {"await", serve_await},     {"cancel", serve_nothing},
    {"quit", serve_quit},
};

static enum status serve_request(struct service *service, const struct json *request,
                                 struct json *answer, struct error *err)
{
    const char *name = json_get_string(request, "do", "");
    const struct json_ref root = json_ref_root(request, "request");

    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].serve(service, &root, answer, err);
    return error_set(err, STATUS_INVALID, "request: unknown command \"%s\"", name);
}

void service_answer(struct service *service, const char *line)
{
    struct error err = {0};
    struct json *request = json_parse(line, strlen(line), &err);
    struct json *answer;
    enum status st = request ? STATUS_OK : err.code;

    service->inbox.is_busy = true;
    service->id = json_get(request, "id");
    answer = message_new(service, "result");
    if (!st && inbox_was_cancelled(&service->inbox))
        st = error_set(&err, STATUS_CANCELLED, "cancelled");
    if (!st)
        st = serve_request(service, request, answer, &err);
    if (st) {
        json_free(answer);
        answer = message_new(service, "error");
        json_put_string(answer, "error", err.text);
        json_put_number(answer, "code", err.code);
    }
    send_message(service, answer);
    service->inbox.is_busy = false;
    service->id = NULL;
    json_free(request);
}

void service_report_expectations(struct service *service)
{
    struct expectations_progress expectations;
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};

    while (!fds[0].revents && judge_expects(service->judge, &expectations) &&
           service->expected < expectations.total) {
        const struct evaluation_progress progress = {
            .stage = "expected values", .done = expectations.made, .total = expectations.total};

        service_send_progress(service, &progress);
        service->expected = expectations.made;
        fds[1].fd = expectations.fd;
        if (expectations.made < expectations.total)
            poll(fds, 2, -1);
    }
}

void service_compile(struct service *service)
{
    struct error err;
    bool are_compiled;
    int fd;

    if (judge_compile(service->judge, &err))
        fprintf(stderr, "kforge-worker: %s\n", err.text);
    service->is_compiling |= judge_is_compiling(service->judge, &fd);
    if (!service->is_compiling || await_compiled(service, &are_compiled, &err) || !are_compiled)
        return;
    service->is_compiling = false;
    send_message(service, message_new(service, "compiled"));
}
