/**
 * What may stand in the catalog. The catalog's commands are constants, so this is a test over them, not a filter at run time:
 * programs that read, and arguments that would give away keys, change the node, or reach out from it.
 */

/** Programs that the catalog may name. Adding one is a decision: it must read, end, and take no commands from its arguments. */
export const READ_ONLY_PROGRAMS: ReadonlySet<string> = new Set([
  'apt-get',
  'auditctl',
  'busctl',
  'cat',
  'chronyc',
  'cryptsetup',
  'cvtsudoers',
  'dd',
  'dmidecode',
  'dmsetup',
  'dpkg-query',
  'findmnt',
  'getcap',
  'getconf',
  'getenforce',
  'getent',
  'grep',
  'head',
  'hostname',
  'id',
  'ip',
  'iptables-save',
  'journalctl',
  'last',
  'lastlog',
  'ls',
  'lsblk',
  'lscpu',
  'lsmod',
  'lspci',
  'lvs',
  'mdadm',
  'mokutil',
  'networkctl',
  'nft',
  'nproc',
  'nvidia-smi',
  'nvme',
  'passwd',
  'ps',
  'pvs',
  'readlink',
  'rpm',
  'sestatus',
  'sshd',
  'ss',
  'stat',
  'sysctl',
  'systemctl',
  'systemd-analyze',
  'tail',
  'timedatectl',
  'uname',
  'update-crypto-policies',
  'uptime',
  'vgs',
  'w',
  'wg',
  'who',
  'zfs',
  'zpool',
  'df',
  'amd-smi',
  'rocm-smi',
  'ibstat',
  'rdma',
  'lldpctl',
  'needs-restarting',
  'dnf',
  'firewall-cmd',
  'ufw',
  'aa-status',
  'od',
  'wc',
  'test',
  'lastlog2',
  'loginctl',
  'pro',
  'dpkg',
  'lsns',
  'basename',
  'date',
  'cut',
  'sort',
  'blkid',
])

interface Denial {
  readonly why: string
  readonly denies: (argv: readonly string[]) => boolean
}

const program = (argv: readonly string[]): string => argv[0]?.split('/').at(-1) ?? ''
const has = (argv: readonly string[], ...words: readonly string[]): boolean => words.some((word) => argv.includes(word))
const any = (argv: readonly string[], pattern: RegExp): boolean => argv.slice(1).some((word) => pattern.test(word))

