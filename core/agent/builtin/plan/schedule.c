#include "core/agent/builtin/plan/schedule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/codegen/dialect.h"

enum {
    FUSED = FAMILY_ELEMENTWISE | FAMILY_ROWWISE | FAMILY_PRODUCT | FAMILY_MOVEMENT |
            FAMILY_CONVOLUTION | FAMILY_ATTENTION | FAMILY_SCAN | FAMILY_TRANSPOSE | FAMILY_POOLING,
    TILED = FAMILY_PRODUCT | FAMILY_CONVOLUTION | FAMILY_ATTENTION,
    ALL = FUSED | FAMILY_PLAIN
};

#define VALUES(...) {__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int)

const struct knob_row knob_table[KNOB_COUNT] = {
    [KNOB_FUSE] = {"fuse", ALL, VALUES(0, 1), "one kernel for all operations that can share it"},
    [KNOB_VEC] = {"vec", FUSED, VALUES(1, 2, 4, 8, 16), "elements in a vector"},
    [KNOB_ITEMS] = {"items", FAMILY_ELEMENTWISE | FAMILY_MOVEMENT | FAMILY_POOLING,
                    VALUES(1, 4, 16, 64, 256, 1024), "vectors that a work-item computes"},
    [KNOB_GROUP] = {"group", FUSED, VALUES(0, 1, 4, 16, 32, 64, 128, 256),
                    "work-items in a work-group; 0: the driver chooses"},
    [KNOB_LANES] = {"lanes", FAMILY_ROWWISE | FAMILY_SCAN | FAMILY_SLICES,
                    VALUES(1, 32, 64, 128, 256, 512, 1024), "work-items that share a row"},
    [KNOB_HOLD] = {"hold", FAMILY_ROWWISE | FAMILY_SCAN, VALUES(0, 1, 2, 4, 8, 16),
                   "vectors of the row that each work-item keeps in registers"},
    [KNOB_STORE] = {"store", FAMILY_ROWWISE, VALUES(0, 1),
                    "store the elements of a pass instead of computing them again"},
    [KNOB_TILE_M] = {"tile_m", TILED, VALUES(1, 2, 4, 6, 8, 10, 12, 14, 16),
                     "rows of the product in registers"},
    [KNOB_TILE_N] = {"tile_n", TILED, VALUES(1, 2, 4, 8, 16, 32, 48, 64),
                     "columns of the product in registers"},
    [KNOB_UNROLL] = {"unroll", FAMILY_PRODUCT | FAMILY_CONVOLUTION, VALUES(1, 2, 4, 8, 16),
                     "steps of the sum in one iteration of the loop"},
    [KNOB_PACK] = {"pack", FAMILY_PRODUCT, VALUES(0, 1),
                   "copy the second operand into panels of tile_n columns"},
    [KNOB_ORDER] = {"order", FAMILY_PRODUCT, VALUES(0, 1),
                    "consecutive work-groups share rows (0) or columns (1)"},
    [KNOB_LOCAL] = {"local", FAMILY_PRODUCT, VALUES(0, 4, 8, 16, 32),
                    "steps of the sum whose operands are copied to local memory"},
    [KNOB_SLICES] = {"slices", FAMILY_PRODUCT, VALUES(1, 2, 4),
                     "sets of work-items that share the steps of a block in local memory"},
    [KNOB_MATRIX] = {"matrix", FAMILY_PRODUCT | FAMILY_CONVOLUTION, VALUES(0, 1, 2, 3),
                     "products on matrix units with operands in f16 (1), in bf16 (2), or in three "
                     "parts of bf16 that keep the accuracy of f32 (3)"},
    [KNOB_WARPGROUP] =
        {"warpgroup", FAMILY_PRODUCT | FAMILY_CONVOLUTION, VALUES(0, 1),
         "matrix units used by four warps together (1, Hopper) or by single warps (0)"},
    [KNOB_SPAN] = {"span", FAMILY_PRODUCT | FAMILY_CONVOLUTION, VALUES(64, 128, 256),
                   "columns of a work-group's tile on matrix units"},
    [KNOB_STAGES] = {"stages", FAMILY_PRODUCT | FAMILY_CONVOLUTION, VALUES(2, 3, 4, 5, 6),
                     "tiles of operands in the ring for the matrix units"},
    [KNOB_CLUSTER] = {"cluster", FAMILY_PRODUCT, VALUES(1, 2),
                      "work-groups that share each tile of columns on matrix units"},
    [KNOB_TURNS] = {"turns", FAMILY_PRODUCT, VALUES(1, 2, 3, 4, 8),
                    "tiles that a work-group computes one after the other on matrix units"},
    [KNOB_PERSIST] = {"persist", FAMILY_PRODUCT, VALUES(0, 78, 114, 132),
                      "work-groups that stay on matrix units, copy the next tile while they store "
                      "one, and may round the first operand meanwhile; 0: one for each tile"},
    [KNOB_BLOCK] = {"block", FAMILY_TRANSPOSE, VALUES(1, 2, 4, 8, 16),
                    "squares along each side of a transposed block"},
    [KNOB_FAST] = {"fast", FUSED, VALUES(0, 1, 2),
                   "1: erf by a polynomial with an error of 1.5e-7; 2: also the device's "
                   "approximate divisions and exponentials"},
    [KNOB_DROP] = {"drop", ALL, VALUES(0, 1), "leave out operations that return their operand"},
    [KNOB_FOLD] = {"fold", ALL, VALUES(0, 1),
                   "compute a sum over the columns of a product as a product with a vector"},
    [KNOB_CHAIN] = {"chain", ALL, VALUES(0, 1),
                    "compute products of products in the cheapest order"},
    [KNOB_AHEAD] = {"ahead", ALL, VALUES(0, 1),
                    "compute values that depend only on params once, in advance"},
};

