import { describe, expect, test } from 'vitest'
import { parseMountinfo, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { fact } from '../support/answers.ts'
import { changed, overDeclared, stepText } from '../support/concluded.ts'

/** The node of the demo, which uses no storage over a network, with more lines in its mount table. */
function withMounts(id: string, rows: readonly string[], declared: Parameters<typeof overDeclared>[0] = {}) {
  const more = fact(parseMountinfo(['1 0 8:1 / / rw - ext4 /dev/sda1 rw', ...rows, ''].join('\n'))).mounts.slice(1)
  return overDeclared(
    declared,
    id,
    changed(storageMounts, ({ mounts }) => ({ mounts: [...mounts, ...more] })),
  )
}

// proc_pid_mountinfo(5); sources and options as automount(8) of autofs 5.1.7 (RHEL 9) and systemd 252 leave them.
const autofs = (point: string, source: string, kind: 'indirect' | 'direct') =>
  `91 24 0:54 / ${point} rw,relatime shared:301 - autofs ${source} rw,fd=5,pgrp=1622,timeout=300,minproto=5,maxproto=5,${kind},pipe_ino=36422`
const NFS =
  '95 91 0:60 / /home/anna rw,relatime shared:310 - nfs4 filer:/home/anna rw,vers=4.2,proto=tcp,sec=krb5p,clientaddr=198.51.100.7,addr=198.51.100.9'

describe('places where something is mounted when it is used', () => {
  test.each([
    ['home folders by autofs, none in use', [autofs('/home', '/etc/auto.home', 'indirect')], 'inconclusive'],
    ['hosts by autofs, none in use', [autofs('/net', '-hosts', 'indirect')], 'inconclusive'],
    ['one place of systemd, not in use', [autofs('/mnt/archive', 'systemd-1', 'direct')], 'inconclusive'],
    ['home folders by autofs, one in use', [autofs('/home', '/etc/auto.home', 'indirect'), NFS], 'satisfied'],
    [
      'binary formats, which the kernel has itself',
      [autofs('/proc/sys/fs/binfmt_misc', 'systemd-1', 'direct')],
      'not-applicable',
    ],
    ['the partition that the machine starts from', [autofs('/efi', 'systemd-1', 'direct')], 'not-applicable'],
  ] as const)('%s: encryption of what crosses a network', (_, rows, verdict) => {
    expect(withMounts('encryption.in-transit.remote-mounts', rows).verdict).toBe(verdict)
  })

  test('without declared paths, flows of ePHI stay open; with them, these decide', () => {
    const rows = [autofs('/home', '/etc/auto.home', 'indirect')]
    const text = 'Mounted when it is used, and not mounted now, so that what is mounted there was not seen: “/home”.'
    const undeclared = withMounts('encryption.in-transit.ephi-flows', rows, { ephiPaths: undefined })
    expect(stepText(undeclared)).toContain(text)
    const ephiFlows = [{ port: 8443, protocol: 'tcp', name: 'studies' } as const]
    expect(stepText(withMounts('encryption.in-transit.ephi-flows', rows, { ephiFlows }))).not.toContain(text)
    expect(stepText(withMounts('encryption.at-rest.ephi-paths', rows, { ephiPaths: undefined }))).toContain(text)
  })
})

// automount(8): without “browse”, a folder of an indirect map is listed only while it is mounted, so that a search of /home finds none.
describe('home folders that are mounted when they are used', () => {
  test.each([
    ['all of them by autofs', [autofs('/home', '/etc/auto.home', 'indirect'), NFS], 'inconclusive'],
    ['those of one group by autofs', [autofs('/home/radiology', '/etc/auto.rad', 'indirect')], 'inconclusive'],
    ['one by systemd, not in use', [autofs('/home', 'systemd-1', 'direct')], 'inconclusive'],
    [
      'one by systemd, in use',
      [autofs('/home', 'systemd-1', 'direct'), NFS.replace('/home/anna rw', '/home rw')],
      'satisfied',
    ],
    ['other folders', [autofs('/data/projects', '/etc/auto.data', 'indirect')], 'satisfied'],
  ] as const)('%s: keys that were not read', (_, rows, verdict) => {
    expect(withMounts('access.authorized-keys', rows).verdict).toBe(verdict)
    expect(withMounts('access.key-per-account', rows).verdict).toBe(verdict)
  })
})
