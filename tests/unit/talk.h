#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include "tests/unit/unit.h"

#include <stdbool.h>

#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/system/process.h"

/*
 * One provider in talk with tests/e2e/chat_server.py over a real socket, and
 * what its listener hears.  talk_set_up() and talk_tear_down() are a cmocka
 * fixture whose state is a `struct talk`; the latter also asserts that the
 * API key is in nothing that was said and not in the log.
 */
struct talk {
    char folder[64];
    struct loop *loop;
    struct process server;
    int port;
    struct provider *provider;
    size_t exchanges; /* sent so far */

    struct image image; /* goes with the prompt, where there is one */

    struct strbuf text;
    struct strbuf notices; /* a line each */
    int notice_count;
    int end_count; /* of done() and failed() */
    bool is_done;
    struct usage usage;
    struct error failure;
    void (*on_text)(struct talk *talk); /* called at the next text */
    void (*on_end)(struct talk *talk);
};

#define TALK_KEY "sk-never-to-be-seen"

int talk_set_up(void **state);
int talk_tear_down(void **state);
void talk_restart(void **state); /* the one and then the other, for the next case of a table */

/* The environment as it is when a test begins. */
void talk_set_environment(void);

/* Let the environment name this port of the loopback for all protocols. */
void talk_set_port(struct talk *talk, int port);

/* Start the server with these entries of its script, single quotes standing for double ones. */
void talk_serve(struct talk *talk, const char *entries);

void talk_write_file(const struct talk *talk, const char *name, const char *text);

/* Send a prompt through the open provider. */
void talk_send(struct talk *talk);

/* Open `agent`, send a prompt and hear the reply out. */
void talk_ask(struct talk *talk, const char *agent);

/* Serve, ask and check for each protocol in its turn. */
void talk_for_each_protocol(void **state, const char *entries, void (*check)(struct talk *talk));

void assert_replied(const struct talk *talk, const char *text);

/* Failed with a line that names the server and says `why`. */
void assert_failed(const struct talk *talk, enum status status, const char *why);

/* How many requests the server got that hold `text`. */
int talk_count_requests(const struct talk *talk, const char *text);

/* What the server got in its first request. */
void assert_requested(const struct talk *talk, const char *body);
void assert_header(const struct talk *talk, const char *name, const char *value);

#endif