/* Vectors of a work-item's tile that compilers still keep in registers. */
enum { MAX_TILE_VECTORS = 64 };

/* Every device has this much local memory, with room for several work-groups. */
enum { MAX_LOCAL_BYTES = 32 << 10 };

/*
 * On a CPU a work-group is one work-item with vectors of the device's width. On a GPU many
 * work-items share local memory.
 */
struct schedule schedule_first(const struct device_info *device)
{
    int width = 1;
    struct schedule gpu = {.of = {[KNOB_FUSE] = 1,
                                  [KNOB_VEC] = 4,
                                  [KNOB_ITEMS] = 1,
                                  [KNOB_GROUP] = 256,
                                  [KNOB_LANES] = 256,
                                  [KNOB_HOLD] = 4,
                                  [KNOB_TILE_M] = 4,
                                  [KNOB_TILE_N] = 4,
                                  [KNOB_UNROLL] = 8,
                                  [KNOB_LOCAL] = 16,
                                  [KNOB_SLICES] = 1,
                                  [KNOB_WARPGROUP] = 1,
                                  [KNOB_SPAN] = 256,
                                  [KNOB_STAGES] = 4,
                                  [KNOB_CLUSTER] = 1,
                                  [KNOB_TURNS] = 1,
                                  [KNOB_BLOCK] = 1}};

    if (!device->is_cpu)
        return gpu;
    while (width < 16 && (unsigned)width * 2 <= device->vector_width_f32)
        width *= 2;
    return (struct schedule){.of = {[KNOB_FUSE] = 1,
                                    [KNOB_VEC] = width,
                                    [KNOB_ITEMS] = 64,
                                    [KNOB_GROUP] = 1,
                                    [KNOB_LANES] = 1,
                                    [KNOB_TILE_M] = 4,
                                    [KNOB_TILE_N] = width,
                                    [KNOB_UNROLL] = 1,
                                    [KNOB_PACK] = 1,
                                    [KNOB_SLICES] = 1,
                                    [KNOB_WARPGROUP] = 1,
                                    [KNOB_SPAN] = 256,
                                    [KNOB_STAGES] = 4,
                                    [KNOB_CLUSTER] = 1,
                                    [KNOB_TURNS] = 1,
                                    [KNOB_BLOCK] = 4}};
}

