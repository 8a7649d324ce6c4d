#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"linear_gelu\", \"summary\": \"A linear layer, then GELU.\","
    " \"dims\": {\"M\": 30, \"N\": 64, \"K\": 48},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"w\": {\"role\": \"param\", \"dtype\": \"f16\", \"shape\": [\"N\", \"K\"],"
    "         \"fill\": {\"normal\": [0, 0.036]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"t\"},"
    "            {\"op\": \"gelu\", \"in\": [\"t\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

struct fixture {
    struct problem problem;
    struct graph graph;
    struct binding bindings[3];
    struct scope dims;
};

static int set_up(void **state)
{
    struct fixture *f = mem_alloc_zeroed(1, sizeof(*f));
    struct error err = {0};

    if (problem_parse(&f->problem, problem_text, strlen(problem_text), "linear.json", &err))
        fail_msg("%s", err.text);
    f->dims = problem_scope(&f->problem, 0, f->bindings);
    if (graph_build(&f->graph, &f->problem, &f->dims, &err))
        fail_msg("%s", err.text);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    graph_release(&f->graph);
    problem_release(&f->problem);
    free(f);
    return 0;
}

/* Parse and resolve the plan `text`; ' stands for ". */
static enum status resolve(const struct fixture *f, const char *text, size_t choice,
                           struct dispatch *dispatch, struct error *err)
{
    struct binding bindings[PLAN_MAX_TUNABLES];
    struct plan plan = {0};
    char *json = mem_strdup(text);
    enum status st;

    for (char *c = strchr(json, '\''); c; c = strchr(c, '\''))
        *c = '"';
    st = plan_parse(&plan, json, strlen(json), err);
    free(json);
    if (st)
        return st;

    struct scope scope = plan_scope(&plan, choice, &f->dims, bindings);
    st = plan_resolve(&plan, &f->graph, &scope, dispatch, err);
    plan_release(&plan);
    return st;
}

static const char whole_plan[] =
    "{'scratch': {'wt': {'dtype': 'f32', 'shape': ['K', 'N']}},"
    " 'tune': {'TILE': [8, 16], 'VEC': [1, 2, 4]},"
    " 'build': ['-DTILE={TILE}', '-DSPAN={TILE}*{VEC}', '-cl-fast-relaxed-math'],"
    " 'prepare': [{'kernel': 'transpose', 'global': ['K', 'N'], 'args': ['w', 'wt', 'K', 'N']}],"
    " 'launches': [{'kernel': 'linear_gelu',"
    "   'global': ['align(N, TILE)', 'align(M, TILE)/VEC'], 'local': ['TILE', 'TILE/VEC'],"
    "   'args': ['x', 'wt', 'y', 'M', 'TILE', {'f32': 0.5}, {'i64': 'M*N'},"
    "            {'local': 'TILE*TILE*4'}]}]}";

static void buffers_are_the_tensors_and_then_the_scratch(void **state)
{
    struct dispatch d = {0};

    assert_int_equal(resolve(*state, whole_plan, 0, &d, NULL), STATUS_OK);
    assert_int_equal(d.buffers.count, 4);
    assert_int_equal(d.tensor_count, 3);
    assert_string_equal(d.buffers.items[0].name, "x");
    assert_string_equal(d.buffers.items[1].name, "w");
    assert_int_equal(d.buffers.items[1].dtype, DTYPE_F16);
    assert_string_equal(d.buffers.items[2].name, "y");
    assert_int_equal(d.buffers.items[2].elements, 30 * 64);
    assert_string_equal(d.buffers.items[3].name, "wt");
    assert_int_equal(d.buffers.items[3].elements, 48 * 64);
    dispatch_release(&d);
}

