//! seccomp: calls of the system that no background program needs, and that lead around everything else.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Looking into other processes, taking files around the rules, and what only the system's own tools do.
const NEVER: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// What Landlock says nothing about: emptying a file before Linux 6.2; being told of what happens to files; memory, queues
/// and semaphores that all programs of the user share and that outlive the task.
const UNCOVERED: &[i64] = &[
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_inotify_add_watch,
    libc::SYS_mq_getsetattr,
    libc::SYS_mq_notify,
    libc::SYS_mq_open,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
    libc::SYS_truncate,
];

/// Attributes, by name or by a file that was opened for reading. Told that the file system has none, `cp` and `install` do
/// without.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];

/// Times, modes and owners of a file, which Landlock does not know either. These calls do nothing and say that they did:
/// `touch`, `tar`, `cp` and `git` would fail otherwise, and no program of a task depends on it.
const PRETENDED: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
];

/// Calls on a process that the first argument names: only on the caller itself, which is called 0.
const ON_SELF: &[i64] = &[
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// What `ioctl` does to a file that was opened for reading only: flags, generation, encryption, seals. And typing into a
/// terminal.
const FILE_CONTROLS: &[u64] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
];

/// Leases keep others from opening a file, notices tell of every change in a folder.
const HOLDS: &[i32] = &[libc::F_SETLEASE, libc::F_NOTIFY];

/// The newest call that was looked at for this list. Later ones do not exist for programs, which have to know kernels
/// without them: among those that came next are `setxattrat`, `open_tree_attr` and `file_setattr`.
const LAST_KNOWN: i64 = libc::SYS_mseal;

/// Namespaces of its own: in there a program has powers that open ways into the kernel.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// With the network granted, these. Never the sockets in files, behind which agents, buses and container services sit.
const FAMILIES: &[i32] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Puts the limits on this process. `uncovered` also keeps it from what Landlock knows nothing about.
pub(super) fn restrict(network: bool, uncovered: bool) -> Result<(), String> {
    let known = (0..=LAST_KNOWN).map(|call| (call, Vec::new())).collect();
    apply(known, SeccompAction::Errno(libc::ENOSYS.unsigned_abs()), SeccompAction::Allow)?;
    deny(denied(network, uncovered).map_err(|error| error.to_string())?, libc::EPERM)?;
    if uncovered {
        deny(ATTRIBUTES.iter().map(|call| (*call, Vec::new())).collect(), libc::EOPNOTSUPP)?;
        deny(PRETENDED.iter().map(|call| (*call, Vec::new())).collect(), 0)?;
    }
    // Room set aside beyond the end of a file has no limit. Programs know file systems that cannot do it.
    let aside = argument(1, SeccompCmpOp::Ne, 0).and_then(|other| SeccompRule::new(vec![other]));
    let aside = aside.map_err(|error| error.to_string())?;
    deny(Rules::from([(libc::SYS_fallocate, vec![aside])]), libc::EOPNOTSUPP)?;
    // Its arguments cannot be looked at. Told that there is no such call, programs use `clone`, where they can.
    deny(Rules::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

fn denied(network: bool, uncovered: bool) -> Result<Rules, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let whole = NEVER.iter().chain(if uncovered { UNCOVERED } else { &[] });
    let mut rules: Rules = whole.map(|call| (*call, Vec::new())).collect();
    let any = |conditions: Vec<SeccompCondition>| -> Result<Vec<SeccompRule>, BackendError> {
        conditions.into_iter().map(|condition| SeccompRule::new(vec![condition])).collect()
    };
    let namespaces = NAMESPACES.iter().map(|flag| u64::from(flag.unsigned_abs()));
    let namespaces = namespaces.map(|flag| argument(0, MaskedEq(flag), flag)).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_clone, any(namespaces)?);
    for call in ON_SELF {
        rules.insert(*call, any(vec![argument(0, Ne, 0)?])?);
    }
    // Of a process, and of the caller.
    rules.insert(libc::SYS_setpriority, any(vec![argument(0, Ne, 0)?, argument(1, Ne, 0)?])?);
    rules.insert(libc::SYS_ioprio_set, any(vec![argument(0, Ne, 1)?, argument(1, Ne, 0)?])?);
    let controls = FILE_CONTROLS.iter().map(|control| argument(1, Eq, *control)).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_ioctl, any(controls)?);
    let holds = HOLDS.iter().map(|hold| argument(1, Eq, u64::from(hold.unsigned_abs())));
    rules.insert(libc::SYS_fcntl, any(holds.collect::<Result<_, _>>()?)?);
    // A process that closes itself to others also hides which files it has open.
    let closing = [argument(0, Eq, u64::from(libc::PR_SET_DUMPABLE.unsigned_abs()))?, argument(1, Ne, 1)?];
    rules.insert(libc::SYS_prctl, vec![SeccompRule::new(closing.into())?]);
    let sockets = if network {
        let others = FAMILIES.iter().map(|family| argument(0, Ne, u64::from(family.unsigned_abs())));
        vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?]
    } else {
        Vec::new()
    };
    rules.insert(libc::SYS_socket, sockets);
    if !network {
        // All that is left for these is handing over open files, which are seen nowhere while they are on their way.
        rules.extend([libc::SYS_sendmsg, libc::SYS_sendmmsg].map(|call| (call, Vec::new())));
    }
    Ok(rules)
}

/// A condition on an argument.
fn argument(at: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, operator, value)
}

fn deny(rules: Rules, error: i32) -> Result<(), String> {
    apply(rules, SeccompAction::Allow, SeccompAction::Errno(error.unsigned_abs()))
}

fn apply(rules: Rules, otherwise: SeccompAction, then: SeccompAction) -> Result<(), String> {
    let machine: TargetArch = std::env::consts::ARCH.try_into().map_err(|error: BackendError| error.to_string())?;
    let filter = SeccompFilter::new(rules, otherwise, then, machine).map_err(|error| error.to_string())?;
    let program: BpfProgram = filter.try_into().map_err(|error: BackendError| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}
