#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/variation.h"
#include "tests/contract/device_fixture.h"

/*
 * Tests of every back end's promises about buffers and their contents, on every device of this
 * machine.
 */

static char scale[] = "scale", stray[] = "stray";

static void poison_reaches_the_last_byte(void **state)
{
    static const unsigned char want[] = {4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2};
    const struct device_fixture *s = *state;
    struct error err = {0};

    for (size_t bytes = 1; bytes <= sizeof(want); bytes++) {
        struct buffer *buffer = device_fixture_poisoned(s, bytes);

        assert_ok(s->ops->buffer_poison(
                      buffer, (struct buffer_poison){0x01020304, DEVICE_FIXTURE_GUARD}, &err),
                  &err);
        device_fixture_assert_contents(s, buffer, want, bytes);
        s->ops->buffer_free(buffer);
    }
}

static void too_large_a_buffer_is_refused_with_a_remedy(void **state)
{
    const struct device_fixture *s = *state;
    struct buffer *buffer = NULL;
    struct error err = {0};

    assert_int_equal(
        s->ops->buffer_new(s->device, (size_t)s->info->memory_bytes * 2, &buffer, &err),
        STATUS_UNAVAILABLE);
    assert_null(buffer);
    assert_non_null(strstr(err.text, "smaller sizes"));
}

/*
 * The cases include 16-bit subnormals, rounding to integers, overflow, and integers above 2^24.
 * Those near 2^30 + 2^22 are almost ties in bf16.
 */
static const struct fill fills[] = {
    {FILL_UNIFORM, -1, 1},
    {FILL_UNIFORM, 0, 1e-6},
    {FILL_UNIFORM, -3e9, 1e5},
    {FILL_NORMAL, 0, 0.036},
    {FILL_NORMAL, -5, 1e5},
    {FILL_INTEGERS, -7, 9},
    {FILL_INTEGERS, 0, 4294967295},
    {FILL_INTEGERS, -1e12, -10},
    {FILL_INTEGERS, 1077936088, 1077936168},
    {FILL_CONSTANT, 1.7, 0},
    {FILL_MASK, 0.3, 0},
    {FILL_MASK, 0, 0},
    {FILL_MASK, 1, 0},
    {FILL_SIGNS, 0.7, 0},
    {FILL_PERMUTATION, 0, 0},
};

/*
 * True if a kind of numbers is tried in a type. Normal numbers are converted as uniform ones are,
 * and masks and signs as integers, so they are tried in few types; a program for each takes long
 * to compile.
 */
static bool is_tried(enum fill_kind kind, enum dtype dtype)
{
    bool has_own_conversion = kind != FILL_NORMAL && kind != FILL_MASK;

    if (kind == FILL_SIGNS)
        return dtype == DTYPE_F32;
    return has_own_conversion || dtype == DTYPE_F32 ||
           dtype == (kind == FILL_NORMAL ? DTYPE_BF16 : DTYPE_BOOL);
}

static void makes_the_same_bits_as_the_host(void **state)
{
    static const size_t counts[] = {1, 2, 3, 7, 64, 4099};

    for (size_t f = 0; f < sizeof(fills) / sizeof(fills[0]); f++) {
        for (enum dtype dtype = DTYPE_F32; dtype <= DTYPE_BOOL; dtype++) {
            for (size_t c = 0;
                 is_tried(fills[f].kind, dtype) && c < sizeof(counts) / sizeof(counts[0]); c++) {
                struct value value = row_value(dtype, counts[c], fills[f]);

                device_fixture_assert_filled(*state, &value);
            }
        }
    }
}

/* Above 2^24 elements, a float cannot represent every index. */
static void makes_long_tensors_too(void **state)
{
    struct value value = row_value(DTYPE_BOOL, (1 << 24) + 5, (struct fill){FILL_MASK, 0.5, 0});

    device_fixture_assert_filled(*state, &value);
}

static bool holds(const struct device_fixture *s, struct buffer *buffer,
                  const struct contents *contents)
{
    struct error err = {0};
    bool holds = false;

    assert_ok(s->ops->buffer_holds(buffer, contents, &holds, &err), &err);
    return holds;
}