static void launches_are_in_numbers(void **state)
{
    struct dispatch d = {0};
    const struct launch *l;

    assert_int_equal(resolve(*state, whole_plan, 4, &d, NULL), STATUS_OK); /* TILE 16, VEC 2 */
    assert_string_equal(d.options, "-DTILE=16 -DSPAN=16*2 -cl-fast-relaxed-math");
    assert_int_equal(d.prepare.count, 1);
    assert_int_equal(d.prepare.items[0].global[0], 48);
    assert_int_equal(d.prepare.items[0].local[0], 0);
    l = &d.launches.items[0];
    assert_string_equal(l->kernel, "linear_gelu");
    assert_int_equal(l->rank, 2);
    assert_int_equal(l->global[0], 64);
    assert_int_equal(l->global[1], 16);
    assert_int_equal(l->local[0], 16);
    assert_int_equal(l->local[1], 8);
    assert_int_equal(l->arg_count, 8);
    assert_int_equal(l->args[1].kind, ARG_BUFFER);
    assert_int_equal(l->args[1].buffer, 3);
    assert_int_equal(l->args[3].kind, ARG_INTEGER);
    assert_int_equal(l->args[3].integer, 30);
    assert_int_equal(l->args[4].integer, 16);
    assert_int_equal(l->args[5].dtype, DTYPE_F32);
    assert_true(l->args[5].number == 0.5);
    assert_int_equal(l->args[6].dtype, DTYPE_I64);
    assert_true(l->args[6].number == 30 * 64);
    assert_int_equal(l->args[7].kind, ARG_LOCAL);
    assert_int_equal(l->args[7].integer, 1024);
    dispatch_release(&d);
}

static void grid_and_block_count_groups(void **state)
{
    struct dispatch d = {0};

    assert_int_equal(resolve(*state,
                             "{'launches': [{'kernel': 'k', 'grid': ['ceildiv(M, 16)', 2],"
                             "  'block': [16, 4], 'args': ['y']}]}",
                             0, &d, NULL),
                     STATUS_OK);
    assert_int_equal(d.launches.items[0].global[0], 32);
    assert_int_equal(d.launches.items[0].global[1], 8);
    assert_int_equal(d.launches.items[0].local[1], 4);
    assert_string_equal(d.options, "");
    dispatch_release(&d);
}

/* Programs on tiles have constants and counts of warps; the compiler chooses the threads. */
static void a_grid_without_a_block_counts_programs(void **state)
{
    struct dispatch d = {0};
    const struct launch *l;

    assert_int_equal(resolve(*state,
                             "{'launches': [{'kernel': 'k', 'grid': ['M'], 'args': ['y', 'N'],"
                             "  'constants': {'BLOCK': 'pow2(N, 16)', 'EVEN': true, 'EPS': 0.5},"
                             "  'num_warps': 8, 'num_stages': 2}]}",
                             0, &d, NULL),
                     STATUS_OK);
    l = &d.launches.items[0];
    assert_true(launch_has_programs(l));
    assert_int_equal(l->warps, 8);
    assert_int_equal(l->stages, 2);
    assert_int_equal(l->ctas, 1);
    assert_string_equal(l->constants, "{\"BLOCK\":64,\"EVEN\":true,\"EPS\":0.5}");
    assert_int_equal(dispatch_check_programs(&d, true, NULL), STATUS_OK);
    assert_int_equal(dispatch_check_programs(&d, false, NULL), STATUS_INVALID);
    dispatch_release(&d);
    assert_int_equal(resolve(*state,
                             "{'launches': [{'kernel': 'k', 'grid': [1], 'block': [1],"
                             "  'num_warps': 8, 'args': ['y']}]}",
                             0, &d, NULL),
                     STATUS_INVALID);
}

