#ifndef TUI_CLI_EVAL_LANGUAGE_H
#define TUI_CLI_EVAL_LANGUAGE_H

#include "core/base/status.h"
#include "core/model/device_info.h"

/*
 * The language of the kernel that `kforge eval` judges. The ending of the file's name tells it;
 * otherwise it is the first of the device's languages in which `reply`, the file's text, has a
 * kernel, or the device's default language if there is none.
 */
const char *eval_language(const char *path, const char *reply, const struct device_info *device);

/* Refuse a kernel file in a language that the device does not take: STATUS_INVALID. */
enum status eval_language_check(const char *path, const struct device_info *device,
                                struct error *why) MUST_CHECK;

#endif
