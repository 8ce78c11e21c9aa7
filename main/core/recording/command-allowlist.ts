/**
 * The commands that the catalog may contain. Since they are constants, this is a test over the catalog, not a filter
 * at run time: a program must be on the list of programs that only read, its arguments must have a form that only
 * reads, and no path may lead to a secret.
 */

const ANY = /^/

/**
 * The only kernel messages that may be requested, by their beginnings. None contains a command line, user text or a
 * secret.
 */
export const KERNEL_MESSAGES: readonly string[] = [
  'Linux version ',
  'BIOS-e820: ',
  'efi: EFI v',
  'EFI v',
  'DMI: ',
  'Hypervisor detected: ',
  'Booting paravirtualized kernel on ',
  'kvm-clock: ',
  'kvm-guest: ',
  'smccc: KVM: ',
  'Xen version: ',
  'Hyper-V: ',
  'vmware: ',
  'tsc: ',
  '.Firmware Bug.: TSC ',
  'Performance Events: ',
  'Broken PMU hardware detected',
  'ACPI: RSDP ',
  'ACPI: DMAR ',
  'ACPI: IVRS ',
  'ACPI: WAET ',
]
const KERNEL_LINES = KERNEL_MESSAGES.join('|').replaceAll('.', '\\.')
const KERNEL_PATTERN = `\\^\\((?:${KERNEL_LINES})(?:\\|(?:${KERNEL_LINES}))*\\)`.replaceAll(' ', '\\\\x20')

/**
 * Programs that the catalog may name, and the form of their arguments, joined by spaces. Adding one is a decision: it
 * must only read, terminate by itself, write no file, and take no commands from its arguments. Programs with options
 * that change the node have their exact arguments listed.
 *
 * Not to be added, since they write even where they only list: dnf, yum, dnf5 and needs-restarting (logs in /var/log,
 * a cache in /var/tmp), zypper (/var/log/zypper.log, /run/zypp.pid, caches, folders in /var/tmp), fwupdmgr (it starts
 * a service that writes), cryptsetup (locks in /run/cryptsetup), lvs, vgs and pvs (locks in /run/lock/lvm, unless
 * --readonly and --nolocking are given), and kubectl (a cache in the home folder). Nor programs whose questions start
 * a service through D-Bus; see SERVICE_STARTERS.
 */
