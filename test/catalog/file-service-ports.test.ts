import { expect, test } from 'vitest'
import { listenerProcesses, networkListeners, parseListeners } from '../../main/catalog/listeners/probes.ts'
import { overDeclared, stepText } from '../support/concluded.ts'

// A client of NFS 3, as `ss -H -tulnp` of RHEL 9 prints it to root: lockd is the kernel’s own and has no users.
const NAMED = `tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1204,fd=3))
tcp LISTEN 0 64 0.0.0.0:40271 0.0.0.0:*
tcp LISTEN 0 64 [::]:39283 [::]:*
tcp LISTEN 0 4096 0.0.0.0:51117 0.0.0.0:* users:(("rpc.statd",pid=2120,fd=9))
`
const bare = (text: string): string => text.replace(/ users:.*$/gm, '')

function concluded(named: string, isRoot = true) {
  return overDeclared(
    { services: [{ name: 'SSH', protocol: 'tcp', port: 22 }] },
    'network.listening-ports',
    [networkListeners, parseListeners(bare(named))],
    [listenerProcesses, parseListeners(isRoot ? named : bare(named))],
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
