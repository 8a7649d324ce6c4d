#include "core/judge/model_baselines.h"

#include "core/base/clock.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

/* Put the model on the device, once. */
static void place(struct model_baselines *b, struct bridge *bridge,
                  const struct device_info *device, const struct tolerance *tolerance)
{
    if (b->names || b->missing.code)
        return;
    if (bridge_place(bridge, device, tolerance, &b->names, &b->missing))
        return;
    for (const struct json *name = json_first(b->names); name && b->count < MODEL_BASELINES_MAX;
         name = json_next(name))
        b->items[b->count++].name = json_string(name, "");
}

/* A first call is not timed: it compiles, and chooses its kernels. */
static enum status warm_up(const struct baseline *baseline, struct bridge *bridge,
                           struct error *err)
{
    return baseline->count ? STATUS_OK : bridge_time(bridge, baseline->name, 0, NULL, err);
}

static void time_one(struct baseline *baseline, struct bridge *bridge, struct error *broken)
{
    enum status st = baseline_is_due(baseline) ? warm_up(baseline, bridge, broken) : STATUS_OK;

    while (!st && baseline_is_due(baseline)) {
        int64_t began_us = clock_now_us();
        double run_us = 0;

        st = bridge_time(bridge, baseline->name, 1, &run_us, broken);
        if (!st)
            baseline_add(baseline, run_us, (double)(clock_now_us() - began_us));
    }
    baseline->is_broken = st;
}

void model_baselines_time(struct model_baselines *b, struct bridge *bridge,
                          const struct device_info *device, const struct tolerance *tolerance,
                          double elapsed_us)
{
    place(b, bridge, device, tolerance);
    for (size_t i = 0; i < b->count; i++) {
        if (b->items[i].is_broken)
            continue;
        baseline_allow(&b->items[i], elapsed_us);
        time_one(&b->items[i], bridge, &b->broken[i]);
    }
}

static void add_hazard(struct verdict *verdict, const char *name, const struct error *why)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s: %s", name, why->text);
    verdict_add_hazard(verdict, "no_baseline", strbuf_cstr(&text));
    strbuf_release(&text);
}

void model_baselines_compare(const struct model_baselines *b, struct verdict *verdict)
{
    if (b->missing.code)
        add_hazard(verdict, "PyTorch", &b->missing);
    for (size_t i = 0; i < b->count; i++) {
        if (b->items[i].is_broken)
            add_hazard(verdict, b->items[i].name, &b->broken[i]);
        if (b->items[i].count)
            vec_push(&verdict->against, baseline_compare(&b->items[i], &verdict->timing.time));
    }
}

void model_baselines_release(struct model_baselines *b)
{
    json_free(b->names);
    *b = (struct model_baselines){0};
}
