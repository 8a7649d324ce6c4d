#include "tui/screens/start_settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "tui/frame/hints.h"

static const char *const policies[SETTINGS_POLICIES] = {"guided", "manual", "auto"};

/* The limits that are counts. The names of budgets are in resource_names. */
static const struct {
    const char *name;
    unsigned most;
} counts[] = {{"functional", 1000000},
              {"optimize", 1000000},
              {"attempts", ROUND_ATTEMPTS},
              {"flat", 1000000}};

enum { COUNTS = 4 };

static size_t policy_of(const struct gate *gate)
{
    size_t policy = 0;
    struct gate preset;

    while (policy < SETTINGS_POLICIES && gate_preset(policies[policy], &preset) &&
           memcmp(&preset, gate, sizeof(preset)) != 0)
        policy++;
    return policy;
}

void start_settings_open(struct start_settings *settings, struct screen_host *host)
{
    *settings = (struct start_settings){.host = host,
                                        .options = *host->options,
                                        .policy = policy_of(&host->options->gate),
                                        .agent = mem_strdup(host->options->agent),
                                        .is_mixed = host->tolerance &&
                                                    strcmp(host->tolerance, "mixed") == 0};
}

static void drop_devices(struct start_settings *settings)
{
    while (settings->devices.count > 0)
        device_info_release(&settings->devices.items[--settings->devices.count].info);
}

void start_settings_release(struct start_settings *settings)
{
    drop_devices(settings);
    vec_release(&settings->devices);
    free(settings->trouble);
    free(settings->agent);
    *settings = (struct start_settings){0};
}

enum status start_settings_take_devices(struct start_settings *settings, const struct json *answer,
                                        struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "devices");
    enum status st = STATUS_OK;

    drop_devices(settings);
    for (struct json_ref at = json_ref_first(&list); !st && at.value; at = json_ref_next(&at)) {
        struct listed_device device = {0};

        st = device_info_decode(&device.info, &at, err);
        if (!st) {
            roofs_decode(&device.roofs, json_get(at.value, "roofs"));
            vec_push(&settings->devices, device);
        }
    }
    return st;
}

const struct listed_device *start_settings_device(const struct start_settings *settings)
{
    return settings->device < settings->devices.count ? &settings->devices.items[settings->device]
                                                      : NULL;
}

const char *start_settings_tolerance(const struct start_settings *settings)
{
    return settings->is_mixed ? "mixed" : "f32";
}

const char *start_settings_policy(const struct start_settings *settings)
{
    return policies[settings->policy < SETTINGS_POLICIES ? settings->policy : 0];
}

static void add_limits(const struct start_settings *settings, struct strbuf *out)
{
    const struct limits *limits = &settings->options.limits;
    const unsigned values[] = {limits->functional, limits->optimize,
                               limits->attempts ? limits->attempts : 1, limits->flat};

    for (size_t i = 0; i < COUNTS; i++)
        strbuf_addf(out, "%s%s %u", i ? ", " : "", counts[i].name, values[i]);
    for (size_t i = 0; i < RESOURCES; i++)
        if (limits->budget[i] > 0)
            strbuf_addf(out, ", %s %g", resource_names[i], limits->budget[i]);
}

static bool set_limit(struct limits *limits, const char *name, size_t len, double value)
{
    unsigned *const values[] = {&limits->functional, &limits->optimize, &limits->attempts,
                                &limits->flat};

    for (size_t i = 0; i < COUNTS; i++) {
        if (text_is(name, len, counts[i].name)) {
            *values[i] = (unsigned)value;
            return value == floor(value) && value <= counts[i].most;
        }
    }
    for (size_t i = 0; i < RESOURCES; i++) {
        if (text_is(name, len, resource_names[i])) {
            limits->budget[i] = value;
            return true;
        }
    }
    return false;
}

/* Change the limits in the text, "functional 5, usd 2"; STATUS_INVALID changes none. */
static enum status read_limits(struct start_settings *settings, const char *text, struct error *err)
{
    struct limits limits = settings->options.limits;

    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        size_t len = strcspn(text, " ");
        char *end;
        double value = strtod(text + len, &end);

        if (end == text + len || !(value >= 0 && isfinite(value)) ||
            !set_limit(&limits, text, len, value))
            return error_set(
                err, STATUS_INVALID,
                "\"%.*s\": write names and numbers: functional 5, optimize 12, attempts 3, "
                "flat 4, usd 2, tokens 100000, minutes 30",
                (int)strcspn(text, ","), text);
        text = end;
    }
    settings->options.limits = limits;
    return STATUS_OK;
}

/* Put the key and the words of a command, and its setting; nothing if there is no room. */
static void put_choice(const struct start_settings *settings, struct pen *pen, struct hint hint,
                       const char *value)
{
    const struct keymap *keymap = &settings->host->chrome->keymap;
    const struct hint_roles roles = {ROLE_KEY, ROLE_BAR};

    if (pen->x + hints_columns(keymap, &hint, 1) > pen->area.rect.w)
        return;
    hints_put(keymap, &hint, 1, roles, pen);
    pen->x--; /* one blank before the value */
    pen_putf(pen, ROLE_STRONG, "%s   ", value);
}

