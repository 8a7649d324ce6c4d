#include "core/judge/roofs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/judge/pool.h"
#include "core/model/plan.h"

/*
 * A microbenchmark: a problem with the dimension N, and kernels over it.
 * The kernels differ in what a device may like; the fastest counts.
 */
struct probe {
    const char *tensors, *graph; /* of the problem, JSON */
    const char *source;
    const char *plans[4]; /* NULL-terminated */
};

/* Small sizes cost next to nothing, and are disturbed most. */
enum { PROBE_MIN_RUNS = 7, PROBE_MAX_RUNS = 50, PROBE_ELEMENTS = 1 << 23 };

static const struct probe memory_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"b\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"add\",\"in\":[\"a\",\"b\"],\"out\":\"y\"}]",
    .source = "__kernel void add1(__global const float *a, __global const float *b,\n"
              "                   __global float *y)\n"
              "{\n    size_t i = get_global_id(0);\n    y[i] = a[i] + b[i];\n}\n"
              "__kernel void add4(__global const float4 *a, __global const float4 *b,\n"
              "                   __global float4 *y)\n"
              "{\n    size_t i = get_global_id(0);\n    y[i] = a[i] + b[i];\n}\n"
              "__kernel void add16(__global const float16 *a, __global const float16 *b,\n"
              "                    __global float16 *y)\n"
              "{\n    size_t i = get_global_id(0);\n    y[i] = a[i] + b[i];\n}\n",
    .plans = {"{\"launches\":[{\"kernel\":\"add1\",\"global\":[\"N\"],"
              "\"args\":[\"a\",\"b\",\"y\"]}]}",
              "{\"launches\":[{\"kernel\":\"add4\",\"global\":[\"N/4\"],\"local\":[256],"
              "\"args\":[\"a\",\"b\",\"y\"]}]}",
              "{\"launches\":[{\"kernel\":\"add16\",\"global\":[\"N/16\"],\"local\":[64],"
              "\"args\":[\"a\",\"b\",\"y\"]}]}"},
};

/* N work-items, each with FMA_ITEM multiply-adds that do not wait for each other. */
enum { FMA_STEPS = 512, FMA_CHAINS = 12, FMA_WIDTH = 16 };

static const struct probe compute_probe = {
    .tensors = "{\"a\":{\"role\":\"input\",\"dtype\":\"f32\",\"shape\":[\"N\"],"
               "\"fill\":{\"uniform\":[0,1]}},"
               "\"y\":{\"role\":\"output\",\"dtype\":\"f32\",\"shape\":[\"N\"]}}",
    .graph = "[{\"op\":\"neg\",\"in\":[\"a\"],\"out\":\"y\"}]",
    .source = "#define FMA(T)                                                     \\\n"
              "    T x = (T)(a[get_global_id(0)]), s[12];                         \\\n"
              "    for (int c = 0; c < 12; c++) s[c] = x + (T)(c);                \\\n"
              "    for (int k = 0; k < 512 * 16 / (int)(sizeof(T) / 4); k++) {    \\\n"
              "        _Pragma(\"unroll\")                                          \\\n"
              "        for (int c = 0; c < 12; c++) s[c] = fma(s[c], x, x);       \\\n"
              "    }                                                              \\\n"
              "    for (int c = 1; c < 12; c++) s[0] += s[c];\n"
              "__kernel void fma16(__global const float *a, __global float *y)\n"
              "{\n    FMA(float16)\n    y[get_global_id(0)] = s[0].s0 + s[0].sf;\n}\n"
              "__kernel void fma1(__global const float *a, __global float *y)\n"
              "{\n    FMA(float)\n    y[get_global_id(0)] = s[0];\n}\n",
    .plans = {"{\"launches\":[{\"kernel\":\"fma16\",\"global\":[\"N\"],\"local\":[1],"
              "\"args\":[\"a\",\"y\"]}]}",
              "{\"launches\":[{\"kernel\":\"fma1\",\"global\":[\"N\"],\"local\":[256],"
              "\"args\":[\"a\",\"y\"]}]}"},
};

