import { CONCLUSIONS } from '../../main/catalog/definition/definition.ts'
import { hipaa, nprm, REQUESTS, soc2 } from '../../main/catalog/definition/frameworks/frameworks.ts'
import { OFF_NODE_CHECKS, SEVERITIES } from '../../main/catalog/definition/subjects.ts'
import { quote } from '../../main/core/base/plain-text.ts'
import { defineProbe, known, type Probe, run, runAsRoot, unknown } from '../../main/core/recording/probe.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { type Check, defineCheck } from '../../main/core/rules/check.ts'
import type { Property } from '../../schemas/words.ts'
import { BARE_CATALOG, UNDECIDED } from './bare-catalog.ts'
import { fakeLocation } from './fake-location.ts'
import { fakeProvider } from './fake-provider.ts'

/** A small catalog with one command per probe, for tests of the window: real shapes, short rules. */
const ask = (
  id: string,
  title: string,
  why: string,
  argv: readonly [string, ...string[]],
  root = false,
): Probe<string> =>
  defineProbe({
    id,
    title,
    why,
    commands: { answer: root ? runAsRoot(argv) : run(argv) },
    parse: ({ answer }) => (answer.exitCode === 0 ? known(answer.text.trim()) : unknown('the command gave an error')),
  }) as unknown as Probe<string>

const cpu = ask('cpu.flags', 'Processor flags', 'A hypervisor announces itself in one of these flags.', [
  'grep',
  '-m1',
  'flags',
  '/proc/cpuinfo',
])
const dmi = ask(
  'dmi.identity',
  'Hardware identity in firmware',
  'Virtual machines usually carry the name of their hypervisor here.',
  ['cat', '/sys/class/dmi/id/product_name'],
)
const bmc = ask(
  'bmc.channel',
  'Management controller',
  'Physical servers carry a separate management controller.',
  ['ipmitool', 'mc', 'info'],
  true,
)
const users = ask('tenancy.sessions', 'Containers and who owns them', 'Workloads of other tenants would run here.', [
  'lsns',
  '-o',
  'NS,TYPE,USER',
])
const blocks = ask(
  'storage.lsblk',
  'Disks and what lies on them',
  'Shows which file systems pass an encrypting layer.',
  ['lsblk', '-o', 'NAME,TYPE,FSTYPE,MOUNTPOINT'],
)
const swap = ask('storage.swaps', 'Swap areas', 'Memory written to an open swap area can be read from the disk.', [
  'cat',
  '/proc/swaps',
])
const sshd = ask(
  'sshd.effective',
  'Settings of the SSH server in effect',
  'Shows ciphers, root login and password login as the server applies them.',
  ['sshd', '-T'],
  true,
)
const listeners = ask('net.listeners', 'Listening sockets', 'Shows services that accept data without encryption.', [
  'ss',
  '-tlnH',
])
const echo = ask('location.echo', 'Answer time', 'Light needs time: the answer time bounds the distance.', ['cat'])
const accounts = ask('accounts.local', 'Local accounts', 'Shows who can log in.', ['getent', 'passwd'])
const auditd = ask(
  'audit.status',
  'Audit service',
  'Shows whether actions on the node are recorded.',
  ['auditctl', '-s'],
  true,
)
const banner = ask('host.banner', 'Login banner', 'Shown to everybody who logs in.', ['cat', '/etc/issue.net'])

type Rule = readonly [direction: 'supports' | 'contradicts', pattern: RegExp, text: (match: string) => string]

const rule = (
  id: string,
  property: Property,
  expected: string,
  limitations: string,
  probe: Probe<string>,
  rules: readonly Rule[],
): Check =>
  defineCheck({
    id,
    property,
    expected,
    limitations,
    requires: { answer: probe },
    evaluate: ({ answer }) => {
      const observations = rules.flatMap(([direction, pattern, text]) => {
        const match = pattern.exec(answer as string)
        return match === null ? [] : [{ direction, text: text(match[1] ?? match[0]), probe: probe.id }]
      })
      if (observations.length === 0)
        return {
          verdict: 'inconclusive',
          observations: [
            { direction: 'unclear', text: `${probe.title}: the answer does not decide the claim.`, probe: probe.id },
          ],
        }
      return {
        verdict: observations.some(({ direction }) => direction === 'contradicts') ? 'not-satisfied' : 'satisfied',
        observations,
      }
    },
  })

