import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFrameReader } from '../../main/core/collector/frames.ts'
import { planOf } from '../../main/core/collector/plan.ts'
import { collectorScript } from '../../main/core/collector/script.ts'
import { runAsRoot } from '../../main/core/probe.ts'
import { sudoersFor } from '../../main/core/sudoers.ts'
import { probeOf } from '../support/deps.ts'

const USER = 'bwtest-sudo'
const DROP_IN = '/etc/sudoers.d/barewitness-test'
const missing =
  process.getuid?.() !== 0 ? 'needs root' : spawnSync('sudo', ['-V']).status !== 0 ? 'sudo is absent' : null

const probes = [
  probeOf('test.sudo', {
    who: runAsRoot(['id', '-u']),
    shadow: runAsRoot(['stat', '-c', '%a', '/etc/shadow']),
    table: runAsRoot(['dmsetup', 'table']),
  }),
]

describe.skipIf(missing !== null)(`real sudo${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  beforeAll(() => {
    spawnSync('userdel', ['-rf', USER])
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', USER])
    writeFileSync(
      DROP_IN,
      sudoersFor(
        probes.flatMap(({ commands }) => Object.values(commands).flatMap((one) => (one.kind === 'run' ? [one] : []))),
        { user: USER },
      ),
      { mode: 0o440 },
    )
  })
  afterAll(() => {
    rmSync(DROP_IN, { force: true })
    spawnSync('userdel', ['-rf', USER])
  })

  const as = (...argv: string[]) => spawnSync('su', ['-s', '/bin/sh', USER, '-c', argv.join(' ')], { encoding: 'utf8' })

  test('the wanted lines run as root, through the collector', () => {
    const plan = planOf(probes, { sudo: true, echo: false })
    const nonce = 'a'.repeat(24)
    const asked = spawnSync('su', ['-s', '/bin/sh', USER, '-c', 'sh -s'], { input: collectorScript(plan, nonce) })
    const reader = createFrameReader(nonce, plan.commands.length)
    const events = [...reader.push('stdout', asked.stdout), ...reader.push('stderr', asked.stderr)]
    const answers = events.flatMap((event) =>
      event.kind === 'frame'
        ? [
            [
              plan.commands[event.frame.index]?.command,
              event.frame.exitCode,
              Buffer.from(event.frame.stdout).toString().trim(),
            ],
          ]
        : [],
    )
    expect(answers.slice(0, 2)).toEqual([
      ['who', 0, '0'],
      ['shadow', 0, '640'],
    ])
  })

  test.each([
    'sudo -n id',
    'sudo -n id -u -n',
    'sudo -n dmsetup table --showkeys',
    'sudo -n stat -c %a /etc/shadow /etc/gshadow',
    'sudo -n stat -c %n /etc/shadow',
    'sudo -n sh -c id',
    'sudo -n cat /etc/shadow',
    'sudo -n -u nobody id -u',
    'sudo -n LD_PRELOAD=/tmp/x id -u',
  ])('refused: %s', (line) => {
    const { status, stdout } = as(line)
    expect(status).not.toBe(0)
    expect(stdout).toBe('')
  })
})
