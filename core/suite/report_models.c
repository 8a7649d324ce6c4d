#include "core/suite/report_models.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/recorded/agent_results.h"

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

void report_models_count(struct report_models *models, size_t arm, const struct session *session)
{
    struct agent_result results[MOST_AGENTS];
    size_t count = agent_results_find(session, results);

    for (size_t i = 0; i < count; i++) {
        const struct agent_result *result = &results[i];
        struct report_model *model = model_of(models, arm, result->agent);

        model->sessions++;
        model->attempts += result->attempts;
        model->correct += result->correct;
        model->won += result->won;
        model->best += result->has_best;
        model->replies += result->use.replies;
        model->unknown_usd += result->use.unknown_usd;
        model->unknown_tokens += result->use.unknown_tokens;
        model->usd += result->use.usd;
        model->prompt_tokens += (double)result->use.prompt_tokens;
        model->reply_tokens += (double)result->use.reply_tokens;
        model->minutes += (double)result->use.latency_us / 60e6;
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
