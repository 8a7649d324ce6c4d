#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/agent/reply/reply.h"
#include "core/model/problem_reader.h"
#include "core/session/recorded/standalone/standalone.h"
#include "core/system/file.h"
#include "tests/golden/golden.h"

/* A candidate that uses every feature of a CUDA plan. */
static const char reply[] =
    "```cuda\n"
    "struct __align__(64) map { unsigned long long opaque[16]; };\n"
    "extern \"C\" __global__ void turn(const float *w, float *t) { t[threadIdx.x] = "
    "w[threadIdx.x]; }\n"
    "extern \"C\" __global__ void linear_gelu(const __grid_constant__ map x, const float *t,\n"
    "                                       const float *b, float *y, int N, float scale)\n"
    "{ extern __shared__ float tile[]; y[0] = fminf(tile[0] * scale, INFINITY); }\n"
    "```\n"
    "```json\n"
    "{\"scratch\": {\"t\": {\"dtype\": \"f32\", \"shape\": [\"K\", \"N\"]}},\n"
    " \"tune\": {\"TILE\": [16, 32]}, \"build\": [\"-DTILE={TILE}\", \"--use_fast_math\"],\n"
    " \"prepare\": [{\"kernel\": \"turn\", \"grid\": [\"K\"], \"block\": [\"N/4\"], \"args\": "
    "[\"w\", \"t\"]}],\n"
    " \"launches\": [{\"kernel\": \"linear_gelu\", \"grid\": [\"N/TILE\", \"M/TILE\"], \"block\": "
    "[\"TILE\", 8],\n"
    "   \"shared\": \"TILE*TILE*4\", \"cluster\": [2, 1],\n"
    "   \"args\": [{\"tensor_map\": {\"of\": \"x\", \"shape\": [\"M\", \"K\"], \"box\": [64, 32],\n"
    "             \"swizzle\": 128}}, \"t\", \"b\", \"y\", \"N\", {\"f32\": 0.5}]}]}\n"
    "```\n";

struct subject {
    struct problem problem;
    struct candidate candidate;
    char folder[32];
};

static int set_up(void **state)
{
    static struct subject subject;
    struct error err;

    subject = (struct subject){.folder = "/tmp/kforge.XXXXXX"};
    if (problem_load(&subject.problem, KFORGE_SOURCE_DIR "/prompts/problems/linear_gelu.json",
                     &err) ||
        reply_parse(reply, "cuda", &subject.candidate, &err))
        fail_msg("%s", err.text);
    assert_non_null(mkdtemp(subject.folder));
    *state = &subject;
    return 0;
}

static void remove_file(const struct subject *s, const char *name)
{
    char *path = file_join(s->folder, name);

    (void)unlink(path);
    free(path);
}

static int tear_down(void **state)
{
    static const char *const names[] = {
        "model.py", "model_reference.py", "main.c",    "data.c",         "data.h", "plan.h",
        "plan.c",   "CMakeLists.txt",     "kernel.cu", "plain_kernel.cu"};
    struct subject *s = *state;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        remove_file(s, names[i]);
    assert_int_equal(rmdir(s->folder), 0);
    problem_release(&s->problem);
    candidate_release(&s->candidate);
    return 0;
}

/* Compare the exported file `name` with its golden file. */
static void compare(const struct subject *s, const char *name, const char *golden)
{
    char *path = file_join(s->folder, name);
    struct strbuf text = {0};
    struct error err;

    if (file_read(path, 1 << 20, &text, &err))
        fail_msg("%s", err.text);
    golden_compare(golden, &text);
    strbuf_release(&text);
    free(path);
}

static struct standalone standalone(const struct subject *s)
{
    static char tuned[] = "TILE=32";

    return (struct standalone){&s->problem, &s->candidate, tuned, false};
}

static void a_model_for_pytorch(void **state)
{
    const struct subject *s = *state;
    const struct standalone made = standalone(s);
    char *path = file_join(s->folder, "model.py");
    struct error err;

    if (standalone_write_torch(&made, path, &err))
        fail_msg("%s", err.text);
    compare(s, "model.py", "export/model.py");
    compare(s, "model_reference.py", "export/model_reference.py");
    free(path);
}

