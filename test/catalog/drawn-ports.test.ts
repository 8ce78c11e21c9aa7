import { expect, test } from 'vitest'
import { type Process, tenancyProcesses } from '../../main/catalog/base/processes.ts'
import {
  listenerProcesses,
  networkListeners,
  parseListeners,
} from '../../main/catalog/data-protection/listeners/probes.ts'
import { sysctlNetwork } from '../../main/catalog/data-protection/network/kernel.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, overDeclared, stepText } from '../support/concluded.ts'

// A client of NFS 3, as `ss -H -tulnp` of RHEL 9 prints it to root: lockd is the kernel’s own and has no users.
const NAMED = `tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1204,fd=3))
tcp LISTEN 0 64 0.0.0.0:40271 0.0.0.0:*
tcp LISTEN 0 64 [::]:39283 [::]:*
tcp LISTEN 0 4096 0.0.0.0:51117 0.0.0.0:* users:(("rpc.statd",pid=2120,fd=9))
`
const bare = (text: string): string => text.replace(/ users:.*$/gm, '')

function concluded(named: string, isRoot = true, processes: readonly Process[] = [], range?: string) {
  return overDeclared(
    { services: [{ name: 'SSH', protocol: 'tcp', port: 22 }] },
    'network.listening-ports',
    [networkListeners, parseListeners(bare(named))],
    [listenerProcesses, parseListeners(isRoot ? named : bare(named))],
    [tenancyProcesses, known({ processes, isComplete: true })],
    changed(sysctlNetwork, ({ values }) => ({
      values: new Map([...values, ...(range === undefined ? [] : [['ipv4/ip_local_port_range', range] as const])]),
    })),
  )
}

test('ports that the kernel and rpc.statd draw at each start leave the list of services open', () => {
  const found = concluded(NAMED)
  expect(found.verdict).toBe('inconclusive')
  expect(stepText(found)).toContain('drawn again at each start: “tcp/39283”, “tcp/40271”, “tcp/51117 (rpc.statd)”.')
})

test.each([
  ['a program', 'tcp LISTEN 0 64 0.0.0.0:45001 0.0.0.0:* users:(("python3",pid=4100,fd=7))\n'],
  ['the kernel, at a port that an administrator chose', 'tcp LISTEN 0 64 0.0.0.0:4001 0.0.0.0:*\n'],
])('%s: not declared', (_, row) => {
  expect(concluded(`${NAMED}${row}`).verdict).toBe('not-satisfied')
})

test('without the names of programs, none of them is known to be the kernel’s', () => {
  expect(concluded(NAMED, false).verdict).toBe('not-satisfied')
})

// torchrun under Slurm and a pod with the host’s network: each rank listens at a port that the kernel drew (NCCL, bootstrap).
test.each([
  ['a job of Slurm', '0::/system.slice/node1_slurmstepd.scope/job_77/step_0/user/task_0', 45_001, 'inconclusive'],
  ['a job of Slurm, version 1', '9:memory:/slurm/uid_1007/job_77/step_0/task_0', 45_001, 'inconclusive'],
  [
    'a pod',
    '0::/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/x.scope',
    45_001,
    'inconclusive',
  ],
  ['a login', '0::/user.slice/user-1007.slice/session-4.scope', 45_001, 'not-satisfied'],
  [
    'a job, at a port that it chose',
    '0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0',
    8888,
    'not-satisfied',
  ],
] as const)('a port over TCP of %s', (_, cgroup, port, verdict) => {
  const row = `tcp LISTEN 0 4096 *:${port} *:* users:(("python3",pid=4100,fd=7))\n`
  const python = { pid: 4100, user: 'anna', command: 'python3', cgroup }
  expect(concluded(`${NAMED}${row}`, true, [python]).verdict).toBe(verdict)
})

// Servers with many connections are given a wider range (net.ipv4.ip_local_port_range = 10000 65535); rsyslogd sends over UDP from such a port.
test.each<[string, string | undefined, string]>([
  ['the default', '32768\t60999', 'not-satisfied'],
  ['none that was read', undefined, 'not-satisfied'],
  ['something else', '10000', 'not-satisfied'],
  ['a wider one', '10000\t65535', 'inconclusive'],
])('where the kernel’s range of ports is %s', (_, range, verdict) => {
  for (const row of [
    'udp UNCONN 0 0 0.0.0.0:14731 0.0.0.0:* users:(("rsyslogd",pid=900,fd=9))\n',
    'udp UNCONN 0 0 0.0.0.0:63001 0.0.0.0:* users:(("rsyslogd",pid=900,fd=9))\n',
    'tcp LISTEN 0 64 0.0.0.0:24001 0.0.0.0:*\n',
  ])
    expect(concluded(`${NAMED}${row}`, true, [], range).verdict).toBe(verdict)
})

test('a narrower range makes no port stricter', () =>
  expect(concluded(NAMED, true, [], '50000\t50999').verdict).toBe('inconclusive'))

test('the range is read with the other settings of the network', () => {
  const { values } = sysctlNetwork.commands
  expect(values.kind === 'run' && values.argv).toContain('/proc/sys/net/ipv4/ip_local_port_range')
  const text = [
    'ip_forward:0',
    'tcp_syncookies:1',
    'conf/all/rp_filter:2',
    'conf/all/accept_redirects:0',
    'ip_local_port_range:10000\t65535',
  ]
    .map((line) => `/proc/sys/net/ipv4/${line}\n`)
    .join('')
  expect(fact(sysctlNetwork.parse({ values: answer(text) })).values.get('ipv4/ip_local_port_range')).toBe(
    '10000\t65535',
  )
})
