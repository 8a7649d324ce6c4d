#ifndef BACKENDS_HOST_MEMORY_H
#define BACKENDS_HOST_MEMORY_H

#include "backends/host/device.h"
#include "core/system/memory/moat.h"

/* A buffer between guard zones and moats (core/system/memory/moat.h). Its contents begin at a page.
 */
struct buffer {
    struct device *device;
    struct moat *moat;
    unsigned char *contents;
    size_t bytes;
};

/* The functions of these names in struct backend_ops. All threads of the team fill and compare. */
enum status host_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *err) MUST_CHECK;
void host_buffer_free(struct buffer *buffer);
enum status host_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                               struct error *err) MUST_CHECK;
enum status host_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err) MUST_CHECK;
enum status host_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err) MUST_CHECK;
enum status host_buffer_write(struct buffer *buffer, const void *contents,
                              struct error *err) MUST_CHECK;
enum status host_buffer_read(struct buffer *buffer, void *allocation, struct error *err) MUST_CHECK;
enum status host_buffer_read_guards(struct buffer *buffer, void *allocation,
                                    struct error *err) MUST_CHECK;

#endif
