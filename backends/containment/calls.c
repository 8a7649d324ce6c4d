#include "backends/containment/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
/* cppcheck-suppress preprocessorErrorDirective ; it tries every combination */
#error "which architecture do system calls here belong to? see linux/audit.h"
#endif

/* Numbers from here on are the calls of another architecture on x86-64 (x32). */
#define FOREIGN_CALLS 0x40000000U

/* The filter under construction: a program for the kernel's virtual machine. */
struct filter {
    struct sock_filter code[256];
    unsigned short len;
};

static void add(struct filter *filter, uint16_t code, uint32_t k)
{
    filter->code[filter->len++] = (struct sock_filter)BPF_STMT(code, k);
}

/* The next instruction is for what compares true; `otherwise` are skipped for the rest. */
static void add_test(struct filter *filter, uint16_t test, uint32_t k, unsigned char otherwise)
{
    filter->code[filter->len++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, k, 0, otherwise);
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void load_number(struct filter *filter)
{
    load(filter, offsetof(struct seccomp_data, nr));
}

/* The lower half: of an int, the kernel looks at no more. */
static void load_argument(struct filter *filter, unsigned index)
{
    load(filter, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * index);
}

static void refuse(struct filter *filter, uint32_t error)
{
    add(filter, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
}

static void forbid(struct filter *filter, uint32_t call, uint32_t error)
{
    add_test(filter, BPF_JEQ, call, 1);
    refuse(filter, error);
}

/* Let the call through only where the argument is `value`. */
static void require(struct filter *filter, uint32_t call, unsigned argument, uint32_t value)
{
    add_test(filter, BPF_JEQ, call, 5);
    load_argument(filter, argument);
    add_test(filter, BPF_JEQ, value, 1);
    add(filter, BPF_JMP | BPF_JA, 1);
    refuse(filter, EPERM);
    load_number(filter);
}

/* Refuse the call where the argument has one of the bits. */
static void forbid_bits(struct filter *filter, uint32_t call, unsigned argument, uint32_t bits)
{
    add_test(filter, BPF_JEQ, call, 4);
    load_argument(filter, argument);
    add_test(filter, BPF_JSET, bits, 1);
    refuse(filter, EPERM);
    load_number(filter);
}

/* Of another architecture's calls, whose numbers mean something else, none is known to be harmless.
 */
static void forbid_foreign(struct filter *filter)
{
    load(filter, offsetof(struct seccomp_data, arch));
    add_test(filter, BPF_JEQ, ARCHITECTURE, 1);
    add(filter, BPF_JMP | BPF_JA, 1);
    refuse(filter, EPERM);
    load_number(filter);
    add_test(filter, BPF_JGE, FOREIGN_CALLS, 1);
    refuse(filter, EPERM);
}

/*
 * Sockets of the local kind stay, since drivers make them, but none that goes
 * to an address: no connection, and no datagrams, whose address only the
 * kernel sees.
 */
static void forbid_network(struct filter *filter)
{
    static const uint32_t makers[] = {SYS_socket, SYS_socketpair};

    forbid(filter, SYS_connect, EACCES);
    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
        require(filter, makers[i], 0, AF_UNIX);
        add_test(filter, BPF_JEQ, makers[i], 5);
        load_argument(filter, 1);
        add(filter, BPF_ALU | BPF_AND | BPF_K, 0xf);
        add_test(filter, BPF_JEQ, SOCK_DGRAM, 1);
        refuse(filter, EACCES);
        load_number(filter);
    }
}

/* Signals to itself are how a process aborts. */
static void forbid_reaching_others(struct filter *filter)
{
    static const uint32_t calls[] = {
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_kcmp,
        SYS_pidfd_open,
        SYS_pidfd_getfd,
        SYS_pidfd_send_signal,
        SYS_tkill,
        SYS_rt_sigqueueinfo,
        SYS_rt_tgsigqueueinfo,
        SYS_setsid,
        SYS_setpgid,
        SYS_perf_event_open,
        SYS_bpf,
        SYS_userfaultfd,
    };
    const uint32_t self = (uint32_t)getpid();

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        forbid(filter, calls[i], EPERM);
    require(filter, SYS_kill, 0, self);
    require(filter, SYS_tgkill, 0, self);
    require(filter, SYS_prlimit64, 0, 0);
}

/* What stays when the process is gone, beside files. */
static void forbid_leaving_behind(struct filter *filter)
{
    static const uint32_t calls[] = {SYS_shmget, SYS_msgget,  SYS_semget,     SYS_mq_open,
                                     SYS_keyctl, SYS_add_key, SYS_request_key};

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        forbid(filter, calls[i], EPERM);
}

/* In a namespace of its own a process has all privileges, and the kernel more to get wrong. */
static void forbid_namespaces(struct filter *filter)
{
    static const uint32_t calls[] = {SYS_unshare,    SYS_setns,   SYS_mount,    SYS_umount2,
                                     SYS_pivot_root, SYS_chroot,  SYS_fsopen,   SYS_open_tree,
                                     SYS_move_mount, SYS_fsmount, SYS_fsconfig, SYS_mount_setattr};

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        forbid(filter, calls[i], EPERM);
    forbid(filter, SYS_clone3, ENOSYS); /* its flags lie in memory: libraries then use clone() */
    forbid_bits(filter, SYS_clone, 0,
                CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
                    CLONE_NEWUTS | CLONE_NEWCGROUP);
}

bool calls_restrict(bool keeps_sockets)
{
    struct filter filter = {0};
    struct sock_fprog program;

    forbid_foreign(&filter);
    if (!keeps_sockets)
        forbid_network(&filter);
    forbid(&filter, SYS_io_uring_setup, EPERM); /* it does what is forbidden past this filter */
    forbid_reaching_others(&filter);
    forbid_leaving_behind(&filter);
    forbid_namespaces(&filter);
    add(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program = (struct sock_fprog){.len = filter.len, .filter = filter.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}