static size_t probe_runs(int64_t n)
{
    int64_t runs = PROBE_ELEMENTS / n;

    return (size_t)(runs < PROBE_MIN_RUNS   ? PROBE_MIN_RUNS
                    : runs > PROBE_MAX_RUNS ? PROBE_MAX_RUNS
                                            : runs);
}

/* The fastest of the runs of what is loaded, if it is faster than `*fastest_us`, 0 for none yet. */
static enum status time_runs(struct executor *executor, int64_t n, double *fastest_us,
                             struct error *err)
{
    static const uint64_t seeds[PROBE_MAX_RUNS];
    size_t count = probe_runs(n);
    const struct executor_batch batch = {
        .slot = SLOT_CANDIDATE, .input_seeds = seeds, .count = count, .collect = count};
    double spans_us[PROBE_MAX_RUNS];
    struct executor_times times = {.spans_us = spans_us};
    enum status st = executor_run(executor, &batch, &times, err);

    for (size_t i = 0; !st && i < count; i++)
        if (spans_us[i] > 0 && (*fastest_us <= 0 || spans_us[i] < *fastest_us))
            *fastest_us = spans_us[i];
    return st;
}

/* Time one kernel of a probe whose tensors are loaded. */
static enum status time_plan(struct executor *executor, const struct probe *probe,
                             const char *plan_text, const struct pool_case *shape,
                             double *fastest_us, struct error *err)
{
    struct executor_build build = {0};
    struct dispatch dispatch = {0};
    struct plan plan = {0};
    enum status st = plan_parse(&plan, plan_text, strlen(plan_text), err);

    if (!st)
        st = plan_resolve(&plan, &shape->graph, &shape->scope, &dispatch, err);
    if (!st)
        st = executor_load(executor, SLOT_CANDIDATE, probe->source, &dispatch, &build, err);
    if (!st && !build.is_accepted)
        st =
            error_set(err, STATUS_UNAVAILABLE, "the device's compiler rejects the roof kernels: %s",
                      build.report.log ? build.report.log : "no log");
    if (!st)
        st = time_runs(executor, shape->scope.items[0].value, fastest_us, err);
    executor_build_release(&build);
    dispatch_release(&dispatch);
    plan_release(&plan);
    return st;
}

static enum status time_case(struct executor *executor, const struct probe *probe,
                             const struct problem *problem, double *fastest_us, struct error *err)
{
    struct binding bindings[1];
    struct pool_case shape = {.scope = problem_scope(problem, 0, bindings)};
    enum status st = graph_build(&shape.graph, problem, &shape.scope, err);

    if (!st)
        st = executor_set_tensors(executor, problem, &shape.graph, err);
    for (size_t i = 0; !st && probe->plans[i]; i++)
        st = time_plan(executor, probe, probe->plans[i], &shape, fastest_us, err);
    graph_release(&shape.graph);
    return st;
}

/* The fastest run of the fastest kernel at N = `n`, in microseconds. */
static enum status time_probe(struct executor *executor, const struct probe *probe, int64_t n,
                              double *fastest_us, struct error *err)
{
    struct problem problem = {0};
    struct strbuf text = {0};
    enum status st;

    *fastest_us = 0;
    strbuf_addf(&text,
                "{\"kforge\":1,\"name\":\"roof\",\"summary\":\"A microbenchmark.\","
                "\"dims\":{\"N\":%lld},\"tensors\":%s,\"graph\":%s,"
                "\"tolerance\":{\"class\":\"f32\"}}",
                (long long)n, probe->tensors, probe->graph);
    st = problem_parse(&problem, strbuf_cstr(&text), text.len, "roof", err);
    if (!st)
        st = time_case(executor, probe, &problem, fastest_us, err);
    problem_release(&problem);
    strbuf_release(&text);
    return st;
}

/* From the first cache to main memory: how many elements each of the three vectors has. */
static const int64_t memory_elements[ROOFS_MEMORY_LEVELS] = {1 << 14, 1 << 16, 1 << 18,
                                                             1 << 20, 1 << 22, 1 << 24};

