import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importTranscript, printableCollector } from '../../main/app/collect/import-transcript.ts'
import { run, runAsRoot } from '../../main/core/recording/probe.ts'
import { catalogOf, probeOf, realClock, realEntropy, targetOf } from '../support/deps.ts'
import { describeUnless } from '../support/needing.ts'

const USER = 'bwtest-slow'
const DROP_IN = '/etc/sudoers.d/barewitness-slow-test'
const isThere = (program: string): boolean =>
  spawnSync('sh', ['-c', `PATH=/usr/sbin:/usr/bin command -v ${program}`]).status === 0
const absent = ['sudo', 'unshare', 'ip', 'su'].find((program) => !isThere(program))
const canUnshare = absent === undefined && spawnSync('unshare', ['-m', '-n', '-u', 'true']).status === 0
const missing =
  process.getuid?.() !== 0
    ? 'needs root'
    : absent !== undefined
      ? `${absent} is absent`
      : !canUnshare
        ? 'namespaces cannot be made here'
        : null

const ROOTS = ['a', 'b', 'c', 'd', 'e'] as const
const probes = [
  probeOf('test.root', Object.fromEntries(ROOTS.map((name) => [name, runAsRoot(['id', '-u'], { timeoutSeconds: 1 })]))),
  probeOf('test.user', { name: run(['uname', '-n']) }),
]

// A name server that never answers, as behind a firewall. Two looks of two seconds each, so that sudo passes the limit of one second.
const SILENT = `require('node:dgram').createSocket('udp4').bind(53, '127.0.0.1', () => require('node:fs').writeFileSync(process.argv[1], ''))`

describeUnless(missing, 'a host that cannot resolve its own name', () => {
  let folder = ''
  let captures = new Map<string, string>()
  let failure: { readonly code: string; readonly detail: string } | null = null
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bw-slow-'))
    spawnSync('userdel', ['-rf', USER])
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', USER])
    writeFileSync(DROP_IN, `${USER} ALL=(root) NOPASSWD: /usr/bin/id -u\n`, { mode: 0o440 })
    writeFileSync(join(folder, 'resolv'), 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n', { mode: 0o644 })
    writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n', { mode: 0o644 })
    writeFileSync(join(folder, 'nsswitch'), 'passwd: files\ngroup: files\nhosts: files dns\n', { mode: 0o644 })
    const inside = [
      'hostname gpu-07',
      'ip link set lo up',
      ...[
        ['resolv', '/etc/resolv.conf'],
        ['hosts', '/etc/hosts'],
        ['nsswitch', '/etc/nsswitch.conf'],
      ].map(([from, to]) => `mount --bind "$1/${from}" "$(readlink -f ${to})"`),
      `"$2" -e "$3" "$1/ready" &`,
      'while [ ! -e "$1/ready" ]; do sleep 0.1; done',
      `su -s /bin/sh ${USER} -c "sh -s"`,
      'kill $!',
    ].join('\n')
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-m', '-n', '-u', 'sh', '-c', inside, 'sh', folder, process.execPath, SILENT],
      { input: printableCollector(probes, realEntropy, { sudo: true }) },
    )
    const { node } = targetOf('gpu-07', { sudo: true })
    const imported = importTranscript(
      { stdout, stderr, node, run: 'r1', importedAt: realClock.now() },
      catalogOf(probes),
    )
    if (!imported.ok) throw new Error(`${imported.error.detail} ${stderr}`)
    captures = new Map(imported.value.captures.map(({ meta }) => [meta.command, meta.status]))
    failure = imported.value.recording.outcome.failure
  })
  afterAll(() => {
    rmSync(DROP_IN, { force: true })
    rmSync(folder, { recursive: true, force: true })
    spawnSync('userdel', ['-rf', USER])
  })

  test('what needs no sudo is answered, and sudo is given up after three time-outs', () => {
    expect(Object.fromEntries(captures)).toEqual({
      name: 'done',
      a: 'timed-out',
      b: 'timed-out',
      c: 'timed-out',
      d: 'not-asked',
      e: 'not-asked',
    })
  })
  test('the recording names what sudo printed', () => {
    expect(failure).toMatchObject({
      code: 'collector.sudo-slow',
      detail: expect.stringContaining('unable to resolve host gpu-07'),
    })
  })
})
