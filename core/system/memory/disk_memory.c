#include "core/system/memory/disk_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/file.h"
#include "core/system/parallel.h"

enum {
    HEADER_BYTES = 64,      /* before each block */
    LEAST_BYTES = 1 << 20,  /* a smaller block saves too little */
    MOST_BYTES = 1 << 26,   /* a larger one keeps the disk busy for long */
    SPARED_BYTES = 1 << 30, /* the bytes that are left free on the disk */
};

struct header {
    /* size of the mapping with the header; 0 if the block is from the allocator */
    size_t mapped_bytes;
    int fd; /* descriptor of the mapped file */
};

static struct header *header_of(const void *block)
{
    return (struct header *)((uintptr_t)block - HEADER_BYTES);
}

static void *block_of(struct header *header)
{
    return (char *)header + HEADER_BYTES;
}

/* True if the file system of `folder` is on a disk, as far as is known. */
static bool is_on_disk(const char *folder)
{
    struct statfs about;

    return statfs(folder, &about) == 0 && about.f_type != TMPFS_MAGIC &&
           about.f_type != RAMFS_MAGIC;
}

static bool folder_has_room(const char *folder, size_t bytes)
{
    return bytes >= LEAST_BYTES && bytes <= MOST_BYTES && is_on_disk(folder) &&
           file_has_room(folder, bytes + SPARED_BYTES);
}

bool disk_memory_has_room(size_t bytes)
{
    char *folder = file_place_folder(FILE_CACHE);
    bool has_room = folder_has_room(folder, bytes);

    free(folder);
    return has_room;
}

/* Map a new file of that size, whose place on the disk is reserved; NULL if that is impossible. */
static struct header *map_file(const char *folder, size_t bytes)
{
    struct header header = {bytes, open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    void *mapping = MAP_FAILED;

    if (header.fd < 0)
        return NULL;
    if (fallocate(header.fd, 0, 0, (off_t)bytes) == 0 &&
        pwrite(header.fd, &header, sizeof(header), 0) == sizeof(header))
        mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, header.fd, 0);
    if (mapping != MAP_FAILED)
        return mapping;
    close(header.fd);
    return NULL;
}

static struct header *map_in_cache(size_t bytes)
{
    char *folder = file_place_folder(FILE_CACHE);
    struct header *made = folder_has_room(folder, bytes) ? map_file(folder, bytes) : NULL;

    free(folder);
    return made;
}

/*
 * The bytes of the block with its header, or SIZE_MAX / 2 if the product overflows: no allocator
 * has as much, so the allocation aborts.
 */
static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX / 2 : bytes + HEADER_BYTES;
}

void *disk_memory_take(size_t count, size_t size)
{
    struct header *made = map_in_cache(bytes_of(count, size));

    return made ? block_of(made) : disk_memory_take_awake(count, size);
}

void *disk_memory_take_awake(size_t count, size_t size)
{
    return block_of(mem_alloc_zeroed(1, bytes_of(count, size)));
}

/* Write as many bytes to the file as possible. Returns the number of bytes written. */
static size_t write_file(const struct header *header, size_t offset, const char *from, size_t bytes)
{
    size_t done = 0;
    ssize_t some = 1;

    while (some > 0 && done < bytes) {
        some = pwrite(header->fd, from + done, bytes - done, (off_t)(HEADER_BYTES + offset + done));
        done += some > 0 ? (size_t)some : 0;
    }
    return done;
}

void disk_memory_write(void *block, size_t offset, const void *from, size_t bytes)
{
    const struct header *header = header_of(block);
    size_t done = header->mapped_bytes ? write_file(header, offset, from, bytes) : 0;

    parallel_copy((char *)block + offset + done, (const char *)from + done, bytes - done);
}

/*
 * madvise(2) drops the pages of a shared mapping from the process; the kernel keeps their contents.
 */
void disk_memory_rest(const void *block)
{
    struct header *header = block ? header_of(block) : NULL;

    if (header && header->mapped_bytes)
        (void)madvise(header, header->mapped_bytes, MADV_DONTNEED);
}

void disk_memory_give(const void *block)
{
    struct header *header = block ? header_of(block) : NULL;

    if (header && header->mapped_bytes) {
        close(header->fd);
        (void)munmap(header, header->mapped_bytes);
    } else {
        free(header);
    }
}
