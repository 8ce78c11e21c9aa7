import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { historyCommand } from '../../main/cli/commands/history.ts'
import { PATHS } from '../../main/core/pack/pack-files.ts'
import { commandLine } from '../support/command-line.ts'
import { must } from '../support/outcomes.ts'
import { filesIn, type PeriodKit, periodKit } from '../support/period-kit.ts'

let kit: PeriodKit

beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24, '/dev/vda2 partition 1 0 -2\n', ['node-a', 'node-b'])
  await kit.run(25, '', ['node-a'], true)
  kit.at('2026-11-27T09:00:00.000Z')
  writeFileSync(join(kit.folder, 'passphrase'), 'a long passphrase', { mode: 0o600 })
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

const cli = commandLine(() => kit.ports, historyCommand)
const history = (...argv: readonly string[]): Promise<number> => cli.run('history', ...argv)
const key = (): readonly string[] => [
  ...['--identity', 'owner', '--identity-folder', join(kit.folder, 'ids')],
  ...['--passphrase-file', join(kit.folder, 'passphrase')],
]

describe('history calendar', () => {
  test('of the only fleet, from the first run to yesterday; an unexplained missing run is a gap', async () => {
    expect(await history('calendar', '--out', kit.folder)).toBe(3)
    expect(cli.told + cli.printed).toContain('UNEXPLAINED: the run of nightly due 2026-11-26T02:00:00.000Z')
    expect(cli.told + cli.printed).toContain('Scheduled 4: took place 3, of these late 0')
  })
  test('on the day of the first run, that day', async () => {
    kit.at('2026-11-23T09:00:00.000Z')
    expect(await history('calendar', '--out', kit.folder)).not.toBe(2)
    expect(cli.told + cli.printed).toContain('2026-11-23')
    kit.at('2026-11-27T09:00:00.000Z')
  })
  test('as JSON', async () => {
    await history('calendar', '--out', kit.folder, '--to', '2026-11-25', '--json')
    const { calendar } = JSON.parse(cli.printed)
    expect(calendar.days.map(({ day, answered }: { day: string; answered: number }) => `${day} ${answered}`)).toEqual([
      '2026-11-23 2',
      '2026-11-24 2',
      '2026-11-25 1',
    ])
  })
  test.each([
    [['--fleet', 'nobody'], 'for the fleet nobody'],
    [['--from', '2026-02-30'], 'enter a first and a last day'],
    [['--from', '2026-11-25', '--to', '2026-11-23'], 'enter a first and a last day'],
  ])('%j is refused', async (argv, why) => {
    expect(await history('calendar', '--out', kit.folder, ...argv)).toBe(2)
    expect(cli.told).toContain(why)
  })
  test('of a folder without a chain is refused', async () => {
    mkdirSync(join(kit.folder, 'empty'))
    expect(await history('calendar', '--out', join(kit.folder, 'empty'))).toBe(2)
    expect(cli.told).toContain('there is no run chain')
  })
})

describe('history period and history sample', () => {
  test('seal an account with lists, a report and what was drawn; open deviations and gaps end with 3', async () => {
    const to = join(kit.folder, 'account')
    const code = await history(
      ...['period', '--out', kit.folder, '--to-folder', to, ...key()],
      ...['--engagement', 'test/fixtures/engagement/short.yaml', '--json'],
      ...['--sample', 'nodes:1:spring:2', 'runs:2:x'],
    )
    expect(cli.told).not.toMatch(/refused/)
    expect(code).toBe(3)
    // The cover is made from the sealed period, which states the engagement.
    expect(JSON.parse(cli.printed).period.engagement).toMatchObject({ entity: 'Acme Health' })
    expect(readdirSync(to).sort()).toEqual([
      ...['README.txt', 'VERIFY.txt', 'calendar.csv', 'controls.csv', 'deviations.csv', 'period-report.pdf'].map(
        (kind) => `Acme-Health_2026-11-23_2026-11-26_${kind}`,
      ),
      'period-2026-11-23-2026-11-26.barewitness.zip',
      'populations',
    ])
    const note = readFileSync(join(to, 'Acme-Health_2026-11-23_2026-11-26_README.txt'), 'utf8')
    const pack = join(to, 'period-2026-11-23-2026-11-26.barewitness.zip')
    const files = await filesIn(kit.ports, pack)
    const inPack = (name: string): string => new TextDecoder().decode(files.get(name))
    expect(inPack(PATHS.info)).toContain(/evidence digest +([0-9a-f]{64})/.exec(note)?.[1] ?? 'no digest')
    expect(inPack(PATHS.help)).toBe(readFileSync(join(to, 'Acme-Health_2026-11-23_2026-11-26_VERIFY.txt'), 'utf8'))
    expect(
      readFileSync(join(to, 'populations/nodes.csv'), 'utf8')
        .replace(/^\uFEFF/, '')
        .replaceAll('\r', '')
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'key,first run,first at,last run,last at,runs declared,runs collected,at the beginning,at the end,deviations,open deviations',
      'node-a,run-23,2026-11-23T02:10:00.000Z,run-25,2026-11-25T02:10:00.000Z,3,3,yes,yes,0,0',
      'node-b,run-23,2026-11-23T02:10:00.000Z,run-24,2026-11-24T02:10:00.000Z,2,2,yes,no,1,1',
    ])
    expect(
      await history(
        'sample',
        join(to, 'period-2026-11-23-2026-11-26.barewitness.zip'),
        '--to-folder',
        join(to, 'drawn'),
      ),
    ).toBe(0)
    expect(readdirSync(join(to, 'drawn'))).toHaveLength(1)
  })
  test.each([
    [['--sample', 'people:2:x'], 'is not LIST:SIZE:SEED'],
    [['--sample', 'nodes:0:x'], 'is not LIST:SIZE:SEED'],
    [['--to', '2026-11-27'], 'the period has not ended'],
    [['--engagement', 'absent.yaml'], 'absent.yaml'],
  ])('%j is refused', async (argv, why) => {
    const to = join(kit.folder, 'refused')
    expect(await history('period', '--out', kit.folder, '--to-folder', to, ...key(), ...argv)).toBe(2)
    expect(cli.told).toContain(why)
  })
  test('a run whose pack is missing supports nothing, and a drawn row of it states this', async () => {
    const there = join(kit.folder, 'run-24', 'run-24.barewitness.zip')
    renameSync(there, `${there}.away`)
    const made = must(await kit.account('2026-11-23', '2026-11-25', [{ population: 'runs', size: 9, seed: 's' }]))
    renameSync(`${there}.away`, there)
    expect(made.lost).toHaveLength(1)
    expect(made.period.demo).toBe(true)
    expect(made.period.calendar.counts).toMatchObject({ completed: 3, daysWith: 2 })
    expect(made.period.runs[1]).toMatchObject({ run: 'run-24', declared: 0, answered: 0, catalog: null, rules: null })
    expect(made.period.deviations).toEqual([])
    expect(made.period.notes).toContainEqual(expect.stringMatching(/^Run “run-24”.*Its pack was not available/))
    const drawn = made.period.samples[0]?.sampled ?? []
    expect(drawn.map(({ key: row, run }) => [row, run]).sort()).toEqual([
      ['run-23', 'run-23'],
      ['run-24', null],
      ['run-25', 'run-25'],
    ])
  })
})