static void put_device(const struct start_settings *settings, struct pen *pen)
{
    const struct listed_device *device = start_settings_device(settings);
    struct strbuf text = {0};

    if (device)
        strbuf_addf(&text, "%s, %s", device->info.id, device->info.name);
    else
        strbuf_adds(&text, settings->trouble ? settings->trouble : "asking the worker ...");
    put_choice(settings, pen, (struct hint){.row = "device"}, strbuf_cstr(&text));
    strbuf_release(&text);
}

/* Put the agent, and the other agents with the roles that the command line gave them. */
static void put_agents(const struct start_settings *settings, struct pen *pen)
{
    const struct roles *roles = &settings->options.roles;
    struct strbuf text = {0};

    strbuf_adds(&text, settings->agent);
    if (roles->other_count)
        strbuf_addf(&text, " +%zu", roles->other_count);
    if (roles->analyst)
        strbuf_addf(&text, ", analyst %s", roles->analyst);
    if (roles->without_profile)
        strbuf_adds(&text, ", no profiles");
    put_choice(settings, pen, (struct hint){.row = "agent"}, strbuf_cstr(&text));
    strbuf_release(&text);
}

void start_settings_draw(const struct start_settings *settings, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);
    struct strbuf limits = {0};

    put_device(settings, &pen);
    pen = area_pen(area, 1, 1);
    put_agents(settings, &pen);
    put_choice(settings, &pen, (struct hint){.row = "preset", .words = "policy"},
               settings->policy < SETTINGS_POLICIES ? policies[settings->policy] : "as given");
    put_choice(settings, &pen, (struct hint){.row = "tolerance", .words = "PyTorch files in"},
               start_settings_tolerance(settings));
    pen = area_pen(area, 1, 2);
    add_limits(settings, &limits);
    put_choice(settings, &pen, (struct hint){.row = "limits"}, strbuf_cstr(&limits));
    strbuf_release(&limits);
}

struct driver_options start_settings_options(const struct start_settings *settings)
{
    const struct listed_device *device = start_settings_device(settings);
    struct driver_options options = settings->options;

    options.agent = settings->agent;
    if (device && settings->device > 0)
        options.evaluator.device = device->info.id;
    if (settings->policy < SETTINGS_POLICIES)
        gate_preset(policies[settings->policy], &options.gate);
    return options;
}

/* Select the next device; after the last one the first. */
static void turn_device(struct start_settings *settings, const char *argument)
{
    (void)argument;
    if (settings->devices.count)
        settings->device = (settings->device + 1) % settings->devices.count;
}

static void turn_policy(struct start_settings *settings, const char *argument)
{
    (void)argument;
    settings->policy = (settings->policy + 1) % SETTINGS_POLICIES;
}

/* Set the tolerance; without a name, switch to the other one. */
static void set_tolerance(struct start_settings *settings, const char *name)
{
    bool is_mixed = strcmp(name, "mixed") == 0;

    if (*name && !is_mixed && strcmp(name, "f32") != 0)
        chrome_say(settings->host->chrome, ROLE_BAD, "no tolerance \"%s\": expected f32 or mixed",
                   name);
    else
        settings->is_mixed = *name ? is_mixed : !settings->is_mixed;
}

static void enter_agent(void *data, const char *name)
{
    struct start_settings *settings = data;

    if (!*name)
        return;
    free(settings->agent);
    settings->agent = mem_strdup(name);
    settings->options.roles.other_count = 0;
}

static void set_agent(struct start_settings *settings, const char *argument)
{
    static const struct screen_prompt prompt = {.line = {.history = "agents"},
                                                .entered = enter_agent};

    if (*argument)
        enter_agent(settings, argument);
    else
        settings->host->ops->ask(settings->host, &prompt, settings, "agent: ", settings->agent);
}

static void enter_limits(void *data, const char *text)
{
    struct start_settings *settings = data;
    struct error err = {0};

    if (read_limits(settings, text, &err))
        chrome_say_error(settings->host->chrome, &err);
}

static void set_limits(struct start_settings *settings, const char *argument)
{
    static const struct screen_prompt prompt = {.line = {.history = "limits"},
                                                .entered = enter_limits};
    struct strbuf limits = {0};

    if (*argument) {
        enter_limits(settings, argument);
        return;
    }
    add_limits(settings, &limits);
    settings->host->ops->ask(settings->host, &prompt, settings, "limits: ", strbuf_cstr(&limits));
    strbuf_release(&limits);
}

bool start_settings_command(struct start_settings *settings, const struct call *call)
{
    static const struct {
        enum screen_command command;
        void (*run)(struct start_settings *settings, const char *argument);
    } bindings[] = {{COMMAND_DEVICE, turn_device},
                    {COMMAND_PRESET, turn_policy},
                    {COMMAND_TOLERANCE, set_tolerance},
                    {COMMAND_AGENT, set_agent},
                    {COMMAND_LIMITS, set_limits}};

    for (size_t i = 0; i < COUNT(bindings); i++) {
        if (bindings[i].command != call->row->command)
            continue;
        bindings[i].run(settings, call->argument);
        return true;
    }
    return false;
}