/* The compiler's name ends with the target architecture, as in "NVRTC 13.0, sm_90a". */
enum matrix_units schedule_matrix_units(const struct device_info *device)
{
    enum { FIRST_WITH_WARPS = 80 };
    const char *target = device->compiler ? strstr(device->compiler, "sm_") : NULL;

    if (!target || strtol(target + 3, NULL, 10) < FIRST_WITH_WARPS)
        return MATRIX_UNITS_NONE;
    return strncmp(target, "sm_90a", 6) == 0 ? MATRIX_UNITS_WARPGROUP : MATRIX_UNITS_WARP;
}

/* Knobs from this one on rewrite the graph; they are printed only if they are on. */
enum { FIRST_REWRITE = KNOB_DROP };

static const char line_start[] = "// schedule:";

void schedule_print(const struct schedule *schedule, unsigned families, struct strbuf *out)
{
    strbuf_adds(out, line_start);
    for (size_t k = 0; k < KNOB_COUNT; k++)
        if ((k < FIRST_REWRITE || schedule->of[k]) && knob_table[k].families & families)
            strbuf_addf(out, " %s=%d", knob_table[k].name, schedule->of[k]);
}

static size_t find_knob(const char *name, size_t len)
{
    size_t k = 0;

    while (k < KNOB_COUNT &&
           (strlen(knob_table[k].name) != len || memcmp(knob_table[k].name, name, len) != 0))
        k++;
    return k;
}

bool knob_has(enum knob knob, long value)
{
    for (size_t i = 0; i < knob_table[knob].count; i++)
        if (knob_table[knob].values[i] == value)
            return true;
    return false;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static size_t name_length(const char *at)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]) || at[len] == '_')
        len++;
    return len;
}

/* Read one "name=value"; the end of it, or NULL if name or value is not legal. */
static const char *read_setting(const char *at, struct schedule *schedule)
{
    size_t len = name_length(at), knob = find_knob(at, len);
    char *end = NULL;
    long value;

    if (at[len] != '=' || knob == KNOB_COUNT)
        return NULL;
    value = strtol(at + len + 1, &end, 10);
    schedule->of[knob] = (int)value;
    return knob_has((enum knob)knob, value) ? end : NULL;
}

bool schedule_read(struct schedule *schedule, const char *source)
{
    struct schedule read = *schedule;
    const char *at = source;

    if (strncmp(at, line_start, sizeof(line_start) - 1) != 0)
        return false;
    at = skip_blanks(at + sizeof(line_start) - 1);
    while (*at && *at != '\n') {
        at = read_setting(at, &read);
        if (!at)
            return false;
        at = skip_blanks(at);
    }
    if (schedule_check(&read, NULL))
        return false;
    *schedule = read;
    return true;
}

struct schedule schedule_fit(const struct schedule *wanted, const struct dialect *dialect)
{
    struct schedule schedule = *wanted;

    if (!dialect || !dialect->has_calls)
        return schedule;
    if (schedule.of[KNOB_LANES] > 1 && schedule.of[KNOB_VEC] == 1)
        schedule.of[KNOB_VEC] = schedule.of[KNOB_TILE_N] = 4;
    schedule.of[KNOB_GROUP] = schedule.of[KNOB_LANES] = schedule.of[KNOB_SLICES] = 1;
    schedule.of[KNOB_LOCAL] = schedule.of[KNOB_MATRIX] = 0;
    return schedule;
}

bool schedule_differs(const struct schedule *a, const struct schedule *b,
                      const struct dialect *dialect)
{
    const struct schedule fitted[] = {schedule_fit(a, dialect), schedule_fit(b, dialect)};

    return memcmp(&fitted[0], &fitted[1], sizeof(*fitted)) != 0;
}

void schedule_group_shape(const struct schedule *schedule, int *columns, int *rows)
{
    int group = schedule->of[KNOB_GROUP] ? schedule->of[KNOB_GROUP] : 1;

    *columns = 1;
    while (*columns * *columns < group)
        *columns *= 2;
    *rows = group / *columns;
}