/* CUDA launches also have shared memory, clusters and tensor maps. */
static void cuda_launches_say_more(void **state)
{
    struct dispatch d = {0};
    const struct tensor_map *map;
    const struct launch *l;

    assert_int_equal(
        resolve(*state,
                "{'build': ['--use_fast_math'],"
                " 'launches': [{'kernel': 'k', 'grid': ['N/8', 2], 'block': [128, 1],"
                "   'shared': 'K*1024', 'cluster': [2, 1],"
                "   'args': ['x', {'tensor_map': {'of': 'w', 'shape': ['N', 'K'], 'box': [64, 16],"
                "                                 'swizzle': 32}}, 'y']}]}",
                0, &d, NULL),
        STATUS_OK);
    l = &d.launches.items[0];
    assert_int_equal(l->shared, 48 * 1024);
    assert_int_equal(l->cluster[0], 2);
    assert_int_equal(l->cluster[1], 1);
    assert_int_equal(l->args[1].kind, ARG_TENSOR_MAP);
    assert_int_equal(l->args[1].integer, 0);
    assert_int_equal(l->tensor_map_count, 1);
    map = &l->tensor_maps[0];
    assert_int_equal(map->buffer, 1);
    assert_int_equal(map->dtype, DTYPE_F16);
    assert_int_equal(map->rank, 2);
    assert_true(map->shape[0] == 64 && map->shape[1] == 48);
    assert_true(map->box[0] == 64 && map->box[1] == 16);
    assert_int_equal(map->swizzle, 32);
    dispatch_release(&d);
}

static void choices_count_every_combination_once(void **state)
{
    static const char text[] = "{\"tune\": {\"A\": [1, 2], \"B\": [3, 4, 5]}, "
                               "\"launches\": [{\"kernel\": \"k\", \"global\": [1]}]}";
    static const int64_t expected[][2] = {{1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}};
    struct plan plan = {0};
    struct binding bindings[PLAN_MAX_TUNABLES];

    (void)state;
    assert_int_equal(plan_parse(&plan, text, strlen(text), NULL), STATUS_OK);
    assert_int_equal(plan_choices(&plan), 6);
    for (size_t i = 0; i < 6; i++) {
        struct scope scope = plan_scope(&plan, i, NULL, bindings);

        assert_int_equal(scope_find(&scope, "A")->value, expected[i][0]);
        assert_int_equal(scope_find(&scope, "B")->value, expected[i][1]);
    }
    plan_release(&plan);
}

#define LAUNCH(members) "{'launches': [{'kernel': 'k', " members "}]}"
#define WITH(members)   "{" members ", 'launches': [{'kernel': 'k', 'global': [1], 'args': ['y']}]}"