/* Programs in Python: the launcher gets the grid, the constants and the warps of the tuned choice.
 */
static const char programs[] =
    "```python\n"
    "import triton\n"
    "@triton.jit\n"
    "def linear(x, w, b, y, t, N, scale, TILE: triton.language.constexpr):\n"
    "    pass\n"
    "```\n"
    "```json\n"
    "{\"scratch\": {\"t\": {\"dtype\": \"bf16\", \"shape\": [\"K\", \"N\"]}},\n"
    " \"tune\": {\"TILE\": [16, 32]},\n"
    " \"launches\": [{\"kernel\": \"linear\", \"grid\": [\"N/TILE\", 3], \"args\": [\"x\", \"w\", "
    "\"b\", \"y\", "
    "\"t\", \"N\",\n"
    "   {\"f32\": 0.5}], \"constants\": {\"TILE\": \"TILE\"}, \"num_warps\": 8, \"num_stages\": "
    "2}]}\n"
    "```\n";

static void find_parts(const struct subject *s, const char *language, const char *const *parts)
{
    struct standalone made = standalone(s);
    struct candidate candidate = {0};
    char *path = file_join(s->folder, "model.py");
    struct strbuf text = {0};
    struct error err;

    if (reply_parse(programs, language, &candidate, &err))
        fail_msg("%s", err.text);
    made.candidate = &candidate;
    if (standalone_write_torch(&made, path, &err) || file_read(path, 1 << 20, &text, &err))
        fail_msg("%s", err.text);
    for (; *parts; parts++)
        if (!strstr(strbuf_cstr(&text), *parts))
            fail_msg("there is no %s in the export:\n%s", *parts,
                     strstr(strbuf_cstr(&text), "PLAN"));
    assert_null(strstr(strbuf_cstr(&text), "nvrtc"));
    strbuf_release(&text);
    candidate_release(&candidate);
    free(path);
}

static void a_model_with_programs_for_pytorch(void **state)
{
    static const char *const triton[] = {
        "Triton compiles the kernels at the first call",
        "\"scratch_types\": [\"bf16\"]",
        "\"constants\": {\"TILE\": 32}",
        "\"warps\": 8",
        "\"stages\": 2",
        "self.kernel[self.grid](",
        NULL,
    };
    static const char *const cute[] = {
        "CuTe DSL compiles the kernels at the first call",
        "\"types\": [\"f32\", \"f32\", \"f32\", \"f32\", \"bf16\", \"i32\", \"f32\"]",
        "\"bits\": \"1056964608\"", /* 0.5 */
        "def load_kernels(",
        "class Driver:",
        "cute.compile(",
        NULL,
    };

    find_parts(*state, "triton", triton);
    find_parts(*state, "cute", cute);
}

/* A PyTorch file with arguments, a number as input, and a constant that forward makes. */
static const char file_problem[] =
    "{\"kforge\": 1, \"name\": \"bounded\", \"summary\": \"A bounded linear layer.\", \"dims\": "
    "{},\n"
    " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 3], \"fill\": "
    "{\"model\": "
    "[]}},\n"
    "  \"part_weight\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [4, 3], \"fill\": "
    "{\"uniform\": "
    "[-1, 1]}},\n"
    "  \"constant1\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [4], \"fill\": "
    "{\"constant\": "
    "1}},\n"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 4]}},\n"
    " \"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"part_weight\"], \"out\": \"a\"},\n"
    "  {\"op\": \"clamp\", \"in\": [\"a\"], \"max\": 0.5, \"out\": \"b\"},\n"
    "  {\"op\": \"mul\", \"in\": [\"b\", 2], \"out\": \"c\"},\n"
    "  {\"op\": \"add\", \"in\": [\"c\", \"constant1\"], \"out\": \"y\"}],\n"
    " \"tolerance\": {\"class\": \"f32\"},\n"
    " \"torch\": {\"file\": \"bounded.py\", \"unknown\": [], \"numbers\": [[1, 2]], "
    "\"inputs\": 2,\n"
    "  \"keys\": {\"x\": 0, \"part_weight\": \"part.weight\"}, \"source\": \""
    "import torch\\nimport torch.nn as nn\\n\\n\\n"
    "class Model(nn.Module):\\n"
    "    def __init__(self, size, bound):\\n"
    "        super().__init__()\\n"
    "        self.part = nn.Linear(size, 4, bias=False)\\n"
    "        self.unused = nn.Parameter(torch.randn(2))\\n"
    "        self.bound = bound\\n\\n"
    "    def forward(self, x, factor):\\n"
    "        return torch.clamp(self.part(x), max=self.bound) * factor + torch.ones(4)\\n\\n\\n"
    "def get_inputs():\\n"
    "    return [torch.randn(2, 3), 2]\\n\\n\\n"
    "def get_init_inputs():\\n"
    "    return [3, 0.5]\\n\"}}";

