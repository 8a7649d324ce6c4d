#ifndef TUI_SCREENS_KERNEL_WATCH_H
#define TUI_SCREENS_KERNEL_WATCH_H

#include "core/system/file_watch.h"
#include "tui/panels/view_model.h"
#include "tui/screens/screen.h"

/*
 * The engineer's work by hand on the kernel of an attempt: its files lie in the session's folder,
 * as kernels/ATTEMPT, for an editor in another terminal.  Each save becomes an attempt
 * (driver_by_hand.h).
 */
struct kernel_watch {
    struct screen_host *host; /* this and the next two: borrowed */
    struct driver *driver;
    const struct view_model *view_model;

    struct file_watch *files; /* NULL: off */
    char *folder;
    struct strbuf opened; /* the reply of the attempt whose files these are */
    struct strbuf taken;  /* the version that was recorded last */
    unsigned attempt;     /* the attempt that the next version edits */
    unsigned last;        /* the last version, an attempt; 0 if there is none */
    bool is_due;          /* a version could not be recorded yet */
    struct loop_timer again;
};

/*
 * Write the files of the attempt in view, unless they exist, and judge each save from now on; with
 * the argument "off", end that.  The files stay.  False: the command is another one.
 */
bool kernel_watch_command(struct kernel_watch *watch, const struct call *call);

/* An event was recorded: a version that had to wait may be recorded now. */
void kernel_watch_hear(struct kernel_watch *watch);

/* Stop watching and free it. */
void kernel_watch_release(struct kernel_watch *watch);

#endif
