#ifndef BACKENDS_DEVICES_H
#define BACKENDS_DEVICES_H

#include "core/judge/device/backend.h"

/*
 * Append the devices of all back ends whose ids begin with `wanted`, one at least: the first is the
 * one that is opened.  The error lists those that there are.
 */
enum status devices_find(const char *wanted, struct device_list *found,
                         struct error *err) MUST_CHECK;

/* Whose device that is, and its number there; NULL where no back end has such ids. */
const struct backend_ops *devices_backend(const char *id, size_t *index);

#endif