static const char file_reply[] =
    "```cuda\nextern \"C\" __global__ void bounded(const float *x, const float *w, const float *c, "
    "float *y)\n{\n    int i = threadIdx.x / 4, j = threadIdx.x % 4;\n    float sum = 0;\n\n"
    "    for (int k = 0; k < 3; k++)\n        sum += x[3 * i + k] * w[3 * j + k];\n"
    "    y[threadIdx.x] = fminf(sum, 0.5f) * 2 + c[j];\n}\n```\n"
    "```json\n{\"launches\": [{\"kernel\": \"bounded\", \"grid\": [1], \"block\": [8], \"args\": "
    "[\"x\", "
    "\"part_weight\", \"constant1\", \"y\"]}]}\n```\n";

static void a_model_that_contains_its_file(void **state)
{
    struct subject *s = *state;
    char *path = file_join(s->folder, "model.py");
    struct error err;

    problem_release(&s->problem);
    candidate_release(&s->candidate);
    if (problem_parse(&s->problem, file_problem, strlen(file_problem), "bounded.py", &err) ||
        reply_parse(file_reply, "cuda", &s->candidate, &err) ||
        standalone_write_torch(&(struct standalone){&s->problem, &s->candidate, NULL, false}, path,
                               &err))
        fail_msg("%s", err.text);
    compare(s, "model.py", "export/model_of_file.py");
    free(path);
}

static void a_program_in_c(void **state)
{
    const struct subject *s = *state;
    const struct standalone made = standalone(s);
    struct error err;

    if (standalone_write_c(&made, s->folder, &err))
        fail_msg("%s", err.text);
    compare(s, "plan.c", "export/plan.c.txt");
    compare(s, "CMakeLists.txt", "export/CMakeLists.txt");
}

static void a_choice_that_there_is_not_is_an_error(void **state)
{
    const struct subject *s = *state;
    struct standalone made = standalone(s);
    struct error err;

    made.tuned = "TILE=64";
    assert_int_equal(standalone_write_torch(&made, "/nowhere/model.py", &err), STATUS_INVALID);
    assert_string_equal(err.text, "the plan has no choice of tunables TILE=64");
}

static void data_that_only_pytorch_makes_cannot_be_exported(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"odd\", \"summary\": \"\", \"dims\": {\"N\": 8}, \"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"], \"fill\": "
        "{\"model\": []}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]}},"
        "\"graph\": [{\"op\": \"neg\", \"in\": [\"x\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct subject *s = *state;
    const struct standalone made = standalone(s);
    struct error err;

    problem_release(&s->problem);
    assert_int_equal(problem_parse(&s->problem, text, strlen(text), "odd.py", &err), STATUS_OK);
    assert_int_equal(standalone_write_torch(&made, "/nowhere/model.py", &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "cannot be exported"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_for_pytorch),
        TEST(a_model_with_programs_for_pytorch),
        TEST(a_model_that_contains_its_file),
        TEST(a_program_in_c),
        TEST(a_choice_that_there_is_not_is_an_error),
        TEST(data_that_only_pytorch_makes_cannot_be_exported),
    };

    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