/* Every fault that a plan can have, and the message for its author. */
static const struct {
    const char *text, *message;
} faults[] = {
    {"{'launches': [", "plan: line 1 column 14: not valid JSON: check quotes, commas and brackets"},
    {"[]", "plan: expected an object, found an array"},
    {"{}", "plan: launches: missing, expected an array"},
    {"{'launches': []}", "plan: launches: empty, expected at least one launch"},
    {WITH("'launch': 1"), "plan: unknown key \"launch\": expected one of kforge, scratch, tune, "
                          "build, prepare, launches"},
    {WITH("'kforge': 2"), "plan: kforge: expected 1, the version of plans, or nothing"},
    {LAUNCH("'global': [1], 'arg': []"),
     "plan: launches[0]: unknown key \"arg\": expected one of kernel, "
     "global, local, grid, block, shared, cluster, threads, args, "
     "constants, num_warps, num_stages, num_ctas"},
    {LAUNCH("'global': [1], 'args': ['x', 'y', 'ww']"),
     "plan: launches[0].args[2]: no tensor, scratch, dimension or tunable \"ww\": expected one of "
     "x, w, "
     "y, M, N, K"},
    {LAUNCH("'global': [1], 'args': ['t']"), "plan: launches[0].args[0]: no tensor, scratch, "
                                             "dimension or tunable \"t\": expected one of x, w, y, "
                                             "M, N, K"},
    {LAUNCH("'global': [1], 'args': ['M*N']"),
     "plan: launches[0].args[0]: no tensor, scratch, dimension or tunable \"M*N\": expected one of "
     "x, w, "
     "y, M, N, K; an expression "
     "needs a type, such as {\"i32\": \"M*N\"}"},
    {LAUNCH("'global': [1], 'args': [4]"),
     "plan: launches[0].args[0]: expected a name, {\"local\": bytes} or a number with its type, "
     "such as {\"f32\": 0.5}"},
    {LAUNCH("'global': [1], 'args': [{'int': 4}]"),
     "plan: launches[0].args[0].int: \"int\" is neither a number type nor \"local\""},
    {LAUNCH("'global': [1], 'args': [{'i32': 3000000000}]"),
     "plan: launches[0].args[0].i32: 3000000000 is beyond 2147483647"},
    {LAUNCH("'global': [1], 'args': [{'local': 0}]"),
     "plan: launches[0].args[0].local: is 0, expected 1 to 1099511627776"},
    {LAUNCH("'global': [1], 'args': ['x']"), "plan: launches: no launch takes the output \"y\""},
    {LAUNCH("'global': [1]"), "plan: launches[0].args: missing, expected an array"},
    {LAUNCH("'args': ['y']"), "plan: launches[0].global: missing, expected an array"},
    {LAUNCH("'global': ['M - M'], 'args': ['y']"),
     "plan: launches[0].global[0]: is 0, expected 1 to 1099511627776"},
    {LAUNCH("'global': [1, 1, 1, 1], 'args': ['y']"),
     "plan: launches[0].global: 4 sizes, expected 1 to 3"},
    {LAUNCH("'global': [32, 'M'], 'local': [16, 16], 'args': ['y']"),
     "plan: launches[0].local[1]: 16 does not divide the global size 30: round that up, "
     "align(..., 16)"},
    {LAUNCH("'global': [32, 32], 'local': [16], 'args': ['y']"),
     "plan: launches[0].local: 1 sizes, expected 2 as above"},
    {LAUNCH("'global': [1], 'block': [1], 'args': ['y']"),
     "plan: launches[0]: give \"global\" and \"local\", or \"grid\" and \"block\", not both"},
    {LAUNCH("'grid': [2147483647, 1024], 'block': [1, 1], 'args': ['y']"),
     "plan: launches[0]: more than 2^40 work-items"},
    {"{'launches': [{'kernel': 7, 'global': [1], 'args': ['y']}]}",
     "plan: launches[0].kernel: expected a text, found a number"},
    {WITH("'build': ['-I/etc']"),
     "plan: build[0]: \"-I/etc\" is not allowed: an option is -DNAME, -DNAME=VALUE, -cl-..., "
     "NVRTC's --use_fast_math, --fmad, --ftz, --prec-div, --prec-sqrt, --maxrregcount, "
     "--std, hiprtc's -munsafe-fp-atomics, -m[no-]cumode, -m[no-]wavefrontsize64, "
     "gcc's -O..., -ffast-math and its parts, -ffp-contract, -funroll-loops, "
     "-mprefer-vector-width, without blanks and quotes"},
    {WITH("'build': ['-DA', '-DB=1 -I/etc']"),
     "plan: build[1]: \"-DB=1 -I/etc\" is not allowed: an option is -DNAME, -DNAME=VALUE, "
     "-cl-..., NVRTC's --use_fast_math, --fmad, --ftz, --prec-div, --prec-sqrt, "
     "--maxrregcount, --std, hiprtc's -munsafe-fp-atomics, "
     "-m[no-]cumode, -m[no-]wavefrontsize64, gcc's -O..., -ffast-math and its parts, "
     "-ffp-contract, "
     "-funroll-loops, -mprefer-vector-width, without blanks and quotes"},
    {WITH("'build': ['-DTILE={TILE}']"), "plan: build[0]: no dimension or tunable \"TILE\""},
    {WITH("'build': ['-DTILE={M']"), "plan: build[0]: no dimension or tunable \"M\""},
    {WITH("'tune': {'T': []}"), "plan: tune.T: empty, expected at least one integer"},
    {WITH("'tune': {'T': [1, 'M']}"), "plan: tune.T[1]: expected a number, found a text"},
    {WITH("'tune': {'M': [1]}"),
     "plan: tune.M: there is a dimension or tunable of this name already"},
    {WITH("'scratch': {'x': {'dtype': 'f32', 'shape': [1]}}"),
     "plan: scratch.x: there is a tensor or scratch of this name already"},
    {WITH("'scratch': {'s': {'dtype': 'f32', 'shape': [1]}, 's': {'dtype': 'f32', 'shape': [1]}}"),
     "plan: scratch.s: there is a tensor or scratch of this name already"},
    {WITH("'scratch': {'s': {'dtype': 'f32', 'shape': ['M', 'Q']}}"),
     "plan: scratch.s.shape[1]: \"Q\", at character 1: no \"Q\": expected one of M, N, K"},
    {WITH("'scratch': {'s': {'dtype': 'f32', 'shape': [10000000, 10000000]}}"),
     "plan: scratch.s.shape: more than 4398046511104 elements"},
    {WITH("'prepare': [{'kernel': 'k', 'global': [1], 'args': ['w', 'x']}]"),
     "plan: prepare[0].args[1]: \"x\" is not a param: prepare runs once for each set of params, "
     "before there are inputs and outputs"},
    {"{'launches': [{'kernel': 'k', 'grid': [3], 'block': [8], 'cluster': [2], 'args': ['y']}]}",
     "plan: launches[0].cluster[0]: 2 does not divide the 3 groups of this axis"},
    {"{'launches': [{'kernel': 'k', 'global': [8], 'cluster': [2], 'args': ['y']}]}",
     "plan: launches[0].cluster: needs \"block\" or \"local\" beside it"},
    {"{'launches': [{'kernel': 'k', 'grid': [1], 'block': [1], 'args': ['y', {'tensor_map':"
     " {'of': 'w', 'shape': ['N', 'K', 2], 'box': [8, 8, 1]}}]}]}",
     "plan: launches[0].args[1].tensor_map.shape: has more elements than \"w\""},
    {"{'launches': [{'kernel': 'k', 'grid': [1], 'block': [1], 'args': ['y', {'tensor_map':"
     " {'of': 'w', 'shape': ['N', 'K'], 'box': [8]}}]}]}",
     "plan: launches[0].args[1].tensor_map.box: 1 sizes, expected 2 as the shape has"},
    {"{'launches': [{'kernel': 'k', 'grid': [1], 'block': [1], 'args': ['y', {'tensor_map':"
     " {'of': 'M', 'shape': ['N'], 'box': [8]}}]}]}",
     "plan: launches[0].args[1].tensor_map.of: is not a tensor or scratch"},
};