const checks: readonly Check[] = [
  rule(
    'tenancy.no-hypervisor',
    'isolation',
    'No hypervisor announces itself to this node.',
    'A hypervisor built to hide cannot be excluded from inside the operating system.',
    cpu,
    [
      ['contradicts', / hypervisor/, () => 'The processor reports that a hypervisor is present.'],
      ['supports', /flags\t*:(?!.* hypervisor)/, () => 'The processor does not report a hypervisor.'],
    ],
  ),
  rule(
    'tenancy.firmware-identity',
    'isolation',
    'Firmware names a physical product.',
    'Firmware text can be set by whoever operates the host.',
    dmi,
    [
      ['contradicts', /(Standard PC.*|KVM.*)/, (name) => `Firmware names a virtual platform: ${quote(name)}.`],
      ['supports', /^(?!Standard PC|KVM)(.+)/, (name) => `Firmware names a physical product: ${quote(name)}.`],
    ],
  ),
  rule(
    'tenancy.bmc-exposure',
    'isolation',
    'A management controller of the server itself answers.',
    'Your provider operates its management controller.',
    bmc,
    [
      [
        'supports',
        /Manufacturer Name *: (.*)/,
        (maker) => `A management controller answers and names its maker: ${quote(maker)}.`,
      ],
      [
        'contradicts',
        /Could not open device/,
        () => 'No management controller answers, as is usual in a virtual machine.',
      ],
    ],
  ),
  rule(
    'tenancy.container-census',
    'isolation',
    'Only the declared tenant runs workloads on this node.',
    'Says nothing about moments between collections.',
    users,
    [
      ['contradicts', /(tenant-b\S*)/, (who) => `Containers of a second tenant run here: ${quote(who)}.`],
      ['supports', /^(?!.*tenant-b)[\s\S]*mnt/, () => 'All namespaces belong to declared accounts.'],
    ],
  ),
  rule(
    'encryption.at-rest.block-graph',
    'encryption-at-rest',
    'Every persistent mount passes an encrypting layer.',
    'Cannot tell which mounts hold patient data without a declared data map.',
    blocks,
    [
      [
        'contradicts',
        /(nvme\d+n1p1) +part +ext4 +\/scratch/,
        (disk) => `/scratch lies on ${quote(disk)} with no encrypting layer in between.`,
      ],
      [
        'contradicts',
        /(vda1) +part +ext4 +\//,
        (disk) => `The root file system lies on ${quote(disk)} with no encrypting layer in between.`,
      ],
      ['supports', /crypt +xfs +\/data/, () => '/data lies on a LUKS device.'],
    ],
  ),
  rule(
    'encryption.at-rest.swap',
    'encryption-at-rest',
    'Swap is absent or encrypted.',
    'Node view at collection time only.',
    swap,
    [
      ['supports', /^Filename[^\n]*$/, () => 'No swap area is in use.'],
      [
        'contradicts',
        /(\/swapfile|\/dev\/vda2)/,
        (area) => `Swap is in use on ${quote(area)}, which is not encrypted.`,
      ],
    ],
  ),
  rule(
    'encryption.in-transit.ssh-algorithms',
    'encryption-in-transit',
    'The SSH server offers current algorithms only.',
    'Shows what is offered, not what each session used.',
    sshd,
    [
      [
        'contradicts',
        /(3des-cbc|aes128-cbc)/,
        (cipher) => `The SSH server offers an outdated cipher: ${quote(cipher)}.`,
      ],
      ['supports', /^ciphers (?!.*cbc)(\S+)/m, (list) => `The SSH server offers: ${quote(list)}.`],
    ],
  ),
  rule(
    'encryption.in-transit.plaintext-listeners',
    'encryption-in-transit',
    'No service accepts data without encryption from outside.',
    'A clear-text service may be behind a protected tunnel.',
    listeners,
    [
      [
        'contradicts',
        /(0\.0\.0\.0:(?:21|23|9200))/,
        (socket) => `A service that usually speaks without encryption listens on ${quote(socket)}.`,
      ],
      ['supports', /^(?!.*0\.0\.0\.0:(?:21|23|9200))[\s\S]*LISTEN/, () => 'No such listener was seen.'],
    ],
  ),
  rule(
    'location.rtt-bound',
    'location',
    'The node answered faster than it could from outside the declared place.',
    'Bounds distance only; a relay close to this computer can mislead.',
    echo,
    [
      [
        'supports',
        /rtt_ms=(0\.\d+)/,
        (ms) => `The fastest answer took ${ms} ms: at most ${Math.ceil(Number(ms) * 100)} km away.`,
      ],
      [
        'contradicts',
        /rtt_ms=([1-9]\d{2,})/,
        (ms) => `The fastest answer took ${ms} ms, longer than the declared place explains.`,
      ],
    ],
  ),
  rule(
    'access.sshd.root-login',
    'access',
    'Nobody logs in as root over SSH.',
    'Node view at collection time only.',
    sshd,
    [
      ['contradicts', /permitrootlogin yes/, () => 'The SSH server lets root log in.'],
      ['supports', /permitrootlogin no/, () => 'The SSH server refuses root.'],
    ],
  ),
  rule(
    'access.unique-accounts',
    'access',
    'Every account belongs to one person or service.',
    'Cannot see two people using one key.',
    accounts,
    [
      ['contradicts', /^(admin|shared):/m, (name) => `There is an account with a shared name: ${quote(name)}.`],
      ['supports', /^(?![\s\S]*^(?:admin|shared):)[\s\S]*mortiz/m, () => 'Every interactive account is on the roster.'],
    ],
  ),
  rule(
    'audit.auditd-running',
    'audit',
    'The audit service records actions on this node.',
    'Root can always alter local records.',
    auditd,
    [
      ['supports', /enabled [12]/, () => 'The audit service is enabled.'],
      ['contradicts', /enabled 0/, () => 'The audit service is off.'],
    ],
  ),
]

