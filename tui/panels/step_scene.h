#ifndef TUI_PANELS_STEP_SCENE_H
#define TUI_PANELS_STEP_SCENE_H

#include "tui/panels/view_model.h"
#include "tui/widgets/scene.h"

/*
 * The scene of the step in view: by its kind, and for a kernel by what the judge said of it.  While
 * an agent repairs a failed kernel, the failure stays the scene.
 */
enum scene step_scene_of(const struct view_model *view_model);

/* The first line of the kernel with an error of the compiler, from 1; 0: there is none. */
size_t step_scene_error_line(const struct subject *subject);

#endif
