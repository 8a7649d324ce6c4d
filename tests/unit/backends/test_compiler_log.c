#include "tests/unit/unit.h"

#include <string.h>

#include "backends/diagnostics/compiler_log.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/system/file.h"

/*
 * The logs in tests/unit/compiler_logs are verbatim output of PoCL 3.1, NVIDIA's driver 580 and
 * NVRTC 13.0.
 */
struct expectation {
    const char *log;
    const char *messages;
};

static const struct expectation accepted[] = {
    {"pocl_warnings", "warning 1:2 careful\n"
                      "warning 6:13 implicit conversion from 'float' to 'int' changes value from "
                      "3.5 to 3\n"
                      "warning 7:11 using the result of an assignment as a condition without "
                      "parentheses\n"
                      "warning 8:15 if statement has empty body\n"},
    {"nvidia_clean", ""},
    {"nvrtc_warnings", "warning 1:44 variable \"unused\" was declared but never referenced\n"
                       "warning 2:2 #warning directive: careful\n"},
};

static const struct expectation rejected[] = {
    {"pocl_errors", "error 5:12 use of undeclared identifier 'y'\n"
                    "error 6:5 use of undeclared identifier 'foo'; did you mean 'for'?\n"
                    "error 6:10 expected ';' in 'for' statement specifier\n"
                    "error 7:16 initializing '__local int *__private' with an expression of type "
                    "'__global float *__private' changes address space of pointer\n"
                    "warning 8:11 using the result of an assignment as a condition without "
                    "parentheses\n"
                    "warning 6:9 expression result unused\n"},
    {"pocl_macro", "error 4:12 use of undeclared identifier 'y'\n"
                   "error 77:5 use of undeclared identifier 'zzz'\n"},
    {"pocl_link", "error 0:0 Error(s) while linking:  Cannot find symbol g in kernel library "
                  "Device pthread-skylake-avx512-Intel(R) Xeon(R) Processor failed to build the "
                  "program\n"},
    {"pocl_option", "error 0:0 Invalid build option: -nonsense\n"},
    {"nvidia_errors", "error 5:12 use of undeclared identifier 'y'\n"
                      "warning 6:5 implicit declaration of function 'foo' is invalid in OpenCL\n"
                      "error 7:16 initializing '__local int *' with an expression of type "
                      "'__global float *' changes address space of pointer\n"
                      "warning 8:11 using the result of an assignment as a condition without "
                      "parentheses\n"
                      "note 8:11 place parentheses around the assignment to silence this warning\n"
                      "note 8:11 use '==' to turn this assignment into an equality comparison\n"},
    {"nvidia_fatal", "error 1:10 'nothere.h' file not found\n"},
    {"nvidia_macro", "error 1:29 expected ')'\n"
                     "note 0:0 expanded from here\n"
                     "note 1:14 to match this '('\n"
                     "error 1:29 parameter name omitted\n"
                     "error 4:31 use of undeclared identifier 'n'\n"},
    {"nvidia_ptxas", "error 0:0 Not a name of any known instruction: 'fooinstr'\n"
                     "error 0:0 Ptx assembly aborted due to errors\n"},
    {"nvidia_link", "warning 1:33 implicit declaration of function 'undefined_fn' is invalid in "
                    "OpenCL\n"
                    "error 0:0 Unresolved extern function 'undefined_fn'\n"},
    {"nvrtc_errors", "error 3:12 identifier \"nowhere\" is undefined\n"
                     "error 4:9 identifier \"ohno\" is undefined\n"
                     "error 5:7 identifier \"x\" is undefined\n"},
    {"nvrtc_option", "error 0:0 unrecognized option -nonsense found\n"},
    {"nvrtc_template", "error 2:87 identifier \"INFINITY\" is undefined\n"
                       "error 1:47 expression must have class type but it has type \"float\"\n"},
    {"nvidia_option", "error 0:0 Error in processing command line: Don't understand command line "
                      "argument \"-nonsense\"!\n"},
};

static char *log_of(const struct expectation *expected)
{
    struct strbuf path = {0}, log = {0};

    strbuf_addf(&path, "%s/tests/unit/compiler_logs/%s.log", KFORGE_SOURCE_DIR, expected->log);
    assert_int_equal(file_read(path.data, 1 << 20, &log, NULL), STATUS_OK);
    strbuf_release(&path);
    return strbuf_take(&log);
}

static void assert_messages(struct build_report *report, const char *messages)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < report->diagnostics.count; i++) {
        struct diagnostic *found = &report->diagnostics.items[i];

        strbuf_addf(&text, "%s %u:%u %s\n", severity_name(found->severity), found->line,
                    found->column, found->text);
        free(found->text);
    }
    assert_string_equal(strbuf_cstr(&text), messages);
    strbuf_release(&text);
    vec_release(&report->diagnostics);
    free(report->log);
}

static void an_accepted_source_may_have_warnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        struct build_report report = {.log = log_of(&accepted[i])};

        compiler_log_read(&report);
        assert_messages(&report, accepted[i].messages);
    }
}

static void a_rejected_source_has_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
        struct build_report report = {.log = log_of(&rejected[i])};

        compiler_log_read_failure(&report);
        assert_messages(&report, rejected[i].messages);
    }
}

static void the_source_has_one_name(void **state)
{
    char *named = compiler_log_name_source(
        "error: /var/tmp/kforge-executor-a1/kcache/tempfile_Z2qLmr.cl:4:12 "
        "<Spelling=/var/tmp/kforge-executor-a1/kcache/tempfile_Z2qLmr.cl:1:17>: no 'y'\n"
        "error: /tempfile_/tempfile_x.h:1:1: /opt/tempfile_.c");

    (void)state;
    assert_string_equal(named, "error: kernel.cl:4:12 <Spelling=kernel.cl:1:17>: no 'y'\n"
                               "error: /tempfile_/tempfile_x.h:1:1: /opt/tempfile_.c");
    free(named);
}

