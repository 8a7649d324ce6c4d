#ifndef BACKENDS_CONTAINMENT_H
#define BACKENDS_CONTAINMENT_H

/*
 * What keeps a candidate from harming more than its own executor, as far as
 * that is the executor's to ask for.  The judge does the rest: it watches the
 * clock and the memory.
 */

/*
 * End with the judge, leave no core file and no large file, be the first to
 * go when the machine is out of memory, and give threads a stack in which a
 * work-group's private arrays have room.  Drivers make threads, so this comes
 * first.
 */
void containment_enter(void);

#endif
