#include "tests/unit/provider_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/llm/providers.h"
#include "core/system/file.h"
#include "core/system/loop.h"

/* A person who answers prompts through files in the test's folder. */
struct person {
    struct provider_fixture *fixture;
    char agent[96];
    char prompt[128], reply[128], other[128];
};

/* The files are named after the prompt that provider_fixture_send() sends. */
static void name_files(struct person *person)
{
    static const char text[] =
        "You write kernels.\n\nAdd \"two\" vectors of \xC3\xA9l\xC3\xA9ments.\n";
    const char *folder = strchr(person->agent, ':') + 1;
    char digest[DIGEST_HEX_SIZE];

    digest_sha256(text, strlen(text), digest);
    snprintf(person->prompt, sizeof(person->prompt), "%s/prompt-%.12s.md", folder, digest);
    snprintf(person->reply, sizeof(person->reply), "%s/reply-%.12s.md", folder, digest);
    snprintf(person->other, sizeof(person->other), "%s/reply-other.md", folder);
}

static int set_up(void **state)
{
    struct person *person = calloc(1, sizeof(*person));

    provider_fixture_set_up((void **)&person->fixture);
    snprintf(person->agent, sizeof(person->agent), "manual:%s/chat", person->fixture->folder);
    name_files(person);
    *state = person;
    return 0;
}

static int tear_down(void **state)
{
    struct person *person = *state;
    char folder[80];

    snprintf(folder, sizeof(folder), "%s/chat", person->fixture->folder);
    unlink(person->prompt);
    unlink(person->reply);
    unlink(person->other);
    rmdir(folder);
    provider_fixture_tear_down((void **)&person->fixture);
    free(person);
    return 0;
}

static void begin(struct person *person)
{
    struct error err = {0};

    if (providers_open(person->fixture->loop, person->agent, &person->fixture->provider, &err))
        fail_msg("%s", err.text);
    provider_fixture_send(person->fixture);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void wait_for_notice(struct person *person)
{
    while (person->fixture->notice_count == 0)
        loop_step(person->fixture->loop);
}

static void a_file_that_is_written_is_the_reply(void **state)
{
    struct person *person = *state;
    struct strbuf prompt = {0};

    begin(person);
    wait_for_notice(person);
    assert_non_null(strstr(strbuf_cstr(&person->fixture->notices), person->prompt));
    assert_int_equal(file_read(person->prompt, 1000, &prompt, NULL), STATUS_OK);
    assert_non_null(strstr(strbuf_cstr(&prompt), "Add \"two\" vectors"));
    strbuf_release(&prompt);
    write_file(person->reply, "a kernel");
    loop_run(person->fixture->loop);
    assert_replied(person->fixture, "a kernel");
}

static void other_files_are_passed_over(void **state)
{
    struct person *person = *state;
    int half;

    begin(person);
    wait_for_notice(person);
    half = open(person->reply, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(half, "half", 4), 4);
    write_file(person->other, "of another prompt");
    loop_step(person->fixture->loop);
    assert_int_equal(person->fixture->end_count, 0);
    assert_int_equal(write(half, " and half", 9), 9);
    close(half);
    loop_run(person->fixture->loop);
    assert_replied(person->fixture, "half and half");
}

static void a_file_that_is_moved_there_is_the_reply(void **state)
{
    struct person *person = *state;

    begin(person);
    wait_for_notice(person);
    write_file(person->other, "moved");
    assert_int_equal(rename(person->other, person->reply), 0);
    loop_run(person->fixture->loop);
    assert_replied(person->fixture, "moved");
}

/* After a resume, the same prompt uses the same files. */
static void a_reply_that_came_in_the_meantime_is_taken(void **state)
{
    struct person *person = *state;

    begin(person);
    wait_for_notice(person);
    person->fixture->provider->ops->cancel(person->fixture->provider);
    write_file(person->reply, "overnight");
    provider_fixture_send(person->fixture);
    loop_run(person->fixture->loop);
    assert_replied(person->fixture, "overnight");
    assert_int_equal(person->fixture->notice_count, 1);
}

static void a_reply_that_is_pasted_is_a_file_like_others(void **state)
{
    struct person *person = *state;
    struct strbuf text = {0};
    struct error err = {0};

    begin(person);
    wait_for_notice(person);
    assert_int_equal(person->fixture->provider->ops->answer(person->fixture->provider, "", &err),
                     STATUS_INVALID);
    assert_int_equal(
        person->fixture->provider->ops->answer(person->fixture->provider, "pasted", &err),
        STATUS_OK);
    loop_run(person->fixture->loop);
    assert_replied(person->fixture, "pasted");
    assert_int_equal(file_read(person->reply, 100, &text, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&text), "pasted");
    strbuf_release(&text);
    assert_int_equal(
        person->fixture->provider->ops->answer(person->fixture->provider, "again", &err),
        STATUS_INVALID);
    assert_string_equal(err.text, "manual: no prompt waits for a reply");
}

static void a_prompt_names_the_files_of_its_images(void **state)
{
    static const char gif[] = "GIF89a and so on";
    struct person *person = *state;
    char image[128], prompt[256], digest[DIGEST_HEX_SIZE];
    struct strbuf text = {0};

    person->fixture->image = (struct image){"window.gif", gif, strlen(gif)};
    begin(person);
    wait_for_notice(person);
    digest_sha256(gif, strlen(gif), digest);
    snprintf(image, sizeof(image), "%s/chat/image-%.12s.gif", person->fixture->folder, digest);
    assert_int_equal(file_read(image, 100, &text, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&text), gif);
    strbuf_release(&text);
    sscanf(strbuf_cstr(&person->fixture->notices), "the prompt is in %255[^ ;]", prompt);
    assert_int_equal(file_read(prompt, 1000, &text, NULL), STATUS_OK);
    assert_non_null(strstr(strbuf_cstr(&text), "The image window.gif is in the file "));
    assert_non_null(strstr(strbuf_cstr(&text), image));
    strbuf_release(&text);
    unlink(image);
    unlink(prompt);
}

static void a_folder_that_cannot_be_is_named(void **state)
{
    struct person *person = *state;
    struct error err = {0};

    assert_int_not_equal(providers_open(person->fixture->loop, "manual:/dev/null/chat",
                                        &person->fixture->provider, &err),
                         STATUS_OK);
    assert_non_null(strstr(err.text, "/dev/null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_that_is_written_is_the_reply, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_moved_there_is_the_reply, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reply_that_came_in_the_meantime_is_taken, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_reply_that_is_pasted_is_a_file_like_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_prompt_names_the_files_of_its_images, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_is_named, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("manual", tests, NULL, NULL);
}
