#ifndef CORE_JUDGE_TORCH_COMPILED_CACHE_H
#define CORE_JUDGE_TORCH_COMPILED_CACHE_H

#include "core/base/digest.h"
#include "core/model/awaited.h"
#include "core/model/device_info.h"

/*
 * The part of the user's cache that a compiled PyTorch model leaves for the next session: the code
 * that torch.compile made, and the times of the baselines.
 *
 * Code lies in a folder for each key, and the key contains everything that the code depends on:
 * another model, device, driver or PyTorch has another folder. The bridge that compiles the model
 * may write only to its own folder. So code that is loaded from it was written by processes that
 * ran the same model, and may do what the model may do.
 *
 * A time of another day is not a measurement of today. It is shown only together with its day,
 * until the baseline is timed again.
 */

/* The things that compiled code depends on. Borrows the texts. */
struct compiled_origin {
    const char *source;  /* source of the model, which has the sizes */
    const char *pytorch; /* version */
    const char *python;  /* the interpreter */
    bool allows_mixed;   /* the tolerance; decides which baselines there are */
    const struct device_info *device;
};

/* All zeros is a cache that is not open. */
struct compiled_cache {
    char key[DIGEST_HEX_SIZE];
    char *folder; /* NULL if there is no place for it, so no code is kept */
};

/* Make the folder, and remove the folders that were not used for longest. */
void compiled_cache_open(struct compiled_cache *cache, const struct compiled_origin *origin);

/* Keep the time that a baseline had today. */
void compiled_cache_keep_time(const struct compiled_cache *cache, const char *name, double us);

/* Set the time that a baseline had in an earlier session, and its day, if they are known. */
void compiled_cache_recall_time(const struct compiled_cache *cache, struct awaited *baseline);

/* Free the texts; the files stay. */
void compiled_cache_release(struct compiled_cache *cache);

#endif
