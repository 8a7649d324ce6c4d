#ifndef TUI_SCREENS_START_SETTINGS_H
#define TUI_SCREENS_START_SETTINGS_H

#include "core/model/bound.h"
#include "core/session/driver/driver.h"
#include "tui/term/canvas.h"

/*
 * What a session is begun with beside its problem: on which device, by which
 * agent, who decides, and within which limits.
 */

/* A device with what is known of how fast it can be. */
struct listed_device {
    struct device_info info;
    struct roofs roofs; /* zero is unknown */
};

/* Texts of the options are borrowed for as long as the settings are there. */
struct start_settings {
    struct driver_options options; /* as they were given, but for the limits */
    struct {
        struct listed_device *items;
        size_t count, capacity;
    } devices;
    size_t device;
    char *trouble; /* why the devices are not known; NULL: nothing is wrong */
    size_t policy; /* of settings_policies; past the last: as it was given */
    char *agent;
    bool is_mixed; /* what a PyTorch file that is read may be computed with; else f32 */
};

enum { SETTINGS_H = 3, SETTINGS_POLICIES = 3 };

/*
 * Begin with what was given on the command line, `tolerance` for PyTorch files (NULL: f32); the
 * options are borrowed.
 */
void start_settings_open(struct start_settings *settings, const struct driver_options *options,
                         const char *tolerance);
void start_settings_release(struct start_settings *settings);

/* Read the worker's answer to "devices". */
enum status start_settings_take_devices(struct start_settings *settings, const struct json *answer,
                                        struct error *err) MUST_CHECK;

/* The one that is chosen; NULL: not known yet. */
const struct listed_device *start_settings_device(const struct start_settings *settings);
/* Choose the next, round the end. */
void start_settings_turn_device(struct start_settings *settings);
void start_settings_turn_policy(struct start_settings *settings);
/* Choose an agent by its name, which is copied and not yet looked at. */
void start_settings_set_agent(struct start_settings *settings, const char *agent);

/* The class that a PyTorch file gets, and to choose it: "" for the other one. */
const char *start_settings_tolerance(const struct start_settings *settings);
enum status start_settings_set_tolerance(struct start_settings *settings, const char *name,
                                         struct error *err) MUST_CHECK;

/* "functional 5, optimize 12, flat 4, usd 2": what is left out of a text stays as it is. */
void start_settings_add_limits(const struct start_settings *settings, struct strbuf *out);
enum status start_settings_set_limits(struct start_settings *settings, const char *text,
                                      struct error *err) MUST_CHECK;

/* Draw them into SETTINGS_H lines. */
void start_settings_draw(const struct start_settings *settings, struct area area);

/* With which a session is opened, but for its problem; borrowed. */
struct driver_options start_settings_options(const struct start_settings *settings);

#endif
