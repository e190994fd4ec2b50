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
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
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

/// Changing a file by its name without opening it. Landlock says nothing about these, so that the user's files could be
/// opened to everyone, or emptied by a kernel before 6.2. By an open file (`fchmod`, `ftruncate`) they work.
const BY_NAME: &[i64] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_truncate,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

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

/// Puts the limits on this process. `by_name` also keeps it from changing files by name.
pub(super) fn restrict(network: bool, by_name: bool) -> Result<(), String> {
    apply(denied(network, by_name).map_err(|error| error.to_string())?, libc::EPERM)?;
    // Its arguments cannot be looked at. Told that there is no such call, programs use `clone`, where they can.
    apply(Rules::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

fn denied(network: bool, by_name: bool) -> Result<Rules, BackendError> {
    let whole = NEVER.iter().chain(if by_name { BY_NAME } else { &[] });
    let mut rules: Rules = whole.map(|call| (*call, Vec::new())).collect();
    let namespaces = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        SeccompRule::new(vec![argument(SeccompCmpOp::MaskedEq(flag), flag)?])
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let sockets = if network {
        let others = FAMILIES.iter().map(|family| argument(SeccompCmpOp::Ne, u64::from(family.unsigned_abs())));
        vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?]
    } else {
        Vec::new()
    };
    rules.insert(libc::SYS_socket, sockets);
    Ok(rules)
}

/// A condition on the first argument.
fn argument(operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, value)
}

fn apply(mut rules: Rules, error: i32) -> Result<(), String> {
    if cfg!(target_arch = "x86_64") {
        // The same calls by their second number (x32), which some kernels still take.
        let again: Rules = rules.iter().map(|(call, rules)| (call | 0x4000_0000, rules.clone())).collect();
        rules.extend(again);
    }
    let machine: TargetArch = std::env::consts::ARCH.try_into().map_err(|error: BackendError| error.to_string())?;
    let refused = SeccompAction::Errno(error.unsigned_abs());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refused, machine).map_err(|error| error.to_string())?;
    let program: BpfProgram = filter.try_into().map_err(|error: BackendError| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}
