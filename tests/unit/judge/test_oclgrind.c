#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/tools/oclgrind.h"

/* Output of oclgrind 21.10, between lines that a kernel printed. */
static const char printed[] =
    "Invalid write is what this kernel prints\n"
    "\n"
    "Work-group divergence detected (barrier)\n"
    "\tKernel:     race\n"
    "\tWork-group: (0,0,0)\n"
    "\tOnly 5 out of 64 work-items executed barrier\n"
    "\t  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5, !dbg !45\n"
    "\tAt line 7 (column 16) of input.cl:\n"
    "\t  if (l < 5) barrier(CLK_LOCAL_MEM_FENCE);\n"
    "\t\n"
    "\n"
    "Read-write data race at local memory address 0x1000000000004\n"
    "\tKernel: race\n"
    "\t\n"
    "\tFirst entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)\n"
    "\t  store float %conv, float addrspace(3)* %arrayidx, align 4, !dbg !31, !tbaa !32\n"
    "\tAt line 4 (column 10) of input.cl:\n"
    "\t  t[l] = i;\n"
    "\t\n"
    "\tSecond entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n"
    "\t  %0 = load float, float addrspace(3)* %arrayidx2, align 4, !dbg !38, !tbaa !32\n"
    "\tAt line 5 (column 12) of input.cl:\n"
    "\t  y[i] = t[(l + 1) % 64];\n"
    "\t\n"
    "printed by the kernel\n"
    "Invalid write of size 4 at global memory address 0x10000003d0900\n"
    "\tKernel: race\n"
    "\tEntity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n"
    "\t  store float 1.000000e+00, float addrspace(1)* %arrayidx10, align 4\n"
    "\tAt line 9 (column 28) of input.cl:\n"
    "\t  if (i == 0) y[1000000] = 1;\n"
    "\t\n"
    "\n"
    "Invalid write of size 4 at global memory address 0x10000003d0904\n"
    "\tKernel: race\n"
    "\tEntity: Global(1,0,0) Local(0,0,0) Group(0,0,0)\n"
    "\tAt line 9 (column 28) of input.cl:\n"
    "Oclgrind: 4 errors generated - suppressing further errors\n";

static void assert_finding(const struct access_error *found, const char *kind, unsigned line,
                           const char *address, unsigned count)
{
    assert_string_equal(found->kind, kind);
    assert_string_equal(found->kernel, "race");
    assert_int_equal(found->line, line);
    if (address)
        assert_string_equal(found->address, address);
    else
        assert_null(found->address);
    assert_int_equal(found->count, count);
}

static void findings_have_kind_kernel_line_and_count(void **state)
{
    struct sanitizing found = {0};

    (void)state;
    oclgrind_read(printed, &found);
    assert_int_equal(found.errors.count, 3);
    assert_finding(&found.errors.items[0], "Work-group divergence detected (barrier)", 7, NULL, 1);
    assert_finding(&found.errors.items[1], "Read-write data race at local memory", 4,
                   "address 0x1000000000004", 1);
    assert_finding(&found.errors.items[2], "Invalid write of size 4 at global memory", 9,
                   "address 0x10000003d0900", 2);
    sanitizing_release(&found);
}

static void other_text_is_no_finding(void **state)
{
    static const char *const texts[] = {"", "\n\n", "Invalid write", "\tKernel: f\n",
                                        "Oclgrind: Unable to open log file '/x'\n"};
    struct sanitizing found = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        oclgrind_read(texts[i], &found);
    assert_int_equal(found.errors.count, 0);
}

static bool has(const struct oclgrind_command *command, const char *word)
{
    for (size_t i = 0; command->options[i]; i++)
        if (strcmp(command->options[i], word) == 0)
            return true;
    return false;
}

static void the_tool_chooses_the_options(void **state)
{
    const struct device_info device = {
        .memory_bytes = 7340032000, .local_bytes = 524288, .max_work_group = 4096};
    struct oclgrind_command command;

    (void)state;
    oclgrind_options("memcheck", &device, &command);
    assert_true(has(&command, "7340032000") && has(&command, "524288") && has(&command, "4096"));
    assert_false(has(&command, "--data-races") || has(&command, "--uninitialized"));
    oclgrind_options("racecheck", &device, &command);
    assert_true(has(&command, "--data-races"));
    oclgrind_options("initcheck", &device, &command);
    assert_true(has(&command, "--uninitialized"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_have_kind_kernel_line_and_count),
        cmocka_unit_test(other_text_is_no_finding),
        cmocka_unit_test(the_tool_chooses_the_options),
    };

    return cmocka_run_group_tests_name("oclgrind", tests, NULL, NULL);
}
