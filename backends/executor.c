#include "backends/executor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/bench.h"
#include "backends/containment/containment.h"
#include "backends/devices.h"
#include "backends/executor_answers.h"
#include "backends/executor_run.h"
#include "backends/internal_kernels.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/system/file.h"
#include "core/system/lines.h"

enum { READBACK_FD = 3, LENT_FD = 4 };

struct server {
    int answers;          /* descriptor */
    char *line;           /* the text of the request that is served; borrowed */
    struct json *request; /* the request; NULL once it was forgotten */
    struct safeguards safeguards;
    struct bench bench;
    struct executor_repeats repeats;
    struct lent_memory lent; /* contents that the judge computed in advance, mapped read-only */
};

struct command {
    const char *name;
    enum status (*serve)(struct server *server, const struct json_ref *request, struct json *answer,
                         struct error *err);
};

static enum status serve_devices(struct server *server, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct device_list devices = {0};
    struct json *array = json_put(answer, "devices", json_array_new());
    enum status st = devices_find(json_get_string(request->value, "device", ""), &devices, err);

    json_put(answer, "containment", safeguards_encode(&server->safeguards));
    json_put_string(answer, "absent", strbuf_cstr(&devices.absent));
    for (size_t i = 0; i < devices.count; i++)
        json_push(array, device_info_encode(&devices.items[i]));
    device_list_release(&devices);
    return st;
}

/*
 * A candidate in C needs no files, no processes, and only threads that started before it. So the
 * process gives up the right to more of them before it loads one (SECURITY.md).
 */
static enum status prepare_for_host_code(const struct backend_ops *ops, struct device *device,
                                         const char *language, struct error *err)
{
    enum status st;

    if (ops->expect && *language)
        ops->expect(device, language);
    containment_give_up_files();
    st = ops->start ? ops->start(device, err) : STATUS_OK;
    if (!st)
        containment_give_up_processes();
    return st;
}

static enum status open_device(struct server *server, const struct device_info *info,
                               const struct json_ref *request, struct json *answer,
                               struct error *err)
{
    const char *language = json_get_string(request->value, "language", "");
    size_t index = 0;
    const struct backend_ops *ops = devices_backend(info->id, &index);
    enum status st = ops ? ops->open(index, &server->bench.device, err) : STATUS_UNAVAILABLE;

    if (!st && ops->runs_host_code)
        st = prepare_for_host_code(ops, server->bench.device, language, err);
    if (st)
        return st;
    server->bench.ops = ops;
    server->bench.is_cpu = info->is_cpu;
    server->bench.leaves_memory = json_get_bool(request->value, "leaves_memory", false);
    if (ops->warm_profiler && json_get_bool(request->value, "warms_profiler", false))
        ops->warm_profiler(server->bench.device);
    json_put(answer, "device", device_info_encode(info));
    return STATUS_OK;
}

static void put_digest(struct json *answer)
{
    char drawn[DIGEST_HEX_SIZE];

    fill_digest(drawn);
    json_put_string(answer, "draws", drawn);
}

static enum status serve_open(struct server *server, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *wanted = json_get_string(request->value, "device", "");
    struct device_list devices = {0};
    enum status st;

    put_digest(answer); /* computed now, because this process may soon start no more threads */
    st = server->bench.device ? error_set(err, STATUS_INVALID, "a device is already open")
                              : devices_find(wanted, &devices, err);

    if (!st && devices.items)
        st = open_device(server, devices.items, request, answer, err);
    device_list_release(&devices);
    return st;
}

static void unmap_lent(struct server *server)
{
    if (server->lent.bytes)
        munmap((void *)(uintptr_t)server->lent.bytes, server->lent.size);
    server->lent = (struct lent_memory){0};
}

/* Map the memory that the judge shares, read-only. */
static enum status map_lent(struct server *server, size_t size, struct error *err)
{
    void *bytes;

    unmap_lent(server);
    if (!size)
        return STATUS_OK;
    bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, LENT_FD, 0);
    if (bytes == MAP_FAILED)
        return error_set(err, STATUS_IO, "cannot map %zu bytes of shared memory", size);
    server->lent = (struct lent_memory){.bytes = bytes, .size = size};
    return STATUS_OK;
}

static enum status serve_tensors(struct server *server, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct json_ref list = json_ref_member(request, "tensors");
    struct tensor_sources sources = {0};
    enum status st;

    bench_drop_tensors(&server->bench); /* their contents may lie in the lent memory */
    st = map_lent(server, (size_t)json_get_number(request->value, "lent_bytes", 0), err);
    if (!st)
        st = wire_decode_tensors(&sources, &list, &server->lent, err);
    if (!st)
        st = bench_set_tensors(&server->bench, &sources, err);
    if (!st)
        json_put(answer, "internal_kernels", internal_kernels_missing(&server->bench));
    return st;
}

