/**
 * Groups whose members can become root without asking sudo: docker, podman, lxd and incus start containers with the host's files, disk
 * reads and writes raw devices, shadow reads password hashes, libvirt starts machines with host devices. Not among them: kvm, which opens
 * /dev/kvm and nothing of the host, adm and systemd-journal, which read logs.
 */
export const ROOT_EQUIVALENT_GROUPS = [
  'docker',
  'podman',
  'lxd',
  'incus',
  'incus-admin',
  'disk',
  'shadow',
  'libvirt',
] as const

/** The same, and the groups that distributions give sudo rights. */
export const ADMIN_GROUPS = ['sudo', 'wheel', 'admin', ...ROOT_EQUIVALENT_GROUPS] as const