export const READ_ONLY_PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ['aa-status', /^(--json|--enabled)?$/],
  ['amd-smi', /^static --json$/],
  // As root, even a list writes both caches of package lists unless their names are empty; apt-get -s also writes a
  // planner log.
  ['apt', /^list -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= --upgradable$/],
  // Prints the settings with the given names; none of them can contain a secret.
  ['apt-config', /^shell( [A-Z]+ (APT|Acquire)::[A-Za-z:]+)+$/],
  ['auditctl', /^-[sl]$/],
  // One query to a running service. Without --auto-start=no it would start the service, and only “call” has that
  // option.
  [
    'busctl',
    /^--system --json=short --auto-start=no call org\.freedesktop\.(fwupd \/ org\.freedesktop\.fwupd GetDevices|timesync1 \/org\/freedesktop\/timesync1 org\.freedesktop\.DBus\.Properties GetAll s org\.freedesktop\.timesync1\.Manager)$/,
  ],
  ['cat', ANY],
  // Over loopback; otherwise, run by root, it creates a socket of its own in /run/chrony.
  ['chronyc', /^-h 127\.0\.0\.1,::1 (-[nc] )*(sources|sourcestats|tracking|authdata|activity)$/],
  // One GET of a leaf of a provider’s metadata service: no settings file, proxy, redirect or retry, and none of the
  // paths that can contain a secret. Requested only where the fleet file states so.
  [
    'curl',
    /^-q --noproxy \* --max-time 1 --retry 0 --max-redirs 0 -s -f (http:\/\/169\.254\.169\.254\/(latest\/meta-data\/placement\/(region|availability-zone)|latest\/dynamic\/instance-identity\/rsa2048|v1\/region\/(regioncode|countrycode)|hetzner\/v1\/metadata\/(region|availability-zone))|-H Metadata-Flavor: Google http:\/\/169\.254\.169\.254\/computeMetadata\/v1\/instance\/zone|-H Metadata: true http:\/\/169\.254\.169\.254\/metadata\/instance\/compute\/location\?api-version=2021-02-01&format=text|-H Authorization: Bearer Oracle http:\/\/169\.254\.169\.254\/opc\/v2\/instance\/(canonicalRegionName|availabilityDomain))$/,
  ],
  // Names of authorized_keys files, and setuid or setgid files in program and temporary folders; never from /, in
  // home folders or in /var, where a search is unbounded. find has options that delete files and start programs.
  [
    'find',
    /^((\/(bin|lib|lib64|sbin) )+(\/(boot|etc|opt|root|tmp|usr|usr\/local|var\/tmp)\/\. )+-maxdepth [1-6] -xdev( -path \/usr\/\.\/local -prune -o) -type d( -not -fstype [a-z0-9]+)+ -prune -o -type f -perm \/4000 -uid -1000 -print0 -o -type f -perm \/2000 -gid -1000 -print0|-H \/home \/root (-name authorized_keys -ls -o -name authorized_keys2 -ls -o -name \.ssh -type l -ls|-mindepth 1 -maxdepth 2 -type l -ls))$/,
  ],
  ['cvtsudoers', /^(-e )?(-f (json|csv|sudoers) )?\/etc\/sudoers$/],
  // The clock and its zone; without the plus sign, date could set the clock.
  ['date', /^\+%s %z %Z$/],
  // The only file it may write to is /dev/null; zeros are copied there as a bounded load.
  [
    'dd',
    /^(if=(\/dev\/cpu\/0\/(cpuid|msr)|\/sys\/\S+|\/proc\/\S+)( of=\/dev\/null)?( (bs|count|skip|iflag|status)=\S+)*|if=\/dev\/zero of=\/dev\/null bs=1M count=\d{1,5})$/,
  ],
  // Type 11 can contain credentials of provisioning tools.
  ['dmidecode', /^(-t (?!(\d+,)*11(,|$))[0-9,]+|-s [a-z-]+|-q)?$/],
  ['dmsetup', /^(table|info|ls|deps|status)( -c| --noheadings| -o [a-z_,]+| --target [a-z]+| --tree)*$/],
  ['dpkg', /^--verify( [a-z0-9][a-z0-9.+-]*)+$/],
  ['dpkg-query', /^(-W|--show|-l|-s)( |$)/],
  ['findmnt', ANY],
  ['getcap', ANY],
  ['getconf', /^(-a|[A-Za-z0-9_]+)$/],
  ['getenforce', /^$/],
  ['getent', /^(passwd|group|hosts|services|protocols|networks)( \S+)?$/],
  ['grep', ANY],
  ['head', /^(?!.*(^| )-f)/],
  ['hostname', /^(-[fdsAI])?$/],
  ['ibstat', /^[a-z0-9_]*$/],
  ['id', ANY],
  [
    'ip',
    /^(-(d|j|s|br|4|6|o) )*((addr|address|link|route|rule|neigh|maddress) show( [\w./-]+)*|xfrm (policy list|state list nokeys))$/,
  ],
  // Identity, measurements and counts of the management controller, and who may log in on channel 1. No addresses, no
  // SNMP community (which “lan print” prints), no commands. The two raw requests are Get LAN Configuration
  // Parameters.
  [
    'ipmitool',
    /^(mc info|sdr elist|fru print 0|sel info|dcmi power reading|channel (info|getaccess) 1|raw 0x0c 0x02 0x01 0x1[78] 0x00 0x00)$/,
  ],
  [
    'journalctl',
    new RegExp(
      `^((--no-pager )?(--utc )?(--disk-usage|--header|--list-boots)|-k -b -q --no-pager -o cat -g ${KERNEL_PATTERN}|-q --no-pager -o short-unix --since=-30min -t sshd -t sshd-session -g \\^Accepted\\\\x20\\[a-z/-\\]\\+\\\\x20for\\\\x20)$`,
    ),
  ],
  ['last', /^(-(w|F|i|n|[0-9]+)( [0-9]+)? ?)*$/],
  ['lastlog', /^$/],
  ['lastlog2', /^$/],
  ['lldpctl', /^-f json0?$/],
  ['ls', ANY],
  ['lsblk', ANY],
  ['lscpu', ANY],
  // Columns by name; none of them is a hash.
  [
    'lslogins',
    /^(--time-format=iso -e -o (USER,LAST-LOGIN|USER,PWD-METHOD,PWD-CHANGE,PWD-MAX,PWD-EXPIR)|-e -o USER,PWD-LOCK,PWD-DENY,PWD-METHOD)$/,
  ],
  ['lsmod', /^$/],
  ['lsns', ANY],
  ['lspci', /^((-[Dvmnkqbt]+ ?)*|-Dnvvv -d ::0604)$/],
  ['mdadm', /^(--detail|--examine) (--scan|\/dev\/\S+)$/],
  ['mokutil', /^--(sb-state|list-enrolled|list-new|kek|pk|db)$/],
  // Asked of systemd-networkd only where it has run since boot, as shown by the path that the question requires.
  ['networkctl', /^--json=short lldp$/],
  ['nft', /^(-[jnasy] )*list (ruleset|tables|chains|sets)$/],
  ['nproc', ANY],
  // Peers of the time service on this node; no other host, no other request.
  ['ntpq', /^-pn$/],
  ['nvidia-smi', /^(-q( -x)?|-L|topo -m|nvlink -s|conf-compute -\w+|--query-\S+ --format=\S+)$/],
  ['nvme', /^(list|list-subsys|(id-ctrl|id-ns|smart-log) \/dev\/nvme\w+)( -o json)?$/],
  ['od', ANY],
  ['passwd', /^-S( -a| [a-z_][a-z0-9_-]*)?$/],
  // Not an arbitrary program: exactly this one, which reads the clock for five seconds and prints four numbers.
  [
    'perl',
    /^-MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e \$e=clock_gettime\(CLOCK_MONOTONIC\);\$z=\$e\+5;\$n=\$a=\$b=\$m=0;while\(\$e<\$z\)\{\$t=clock_gettime\(CLOCK_MONOTONIC\);\$g=\$t-\$e;\$n\+\+;\$a\+\+ if \$g>50e-6;\$b\+\+ if \$g>500e-6;\$m=\$g if \$g>\$m;\$e=\$t\}printf "%d %d %d %d\\n",\$n,\$a,\$b,\$m\*1e6$/,
  ],
  // The one variable in which the SSH server states the origin of a session.
  ['printenv', /^SSH_CONNECTION$/],
  // Arguments only of SSH servers, which take no secrets there; other programs receive tokens and passwords as
  // arguments.
  ['ps', /^((-ww )?-eo (?!.*\b(args|cmd|command)\b)[a-z0-9:,_]+|-ww -C sshd,dropbear,tinysshd -o pid=,args=)$/],
  ['rdma', /^(-[jdp] )*(link|dev|system|resource)( show)?$/],
  ['readlink', ANY],
  ['rocm-smi', /^(--show(productname|uniqueid|serial|vbios|bus) )+--json$/],
  ['rpm', /^(-q|-V|--query|--verify)/],
  // Only administrators of the batch system, by name and level; -r prevents any change.
  ['sacctmgr', /^-r -n -P show user where adminlevel=(Administrator|Operator) format=User,AdminLevel$/],
  // Prints one list from a file that cloud-init leaves readable for every user, the accounts without their comments,
  // and the mount table without credentials; it starts and writes nothing.
  [
    'sed',
    /^(-n \/\^ {4}"rsa2048": \\\[\$\/,\/\^ \\\{0,4\\\}\[\]\}\]\/p \/run\/cloud-init\/instance-data\.json|-e s\/\^\\\(\[\^:\]\*:\[\^:\]\\\{0,2\\\}\\\)\[\^:\]\*\\\(:\[\^:\]\*:\[\^:\]\*:\\\)\[\^:\]\*\/\\1\\2\/ \/etc\/passwd|-e s#:\/\/\[\^\/ \]\*@#:\/\/#g \/proc\/self\/mountinfo)$/,
  ],
  // Its other options change the drive or take its password.
  ['sedutil-cli', /^--query \/dev\/(nvme\d|sd[a-z])$/],
  ['sestatus', /^(-[bv])?$/],
  ['sleep', /^[1-5]$/],
  // The health that a drive reports; starts no self-test, and leaves a sleeping drive asleep.
  ['smartctl', /^-j -H -A -n standby \/dev\/sd[a-z]$/],
  // Only jobs of this node, by number, user, account and state.
  ['squeue', /^-a -h -w localhost -o %A\|%u\|%a\|%T$/],
  ['ss', /^(-[HtulnpaexwmiOo046]+ ?)*(state [a-z-]+)?$/],
  ['sshd', /^-[TG]( -C [a-z]+=[\w.:,=-]+)?$/],
  ['stat', ANY],
  // Only the version.
  ['sudo', /^-V$/],
  ['sysctl', /^(-(a|n|e|N) ?)*([a-z][a-z0-9_./-]* ?)*$/],
  [
    'systemctl',
    /^(--(no-pager|no-legend|plain|all|full|property=[\w,]+) )*(show|is-active|is-enabled|is-system-running|list-units|list-unit-files|list-timers)(?!.*(-H|--host|-M|--machine|--root|--image))( |$)/,
  ],
  ['systemd-analyze', /^cat-config \S+$/],
  ['systemd-detect-virt', /^(-[vcq]|--\w+)?$/],
  [
    'taskset',
    /^-c 0 dd if=\/dev\/cpu\/0\/(cpuid|msr) of=\/dev\/null bs=(1M|512K) count=\d{1,2}( iflag=skip_bytes skip=\d{1,10})?$/,
  ],
  ['tail', /^(?!.*(^| )(-[a-z]*[fF]|--follow))/],
  // Handles of the defined indexes, without their content.
  ['tpm2_getcap', /^-T device:\/dev\/tpmrm0 handles-nv-index$/],
  // One public index, through the kernel’s own device, to standard output: no file, no service, no other
  // authorization.
  ['tpm2_nvread', /^-T device:\/dev\/tpmrm0 -C o 0x1c00002$/],
  ['uname', ANY],
  ['update-crypto-policies', /^--(show|is-applied|check)$/],
  ['uptime', /^(-[sp])?$/],
  ['wc', ANY],
  [
    'wg',
    /^show (interfaces|(all|[\w.-]+) (public-key|peers|endpoints|allowed-ips|latest-handshakes|transfer|listen-port|fwmark|persistent-keepalive))$/,
  ],
  ['who', /^(-\w+)?$/],
  ['wtmpdb', /^last -w -F -n \d{1,4}$/],
  ['zfs', /^(get|list) /],
  ['zpool', /^(get|list|status)( |$)/],
])

