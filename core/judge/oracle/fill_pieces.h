#ifndef CORE_JUDGE_ORACLE_FILL_PIECES_H
#define CORE_JUDGE_ORACLE_FILL_PIECES_H

#include <stdint.h>

#include "core/base/status.h"
#include "core/model/tensor.h"

/*
 * Large tensors of varied data on a device: the device draws all elements, and the host makes those
 * of the few rows that the variation changes (variation_pieces_of()) and copies them.
 */

/* A tensor of fill_make(). */
struct fill_source {
    const struct value *value;
    uint64_t seed;
    uint32_t stream;
};

/* The device's memory of the tensor: copy `size` bytes from `offset` on. */
struct fill_memory {
    enum status (*write)(void *data, size_t offset, const void *from, size_t size,
                         struct error *err);
    enum status (*read)(void *data, size_t offset, void *to, size_t size, struct error *err);
    void *data;
};

/* True if the host can make the tensor so: its variation changes few rows. */
bool fill_pieces_suit(const struct fill_source *source);

/* Write the changed rows, with `is_varied`, or the same rows as they are drawn. */
enum status fill_pieces_write(const struct fill_source *source, bool is_varied,
                              const struct fill_memory *memory, struct error *err) MUST_CHECK;

/* Set `*hold` to true if the changed rows are in memory, bit for bit; then write them as drawn. */
enum status fill_pieces_take_back(const struct fill_source *source,
                                  const struct fill_memory *memory, bool *hold,
                                  struct error *err) MUST_CHECK;

#endif
