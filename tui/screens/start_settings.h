#ifndef TUI_SCREENS_START_SETTINGS_H
#define TUI_SCREENS_START_SETTINGS_H

#include "core/model/bound.h"
#include "core/session/driver/driver.h"
#include "tui/term/canvas.h"

/*
 * The settings on the first screen, with which a session starts: device, agent,
 * policy, limits, and the tolerance of PyTorch files.
 */

/* A device that the worker listed. */
struct listed_device {
    struct device_info info;
    struct roofs roofs; /* all zeros: not measured yet */
};

/* The texts in `options` are borrowed while the settings exist. */
struct start_settings {
    struct driver_options options; /* from the command line; the limits may be changed here */
    struct {
        struct listed_device *items;
        size_t count, capacity;
    } devices;
    size_t device;
    char *trouble; /* the reason why there are no devices; NULL: none */
    size_t policy; /* index of a preset; SETTINGS_POLICIES: the policy of the command line */
    char *agent;
    bool is_mixed; /* PyTorch files are read with the tolerance "mixed"; else "f32" */
};

enum { SETTINGS_H = 3, SETTINGS_POLICIES = 3 };

/*
 * Start from the options of the command line, which are borrowed, and from the tolerance for
 * PyTorch files (NULL: f32).  start_settings_release() frees what the settings own.
 */
void start_settings_open(struct start_settings *settings, const struct driver_options *options,
                         const char *tolerance);
void start_settings_release(struct start_settings *settings);

/* Take the devices from a worker's answer to "devices". */
enum status start_settings_take_devices(struct start_settings *settings, const struct json *answer,
                                        struct error *err) MUST_CHECK;

/* The selected device; NULL: no device is known yet. */
const struct listed_device *start_settings_device(const struct start_settings *settings);

/* Select the next device or policy; after the last one the first. */
void start_settings_turn_device(struct start_settings *settings);
void start_settings_turn_policy(struct start_settings *settings);

/* Set the agent's name, which is copied and checked when the session opens. */
void start_settings_set_agent(struct start_settings *settings, const char *agent);

/* The tolerance of PyTorch files: "f32" or "mixed".  Setting "" switches to the other one. */
const char *start_settings_tolerance(const struct start_settings *settings);
enum status start_settings_set_tolerance(struct start_settings *settings, const char *name,
                                         struct error *err) MUST_CHECK;

/*
 * Limits as text: "functional 5, optimize 12, flat 4, usd 2".  Setting a text changes only the
 * limits in it; STATUS_INVALID changes none.
 */
void start_settings_add_limits(const struct start_settings *settings, struct strbuf *out);
enum status start_settings_set_limits(struct start_settings *settings, const char *text,
                                      struct error *err) MUST_CHECK;

/* Draw the settings in SETTINGS_H lines. */
void start_settings_draw(const struct start_settings *settings, struct area area);

/* The options of a session with these settings, without a problem; borrowed from `settings`. */
struct driver_options start_settings_options(const struct start_settings *settings);

#endif
