#include "tests/unit/oracle_program_fixture.h"

#include "core/base/strbuf.h"

/* The memory that the device oracle's programs take beside the problem's tensors. */

#define TENSOR(name, role, shape, more) \
    "\"" name "\": {\"role\": \"" role "\", \"dtype\": \"f32\", \"shape\": [" shape "]" more "}"
#define NORMAL ", \"fill\": {\"normal\": [0, 1]}"

/* Attention in single operations: a score takes as much memory as thousands of queries. */
static const char attention[] =
    TENSOR("q", "input", "8, 8192, 32", NORMAL) ", " TENSOR("y", "output", "8, 8192, 32", "");
static const char attention_nodes[] =
    "{\"op\": \"transpose\", \"in\": [\"q\"], \"dim0\": 1, \"dim1\": 2, \"out\": \"t\"}, "
    "{\"op\": \"matmul\", \"in\": [\"q\", \"t\"], \"out\": \"products\"}, "
    "{\"op\": \"div\", \"in\": [\"products\", 5.6], \"out\": \"scores\"}, "
    "{\"op\": \"softmax\", \"in\": [\"scores\"], \"dim\": -1, \"out\": \"shares\"}, "
    "{\"op\": \"matmul\", \"in\": [\"shares\", \"q\"], \"out\": \"y\"}";

/* The products are read again after the softmax, or at other places of an addition. */
static const char read_again_nodes[] =
    "{\"op\": \"matmul\", \"in\": [\"q\", \"t\"], \"out\": \"products\"}, "
    "{\"op\": \"softmax\", \"in\": [\"products\"], \"dim\": -1, \"out\": \"shares\"}, "
    "{\"op\": \"mul\", \"in\": [\"shares\", \"products\"], \"out\": \"weighted\"}, "
    "{\"op\": \"matmul\", \"in\": [\"weighted\", \"q\"], \"out\": \"y\"}";
static const char transposed_nodes[] =
    "{\"op\": \"matmul\", \"in\": [\"q\", \"t\"], \"out\": \"products\"}, "
    "{\"op\": \"transpose\", \"in\": [\"products\"], \"dim0\": 1, \"dim1\": 2, \"out\": "
    "\"turned\"}, "
    "{\"op\": \"add\", \"in\": [\"products\", \"turned\"], \"out\": \"both\"}, "
    "{\"op\": \"matmul\", \"in\": [\"both\", \"q\"], \"out\": \"y\"}";

static const double scores_bytes = 8.0 * 8192 * 8192 * sizeof(double);

/* Bytes of the program's buffers beside its tensors. */
static double scratch_of(const char *nodes)
{
    struct oracle_program_fixture written;
    const struct dispatch *dispatch = &written.program.dispatch;
    struct strbuf text = {0};
    double bytes = 0;

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": {%s},"
        " \"graph\": [%s%s], \"tolerance\": {\"class\": \"f32\"}}",
        attention,
        nodes == attention_nodes ? ""
                                 : "{\"op\": \"transpose\", \"in\": [\"q\"], \"dim0\": "
                                   "1, \"dim1\": 2, \"out\": \"t\"}, ",
        nodes);
    oracle_program_fixture_write(strbuf_cstr(&text), &written);
    for (size_t i = dispatch->tensor_count; i < dispatch->buffers.count; i++)
        bytes += (double)dispatch->buffers.items[i].elements * sizeof(double);
    assert_true(oracle_program_scratch(&written.request) == bytes); /* which a session reserves */
    oracle_program_fixture_release(&written);
    strbuf_release(&text);
    return bytes;
}

/* A softmax writes its elements and variances over those of its operand. */
static void a_result_replaces_an_operand_that_is_no_longer_needed(void **state)
{
    double scores = scratch_of(attention_nodes) / scores_bytes;

    (void)state;
    assert_true(scores > 2 && scores < 2.6);
}

static void an_operand_that_is_needed_keeps_its_memory(void **state)
{
    (void)state;
    assert_true(scratch_of(read_again_nodes) > 4 * scores_bytes);
    assert_true(scratch_of(transposed_nodes) > 4 * scores_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_replaces_an_operand_that_is_no_longer_needed),
        cmocka_unit_test(an_operand_that_is_needed_keeps_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
