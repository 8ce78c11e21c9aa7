/**
 * Groups whose members can become root without asking sudo: docker, lxd and incus start containers with the host's files, disk reads and
 * writes raw devices, shadow reads password hashes, libvirt starts machines with host devices.
 */
export const ROOT_EQUIVALENT_GROUPS = ['docker', 'lxd', 'incus', 'incus-admin', 'disk', 'shadow', 'libvirt'] as const

/** The same, and the groups that distributions give sudo rights. */
export const ADMIN_GROUPS = ['sudo', 'wheel', 'admin', ...ROOT_EQUIVALENT_GROUPS] as const
