#ifndef CORE_SYSTEM_MEMORY_DISK_MEMORY_H
#define CORE_SYSTEM_MEMORY_DISK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Large blocks of memory for data that are read seldom. A block is a mapping of an unnamed file in
 * the user's cache folder. While the block rests, its pages belong to the kernel's page cache, so
 * the kernel can write them to the disk and use the memory for something else. The next access
 * reads them back. The file ends with the block or with the process.
 *
 * A block comes from the allocator instead if the cache folder is not on a disk, if the disk is
 * nearly full, or if the block is small or so large that writing it may take long. Several threads
 * may call these functions.
 */

/* A block of zeros for `count` items of `size` bytes, which can rest on the disk. */
void *disk_memory_take(size_t count, size_t size);

/* Like disk_memory_take(), but always from the allocator, for data that are given back soon. */
void *disk_memory_take_awake(size_t count, size_t size);

/*
 * Copy `bytes` bytes to the block, from byte `offset` on. Writing through the kernel's page cache
 * takes less time than writing to new pages of the block.
 */
void disk_memory_write(void *block, size_t offset, const void *from, size_t bytes);

/* True if a new block of `bytes` would be on the disk. */
bool disk_memory_has_room(size_t bytes);

/*
 * Let the block rest until it is read or written. The contents do not change, so another
 * thread may use the block meanwhile. NULL is allowed.
 */
void disk_memory_rest(const void *block);

/* Free a block of either function. Takes NULL. */
void disk_memory_give(const void *block);

#endif