/* The host varies few rows of a large tensor; the buffer holds them after it was checked, too. */
static void varies_rows_of_a_large_tensor(void **state)
{
    enum { ROWS = 4100, COLUMNS = 8200 };
    const struct device_fixture *s = *state;
    const struct value value = {.name = "x",
                                .role = TENSOR_INPUT,
                                .dtype = DTYPE_BOOL,
                                .shape = {.rank = 2, .dims = {ROWS, COLUMNS}},
                                .fill = {FILL_MASK, 0.5, 0}};
    const struct contents made = {&value, variation_seed(VARIATION_ENDS, FIXTURE_SEED),
                                  FIXTURE_STREAM},
                          drawn = {&value, FIXTURE_SEED, FIXTURE_STREAM};
    struct buffer *buffer = device_fixture_poisoned(s, (size_t)ROWS * COLUMNS);
    unsigned char *want = mem_alloc_zeroed((size_t)ROWS * COLUMNS, 1);
    struct error err = {0};

    fill_make(&value, made.seed, FIXTURE_STREAM, want);
    assert_ok(s->ops->buffer_fill(buffer, &made, &err), &err);
    for (int i = 0; s->ops->buffer_holds && i < 2; i++)
        assert_true(holds(s, buffer, &made));
    device_fixture_assert_contents(s, buffer, want, (size_t)ROWS * COLUMNS);
    if (s->ops->buffer_holds)
        assert_false(holds(s, buffer, &drawn));
    free(want);
    s->ops->buffer_free(buffer);
}

/*
 * Compile an internal kernel on another open handle of the device and return its binary; the caller
 * releases it.
 */
static struct binary make_elsewhere(const struct device_fixture *s, const struct value *value)
{
    struct binary made = {0};
    struct device *other = NULL;
    struct error err = {0};
    char key[DIGEST_HEX_SIZE], same[DIGEST_HEX_SIZE];

    assert_ok(s->ops->open(s->index, &other, &err), &err);
    assert_true(s->ops->internal_kernel_key(other, value, key));
    assert_true(s->ops->internal_kernel_key(s->device, value, same));
    assert_string_equal(key, same);
    assert_ok(s->ops->internal_kernel_make(other, value, &made, &err), &err);
    assert_false(s->ops->internal_kernel_key(other, value, key));
    s->ops->close(other);
    return made;
}

/* A PoCL binary contains the compiled code of each launch in a file named after the launch. */
static void assert_has_launches(const struct device_fixture *s, const struct binary *made)
{
    static const char *const launches[] = {"/64-1-1-goffs0-smallgrid/", "/64-1-1-goffs0/"};

    if (!strstr(s->info->platform, "Portable Computing Language"))
        return;
    for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++)
        assert_non_null(
            memmem(made->machine.data, made->machine.len, launches[i], strlen(launches[i])));
}

static void internal_kernels_load_again(void **state)
{
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_I64, 4099, (struct fill){FILL_INTEGERS, -7, 9});
    const struct value *const made_for[] = {&value, NULL};
    struct error err = {0};
    char key[DIGEST_HEX_SIZE];

    for (size_t i = 0; s->ops->internal_kernel_key && i < 2; i++) {
        struct binary made = make_elsewhere(s, made_for[i]);

        assert_has_launches(s, &made);
        assert_ok(s->ops->internal_kernel_load(s->device, made_for[i], &made, &err), &err);
        assert_false(s->ops->internal_kernel_key(s->device, made_for[i], key));
        binary_release(&made);
    }
    device_fixture_assert_filled(s, &value);
}

/* After the refusal the internal kernel is compiled as usual. */
static void an_invalid_binary_is_refused(void **state)
{
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_BOOL, 4099, (struct fill){FILL_MASK, 0.5, 0});
    struct binary binary = {0};

    strbuf_adds(&binary.machine, "no binary of any driver");
    if (s->ops->internal_kernel_load)
        assert_int_not_equal(s->ops->internal_kernel_load(s->device, &value, &binary, NULL),
                             STATUS_OK);
    binary_release(&binary);
    device_fixture_assert_filled(s, &value);
}

static void change_element(const struct device_fixture *s, struct program *program,
                           struct buffer *buffer, int32_t place)
{
    struct launch launch = {.kernel = stray,
                            .rank = 1,
                            .global = {1},
                            .local = {1},
                            .arg_count = 2,
                            .args = {{BUFFER(0)}, {INTEGER(place)}}};

    device_fixture_assert_runs(s, program, &launch, &buffer);
}