/**
 * Programs that query a systemd service which D-Bus starts where it does not run (systemd-timedated, -hostnamed,
 * -localed, -logind,
 * -machined, -importd, -homed, -portabled, -sysupdated, packagekit, udisks2, upower, bolt, polkit, firewalld), or
 * that wait where it cannot be started. The same data is read from files instead.
 */
export const SERVICE_STARTERS: readonly string[] = [
  ...['timedatectl', 'hostnamectl', 'localectl', 'loginctl', 'machinectl', 'importctl', 'homectl', 'portablectl'],
  ...['resolvectl', 'systemd-resolve', 'oomctl', 'userdbctl', 'updatectl', 'bootctl', 'coredumpctl', 'systemd-inhibit'],
  ...['dbus-send', 'gdbus', 'qdbus', 'pkcon', 'pkaction', 'pkcheck', 'udisksctl', 'upower', 'boltctl', 'fwupdmgr'],
  ...['firewall-cmd', 'nmcli', 'snap', 'tuned-adm', 'realm', 'powerprofilesctl'],
]

/**
 * Files that contain secrets, one example of each kind. Neither a path nor anything that a path pattern can match may
 * be one of them.
 */
const SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/security/opasswd',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssh/ssh_host_rsa_key',
  '/root/.ssh/id_ed25519',
  '/home/user/.ssh/id_rsa',
  '/home/user/.ssh/id_ecdsa',
  '/home/user/.netrc',
  '/home/user/.pgpass',
  '/root/.aws/credentials',
  '/root/.kube/config',
  '/root/.docker/config.json',
  '/root/.bash_history',
  '/etc/kubernetes/admin.conf',
  '/etc/ssl/private/server.key',
  '/etc/letsencrypt/live/name/privkey.pem',
  '/etc/krb5.keytab',
  '/etc/ipsec.secrets',
  '/etc/munge/munge.key',
  '/etc/chrony.keys',
  '/etc/chrony/chrony.keys',
  '/etc/snmp/snmpd.conf',
  '/etc/wireguard/wg0.conf',
  '/etc/wpa_supplicant/wpa_supplicant.conf',
  '/etc/NetworkManager/system-connections/name.nmconnection',
  '/etc/cryptsetup-keys.d/name.key',
  '/run/cloud-init/instance-data-sensitive.json',
  '/var/lib/cloud/instance/user-data.txt',
  '/var/lib/cloud/instance/user-data.txt.i',
  '/var/lib/cloud/instance/vendor-data.txt',
  '/proc/1/environ',
  '/proc/self/environ',
  '/proc/1/cmdline',
  '/proc/1/mem',
  '/proc/kcore',
] as const

