#include <stdio.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/model/language.h"
#include "tui/cli/command.h"
#include "tui/cli/worker_options.h"
#include "tui/cli/worker_query.h"

struct devices_options {
    struct evaluator_options evaluator;
    bool as_json, anew;
};

static void print_memory(const struct device_info *device)
{
    char all[FORMAT_SIZE], buffer[FORMAT_SIZE], local[FORMAT_SIZE];

    printf("  memory     %s, in one buffer %s, local %s\n",
           format_bytes(all, (double)device->memory_bytes),
           format_bytes(buffer, (double)device->max_buffer_bytes),
           format_bytes(local, (double)device->local_bytes));
}

/* 1 byte/us is 1 MB/s. */
static void print_roofs(const struct device_info *device, const struct roofs *roofs)
{
    char rate[FORMAT_SIZE], bytes[FORMAT_SIZE];

    if (device->is_untimed)
        puts("  roofs      none: kernels are verified here, and get no times");
    if (!roofs->memory_count && !device->is_untimed)
        puts("  roofs      unknown: the measurement failed");
    if (!roofs->memory_count)
        return;
    printf("  arithmetic %s in f32\n", format_amount(rate, roofs->flops_per_us * 1e6, "flop/s"));
    if (roofs->matrix_flops_per_us > 0)
        printf("  products   %s of 16 bits\n",
               format_amount(rate, roofs->matrix_flops_per_us * 1e6, "flop/s"));
    fputs("  bandwidth  ", stdout);
    for (size_t i = 0; i < roofs->memory_count; i++)
        printf("%s%s over %s", i ? ", " : "",
               format_amount(rate, roofs->memory[i].bytes_per_us * 1e6, "B/s"),
               format_bytes(bytes, roofs->memory[i].bytes));
    putchar('\n');
    if (roofs->busy_cores >= ROOFS_DISTURBED_CORES)
        printf(
            "  measured   while other programs used %.1f cores: on an idle machine, measure again "
            "with kforge devices --measure\n",
            roofs->busy_cores);
}

/* A safeguard in words, and what it needs. */
struct hold {
    const char *text, *need;
    bool is_in_force;
};

static void print_holds(const char *label, const struct hold *holds, size_t count)
{
    struct strbuf held = {0};

    for (size_t i = 0; i < count; i++)
        if (holds[i].is_in_force)
            strbuf_add_item(&held, holds[i].text);
    printf("  %-9s  %s\n", label, held.len ? strbuf_cstr(&held) : "by nothing");
    for (size_t i = 0; i < count; i++)
        if (!holds[i].is_in_force)
            printf("  missing    %s: it needs %s\n", holds[i].text, holds[i].need);
    strbuf_release(&held);
}

/* The safeguards around candidates, and those missing on this machine. */
static void print_containment(const struct json *containment)
{
    struct safeguards safeguards;
    struct hold holds[SAFEGUARD_COUNT];

    safeguards_decode(&safeguards, containment);
    for (unsigned i = 0; i < SAFEGUARD_COUNT; i++)
        holds[i] = (struct hold){.text = safeguards_text(i),
                                 .need = safeguards_need(i),
                                 .is_in_force = safeguards.in_force[i]};
    print_holds("contained", holds, SAFEGUARD_COUNT);
}

/* Print the same for the worker, which judges candidates. */
static void print_judge(const struct json *judge)
{
    struct safeguards safeguards;

    safeguards_decode(&safeguards, judge);
    const struct hold holds[] = {
        {"no network", "a network namespace, as root or through user namespaces",
         safeguards.in_force[SAFEGUARD_NETWORK]},
        {"writes its own files only", safeguards_need(SAFEGUARD_FILES),
         safeguards.in_force[SAFEGUARD_FILES]},
        {"no new privileges", safeguards_need(SAFEGUARD_PRIVILEGES),
         safeguards.in_force[SAFEGUARD_PRIVILEGES]},
    };

    print_holds("worker", holds, COUNT(holds));
}