static enum status serve_internal_kernels(struct server *server, const struct json_ref *request,
                                          struct json *answer, struct error *err)
{
    (void)err;
    internal_kernels_prepare(&server->bench, json_get(request->value, "kernels"),
                             json_get_bool(request->value, "make", false),
                             json_put(answer, "kernels", json_object_new()));
    return STATUS_OK;
}

static enum status read_slot(struct server *server, const struct json_ref *request,
                             struct loaded **slot, struct error *err)
{
    struct json_ref member = json_ref_member(request, "slot");
    int64_t number = 0;
    enum status st = json_read_integer(&member, &number, err);

    if (!st && (number < 0 || number >= SLOT_COUNT))
        st = json_ref_error(&member, err, "no such slot");
    if (!st)
        *slot = &server->bench.slots[number];
    return st;
}

/* A program to load, and its binary if the judge has kept one. */
struct loading {
    struct bench_source source;
    struct dispatch dispatch;
    struct json_ref binary;
};

static enum status load(struct bench *bench, struct loaded *slot, struct loading *loading,
                        struct error *err)
{
    struct binary binary = {0};
    enum status st = STATUS_OK;

    if (loading->binary.value)
        st = binary_decode(&binary, &loading->binary, err);
    bench->binary = loading->binary.value ? &binary : NULL;
    if (!st)
        st = bench_load(bench, slot, &loading->source, &loading->dispatch, err);
    bench->binary = NULL;
    binary_release(&binary);
    return st;
}

static enum status serve_load(struct server *server, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    struct json_ref source = json_ref_member(request, "source");
    struct json_ref plan = json_ref_member(request, "dispatch");
    struct loading loading = {
        .source.language = json_get_string(request->value, "language", NULL),
        .binary = json_ref_member(request, "binary"),
    };
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    if (!st)
        st = json_read_string(&source, &loading.source.text, err);
    if (!st)
        st = dispatch_decode(&loading.dispatch, &plan, err);
    if (!st)
        st = load(&server->bench, slot, &loading, err);
    if (st)
        return st;
    json_put_bool(answer, "built", slot->program != NULL);
    json_put(answer, "build", build_report_encode(&slot->report));
    json_put(answer, "resources", resource_list_encode(&slot->resources));
    return STATUS_OK;
}

static enum status require_program(const struct loaded *slot, struct error *err)
{
    if (slot->program && slot->buffers)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID, "no program is loaded in this slot");
}

static enum status serve_binary(struct server *server, const struct json_ref *request,
                                struct json *answer, struct error *err)
{
    const struct backend_ops *ops = server->bench.ops;
    struct binary binary = {0};
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    if (!st)
        st = require_program(slot, err);
    if (!st)
        st = ops->binary
                 ? ops->binary(slot->program, &binary, err)
                 : error_set(err, STATUS_UNAVAILABLE, "the back end %s has no binaries", ops->name);
    if (!st)
        json_put(answer, "binary", binary_encode(&binary));
    binary_release(&binary);
    return st;
}

static enum status serve_code(struct server *server, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *wanted = json_get_string(request->value, "kind", "");
    enum code_kind kind = strcmp(wanted, code_kind_name(CODE_PTX)) == 0 ? CODE_PTX : CODE_MACHINE;
    struct strbuf code = {0};
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    if (!st)
        st = require_program(slot, err);
    if (!st && kind == CODE_MACHINE && executor_put_parts(&server->bench, slot, answer))
        return STATUS_OK;
    if (!st)
        st = server->bench.ops->code(slot->program, kind, &code, err);
    if (!st)
        executor_put_code(answer, &code, kind);
    strbuf_release(&code);
    return st;
}

/*
 * Overwrite the request in memory. The memory of its JSON is overwritten when it is freed
 * (json_wipe_freed()).
 */
static void forget(struct server *server)
{
    json_free(server->request);
    server->request = NULL;
    explicit_bzero(server->line, strlen(server->line));
}

/*
 * On a CPU a kernel can read the memory of this process. Therefore a request contains neither the
 * purpose of the run nor what follows it; the judge sends these afterwards (wire.h).
 */
static enum status serve_run(struct server *server, const struct json_ref *request,
                             struct json *answer, struct error *err)
{
    struct wire_run wanted = wire_decode_run(request->value);
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    if (!st)
        st = require_program(slot, err);
    if (st)
        return st;
    server->bench.is_stepwise = json_get_bool(request->value, "stepwise", false);
    forget(server);
    return executor_serve_run(&server->bench, slot, &wanted, answer, err);
}

static enum status serve_repeat(struct server *server, const struct json_ref *request,
                                struct json *answer, struct error *err)
{
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    (void)answer;
    if (!st)
        st = require_program(slot, err);
    if (!st)
        server->repeats = executor_repeats_of(slot, request->value);
    return st;
}

