#include "core/judge/bound.h"

struct json *roofs_encode(const struct roofs *roofs)
{
    struct json *object = json_object_new();
    struct json *memory = json_put(object, "memory", json_array_new());

    for (size_t i = 0; i < roofs->memory_count; i++) {
        struct json *level = json_push(memory, json_object_new());

        json_put_number(level, "bytes", roofs->memory[i].bytes);
        json_put_number(level, "bytes_per_us", roofs->memory[i].bytes_per_us);
    }
    json_put_number(object, "flops_per_us", roofs->flops_per_us);
    json_put_number(object, "busy_cores", roofs->busy_cores);
    return object;
}

void roofs_decode(struct roofs *roofs, const struct json *encoded)
{
    struct roofs decoded = {.flops_per_us = json_get_number(encoded, "flops_per_us", 0),
                            .busy_cores = json_get_number(encoded, "busy_cores", 0)};

    for (const struct json *level = json_first(json_get(encoded, "memory"));
         level && decoded.memory_count < ROOFS_MEMORY_LEVELS; level = json_next(level))
        decoded.memory[decoded.memory_count++] =
            (struct memory_roof){.bytes = json_get_number(level, "bytes", 0),
                                 .bytes_per_us = json_get_number(level, "bytes_per_us", 0)};
    *roofs = decoded;
}

double roofs_bandwidth(const struct roofs *roofs, double bytes)
{
    double best = 0;

    for (size_t i = roofs->memory_count; i-- > 0;) {
        if (roofs->memory[i].bytes_per_us > best)
            best = roofs->memory[i].bytes_per_us;
        if (roofs->memory[i].bytes <= bytes)
            break;
    }
    return best;
}

void bound_compute(const struct graph *graph, const struct roofs *roofs,
                   const struct estimate *time, struct bound *bound)
{
    double flops = graph_flops(graph), bytes = graph_bytes(graph);
    double bandwidth = roofs_bandwidth(roofs, bytes);
    double memory_us = bandwidth > 0 ? bytes / bandwidth : 0;
    double compute_us = roofs->flops_per_us > 0 ? flops / roofs->flops_per_us : 0;
    double us = memory_us > compute_us ? memory_us : compute_us;

    if (us <= 0)
        return;
    *bound = (struct bound){
        .is_present = true,
        .flops = flops,
        .bytes = bytes,
        .us = us,
        .limiter = memory_us > compute_us ? LIMITER_MEMORY : LIMITER_COMPUTE,
        .fraction = time && time->median_us > 0 ? us / time->median_us : 0,
    };
}