/* The bytes of local memory for two blocks of each operand of a product. */
static int local_bytes(const struct schedule *schedule)
{
    int columns, rows;

    schedule_group_shape(schedule, &columns, &rows);
    return 2 * (columns * schedule->of[KNOB_TILE_N] + rows * schedule->of[KNOB_TILE_M]) *
           schedule->of[KNOB_LOCAL] * (int)sizeof(float);
}

/* Shared memory of a work-group on Hopper, and the bytes that its alignment may cost. */
enum { MAX_STAGE_BYTES = 227 << 10, STAGE_ALIGNMENT = 1024 };

/* Columns for which a warpgroup has registers for two sums each. */
enum { PARTS = 3, MAX_PARTS_SPAN = 128 };

/* Work-items that multiply together, and their rows. */
enum { WARPGROUP = 128, WARPGROUP_ROWS = 64 };

int schedule_tile_rows(const struct schedule *schedule)
{
    int group = schedule->of[KNOB_GROUP];

    return group > WARPGROUP ? group / WARPGROUP * WARPGROUP_ROWS : WARPGROUP_ROWS;
}

int schedule_stage_bytes(const struct schedule *schedule)
{
    enum { LINE_BYTES = 128 };

    return schedule->of[KNOB_STAGES] * (schedule_tile_rows(schedule) + schedule->of[KNOB_SPAN]) *
               LINE_BYTES +
           STAGE_ALIGNMENT;
}

static bool can_persist(const struct schedule *schedule)
{
    return !schedule->of[KNOB_PERSIST] ||
           (schedule->of[KNOB_WARPGROUP] && schedule->of[KNOB_TURNS] == 1);
}

enum status schedule_check(const struct schedule *schedule, struct error *err)
{
    const int *of = schedule->of;

    if (of[KNOB_TILE_N] % of[KNOB_VEC] != 0)
        return error_set(err, STATUS_INVALID, "tile_n %d is not a multiple of vec %d",
                         of[KNOB_TILE_N], of[KNOB_VEC]);
    if (of[KNOB_TILE_M] * of[KNOB_TILE_N] / of[KNOB_VEC] > MAX_TILE_VECTORS)
        return error_set(err, STATUS_INVALID, "tile_m %d by tile_n %d takes more than %d vectors",
                         of[KNOB_TILE_M], of[KNOB_TILE_N], MAX_TILE_VECTORS);
    if (local_bytes(schedule) > MAX_LOCAL_BYTES)
        return error_set(err, STATUS_INVALID,
                         "blocks of local %d take %d bytes of local memory, more than %d",
                         of[KNOB_LOCAL], local_bytes(schedule), MAX_LOCAL_BYTES);
    if (of[KNOB_MATRIX] == MATRIX_PARTS &&
        (!of[KNOB_WARPGROUP] || of[KNOB_SPAN] > MAX_PARTS_SPAN || of[KNOB_STAGES] % PARTS != 0))
        return error_set(
            err, STATUS_INVALID,
            "matrix %d takes warpgroup 1, stages for all of %d parts, and a span of at "
            "most %d, because its kernel keeps two sums for each column in registers",
            of[KNOB_MATRIX], PARTS, MAX_PARTS_SPAN);
    if (!can_persist(schedule))
        return error_set(err, STATUS_INVALID,
                         "persist %d takes turns 1 and warpgroup 1, because work-groups that stay "
                         "take several tiles already",
                         of[KNOB_PERSIST]);
    if (of[KNOB_MATRIX] && of[KNOB_WARPGROUP] && schedule_stage_bytes(schedule) > MAX_STAGE_BYTES)
        return error_set(err, STATUS_INVALID,
                         "stages %d of span %d take %d bytes of shared memory, more than %d",
                         of[KNOB_STAGES], of[KNOB_SPAN], schedule_stage_bytes(schedule),
                         MAX_STAGE_BYTES);
    return STATUS_OK;
}

/* One "name: from -> to" of a change. */
struct move {
    size_t knob;
    long from, to;
};

