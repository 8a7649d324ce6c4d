#include "core/suite/report/report_models.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

static struct report_model *model_of(struct report_models *models, size_t arm, const char *agent)
{
    struct report_model model = {.arm = arm};

    for (size_t i = 0; i < models->count; i++)
        if (models->items[i].arm == arm && strcmp(models->items[i].agent, agent) == 0)
            return &models->items[i];
    model.agent = mem_strdup(agent);
    vec_push(models, model);
    return &models->items[models->count - 1];
}

void report_models_count(struct report_models *models, const struct report_row *row)
{
    for (size_t i = 0; i < row->agents.count; i++) {
        const struct report_agent *agent = &row->agents.items[i];
        struct report_model *model = model_of(models, row->at.arm, agent->agent);

        model->sessions++;
        model->attempts += agent->attempts;
        model->correct += agent->correct;
        model->won += agent->won;
        model->best += agent->has_best;
        model->replies += agent->replies;
        model->unknown_usd += agent->unknown_usd;
        model->unknown_tokens += agent->unknown_tokens;
        model->usd += agent->usd;
        model->prompt_tokens += (double)agent->prompt_tokens;
        model->reply_tokens += (double)agent->reply_tokens;
        model->minutes += (double)agent->latency_us / 60e6;
    }
}

/* Insertion sort: it is stable, and there are few models. */
void report_models_sort(struct report_models *models)
{
    for (size_t i = 1; i < models->count; i++) {
        struct report_model moved = models->items[i];
        size_t at = i;

        for (; at > 0 && models->items[at - 1].arm > moved.arm; at--)
            models->items[at] = models->items[at - 1];
        models->items[at] = moved;
    }
}

void report_models_release(struct report_models *models)
{
    for (size_t i = 0; i < models->count; i++)
        free(models->items[i].agent);
    vec_release(models);
    *models = (struct report_models){0};
}
