#ifndef TESTS_UNIT_DISK_FIXTURE_H
#define TESTS_UNIT_DISK_FIXTURE_H

#include <stdbool.h>

/* A cache folder of the test's own, in the folder that it runs in, for
 * core/system/memory/disk_memory.h.
 */

/* Group set-up: make the folder. */
int disk_fixture_open(void **state);

/* Group tear-down: remove it. */
int disk_fixture_close(void **state);

/* Move the cache to a folder that does not exist, and back. */
void disk_fixture_hide(void);
void disk_fixture_show(void);

/* Skip the test where the folder is on no disk, or the disk is nearly full. */
void disk_fixture_need_disk(void);

/* True if the page of that address takes memory of this process (proc(5), pagemap). */
bool disk_fixture_is_resident(const void *address);

#endif