/* Read one "name: from -> to"; the end of it, or NULL if it is not legal. */
static const char *read_move(const char *at, struct move *move)
{
    size_t len = name_length(at);
    char *end;

    move->knob = find_knob(at, len);
    at = skip_blanks(at + len);
    if (move->knob == KNOB_COUNT || *at++ != ':')
        return NULL;
    move->from = strtol(at, &end, 10);
    at = skip_blanks(end);
    if (strncmp(at, "->", 2) != 0)
        return NULL;
    move->to = strtol(at + 2, &end, 10);
    return knob_has((enum knob)move->knob, move->to) && knob_has((enum knob)move->knob, move->from)
               ? end
               : NULL;
}

static void add_vocabulary(struct strbuf *out)
{
    for (size_t k = 0; k < KNOB_COUNT; k++) {
        strbuf_addf(out, "%s%s", k ? ", " : "", knob_table[k].name);
        for (size_t i = 0; i < knob_table[k].count; i++)
            strbuf_addf(out, "%c%d", i ? '|' : ' ', knob_table[k].values[i]);
    }
}

static enum status fail_change(const char *change, struct error *err)
{
    struct strbuf vocabulary = {0};

    add_vocabulary(&vocabulary);
    error_set(
        err, STATUS_INVALID,
        "\"%.80s\" is not a change such as \"vec: 4 -> 8\"; the knobs and their values are %s",
        change, strbuf_cstr(&vocabulary));
    strbuf_release(&vocabulary);
    return STATUS_INVALID;
}

static enum status follow(struct schedule *schedule, const char *change, bool backwards,
                          struct error *err)
{
    struct schedule changed = *schedule;
    const char *at = skip_blanks(change);
    struct move move;
    enum status st;

    do {
        at = read_move(skip_blanks(at), &move);
        if (!at)
            return fail_change(change, err);
        changed.of[move.knob] = (int)(backwards ? move.from : move.to);
        at = skip_blanks(at);
    } while (*at++ == ',');
    if (at[-1] != '\0')
        return fail_change(change, err);
    st = schedule_check(&changed, err);
    if (!st)
        *schedule = changed;
    return st;
}

enum status schedule_change(struct schedule *schedule, const char *change, struct error *err)
{
    return follow(schedule, change, false, err);
}

enum status schedule_undo(struct schedule *schedule, const char *change, struct error *err)
{
    return follow(schedule, change, true, err);
}

/*
 * The value in the middle of the table between two; of two middle values the one nearer to `from`.
 */
static int middle_value(size_t knob, int from, int to)
{
    const struct knob_row *row = &knob_table[knob];
    size_t a = 0, b = 0;

    while (row->values[a] != from)
        a++;
    while (row->values[b] != to)
        b++;
    return row->values[(a + b + (a > b)) / 2];
}

enum status schedule_halve(struct schedule *schedule, const char *change)
{
    struct schedule halved = *schedule;
    const char *at = skip_blanks(change);
    bool is_other = false;
    struct move move;

    do {
        at = read_move(skip_blanks(at), &move);
        if (!at)
            return STATUS_NOT_FOUND;
        halved.of[move.knob] = middle_value(move.knob, (int)move.from, schedule->of[move.knob]);
        is_other |=
            halved.of[move.knob] != schedule->of[move.knob] && halved.of[move.knob] != move.from;
        at = skip_blanks(at);
    } while (*at++ == ',');
    if (!is_other || schedule_check(&halved, NULL))
        return STATUS_NOT_FOUND;
    *schedule = halved;
    return STATUS_OK;
}

void schedule_difference(const struct schedule *from, const struct schedule *to, unsigned families,
                         struct strbuf *out)
{
    const char *between = "";

    for (size_t k = 0; k < KNOB_COUNT; k++)
        if (knob_table[k].families & families && from->of[k] != to->of[k]) {
            strbuf_addf(out, "%s%s: %d -> %d", between, knob_table[k].name, from->of[k], to->of[k]);
            between = ", ";
        }
}