static void faults_are_named_with_their_place(void **state)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        struct dispatch d = {0};
        struct error err = {0};

        assert_int_equal(resolve(*state, faults[i].text, 0, &d, &err), STATUS_INVALID);
        assert_string_equal(err.text, faults[i].message);
        assert_null(d.options);
    }
}

static void combinations_are_limited(void **state)
{
    struct strbuf text = {0};
    struct plan plan = {0};
    struct error err = {0};

    (void)state;
    strbuf_adds(&text, "{\"tune\": {");
    for (int i = 1; i <= 13; i++)
        strbuf_addf(&text, "%s\"T%d\": [1, 2]", i > 1 ? ", " : "", i);
    strbuf_adds(&text, "}, \"launches\": [{\"kernel\": \"k\"}]}");
    assert_int_equal(plan_parse(&plan, text.data, text.len, &err), STATUS_INVALID);
    assert_string_equal(err.text, "plan: tune.T13: more than 4096 combinations of tunables");
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_the_tensors_and_then_the_scratch),
        cmocka_unit_test(launches_are_in_numbers),
        cmocka_unit_test(grid_and_block_count_groups),
        cmocka_unit_test(a_grid_without_a_block_counts_programs),
        cmocka_unit_test(cuda_launches_say_more),
        cmocka_unit_test(choices_count_every_combination_once),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(combinations_are_limited),
    };

    return cmocka_run_group_tests_name("plan", tests, set_up, tear_down);
}
