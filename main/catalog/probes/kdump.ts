import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'

export interface Kdump {
  /** Whether a crash kernel is loaded; null when the kernel offers none (the file does not exist). */
  readonly loaded: boolean | null
  /** Directives of kdump.conf and kdump-tools that name a target, as written. */
  readonly targets: readonly { readonly directive: string; readonly value: string }[]
  readonly configured: boolean
}

/**
 * Only directives that name a target are read, and of an address nothing but its scheme: SUSE's file and kdump-tools' FTP line may hold a
 * password.
 */
const TARGETS =
  '^[[:space:]]*(path|raw|ext[234]|xfs|btrfs|minix|nfs4?|ssh)[[:space:]]+[^[:space:]]+|^[[:space:]]*(KDUMP_COREDIR=[^[:space:]@]*|NFS=|SSH=|FTP=)|^[[:space:]]*KDUMP_SAVEDIR="?((file:(//)?)?/[^"[:space:]@]*|(ftp|sftp|ssh|nfs|cifs):)'

export const kernelDumps = defineProbe({
  id: 'memory.kdump',
  title: 'Kernel crash dumps',
  why: 'A kernel crash dump is a copy of all memory.',
  commands: {
    loaded: run(['cat', '/sys/kernel/kexec_crash_loaded']),
    config: run(['grep', '-sHoE', TARGETS, '/etc/kdump.conf', '/etc/default/kdump-tools', '/etc/sysconfig/kdump']),
  },
  parse: ({ loaded, config }) => parseKdump(loaded, config.text),
})

/** Reads /sys/kernel/kexec_crash_loaded (0 or 1) and the target lines of kdump.conf(5), kdump-tools(5) or SUSE's kdump(5). */
export function parseKdump(loaded: Pick<Answer, 'exitCode' | 'text' | 'errorText'>, config: string): Parsed<Kdump> {
  const flag = loaded.text.trim()
  const absent = loaded.exitCode !== 0 && /No such file or directory/.test(loaded.errorText)
  if (!absent && (loaded.exitCode !== 0 || !/^[01]$/.test(flag)))
    return unknown('the crash kernel’s state could not be read')
  const lines = [...sysfsLines(config).values()].flatMap((found) => found.split('\n'))
  const targets = lines.flatMap((line) => {
    const parts = /^\s*([A-Za-z0-9_]+)(?:\s+|=)"?([^"]*)"?\s*$/.exec(line)
    return parts === null ? [] : [{ directive: (parts[1] ?? '').toLowerCase(), value: parts[2] ?? '' }]
  })
  return known({ loaded: absent ? null : flag === '1', targets, configured: lines.length > 0 })
}
