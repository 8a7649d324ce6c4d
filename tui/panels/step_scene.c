#include "tui/panels/step_scene.h"

static enum scene scene_of_attempt(const struct attempt *attempt)
{
    if (!attempt || !attempt->is_evaluated)
        return SCENE_CANDIDATE;
    if (attempt->outcome == OUTCOME_CORRECT)
        return SCENE_PROFILE;
    if (attempt->outcome == OUTCOME_BAD_REPLY || attempt->outcome == OUTCOME_BAD_PLAN ||
        attempt->outcome == OUTCOME_BUILD_FAILED)
        return SCENE_BUILD;
    return SCENE_WRONG;
}

/* A prompt that was accepted asks for a repair if the kernel in view failed. */
static enum scene scene_of_prompt(const struct view_model *view_model, const struct step *step)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    bool is_under_way = view_model->live && !view_model->is_elsewhere &&
                        step->decision != DECISION_PENDING &&
                        view_model->session->now.stage != STAGE_CLOSED;

    if (is_under_way && attempt && attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT)
        return scene_of_attempt(attempt);
    return SCENE_PROMPT;
}

/* A kernel that the engineer edited is another attempt than the step's: the one in view. */
enum scene step_scene_of(const struct view_model *view_model)
{
    const struct step *step = session_step(view_model->session, view_model->step);

    if (!step)
        return SCENE_OVERVIEW;
    switch (step->kind) {
    case STEP_PROMPT:
        return scene_of_prompt(view_model, step);
    case STEP_RECOMMENDATION:
        return SCENE_ADVICE;
    case STEP_KEEP:
        return SCENE_KEEP;
    case STEP_CANDIDATE:
        break;
    }
    return scene_of_attempt(session_attempt(view_model->session, view_model->attempt));
}

size_t step_scene_error_line(const struct subject *subject)
{
    const struct build_report *build = &subject->verdict.build;

    for (size_t i = 0; i < build->diagnostics.count; i++)
        if (build->diagnostics.items[i].severity == SEVERITY_ERROR &&
            build->diagnostics.items[i].line)
            return build->diagnostics.items[i].line;
    return 0;
}
