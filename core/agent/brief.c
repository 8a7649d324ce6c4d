#include "core/agent/brief.h"

const char *agent_task_name(enum agent_task task)
{
    return task == TASK_ANALYSE ? "analyse" : "generate";
}