export const fakeCatalog: Catalog = {
  ...BARE_CATALOG,
  version: '0.1.0',
  probes: [cpu, dmi, bmc, users, blocks, swap, sshd, listeners, echo, accounts, auditd, banner],
  checks,
  frameworks: [hipaa, soc2, nprm],
  offNodeChecks: OFF_NODE_CHECKS,
  requests: REQUESTS,
  conclusions: CONCLUSIONS,
  severities: SEVERITIES,
  providers: [fakeProvider],
  assessLocation: fakeLocation,
  assessIsolation: (readings) => {
    const flags = readings.get(cpu.id)
    const controller = readings.get(bmc.id)
    const tenants = readings.get(users.id)
    const virtual = flags?.ok === true && String(flags.fact).includes('hypervisor')
    const second = tenants?.ok === true && String(tenants.fact).includes('tenant-b')
    return {
      ...UNDECIDED,
      environment: flags?.ok !== true ? 'undetermined' : virtual ? 'virtual-machine' : 'bare-metal',
      platform: virtual ? 'KVM' : null,
      tenancy: tenants?.ok !== true ? 'undetermined' : second ? 'shared' : 'single-observed',
      attachments: virtual
        ? [{ kind: 'disk', device: 'vda', attachment: 'virtual', text: 'A paravirtual disk of the host.' }]
        : [
            {
              kind: 'gpu',
              device: '0000:17:00.0',
              attachment: 'physical',
              text: 'A physical function behind its own root port.',
            },
            { kind: 'hca', device: 'mlx5_0', attachment: 'physical', text: 'A physical function.' },
          ],
      grade: controller?.ok === true ? 'B' : virtual ? 'C' : 'D',
      observations: [
        flags?.ok !== true
          ? { direction: 'unclear', text: 'Processor flags were not collected.', probe: cpu.id }
          : virtual
            ? { direction: 'contradicts', text: 'The processor reports that a hypervisor is present.', probe: cpu.id }
            : { direction: 'supports', text: 'The processor does not report a hypervisor.', probe: cpu.id },
      ],
    }
  },
}
