#ifndef CORE_MODEL_DEVICE_INFO_H
#define CORE_MODEL_DEVICE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/base/strbuf.h"

/*
 * The description of a device: its names, and the sizes that a candidate's
 * plan and the time estimates depend on.  A back end fills it in; the journal
 * keeps it.
 */
struct language_names {
    char **items;
    size_t count, capacity;
};

struct device_info {
    char *id;       /* "opencl:0", as on the command line */
    char *name;     /* the device's name in its driver */
    char *uuid;     /* UUID of a GPU, as nvidia-smi prints it, "GPU-0e7a..."; NULL if unknown */
    char *platform; /* the driver's name and version */
    char *compiler; /* language and version of the compiler that builds candidates */
    char *language; /* the language of kforge's own kernels on it, a name in language.h */
    /* all languages that candidates may be in, beginning with `language`; empty: only that one */
    struct language_names languages;
    /* why back ends that come first have no device, if an environment variable hides theirs and
     * this one is taken instead; or NULL */
    char *absent;
    bool is_cpu;
    bool is_untimed; /* its run times mean nothing, so verdicts contain none */
    unsigned compute_units;
    unsigned vector_width_f32; /* preferred number of floats in a vector */
    size_t max_work_group;     /* work-items */
    int64_t memory_bytes, max_buffer_bytes, local_bytes;
};

/* Free the texts.  All zeros afterwards. */
void device_info_release(struct device_info *info);

enum { DEVICE_UUID_BYTES = 16 };

/* Format a UUID as "GPU-" and five groups of hexadecimal digits.  The caller frees the text. */
char *device_info_uuid(const unsigned char bytes[DEVICE_UUID_BYTES]);

/* True if candidates in the language may be judged on the device. */
bool device_info_takes(const struct device_info *info, const char *language);

/* Add a language that the device takes besides its own. */
void device_info_add_language(struct device_info *info, const char *language);

/* STATUS_INVALID if the device does not take this language; the error lists those that it takes. */
enum status device_info_check_language(const struct device_info *info, const char *language,
                                       struct error *err) MUST_CHECK;

/* Append the titles of the languages that the device takes, "CUDA and Triton". */
void device_info_list_languages(const struct device_info *info, struct strbuf *out);

/*
 * To JSON, which the caller owns, and back. STATUS_INVALID unless id, name, platform and language
 * are present.
 */
struct json *device_info_encode(const struct device_info *info);
enum status device_info_decode(struct device_info *info, const struct json_ref *at,
                               struct error *err) MUST_CHECK;

#endif
