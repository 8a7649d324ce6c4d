#include "backends/containment/calls.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/array.h"

enum { INT_BITS = 32 };

/* The filter under construction.  libseccomp adds the check of the architecture to it. */
struct filter {
    scmp_filter_ctx context;
    bool is_complete; /* every rule so far has been added */
};

/* The call fails with `error` when all `count` conditions on its arguments hold. */
static void refuse_when(struct filter *filter, int call, unsigned error,
                        const struct scmp_arg_cmp *conditions, unsigned count)
{
    int result =
        seccomp_rule_add_array(filter->context, SCMP_ACT_ERRNO(error), call, count, conditions);

    filter->is_complete = filter->is_complete && result == 0;
}

static void refuse(struct filter *filter, int call, unsigned error)
{
    refuse_when(filter, call, error, NULL, 0);
}

static void refuse_all(struct filter *filter, const int *calls, size_t count, unsigned error)
{
    for (size_t i = 0; i < count; i++)
        refuse(filter, calls[i], error);
}

/* Refuse the call when one of these bits of the argument is set. */
static void refuse_bits(struct filter *filter, int call, unsigned argument, uint32_t bits)
{
    for (unsigned i = 0; i < INT_BITS; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        const struct scmp_arg_cmp is_set = SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bit, bit);

        if (bits & bit)
            refuse_when(filter, call, EPERM, &is_set, 1);
    }
}

/*
 * Allow the call only when the argument, an int, is `value`.  The upper half of the register is
 * undefined and the kernel ignores it, but SCMP_CMP_NE compares it: hence a rule for each bit that
 * may differ.
 */
static void require(struct filter *filter, int call, unsigned argument, uint32_t value)
{
    for (unsigned i = 0; i < INT_BITS; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        const struct scmp_arg_cmp differs =
            SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bit, ~(uint64_t)value & bit);

        refuse_when(filter, call, EPERM, &differs, 1);
    }
}

/*
 * Local sockets remain allowed because drivers create them. Sockets that reach an address are
 * refused: connect(), and datagram sockets, because the address that sendto() takes lies in memory,
 * where a filter cannot read it.
 */
static void refuse_network(struct filter *filter)
{
    static const int creators[] = {SCMP_SYS(socket), SCMP_SYS(socketpair)};
    const struct scmp_arg_cmp is_local_datagram[] = {
        SCMP_CMP64(0, SCMP_CMP_MASKED_EQ, UINT32_MAX, AF_UNIX),
        SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, 0xf, SOCK_DGRAM), /* SOCK_CLOEXEC and others lie above */
    };

    refuse(filter, SCMP_SYS(connect), EACCES);
    for (size_t i = 0; i < COUNT(creators); i++) {
        require(filter, creators[i], 0, AF_UNIX);
        refuse_when(filter, creators[i], EACCES, is_local_datagram, 2);
    }
}

/* A process may signal itself: abort() does. */
static void refuse_reaching_others(struct filter *filter)
{
    static const int calls[] = {
        SCMP_SYS(ptrace),
        SCMP_SYS(process_vm_readv),
        SCMP_SYS(process_vm_writev),
        SCMP_SYS(kcmp),
        SCMP_SYS(pidfd_open),
        SCMP_SYS(pidfd_getfd),
        SCMP_SYS(pidfd_send_signal),
        SCMP_SYS(tkill),
        SCMP_SYS(rt_sigqueueinfo),
        SCMP_SYS(rt_tgsigqueueinfo),
        SCMP_SYS(setsid),
        SCMP_SYS(setpgid),
        SCMP_SYS(perf_event_open),
        SCMP_SYS(bpf),
        SCMP_SYS(userfaultfd),
    };
    const uint32_t self = (uint32_t)getpid();

    refuse_all(filter, calls, COUNT(calls), EPERM);
    require(filter, SCMP_SYS(kill), 0, self);
    require(filter, SCMP_SYS(tgkill), 0, self);
    require(filter, SCMP_SYS(prlimit64), 0, 0); /* process 0 is the caller itself */
}

/* System V and POSIX objects and kernel keys outlive the process that made them. */
static void refuse_leaving_behind(struct filter *filter)
{
    static const int calls[] = {
        SCMP_SYS(shmget), SCMP_SYS(msgget),  SCMP_SYS(semget),      SCMP_SYS(mq_open),
        SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
    };

    refuse_all(filter, calls, COUNT(calls), EPERM);
}

/* A process has all privileges in its own user namespace, which exposes more of the kernel. */
static void refuse_namespaces(struct filter *filter)
{
    static const int calls[] = {
        SCMP_SYS(unshare),    SCMP_SYS(setns),   SCMP_SYS(mount),    SCMP_SYS(umount2),
        SCMP_SYS(pivot_root), SCMP_SYS(chroot),  SCMP_SYS(fsopen),   SCMP_SYS(open_tree),
        SCMP_SYS(move_mount), SCMP_SYS(fsmount), SCMP_SYS(fsconfig), SCMP_SYS(mount_setattr),
    };

    refuse_all(filter, calls, COUNT(calls), EPERM);
    refuse(filter, SCMP_SYS(clone3),
           /*
            * the filter cannot read its flags, which lie in memory; libraries fall back on clone()
            */
           ENOSYS);
    refuse_bits(filter, SCMP_SYS(clone), 0,
                CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
                    CLONE_NEWUTS | CLONE_NEWCGROUP);
}

/* Calls of another architecture have other numbers, so that no rule here fits them. */
static bool refuse_foreign(struct filter *filter)
{
    return seccomp_attr_set(filter->context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) == 0;
}

bool calls_restrict(bool keeps_sockets)
{
    struct filter filter = {.context = seccomp_init(SCMP_ACT_ALLOW)};
    bool is_in_force;

    if (!filter.context)
        return false;
    filter.is_complete = refuse_foreign(&filter);
    if (!keeps_sockets)
        refuse_network(&filter);
    /* the requests of io_uring bypass this filter */
    refuse(&filter, SCMP_SYS(io_uring_setup), EPERM);
    refuse_reaching_others(&filter);
    refuse_leaving_behind(&filter);
    refuse_namespaces(&filter);
    is_in_force = seccomp_load(filter.context) == 0 && filter.is_complete;
    seccomp_release(filter.context);
    return is_in_force;
}

bool calls_refuse_processes(void)
{
    static const int calls[] = {SCMP_SYS(clone), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve),
                                SCMP_SYS(execveat)};
    struct filter filter = {.context = seccomp_init(SCMP_ACT_ALLOW)};
    bool is_in_force;

    if (!filter.context)
        return false;
    filter.is_complete = refuse_foreign(&filter);
    refuse_all(&filter, calls, COUNT(calls), EPERM);
    refuse(&filter, SCMP_SYS(clone3), ENOSYS);
    is_in_force = seccomp_attr_set(filter.context, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                  seccomp_load(filter.context) == 0 && filter.is_complete;
    seccomp_release(filter.context);
    return is_in_force;
}