static void a_silent_rejection_is_an_error(void **state)
{
    struct build_report report = {.log = mem_strdup("")};

    (void)state;
    compiler_log_read_failure(&report);
    assert_messages(&report, "error 0:0 the compiler gave no reason\n");
}

/* The log of a source with `lines` wrong lines: three messages for each. */
static char *long_log(unsigned lines)
{
    struct strbuf log = {0};

    for (unsigned i = 1; i <= lines; i++)
        strbuf_addf(&log,
                    "warning: kernel.cl:%u:1: statement has no effect\n"
                    "error: kernel.cl:%u:5: use of undeclared identifier 'nowhere'\n"
                    "error: kernel.cl:%u:9: expected ';' after expression\n",
                    i, i, i);
    return strbuf_take(&log);
}

static void many_messages_are_counted_and_not_kept(void **state)
{
    enum { LINES = 4000 };
    struct build_report report = {.log = long_log(LINES)};
    const struct diagnostic *last;

    (void)state;
    compiler_log_read_failure(&report);
    assert_int_equal(report.diagnostics.count, 2 * COMPILER_LOG_MESSAGES + 1);
    last = &report.diagnostics.items[report.diagnostics.count - 1];
    assert_int_equal(last->severity, SEVERITY_NOTE);
    assert_string_equal(last->text, "the compiler printed 11800 more messages");
    assert_in_range(strlen(report.log), 1, COMPILER_LOG_MAX_BYTES + 100);
    assert_non_null(strstr(report.log, " more bytes\n"));
    build_report_release(&report);
}

/* Errors are kept even if a hundred warnings come before them. */
static void a_late_error_is_kept(void **state)
{
    struct build_report report = {0};
    struct strbuf log = {0};

    (void)state;
    for (unsigned i = 1; i <= 3 * COMPILER_LOG_MESSAGES; i++)
        strbuf_addf(&log, "warning: kernel.cl:%u:1: statement has no effect\n", i);
    strbuf_adds(&log, "error: kernel.cl:7:5: the only one\n");
    report.log = strbuf_take(&log);
    compiler_log_read_failure(&report);
    assert_int_equal(report.diagnostics.count, COMPILER_LOG_MESSAGES + 2);
    assert_string_equal(report.diagnostics.items[COMPILER_LOG_MESSAGES].text, "the only one");
    build_report_release(&report);
}

static void long_texts_are_cut(void **state)
{
    struct build_report report = {.log = mem_alloc_zeroed((2 << 20) + 1, 1)};

    (void)state;
    memset(report.log, 'x', 2 << 20);
    memcpy(report.log, "error: ", strlen("error: "));
    compiler_log_read_failure(&report);
    assert_int_equal(report.diagnostics.count, 1);
    assert_int_equal(strlen(report.diagnostics.items[0].text), COMPILER_LOG_TEXT_BYTES + 4);
    assert_in_range(strlen(report.log), 1, COMPILER_LOG_MAX_BYTES + 100);
    build_report_release(&report);
}

/* Output of NVIDIA's driver 580 on two kernels, one of which is limited to 24 registers. */
static const char log_of_two[] =
    "(): Warning: Function gemm is a kernel, so overriding noinline attribute.\n"
    "\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'gemm_tail' for 'sm_90a'\n"
    "ptxas info    : Function properties for gemm_tail\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 56 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 57.876 ms\n"
    "ptxas info    : Compiling entry function 'gemm' for 'sm_90a'\n"
    "ptxas info    : Function properties for gemm\n"
    "ptxas         .     176 bytes stack frame, 288 bytes spill stores, 360 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 64.916 ms\n";

static struct kernel_resources read_for(const char *log, const char *kernel)
{
    struct kernel_resources resources = {.kernel = mem_strdup(kernel)};

    compiler_log_read_resources(log, &resources);
    free(resources.kernel);
    return resources;
}

static void registers_and_spills_are_those_of_the_kernel(void **state)
{
    struct kernel_resources found = read_for(log_of_two, "gemm");

    (void)state;
    assert_true(found.has_registers && found.has_spills);
    assert_int_equal(found.registers, 24);
    assert_int_equal(found.spill_bytes, 648);
    found = read_for(log_of_two, "gemm_tail");
    assert_int_equal(found.registers, 56);
    assert_true(found.has_spills);
    assert_int_equal(found.spill_bytes, 0);
}

static void what_the_log_does_not_say_is_unknown(void **state)
{
    struct kernel_resources found = read_for("warning: 3 registers\n", "gemm");

    (void)state;
    assert_false(found.has_registers || found.has_spills);
    found = read_for(log_of_two, "other");
    assert_false(found.has_registers || found.has_spills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accepted_source_may_have_warnings),
        cmocka_unit_test(a_rejected_source_has_errors),
        cmocka_unit_test(the_source_has_one_name),
        cmocka_unit_test(a_silent_rejection_is_an_error),
        cmocka_unit_test(many_messages_are_counted_and_not_kept),
        cmocka_unit_test(a_late_error_is_kept),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(registers_and_spills_are_those_of_the_kernel),
        cmocka_unit_test(what_the_log_does_not_say_is_unknown),
    };

    return cmocka_run_group_tests_name("compiler_log", tests, NULL, NULL);
}
