#ifndef TUI_CLI_EVAL_LANGUAGE_H
#define TUI_CLI_EVAL_LANGUAGE_H

#include "core/base/status.h"
#include "core/model/device_info.h"

/*
 * The language of the kernel that `kforge eval` judges: by the ending of its file's name, or else
 * the first of the device's languages in which the reply, the file's text, has a kernel; the
 * device's own language if it has none.
 */
const char *eval_language(const char *path, const char *reply, const struct device_info *device);

/* Refuse a kernel file in a language that the device does not take: STATUS_INVALID. */
enum status eval_language_check(const char *path, const struct device_info *device,
                                struct error *why) MUST_CHECK;

#endif