static void print_languages(const struct device_info *device)
{
    struct strbuf titles = {0};

    device_info_list_languages(device, &titles);
    command_print("  takes      %s\n", strbuf_cstr(&titles));
    strbuf_release(&titles);
}

static enum status print_device(const struct json_ref *listed, struct error *err)
{
    struct device_info device = {0};
    struct roofs roofs;
    enum status st = device_info_decode(&device, listed, err);

    if (st)
        return st;
    roofs_decode(&roofs, json_get(listed->value, "roofs"));
    command_print("%s  %s\n", device.id, device.name);
    if (device.uuid)
        command_print("  uuid       %s\n", device.uuid);
    command_print("  driver     %s\n", device.platform);
    command_print("  compiler   %s\n", device.compiler ? device.compiler : "unknown");
    print_languages(&device);
    if (language_of(device.language)->caveat)
        command_print("  note       %s\n", language_of(device.language)->caveat);
    printf("  units      %u, work-groups of at most %zu\n", device.compute_units,
           device.max_work_group);
    print_memory(&device);
    print_roofs(&device, &roofs);
    print_containment(json_get(listed->value, "containment"));
    print_judge(json_get(listed->value, "judge"));
    device_info_release(&device);
    return STATUS_OK;
}

static enum status print_answer(const struct json *answer, bool as_json, struct error *err)
{
    struct json_ref root = json_ref_root(answer, "worker");
    struct json_ref list = json_ref_member(&root, "devices");
    struct strbuf text = {0};
    enum status st = STATUS_OK;

    if (as_json) {
        json_print_pretty(list.value, &text);
        puts(strbuf_cstr(&text));
    }
    for (struct json_ref at = json_ref_first(&list); !st && !as_json && at.value;
         at = json_ref_next(&at))
        st = print_device(&at, err);
    if (!as_json && *json_get_string(answer, "absent", ""))
        command_print("none  %s\n", json_get_string(answer, "absent", ""));
    strbuf_release(&text);
    return st;
}

static enum status list_devices(const struct devices_options *options, struct error *err)
{
    struct worker_query *worker_query = NULL;
    struct json *members = json_object_new(), *answer = NULL;
    enum status st = worker_query_open(&options->evaluator, &worker_query, err);

    json_put_string(members, "measure", options->anew ? "anew" : "once");
    if (!st)
        st = worker_query_ask(worker_query, "devices", members, &answer, err);
    else
        json_free(members);
    if (!st)
        st = print_answer(answer, options->as_json, err);
    if (!st && json_get(answer, "not_kept"))
        fprintf(stderr, "kforge: the roofs are not stored: %s\n",
                json_get_string(answer, "not_kept", ""));
    json_free(answer);
    worker_query_close(worker_query);
    return st;
}

static const struct option_row own_options[] = {
    {.name = "measure",
     .help = "measure the roofs again instead of using the stored ones",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct devices_options, anew)},
    {.name = "json",
     .help = "print the devices as JSON",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct devices_options, as_json)},
    {0},
};

static const struct option_set option_sets[] = {
    {own_options, 0},
    {worker_options, offsetof(struct devices_options, evaluator)},
    {0},
};

static enum status parse(struct devices_options *options, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&devices_command, options, &arguments, err);

    return !st && arguments.count > 0 ? command_expects(&devices_command, err) : st;
}

static enum exit_code devices(int argc, char **argv)
{
    struct devices_options options = {0};
    struct error err;

    if (parse(&options, argc, argv, &err) || list_devices(&options, &err))
        return command_fail(&err);
    return EXIT_CODE_IMPROVED;
}

const struct command devices_command = {
    .name = "devices",
    .arguments = "",
    .options = option_sets,
    .summary = "List the devices with driver, compiler, memory and roofs.",
    .details = "The roofs are the peak arithmetic rate and the memory bandwidth. They are measured "
               "the first\ntime that a device is listed, and stored.",
    .exits = "0 done, 2 usage, no such device or no driver, 5 no worker",
    .run = devices,
};