/** Names of files that contain nothing but secrets, in any folder. */
const SECRET_NAMES =
  /(^|[/=])((g?shadow-?|opasswd|id_(rsa|dsa|ecdsa|ed25519)|ssh_host_\w+_key|ipsec\.secrets|munge\.key|environ)|[^/]+\.(key|keytab|p12|pfx|jks|nmconnection)|[^/]*privkey[^/]*\.pem)$/

/** These show properties of a file without reading its content. */
const TELL_ONLY = new Set(['ls', 'stat', 'readlink'])

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+^${}()|\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll('?', '[^/]')}$`,
  )

/**
 * Examines the path in a word: the whole word, or the part after the `=` of an option. Patterns count as the paths
 * that they can match.
 */
function leadsToSecret(word: string): boolean {
  if (SECRET_NAMES.test(word)) return true
  const path = word.slice(word.startsWith('/') ? 0 : word.lastIndexOf('=') + 1)
  if (!path.startsWith('/')) return false
  if (!/[*?[]/.test(path))
    return (SECRETS as readonly string[]).includes(path) || /^\/proc\/\w+\/(environ|cmdline|mem)$/.test(path)
  const pattern = patternOf(path)
  return SECRETS.some((secret) => pattern.test(secret))
}

/** A recursive search reads every file in a folder, except where it names the files to be searched. */
function searchesSecrets(argv: readonly string[]): boolean {
  const isDeep = argv[0] === 'grep' && argv.some((word) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(word))
  const isNarrow = argv.some((word) => /^--include=[\w.-]+$/.test(word) && !leadsToSecret(word))
  if (!isDeep || isNarrow) return false
  return argv.some(
    (word) => word.startsWith('/') && SECRETS.some((secret) => secret.startsWith(`${word.replace(/\/$/, '')}/`)),
  )
}

interface Denial {
  readonly why: string
  readonly denies: (argv: readonly string[]) => boolean
}

const any = (argv: readonly string[], pattern: RegExp): boolean => argv.slice(1).some((word) => pattern.test(word))

const DENIALS: readonly Denial[] = [
  {
    why: 'its command starts a service that is not running',
    denies: ([program = '', ...words]) =>
      SERVICE_STARTERS.includes(program) || (program === 'busctl' && !words.includes('--auto-start=no')),
  },
  { why: 'an argument contains a line break or a NUL', denies: (argv) => argv.some((word) => /[\n\r\0]/.test(word)) },
  { why: 'the program name is not a bare name', denies: ([program = '']) => !/^[a-z0-9][a-z0-9._-]*$/.test(program) },
  {
    why: 'it prints volume keys',
    denies: (argv) => any(argv, /^--showkeys$|^--dump-(volume|master)-key|^--(master|volume)-key-file/),
  },
  {
    why: 'it prints IPsec keys',
    denies: (argv) => argv[0] === 'ip' && argv.includes('xfrm') && argv.includes('state') && !argv.includes('nokeys'),
  },
  {
    why: 'it prints WireGuard keys',
    denies: (argv) => argv[0] === 'wg' && any(argv, /^(dump|showconf|private-key|preshared-keys)$/),
  },
  {
    why: 'it reads password hashes',
    denies: (argv) => argv[0] === 'getent' && any(argv, /^g?shadow$/),
  },
  {
    why: 'it reads private keys, credentials, memory or environments',
    denies: (argv) => !TELL_ONLY.has(argv[0] ?? '') && argv.slice(1).some(leadsToSecret),
  },
  { why: 'it searches below a folder that contains secrets', denies: searchesSecrets },
  {
    why: 'it reads a raw device',
    denies: ([program = '', ...words]) =>
      ['cat', 'grep', 'head', 'od', 'tail', 'wc'].includes(program) && words.some((word) => word.startsWith('/dev/')),
  },
  { why: 'it accesses the network', denies: (argv) => argv[0] !== 'curl' && any(argv, /^[a-z]+:\/\//) },
]

/** The reason why the catalog may not contain a command, or null. Path patterns are given as text. */
export function deniedCommand(argv: readonly string[]): string | null {
  const denial = DENIALS.find(({ denies }) => denies(argv))
  if (denial !== undefined) return denial.why
  const [program = '', ...words] = argv
  const shape = READ_ONLY_PROGRAMS.get(program)
  if (shape === undefined) return `${program} is not on the list of read-only programs`
  return shape.test(words.join(' ')) ? null : `these arguments of ${program} are not on the read-only list`
}
