#include "backends/internal_kernels.h"

#include <string.h>

/* The value of the tensor at `index`; NULL after the last one, for the kernel that poisons. */
static const struct value *value_at(const struct bench *bench, size_t index)
{
    return index < bench->sources.count ? &bench->sources.items[index].value : NULL;
}

/*
 * Find the key of the kernel for the value.  False if none is needed or it is ready; outputs are
 * never filled.
 */
static bool find_key(const struct bench *bench, const struct value *value,
                     char key[DIGEST_HEX_SIZE])
{
    const struct backend_ops *ops = bench->ops;

    return ops->internal_kernel_key && (!value || value->role != TENSOR_OUTPUT) &&
           ops->internal_kernel_key(bench->device, value, key);
}

static bool has(const struct json *keys, const char *key)
{
    for (const struct json *k = json_first(keys); k; k = json_next(k))
        if (strcmp(json_string(k, ""), key) == 0)
            return true;
    return false;
}

struct json *internal_kernels_missing(const struct bench *bench)
{
    struct json *keys = json_array_new();
    char key[DIGEST_HEX_SIZE];

    for (size_t i = 0; i <= bench->sources.count; i++)
        if (find_key(bench, value_at(bench, i), key) && !has(keys, key))
            json_push(keys, json_string_new(key));
    return keys;
}

static bool load(struct bench *bench, const struct value *value, const struct json *kept)
{
    const struct json_ref at = json_ref_root(kept, "internal_kernels");
    struct binary binary = {0};
    bool is_loaded = kept && !binary_decode(&binary, &at, NULL) &&
                     !bench->ops->internal_kernel_load(bench->device, value, &binary, NULL);

    binary_release(&binary);
    return is_loaded;
}

static void compile(struct bench *bench, const struct value *value, const char *key,
                    struct json *made)
{
    struct binary binary = {0};

    if (!bench->ops->internal_kernel_make(bench->device, value, &binary, NULL))
        json_put(made, key, binary_encode(&binary));
    binary_release(&binary);
}

void internal_kernels_prepare(struct bench *bench, const struct json *kept, bool make,
                              struct json *made)
{
    char key[DIGEST_HEX_SIZE];

    for (size_t i = 0; i <= bench->sources.count; i++) {
        const struct value *value = value_at(bench, i);

        if (find_key(bench, value, key) && !load(bench, value, json_get(kept, key)) && make)
            compile(bench, value, key, made);
    }
}
