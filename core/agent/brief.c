#include "core/agent/brief.h"

const char *agent_task_name(enum agent_task task)
{
    return task == TASK_ANALYSE ? "analyse" : "generate";
}

const char *brief_language(const struct brief *brief)
{
    return brief->language ? brief->language : brief->device->language;
}
