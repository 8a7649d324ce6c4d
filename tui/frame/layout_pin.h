#ifndef TUI_FRAME_LAYOUT_PIN_H
#define TUI_FRAME_LAYOUT_PIN_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "tui/widgets/scene.h"

/*
 * The layout that the engineer pinned. It holds for all sessions and after the end of the program,
 * because the file `layout` in kforge's state folder has the name of the scene. Without the file,
 * the layout follows the step.
 */

/* Read the pinned scene; SCENE_NONE if none is pinned or the file cannot be read. */
enum scene layout_pin_read(void);

/*
 * Carry out the command `layout`: with a name, pin that scene; with "follow", unpin; without a
 * name, unpin if a scene is pinned, else pin the scene that is `shown`. If the file cannot be
 * written, `*pinned` still changes and STATUS_IO is returned. An unknown name is STATUS_INVALID and
 * changes nothing.
 */
enum status layout_pin_set(enum scene *pinned, enum scene shown, const char *name,
                           struct error *err) MUST_CHECK;

#endif
