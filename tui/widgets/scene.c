#include "tui/widgets/scene.h"

#include <string.h>

/* Columns of the arrangements. */
enum { MIDDLE, RIGHT };

static const struct row {
    const char *name;
    enum pane subject;
    struct scene_arrangement arrangements[SCENE_SIZES];
} table[] = {
    [SCENE_OVERVIEW] = {"overview",
                        PANE_KERNEL,
                        {{60,
                          {{PANE_KERNEL, MIDDLE, 100},
                           {PANE_DIAGNOSTICS, RIGHT, 25},
                           {PANE_CORRECTNESS, RIGHT, 35},
                           {PANE_PROFILE, RIGHT, 40}}},
                         {60,
                          {{PANE_KERNEL, MIDDLE, 70},
                           {PANE_AGENTS, MIDDLE, 30},
                           {PANE_DIAGNOSTICS, RIGHT, 25},
                           {PANE_CORRECTNESS, RIGHT, 30},
                           {PANE_PROFILE, RIGHT, 45}}},
                         {50,
                          {{PANE_KERNEL, 0, 100},
                           {PANE_DIAGNOSTICS, 1, 40},
                           {PANE_CORRECTNESS, 1, 60},
                           {PANE_PROFILE, 2, 100}}}}},
    [SCENE_PROMPT] = {"prompt",
                      PANE_AGENTS,
                      {{60,
                        {{PANE_AGENTS, MIDDLE, 100},
                         {PANE_DIAGNOSTICS, RIGHT, 25},
                         {PANE_CORRECTNESS, RIGHT, 25},
                         {PANE_PROFILE, RIGHT, 50}}},
                       {60,
                        {{PANE_AGENTS, MIDDLE, 60},
                         {PANE_KERNEL, MIDDLE, 40},
                         {PANE_DIAGNOSTICS, RIGHT, 20},
                         {PANE_CORRECTNESS, RIGHT, 25},
                         {PANE_PROFILE, RIGHT, 55}}},
                       {40,
                        {{PANE_AGENTS, 0, 100}, {PANE_KERNEL, 1, 100}, {PANE_PROFILE, 2, 100}}}}},
    [SCENE_CANDIDATE] = {"candidate",
                         PANE_KERNEL,
                         {{60,
                           {{PANE_KERNEL, MIDDLE, 100},
                            {PANE_AGENTS, RIGHT, 40},
                            {PANE_DIAGNOSTICS, RIGHT, 18},
                            {PANE_CORRECTNESS, RIGHT, 20},
                            {PANE_PROFILE, RIGHT, 22}}},
                          {64,
                           {{PANE_KERNEL, MIDDLE, 100},
                            {PANE_AGENTS, RIGHT, 45},
                            {PANE_DIAGNOSTICS, RIGHT, 15},
                            {PANE_CORRECTNESS, RIGHT, 20},
                            {PANE_PROFILE, RIGHT, 20}}},
                          {50,
                           {{PANE_KERNEL, 0, 100},
                            {PANE_AGENTS, 1, 100},
                            {PANE_DIAGNOSTICS, 2, 30},
                            {PANE_CORRECTNESS, 2, 35},
                            {PANE_PROFILE, 2, 35}}}}},
    [SCENE_BUILD] =
        {"build-failed",
         PANE_KERNEL,
         {{60,
           {{PANE_KERNEL, MIDDLE, 100}, {PANE_DIAGNOSTICS, RIGHT, 50}, {PANE_AGENTS, RIGHT, 50}}},
          {60,
           {{PANE_KERNEL, MIDDLE, 100}, {PANE_DIAGNOSTICS, RIGHT, 45}, {PANE_AGENTS, RIGHT, 55}}},
          {50, {{PANE_KERNEL, 0, 100}, {PANE_DIAGNOSTICS, 1, 100}, {PANE_AGENTS, 2, 100}}}}},
    [SCENE_WRONG] =
        {"wrong",
         PANE_CORRECTNESS,
         {{60,
           {{PANE_CORRECTNESS, MIDDLE, 50},
            {PANE_KERNEL, MIDDLE, 50},
            {PANE_DIAGNOSTICS, RIGHT, 30},
            {PANE_AGENTS, RIGHT, 70}}},
          {60,
           {{PANE_CORRECTNESS, MIDDLE, 50},
            {PANE_KERNEL, MIDDLE, 50},
            {PANE_DIAGNOSTICS, RIGHT, 25},
            {PANE_AGENTS, RIGHT, 75}}},
          {40, {{PANE_CORRECTNESS, 0, 100}, {PANE_KERNEL, 1, 100}, {PANE_AGENTS, 2, 100}}}}},
    [SCENE_PROFILE] =
        {"profile",
         PANE_PROFILE,
         {{60,
           {{PANE_PROFILE, MIDDLE, 100}, {PANE_KERNEL, RIGHT, 65}, {PANE_CORRECTNESS, RIGHT, 35}}},
          {60,
           {{PANE_PROFILE, MIDDLE, 60},
            {PANE_KERNEL, MIDDLE, 40},
            {PANE_CORRECTNESS, RIGHT, 40},
            {PANE_AGENTS, RIGHT, 60}}},
          {50, {{PANE_PROFILE, 0, 100}, {PANE_KERNEL, 1, 100}, {PANE_CORRECTNESS, 2, 100}}}}},
    [SCENE_KEEP] =
        {"keep",
         PANE_KERNEL,
         {{60,
           {{PANE_KERNEL, MIDDLE, 100}, {PANE_CORRECTNESS, RIGHT, 28}, {PANE_PROFILE, RIGHT, 72}}},
          {64,
           {{PANE_KERNEL, MIDDLE, 70},
            {PANE_AGENTS, MIDDLE, 30},
            {PANE_DIAGNOSTICS, RIGHT, 15},
            {PANE_CORRECTNESS, RIGHT, 25},
            {PANE_PROFILE, RIGHT, 60}}},
          {50, {{PANE_KERNEL, 0, 100}, {PANE_CORRECTNESS, 1, 100}, {PANE_PROFILE, 2, 100}}}}},
    [SCENE_ADVICE] =
        {"advice",
         PANE_AGENTS,
         {{60, {{PANE_AGENTS, MIDDLE, 60}, {PANE_KERNEL, MIDDLE, 40}, {PANE_PROFILE, RIGHT, 100}}},
          {60,
           {{PANE_AGENTS, MIDDLE, 50},
            {PANE_KERNEL, MIDDLE, 50},
            {PANE_CORRECTNESS, RIGHT, 25},
            {PANE_PROFILE, RIGHT, 75}}},
          {34, {{PANE_AGENTS, 0, 100}, {PANE_KERNEL, 1, 100}, {PANE_PROFILE, 2, 100}}}}},
};

static const struct row *row_of(enum scene scene)
{
    return &table[scene ? scene : SCENE_OVERVIEW];
}

const struct scene_arrangement *scene_arrangement(enum scene scene, enum scene_size size)
{
    return &row_of(scene)->arrangements[size];
}

size_t scene_columns(enum scene_size size)
{
    return size == SCENE_FLAT ? 3 : 2;
}

enum pane scene_subject(enum scene scene)
{
    return row_of(scene)->subject;
}

bool scene_has(enum scene scene, enum pane pane)
{
    for (enum scene_size size = 0; size < SCENE_SIZES; size++) {
        const struct scene_place *place = scene_arrangement(scene, size)->places;

        while (place->share && place->pane != pane)
            place++;
        if (!place->share)
            return pane == PANE_STEPS || pane == PANE_CANDIDATES;
    }
    return true;
}

const char *scene_name(enum scene scene)
{
    return row_of(scene)->name;
}

enum scene scene_parse(const char *name)
{
    for (enum scene scene = SCENE_NONE + 1; scene < SCENE_COUNT; scene++)
        if (strcmp(table[scene].name, name) == 0)
            return scene;
    return SCENE_NONE;
}
