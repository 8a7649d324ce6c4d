#include "core/judge/limits.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/model/roofline/bound.h"
#include "core/model/roofline/floor.h"

/* True if the task lint found that the tensor changes no output. */
static bool is_ignored(const struct hazard_list *findings, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->items[i].name, "ignored_input") == 0 &&
            strncmp(findings->items[i].evidence, name, length) == 0 &&
            findings->items[i].evidence[length] == ':')
            return true;
    return false;
}

struct limits limits_of(const struct evaluation_context *context)
{
    return (struct limits){
        .graph = &expectations_case(context->expectations, EXPECTATIONS_MAIN)->graph,
        .problem = context->problem,
        .expectations = context->expectations,
        .device = context->device,
        .roofs = context->roofs,
    };
}

/* The products of halves that matrix units make of a product in f32 (three parts of bf16). */
static const double products_of_parts = 3;

bool limits_bound_is_beaten(const struct limits *limits, const struct estimate *time)
{
    struct roofs roofs = *limits->roofs;
    double by_parts = roofs.matrix_flops_per_us / products_of_parts;
    struct bound bound = {0};

    if (by_parts > roofs.flops_per_us)
        roofs.flops_per_us = by_parts;
    bound_compute(limits->graph, &limits->problem->tolerance, &roofs, time, &bound);
    return bound.fraction > 1;
}

void limits_compute(const struct limits *limits, struct verdict *verdict)
{
    const struct graph *graph = limits->graph;
    const struct hazard_list *findings = expectations_findings(limits->expectations);
    bool *ignored = mem_alloc_zeroed(graph->values.count + 1, sizeof(*ignored));

    for (size_t i = 0; i < graph->values.count; i++)
        ignored[i] = is_ignored(findings, graph->values.items[i].name);
    bound_compute(graph, &limits->problem->tolerance, limits->roofs, &verdict->timing.time,
                  &verdict->bound);
    floor_compute(graph, ignored, limits->roofs, &verdict->floor);
    free(ignored);
}

bool limits_are_beaten(const struct limits *limits, const struct verdict *verdict)
{
    return floor_is_beaten(&verdict->floor, verdict->timing.time.median_us, limits->roofs,
                           limits->device->is_cpu ? limits->device->compute_units : 0);
}

void limits_conclude(struct verdict *verdict)
{
    const struct time_floor *limit = &verdict->floor;
    char own[FORMAT_SIZE], least[FORMAT_SIZE], bytes[FORMAT_SIZE], rate[FORMAT_SIZE];

    format_time(own, verdict->timing.time.median_us);
    format_time(least, limit->us);
    if (floor_is_launch(limit))
        verdict_conclude(verdict, OUTCOME_SUSPECT,
                         "%s is below the floor of %s, the time of an empty launch on this device: "
                         "no kernel is faster, so the device's clock is wrong",
                         own, least);
    else
        verdict_conclude(verdict, OUTCOME_SUSPECT,
                         "%s is below the floor of %s, in which this device moves the %s of "
                         "inputs and outputs at %s: some runs leave out work, or the "
                         "device's clock is wrong",
                         own, least, format_bytes(bytes, limit->bytes),
                         format_amount(rate, limit->bytes_per_us * 1e6, "B/s"));
}
