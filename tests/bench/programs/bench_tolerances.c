/*
 * bench_tolerances [DEVICE]: what the judge expects of a candidate, as files, for
 * tests/bench/tolerances.py. It reads requests as lines from standard input, and answers each with
 * a line that begins with "ok" or "error":
 *
 *	size PROBLEM            -> ok BYTES FLOPS   memory and operations of an evaluation
 *	expect PROBLEM FOLDER   -> ok
 *
 * `expect` writes, for data of one fixed seed at the main dimensions, FOLDER/NAME.in for each input
 * and param in the tensor's own type, unless the file is there; and for each output NAME.want and
 * NAME.allowed, how far each element may be off, in float32 (NAME.want of wide types in float64).
 * A tensor that only the PyTorch file can make is read from its NAME.in. No name has blanks.
 *
 * With a DEVICE large graphs are computed there, by the worker that KFORGE_WORKER names.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

enum { SEED = 20261123, LINE_BYTES = 4096 };

/* A request that is carried out. */
struct request {
    const char *folder;
    struct device_oracle *device; /* NULL: the CPU computes all */
    struct problem problem;
    struct graph graph;
    struct strbuf *rooms; /* by value of the graph: the elements of those that are read */
    struct error *err;
};

static char *path_in(const struct request *request, const struct value *value, const char *ending)
{
    struct strbuf name = {0};
    char *path;

    strbuf_addf(&name, "%s.%s", value->name, ending);
    path = file_join(request->folder, strbuf_cstr(&name));
    strbuf_release(&name);
    return path;
}

static enum status write_elements(const struct request *request, const struct value *value,
                                  const char *ending, const void *elements, size_t bytes)
{
    char *path = path_in(request, value, ending);
    enum status st = file_write(path, elements, bytes, request->err);

    free(path);
    return st;
}

/* Read a tensor that only the PyTorch file can make, and lend it to the graph. */
static enum status lend(const struct request *request, size_t index)
{
    struct value *value = &request->graph.values.items[index];
    struct strbuf *room = &request->rooms[index];
    char *path = path_in(request, value, "in");
    size_t bytes = value_elements(value) * dtype_bytes(value->dtype);
    enum status st = file_read(path, bytes + 1, room, request->err);

    if (!st && room->len != bytes)
        st = error_set(request->err, STATUS_INVALID, "%s: %zu bytes, expected %zu", path, room->len,
                       bytes);
    value->given = (struct given){.bytes = (const unsigned char *)room->data, .count = 1};
    free(path);
    return st;
}

static enum status draw(const struct request *request, size_t index)
{
    const struct value *value = &request->graph.values.items[index];
    char *path = path_in(request, value, "in");
    bool is_there = access(path, F_OK) == 0;
    size_t bytes = value_elements(value) * dtype_bytes(value->dtype);
    enum status st = STATUS_OK;

    free(path);
    if (!is_there) {
        void *elements = mem_alloc_zeroed(bytes, 1);

        fill_make(value, SEED, (uint32_t)index, elements);
        st = write_elements(request, value, "in", elements, bytes);
        free(elements);
    }
    return st;
}

static enum status make_given(const struct request *request)
{
    const struct graph *graph = &request->graph;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (tensor_is_given(value->role))
            st = value->fill.kind == FILL_MODEL ? lend(request, i) : draw(request, i);
    }
    return st;
}

static enum status write_allowed(const struct request *request, const struct value *value,
                                 const uint16_t *codes)
{
    size_t count = value_elements(value);
    float *allowed = mem_alloc_zeroed(count, sizeof(*allowed));
    enum status st;

    for (size_t i = 0; i < count; i++)
        allowed[i] = tolerance16_value(codes[i]);
    st = write_elements(request, value, "allowed", allowed, count * sizeof(*allowed));
    free(allowed);
    return st;
}

static enum status write_output(const struct request *request, const struct value *value,
                                const struct wanted *want)
{
    size_t count = value_elements(value);
    enum status st =
        write_elements(request, value, "want", want->elements, count * dtype_bytes(want->dtype));

    if (!st && want->allowed)
        st = write_allowed(request, value, want->allowed);
    return st;
}

static bool needs_host(const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++)
        if (graph->values.items[i].fill.kind == FILL_MODEL)
            return true;
    return false;
}

static enum status expect(const struct request *request)
{
    const struct graph *graph = &request->graph;
    const struct expected_outputs_source source = {
        .problem = &request->problem,
        .device = {.expect = device_oracle_expect,
                   .data = needs_host(graph) ? NULL : request->device}};
    struct expectation made = {.param_seed = SEED, .input_seed = SEED};
    enum status st = expected_outputs_make(&source, graph, &made, request->err);

    for (size_t i = 0; !st && i < graph->values.count; i++)
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            st = write_output(request, &graph->values.items[i], &made.outputs[i]);
    expected_outputs_release(graph, made.outputs);
    if (request->device)
        device_oracle_rest(request->device);
    return st;
}

static enum status expect_in(struct request *request)
{
    size_t count = request->graph.values.count;
    enum status st;

    request->rooms = mem_alloc_zeroed(count + 1, sizeof(*request->rooms));
    st = make_given(request);
    if (!st)
        st = expect(request);
    for (size_t i = 0; i < count; i++)
        strbuf_release(&request->rooms[i]);
    free(request->rooms);
    if (!st)
        puts("ok");
    return st;
}

static enum status answer(struct request *request, const char *path)
{
    enum status st = problem_load(&request->problem, path, request->err);

    if (!st) {
        const struct problem *problem = &request->problem;
        struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
        struct scope scope = problem_scope(problem, 0, bindings);

        st = graph_build(&request->graph, problem, &scope, request->err);
        if (!st && !request->folder)
            printf("ok %.0f %.0f\n", oracle_bytes(&request->graph), graph_flops(&request->graph));
        else if (!st)
            st = expect_in(request);
        graph_release(&request->graph);
        free(bindings);
    }
    problem_release(&request->problem);
    return st;
}

/* Carry out a line; a request with other words is an error. */
static enum status serve(struct device_oracle *device, char *line, struct error *err)
{
    char *rest = NULL, *verb = strtok_r(line, " \n", &rest), *path = strtok_r(NULL, " \n", &rest);
    struct request request = {.folder = strtok_r(NULL, " \n", &rest), .device = device, .err = err};

    if (!path || (strcmp(verb, "size") != 0 && (strcmp(verb, "expect") != 0 || !request.folder)))
        return error_set(err, STATUS_INVALID, "expected size PROBLEM, or expect PROBLEM FOLDER");
    return answer(&request, path);
}

int main(int argc, char **argv)
{
    const char *const executor[] = {getenv("KFORGE_WORKER"), "--executor", NULL};
    const struct device_oracle_options options = {.executor = {.argv = executor,
                                                               .device = argc > 1 ? argv[1] : NULL,
                                                               .build_limit_us = 120000000,
                                                               .run_limit_us = 60000000},
                                                  .compares_bytes = (double)INFINITY};
    struct device_oracle *device = argc > 1 && executor[0] ? device_oracle_new(&options) : NULL;
    char line[LINE_BYTES];
    struct error err;

    signal(SIGPIPE, SIG_IGN); /* the executor may end */
    while (fgets(line, sizeof(line), stdin)) {
        if (serve(device, line, &err))
            printf("error %s\n", err.text);
        fflush(stdout);
    }
    device_oracle_free(device);
    return EXIT_SUCCESS;
}
