#ifndef TUI_SCREENS_KERNEL_WATCH_H
#define TUI_SCREENS_KERNEL_WATCH_H

#include "core/system/file_watch.h"
#include "tui/panels/view_model.h"
#include "tui/screens/screen.h"

/*
 * The engineer's work by hand on the kernel of an attempt, with an editor in another terminal. The
 * kernel's files are in the session's folder, in kernels/ATTEMPT. Each save becomes an attempt
 * (driver_by_hand.h).
 */
struct kernel_watch {
    struct screen_host *host; /* this and the next two: borrowed */
    struct driver *driver;
    const struct view_model *view_model;

    struct file_watch *files; /* NULL if no file is watched */
    char *folder;
    struct strbuf opened; /* the reply of the attempt whose files these are */
    struct strbuf taken;  /* the version that was recorded last */
    unsigned attempt;     /* the attempt that the next version edits */
    unsigned last;        /* the last version, an attempt; 0 if there is none */
    bool is_due;          /* a saved version has not been recorded yet */
    struct loop_timer again;
};

/*
 * Carry out the command `watch`: write the files of the attempt in view, unless they exist, and
 * judge each save from now on; with the argument "off", stop this and keep the files. Returns false
 * for another command.
 */
bool kernel_watch_command(struct kernel_watch *watch, const struct call *call);

/* Call after each event: a version that had to wait may be recorded now. */
void kernel_watch_note_events(struct kernel_watch *watch);

/* Stop watching and free it. */
void kernel_watch_release(struct kernel_watch *watch);

#endif