const DENIALS: readonly Denial[] = [
  {
    why: 'it prints volume keys',
    denies: (argv) => any(argv, /^--showkeys$|^--dump-(volume|master)-key$|^--master-key-file|^--volume-key-file/),
  },
  {
    why: 'it prints IPsec keys',
    denies: (argv) => program(argv) === 'ip' && has(argv, 'xfrm') && has(argv, 'state') && !has(argv, 'nokeys'),
  },
  {
    why: 'it prints WireGuard keys',
    denies: (argv) => program(argv) === 'wg' && has(argv, 'dump', 'showconf', 'private-key', 'preshared-keys'),
  },
  { why: 'a bare wg show names keys', denies: (argv) => program(argv) === 'wg' && argv.length < 4 },
  {
    why: 'it reads password hashes',
    denies: (argv) =>
      any(argv, /(^|[/*])(g?shadow-?|opasswd)$/) || (program(argv) === 'getent' && has(argv, 'shadow', 'gshadow')),
  },
  {
    why: 'it reads private keys or credentials',
    denies: (argv) =>
      any(
        argv,
        /ssh_host_[a-z0-9_*]*key$|\.key$|\.pem$|keytab$|ipsec\.secrets|munge\.key|chrony\.keys|snmpd\.conf|\/id_(rsa|dsa|ecdsa|ed25519)$|kubeconfig|\.kube\/|instance-data-sensitive|\.aws\/|wg[0-9*]*\.conf/,
      ),
  },
  {
    why: 'it reads environments or whole command lines of processes',
    denies: (argv) => any(argv, /\/proc\/[^ ]*\/(environ|cmdline|mem|maps)$/) && !argv.includes('/proc/cmdline'),
  },
  {
    why: 'ps would print arguments of processes',
    denies: (argv) =>
      program(argv) === 'ps' &&
      (any(argv, /(^|,)(args|cmd|command)($|,)/) || any(argv, /^-?[a-z]*f[a-z]*$/) || has(argv, 'aux', 'axu')),
  },
  { why: 'it changes the node', denies: changes },
  {
    why: 'it fetches from the network',
    denies: (argv) => any(argv, /^(https?|ftp):\/\//) || has(argv, 'update', 'refresh', 'get-updates'),
  },
  {
    why: 'dd may read only a few devices and write none',
    denies: (argv) =>
      program(argv) === 'dd' &&
      (any(argv, /^of=(?!\/dev\/null$)/) || !any(argv, /^if=\/(dev\/cpu\/0\/(cpuid|msr)|sys\/|proc\/)/)),
  },
  { why: 'find runs and deletes', denies: (argv) => any(argv, /^-(exec|execdir|ok|delete|fprintf?)$/) },
  {
    why: 'a shell takes commands from its arguments',
    denies: (argv) =>
      ['sh', 'bash', 'dash', 'awk', 'perl', 'python3', 'env', 'xargs', 'sed', 'sudo', 'su', 'timeout', 'nice'].includes(
        program(argv),
      ),
  },
  {
    why: 'a word holds a shell operator or a line break',
    denies: (argv) => argv.some((word) => /[\n\r\0]/.test(word)),
  },
]

function changes(argv: readonly string[]): boolean {
  const name = program(argv)
  if (
    [
      'rm',
      'mv',
      'cp',
      'tee',
      'touch',
      'mkdir',
      'chmod',
      'chown',
      'mount',
      'umount',
      'kill',
      'modprobe',
      'insmod',
      'ln',
      'truncate',
    ].includes(name)
  )
    return true
  if (name === 'nft') return !has(argv, 'list')
  if (name === 'auditctl') return !(argv.length === 2 && has(argv, '-s', '-l'))
  if (name === 'sysctl') return any(argv, /=|^-(w|p|-write|-load|-system)/)
  if (name === 'systemctl')
    return !has(
      argv,
      'is-enabled',
      'is-active',
      'is-system-running',
      'show',
      'list-units',
      'list-timers',
      'list-unit-files',
    )
  if (name === 'apt-get') return !has(argv, '-s', '--simulate', '--dry-run')
  if (name === 'passwd') return !has(argv, '-S', '--status')
  if (name === 'sshd') return !has(argv, '-T', '-G') || any(argv, /^-f/)
  if (name === 'cvtsudoers') return any(argv, /^(-o|--output)/)
  if (name === 'cryptsetup') return !has(argv, 'luksDump', 'status', 'isLuks')
  if (name === 'dmsetup') return !has(argv, 'table', 'info', 'ls', 'deps', 'status')
  if (name === 'nvidia-smi') return any(argv, /^(-r|--gpu-reset|-pm|-pl|-mig|-c|-e|--persistence-mode|-acp|-ac|-lgc)$/)
  if (name === 'nvme') return !has(argv, 'id-ctrl', 'id-ns', 'list', 'list-subsys', 'smart-log')
  if (name === 'ip')
    return (
      !(has(argv, 'show', 'list') || argv.length <= 4) || has(argv, 'add', 'del', 'set', 'flush', 'change', 'replace')
    )
  if (name === 'zfs' || name === 'zpool') return !has(argv, 'get', 'list', 'status')
  if (name === 'journalctl') return any(argv, /^--(rotate|vacuum|flush|sync|setup-keys)/)
  if (name === 'mdadm') return !has(argv, '--detail', '--examine')
  return has(argv, '-w', '--write', '-i') && name !== 'grep' && name !== 'last' && name !== 'w'
}

/** Why a command may not be in the catalog, or null. Path patterns are given as their text. */
export function deniedCommand(argv: readonly string[]): string | null {
  const denial = DENIALS.find(({ denies }) => denies(argv))
  if (denial !== undefined) return denial.why
  return READ_ONLY_PROGRAMS.has(program(argv)) ? null : `${program(argv)} is not on the list of programs that read`
}
