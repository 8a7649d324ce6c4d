#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/strbuf.h"
#include "core/llm/sse.h"

/* Append each event as `type=data;`, so that one string represents a stream's events. */
static enum status record(void *data, const struct sse_event *event, struct error *err)
{
    (void)err;
    strbuf_addf(data, "%s=", event->type);
    strbuf_add(data, event->data, event->len);
    strbuf_adds(data, ";");
    return STATUS_OK;
}

/* Feed the first `first` bytes of `stream`, and then pieces of `step` bytes. */
static void assert_events(const char *stream, size_t first, size_t step, const char *expected)
{
    struct strbuf events = {0};
    struct sse sse = {.call = record, .data = &events};
    struct error err;
    size_t len = strlen(stream);

    for (size_t at = 0, piece = first; at < len; at += piece, piece = step) {
        if (piece > len - at)
            piece = len - at;
        assert_int_equal(sse_feed(&sse, stream + at, piece, &err), STATUS_OK);
    }
    assert_string_equal(strbuf_cstr(&events), expected);
    sse_release(&sse);
    strbuf_release(&events);
}

static void reads_the_same_events_however_the_stream_is_cut(void **state)
{
    static const struct {
        const char *stream, *events;
    } cases[] = {
        {"data: one\n\ndata: two\n\n", "message=one;message=two;"},
        {"data: one\r\n\r\ndata: two\r\n\r\n", "message=one;message=two;"},
        {"data: one\r\rdata: two\r\r", "message=one;message=two;"},
        {"data: a\r\ndata: b\rdata: c\n\r\n", "message=a\nb\nc;"},
        {"event: ping\ndata: {}\n\ndata: x\n\n", "ping={};message=x;"},
        {": keep-alive\n\n:\n\ndata: x\n\n", "message=x;"},
        {"\xEF\xBB\xBF"
         "data: marked\n\n\xEF\xBB\xBF"
         "data: not a field\n\n",
         "message=marked;"},
        {"data:tight\n\ndata:  wide\n\n", "message=tight;message= wide;"},
        {"data\n\ndata\ndata\n\n", "message=;message=\n;"},
        {"data: a:b: c\n\n", "message=a:b: c;"},
        {"event: named\n\ndata: x\n\n", "message=x;"},
        {"id: 7\nretry: 10\ndatum: no\ndata: x\n\n", "message=x;"},
        {"data: gr\xC3\xBC\xC3\x9F\xE2\x82\xAC\n\n", "message=gr\xC3\xBC\xC3\x9F\xE2\x82\xAC;"},
        {"data: whole\n\ndata: unfinished\n", "message=whole;"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (size_t cut = 1; cut <= strlen(cases[i].stream); cut++)
            assert_events(cases[i].stream, cut, SIZE_MAX, cases[i].events);
        assert_events(cases[i].stream, 1, 1, cases[i].events);
    }
}

static void refuses_an_event_without_end(void **state)
{
    static const char *const lines[] = {"data: endless, in one line, ", "data: in many lines\n",
                                        ": a comment "};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct strbuf events = {0};
        struct sse sse = {.call = record, .data = &events};
        struct error err = {0};
        enum status st = STATUS_OK;

        for (size_t fed = 0; !st && fed <= 2 * (size_t)SSE_MAX_EVENT_BYTES; fed += 4)
            st = sse_feed(&sse, lines[i], strlen(lines[i]), &err);
        assert_int_equal(st, STATUS_INVALID);
        assert_non_null(strstr(err.text, "over 1048576 bytes"));
        assert_int_equal(events.len, 0);
        sse_release(&sse);
    }
}

static enum status refuse(void *data, const struct sse_event *event, struct error *err)
{
    ++*(int *)data;
    return error_set(err, STATUS_INVALID, "not this: %s", event->data);
}

static void hands_through_why_an_event_is_refused(void **state)
{
    static const char stream[] = "data: one\n\ndata: two\n\n";
    int calls = 0;
    struct sse sse = {.call = refuse, .data = &calls};
    struct error err = {0};

    (void)state;
    assert_int_equal(sse_feed(&sse, stream, strlen(stream), &err), STATUS_INVALID);
    assert_string_equal(err.text, "not this: one");
    assert_int_equal(calls, 1);
    sse_release(&sse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_same_events_however_the_stream_is_cut),
        cmocka_unit_test(refuses_an_event_without_end),
        cmocka_unit_test(hands_through_why_an_event_is_refused),
    };

    return cmocka_run_group_tests_name("sse", tests, NULL, NULL);
}