/* buffer_holds() detects one changed element at any place. */
static void notices_what_has_changed(void **state)
{
    enum { N = 133 };
    static const int32_t places[] = {0, 17, 127, 128, N - 1};
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_I32, N, (struct fill){FILL_INTEGERS, 10, 1000});
    const struct contents made = {&value, FIXTURE_SEED, FIXTURE_STREAM},
                          other = {&value, FIXTURE_SEED + 1, FIXTURE_STREAM};
    struct program *program = device_fixture_kernels(s);

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct buffer *buffer = device_fixture_filled(s, &value);

        assert_true(holds(s, buffer, &made));
        assert_false(holds(s, buffer, &other));
        change_element(s, program, buffer, places[i]);
        assert_false(holds(s, buffer, &made));
        s->ops->buffer_free(buffer);
    }
    s->ops->program_free(program);
}

static uint64_t digest_of(const struct device_fixture *s, struct buffer *buffer, uint64_t second)
{
    struct error err = {0};
    uint64_t digest = 0;

    assert_ok(s->ops->buffer_digest(buffer, (struct digest_key){0x1234567, second}, &digest, &err),
              &err);
    return digest;
}

/* A digest depends on each word, its place and the key, and on nothing else. */
static void a_digest_tells_contents_apart(void **state)
{
    enum { N = 133 };
    static const int32_t places[] = {0, 17, 128, N - 1};
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_I32, N, (struct fill){FILL_INTEGERS, 10, 1000});
    struct program *program = device_fixture_kernels(s);

    for (size_t i = 0; s->ops->buffer_digest && i < sizeof(places) / sizeof(places[0]); i++) {
        struct buffer *buffer = device_fixture_filled(s, &value),
                      *same = device_fixture_filled(s, &value);
        uint64_t digest = digest_of(s, buffer, 1);

        assert_true(digest == digest_of(s, same, 1));
        assert_false(digest == digest_of(s, buffer, 2));
        change_element(s, program, buffer, places[i]);
        assert_false(digest == digest_of(s, buffer, 1));
        s->ops->buffer_free(same);
        s->ops->buffer_free(buffer);
    }
    s->ops->program_free(program);
}

/* buffer_holds() compares bits: -0 equals 0, but is a change. */
static void tells_zeros_apart(void **state)
{
    enum { N = 40 };
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_F32, N, (struct fill){FILL_UNIFORM, 0, 0});
    const struct contents made = {&value, FIXTURE_SEED, FIXTURE_STREAM};
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffers[] = {device_fixture_poisoned(s, N * sizeof(float)),
                                device_fixture_filled(s, &value)};
    struct launch launch = {.kernel = scale,
                            .rank = 1,
                            .global = {64},
                            .local = {64},
                            .arg_count = 4,
                            .args = {{BUFFER(0)}, {BUFFER(1)}, {FLOAT(1)}, {INTEGER(N)}}};

    device_fixture_assert_runs(s, program, &launch, buffers);
    assert_true(holds(s, buffers[0], &made));
    launch.args[2] = (struct launch_arg){FLOAT(-1)};
    device_fixture_assert_runs(s, program, &launch, buffers);
    assert_false(holds(s, buffers[0], &made));
    s->ops->buffer_free(buffers[0]);
    s->ops->buffer_free(buffers[1]);
    s->ops->program_free(program);
}

static void guards_are_read_alone(void **state)
{
    enum { N = 100 };
    const struct device_fixture *s = *state;
    struct buffer *buffer = device_fixture_poisoned(s, N);
    unsigned char copy[N + BUFFER_MARGINS_BYTES] = {0};
    struct error err = {0};

    assert_ok(s->ops->buffer_read_guards(buffer, copy, &err), &err);
    for (size_t i = 0; i < sizeof(copy); i++) {
        bool is_inside = i >= BUFFER_GUARD_BYTES && i < BUFFER_GUARD_BYTES + N;

        assert_int_equal(copy[i], is_inside ? 0 : DEVICE_FIXTURE_GUARD);
    }
    s->ops->buffer_free(buffer);
}

static const struct CMUnitTest promises[] = {
    cmocka_unit_test(internal_kernels_load_again),
    cmocka_unit_test(an_invalid_binary_is_refused),
    cmocka_unit_test(poison_reaches_the_last_byte),
    cmocka_unit_test(too_large_a_buffer_is_refused_with_a_remedy),
    cmocka_unit_test(makes_the_same_bits_as_the_host),
    cmocka_unit_test(makes_long_tensors_too),
    cmocka_unit_test(varies_rows_of_a_large_tensor),
    cmocka_unit_test(notices_what_has_changed),
    cmocka_unit_test(a_digest_tells_contents_apart),
    cmocka_unit_test(tells_zeros_apart),
    cmocka_unit_test(guards_are_read_alone),
};

int main(void)
{
    return device_fixture_test_all(promises, sizeof(promises) / sizeof(promises[0]));
}