static enum status measure_memory(struct executor *executor, const struct device_info *device,
                                  struct roofs *roofs, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < ROOFS_MEMORY_LEVELS; i++) {
        double bytes = 3.0 * sizeof(float) * (double)memory_elements[i], fastest_us;

        if (bytes > (double)device->memory_bytes / 4)
            break;
        st = time_probe(executor, &memory_probe, memory_elements[i], &fastest_us, err);
        if (!st)
            roofs->memory[roofs->memory_count++] =
                (struct memory_roof){.bytes = bytes, .bytes_per_us = bytes / fastest_us};
    }
    return st;
}

/* Where the roofs of this device, with this driver, are kept; NULL for nowhere. The caller frees.
 */
static char *cache_path(const struct device_info *device)
{
    char *folder = file_place_folder(FILE_CACHE);
    char digest[DIGEST_HEX_SIZE];
    struct strbuf text = {0};
    char *path = NULL;

    strbuf_addf(&text, "%s\n%s\n%s\n%s", KFORGE_VERSION, device->id, device->name,
                device->platform);
    digest_sha256(strbuf_cstr(&text), text.len, digest);
    strbuf_release(&text);
    strbuf_addf(&text, "roofs-%.16s.json", digest);
    if (!file_make_folder(folder, NULL))
        path = file_join(folder, strbuf_cstr(&text));
    strbuf_release(&text);
    free(folder);
    return path;
}

bool roofs_recall(const struct device_info *device, struct roofs *roofs)
{
    char *path = cache_path(device);
    struct strbuf text = {0};
    struct json *encoded = NULL;

    if (path && !file_read(path, 1 << 16, &text, NULL))
        encoded = json_parse(strbuf_cstr(&text), text.len, NULL);
    roofs_decode(roofs, encoded);
    json_free(encoded);
    strbuf_release(&text);
    free(path);
    return roofs->memory_count > 0 && roofs->flops_per_us > 0;
}

/* A cache that cannot be written costs a measurement the next time, and nothing else. */
static void keep(const struct device_info *device, const struct roofs *roofs)
{
    char *path = cache_path(device);
    struct json *encoded = roofs_encode(roofs);
    struct strbuf text = {0};
    struct error err;

    json_print_pretty(encoded, &text);
    if (path && file_write(path, strbuf_cstr(&text), text.len, &err))
        log_line("roofs are not kept: %s", err.text);
    strbuf_release(&text);
    json_free(encoded);
    free(path);
}

enum status roofs_measure(struct executor *executor, struct roofs *roofs, struct error *err)
{
    const struct device_info *device;
    struct roofs measured = {0};
    double fastest_us = 0;
    int64_t items;
    enum status st = executor_device(executor, &device, err);

    if (st)
        return st;
    items = (int64_t)device->compute_units * (device->is_cpu ? 256 : 2048);
    st = measure_memory(executor, device, &measured, err);
    if (!st)
        st = time_probe(executor, &compute_probe, items, &fastest_us, err);
    if (st)
        return st;
    measured.flops_per_us = 2.0 * FMA_STEPS * FMA_CHAINS * FMA_WIDTH * (double)items / fastest_us;
    keep(device, &measured);
    *roofs = measured;
    return STATUS_OK;
}

enum status roofs_get(struct executor *executor, struct roofs *roofs, struct error *err)
{
    const struct device_info *device;
    enum status st = executor_device(executor, &device, err);

    if (st || roofs_recall(device, roofs))
        return st;
    return roofs_measure(executor, roofs, err);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

enum status roofs_raise(struct executor *executor, struct roofs *roofs, struct error *err)
{
    const struct roofs old = *roofs;
    const struct device_info *device;
    enum status st = executor_device(executor, &device, err);

    if (!st)
        st = roofs_measure(executor, roofs, err);
    if (st)
        return st;
    roofs->flops_per_us = larger(roofs->flops_per_us, old.flops_per_us);
    for (size_t i = 0; i < roofs->memory_count && i < old.memory_count; i++)
        roofs->memory[i].bytes_per_us =
            larger(roofs->memory[i].bytes_per_us, old.memory[i].bytes_per_us);
    keep(device, roofs);
    return STATUS_OK;
}
