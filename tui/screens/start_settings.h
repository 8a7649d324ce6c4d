#ifndef TUI_SCREENS_START_SETTINGS_H
#define TUI_SCREENS_START_SETTINGS_H

#include "core/model/roofline/bound.h"
#include "tui/screens/screen.h"

/*
 * The settings on the first screen, with which a session starts (device, agent, policy, limits, and
 * the tolerance of PyTorch files), and the commands that change them.
 */

/* A device that the worker listed. */
struct listed_device {
    struct device_info info;
    struct roofs roofs; /* all zeros: not measured yet */
};

/* The texts in `options` are borrowed while the settings exist. */
struct start_settings {
    struct screen_host *host;
    struct driver_options options; /* from the command line; the limits may be changed here */
    struct {
        struct listed_device *items;
        size_t count, capacity;
    } devices;
    size_t device;
    char *trouble; /* the reason why no device was found, or NULL */
    size_t policy; /* index of a preset; SETTINGS_POLICIES: the policy of the command line */
    char *agent;
    bool is_mixed; /* PyTorch files are read with the tolerance "mixed"; else "f32" */
};

enum { SETTINGS_H = 3, SETTINGS_POLICIES = 3 };

/*
 * Begin with the options and the tolerance of the command line, which are in the host.
 * start_settings_release() frees everything that the settings own.
 */
void start_settings_open(struct start_settings *settings, struct screen_host *host);
void start_settings_release(struct start_settings *settings);

/* Take the devices from a worker's answer to "devices". */
enum status start_settings_take_devices(struct start_settings *settings, const struct json *answer,
                                        struct error *err) MUST_CHECK;

/* The selected device; NULL if no device is known yet. */
const struct listed_device *start_settings_device(const struct start_settings *settings);

/*
 * Carry out a command that changes a setting, or open its prompt; false for other commands. The
 * name of an agent is checked only when the session is opened.
 */
bool start_settings_command(struct start_settings *settings, const struct call *call);

/* The tolerance of PyTorch files that are read from now on: "f32" or "mixed". */
const char *start_settings_tolerance(const struct start_settings *settings);

/* The name of the policy's preset; "guided" if the command line has another policy. */
const char *start_settings_policy(const struct start_settings *settings);

/* Draw the settings in SETTINGS_H lines. */
void start_settings_draw(const struct start_settings *settings, struct area area);

/*
 * The options of a session with these settings, without a problem; borrowed from `settings`. The
 * first device is not named, because a worker opens the first device that it lists.
 */
struct driver_options start_settings_options(const struct start_settings *settings);

#endif