static enum status serve_repeated(struct server *server, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    (void)request;
    return executor_put_repeats(&server->repeats, answer, err);
}

static enum status serve_collect(struct server *server, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct executor_copy copy = wire_decode_copy(request->value);
    size_t count = server->bench.sources.count;
    bool *changed = mem_alloc_zeroed(count + 1, sizeof(*changed));
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    if (!st)
        st = require_program(slot, err);
    if (!st && copy.in_place)
        copy.in_place = executor_put_handles(&server->bench, slot, answer);
    if (!st)
        st = bench_collect(&server->bench, slot, &copy, changed, err);
    executor_put_indices(answer, "changed", changed, count);
    free(changed);
    return st;
}

static enum status serve_deliver(struct server *server, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    size_t index = (size_t)json_whole(json_get(request->value, "buffer"), SIZE_MAX, SIZE_MAX);
    const char *handle = json_get_string(request->value, "handle", NULL);
    struct loaded *slot = NULL;
    enum status st = read_slot(server, request, &slot, err);

    (void)answer;
    if (!st)
        st = require_program(slot, err);
    if (st)
        return st;
    return handle ? bench_import(&server->bench, slot, index, handle, err)
                  : bench_deliver(&server->bench, slot, index, err);
}

static enum status serve_stash(struct server *server, const struct json_ref *request,
                               struct json *answer, struct error *err)
{
    const struct executor_stash stash = wire_decode_stash(request->value);

    (void)answer;
    return bench_stash(&server->bench, &stash, err);
}

static enum status serve_close_imports(struct server *server, const struct json_ref *request,
                                       struct json *answer, struct error *err)
{
    (void)request;
    (void)answer;
    (void)err;
    bench_close_imports(&server->bench);
    return STATUS_OK;
}

static const struct command commands[] = {
    {"devices", serve_devices}, {"open", serve_open},
    {"tensors", serve_tensors}, {"internal_kernels", serve_internal_kernels},
    {"load", serve_load},       {"run", serve_run},
    {"repeat", serve_repeat},   {"repeated", serve_repeated},
    {"collect", serve_collect}, {"code", serve_code},
    {"binary", serve_binary},   {"deliver", serve_deliver},
    {"stash", serve_stash},     {"close_imports", serve_close_imports},
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static enum status serve_line(struct server *server, struct json *answer, struct error *err)
{
    struct json_ref root;
    const struct command *command;
    enum status st;

    server->request = json_parse(server->line, strlen(server->line), err);
    if (!server->request)
        return STATUS_INVALID;
    root = json_ref_root(server->request, "request");
    command = find_command(json_get_string(server->request, "do", ""));
    if (!command)
        st = error_set(err, STATUS_INVALID, "no such command");
    else if (!server->bench.device && command->serve != serve_open &&
             command->serve != serve_devices)
        st = error_set(err, STATUS_INVALID, "no device is open");
    else
        st = command->serve(server, &root, answer, err);
    forget(server);
    return st;
}

static enum status answer_line(struct server *server, char *line)
{
    struct json *answer = json_object_new();
    struct strbuf text = {0};
    struct error err = {0};
    enum status st;

    server->line = line;
    server->repeats.slot = NULL;
    st = serve_line(server, answer, &err);
    fflush(stdout); /* the judge limits what kernels print */
    if (st) {
        json_free(answer);
        answer = wire_encode_error(&err);
    }
    json_print(answer, &text);
    strbuf_adds(&text, "\n");
    st = file_write_all(server->answers, strbuf_cstr(&text), text.len, NULL);
    strbuf_release(&text);
    json_free(answer);
    return st;
}

/*
 * Move the answers away from standard output, and redirect that to standard error, a file in memory
 * that says how much a kernel prints. SIGXFSZ ends a kernel that exceeds its limit (containment.h).
 */
static int move_output(void)
{
    int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);

    dup2(STDERR_FILENO, STDOUT_FILENO);
    return answers;
}

int executor_serve(bool is_under_tool)
{
    struct server server = {.answers = move_output(), .bench = {.readback = {.fd = READBACK_FD}}};
    struct containment containment = containment_from_environment();
    struct lines lines = {0};
    enum status st = STATUS_OK;

    json_wipe_freed();
    containment.is_under_tool = is_under_tool;
    server.safeguards = containment_enter(&containment);
    while (!st) {
        char *line = lines_next(&lines);

        st = line ? answer_line(&server, line)
                  : executor_await_line(&server.bench, &server.repeats, &lines);
    }
    lines_release(&lines);
    bench_release(&server.bench);
    unmap_lent(&server);
    return EXIT_SUCCESS;
}
