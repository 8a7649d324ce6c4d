#ifndef TUI_FRAME_LAYOUT_PIN_H
#define TUI_FRAME_LAYOUT_PIN_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "tui/widgets/scene.h"

/*
 * The layout that the engineer pinned, for all sessions and kept after the end of the program: the
 * name of a scene in the file `layout` of kforge's state folder.  No file: the layout follows the
 * step.
 */

/* Read the pinned scene; SCENE_NONE if none is pinned or the file cannot be read. */
enum scene layout_pin_read(void);

/*
 * Change the pin as the command `layout` asks: pin the named scene, or the one that is `shown`, or
 * with "follow" or if one is pinned already, none.  The change is made even if it could not be
 * kept, which is STATUS_IO.  STATUS_INVALID for an unknown name, which changes nothing.
 */
enum status layout_pin_set(enum scene *pinned, enum scene shown, const char *name,
                           struct error *err) MUST_CHECK;

#endif
