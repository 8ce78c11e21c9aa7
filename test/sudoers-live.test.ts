import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { LIVE_PROBES } from '../main/catalog/single-tenancy/isolation/processors/live-tests.ts'
import { rootCommands, sudoersFor } from '../main/core/collector/sudoers.ts'
import { runAsRoot } from '../main/core/recording/probe.ts'
import { probeOf } from './support/deps.ts'

const hasVisudo = spawnSync('visudo', ['-V']).status === 0
const probes = [probeOf('a.plain', { one: runAsRoot(['dmidecode']) }), ...LIVE_PROBES]

describe('the sudoers drop-in and live tests', () => {
  test('their lines are in it only when wanted', () => {
    expect(rootCommands(probes).map(({ argv }) => argv[0])).toEqual(['dmidecode'])
    expect(rootCommands(probes, { liveTests: true }).length).toBeGreaterThan(5)
    expect(sudoersFor(rootCommands(probes), { user: 'bw' })).not.toMatch(/taskset|EXEC/)
  })
  test('only the lines of taskset may start another program, and each names it', () => {
    const text = sudoersFor(rootCommands(probes, { liveTests: true }), { user: 'bw' })
    const [own = '', pinned = ''] = text.split('# Live tests')
    expect(own).toContain('noexec')
    expect(own).not.toContain('taskset')
    expect(pinned).toContain('bw ALL=(root) NOPASSWD: EXEC: BAREWITNESS_PINNED')
    const lines = pinned.split('\n').filter((line) => line.includes('/taskset'))
    expect(lines.length).toBeGreaterThan(0)
    expect(
      lines.filter((line) => !/\/taskset -c 0 dd if\\=\/dev\/cpu\/0\/(cpuid|msr) of\\=\/dev\/null /.test(line)),
    ).toEqual([])
    // The same question five times is one line for each folder of programs.
    expect(new Set(lines).size).toBe(lines.length)
  })
  test.skipIf(!hasVisudo)('visudo accepts it (skipped where visudo is absent)', () => {
    const input = sudoersFor(rootCommands(probes, { liveTests: true }), { user: 'bwaudit' })
    const { status, stdout, stderr } = spawnSync('visudo', ['-cf', '-'], { input, encoding: 'utf8' })
    expect(status === 0 ? 'ok' : stdout + stderr).toBe('ok')
  })
})
