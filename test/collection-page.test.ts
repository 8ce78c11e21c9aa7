import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LEVELS, SEARCHED, setuidFiles } from '../main/catalog/access/setuid/index.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { SLOW_SUDO } from '../main/core/collector/plan.ts'
import { SERVICE_STARTERS } from '../main/core/recording/command-allowlist.ts'

/** The page without its line breaks. */
const page = readFileSync(new URL('../docs/what-a-collection-touches.md', import.meta.url), 'utf8').replaceAll(
  /\s+/g,
  ' ',
)

const commands = catalog.probes.flatMap((probe) =>
  Object.values(probe.commands).flatMap((command) => (command.kind === 'run' ? [command] : [])),
)
const inWords = (count: number): string =>
  ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][count] ?? String(count)
const code = (texts: readonly string[]): readonly string[] => texts.map((text) => `\`${text}\``)

type Listed = (typeof catalog.probes)[number]
const runsOf = (probe: Listed) => Object.values(probe.commands).flatMap((one) => (one.kind === 'run' ? [one] : []))
const argvsOf = (probe: Listed): readonly (readonly unknown[])[] => runsOf(probe).map(({ argv }) => argv)
const limitOf = (probe: Listed): number | undefined => runsOf(probe)[0]?.timeoutSeconds
const roots = ['/home', '/root']

/** Figures of a measurement stand behind the catalog that was measured; every other count of the page is in one of these tests. */
describe('docs/what-a-collection-touches.md', () => {
  test('commands, and those for root', () => {
    const root = commands.filter(({ as }) => as === 'root')
    expect(page).toContain(`The catalog has ${commands.length} commands, ${root.length} of them for root.`)
  })

  test('the search of folders', () => {
    const folders = code(SEARCHED)
    expect(page).toContain(
      `in ${folders.slice(0, -1).join(', ')} and ${folders.at(-1)}, down to ${inWords(LEVELS)} levels`,
    )
    expect(page).toContain(`is ended after ${limitOf(setuidFiles)} seconds. With`)
    const searching = catalog.probes.filter((probe) => argvsOf(probe).some(([program]) => program === 'find'))
    expect(searching.map(({ id }) => id).sort()).toEqual(['authorized-keys', 'setuid.files'])
    expect(page).toContain(
      `${inWords(searching.length)} probes search folders`.replace(/^./, (first) => first.toUpperCase()),
    )
  })

  test('the search for authorized keys', () => {
    const keys = catalog.probes.filter(({ id }) => id === 'authorized-keys')
    const [files = [], links = [], ...more] = keys.flatMap(argvsOf).filter(([program]) => program === 'find')
    expect(more).toEqual([])
    expect([files, links].map((argv) => argv.slice(2, 4))).toEqual([roots, roots])
    expect(page).toContain(`One looks in ${code(roots).join(' and ')}`)
    expect(files).not.toContain('-maxdepth')
    expect(links[links.indexOf('-maxdepth') + 1]).toBe('2')
    const limits = commands.filter(({ argv }) => argv === files || argv === links).map((one) => one.timeoutSeconds)
    expect(limits).toEqual([30, 30])
    expect(page).toContain('each of its two commands is ended after 30 seconds')
  })

  test('packages whose lists of files are read', () => {
    const rpm = catalog.probes.filter(({ id }) => id === 'packages.programs-rpm').flatMap(argvsOf)[0] ?? []
    expect(rpm.slice(0, 3)).toEqual(['rpm', '-q', '--qf'])
    expect(page).toContain(`the files of ${rpm.length - 4} packages.`)
  })

  test('commands that use D-Bus', () => {
    const users = commands.filter(({ argv }) => argv[0] === 'busctl')
    expect(users.every(({ argv }) => argv.includes('--auto-start=no'))).toBe(true)
    expect(page).toContain(`The ${inWords(users.length)} commands that use D-Bus`)
    const [, refused = ''] = /\(`SERVICE_STARTERS` in `main\/core\/`\): (.*?) and others/.exec(page) ?? []
    const named = [...refused.matchAll(/`([^`]+)`/g)].map(([, program = '']) => program)
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter((program) => !SERVICE_STARTERS.includes(program))).toEqual([])
  })

  test('commands after which sudo is no longer used', () => {
    expect(page).toContain(`After ${inWords(SLOW_SUDO)} commands in a row that sudo did not complete in time`)
  })

  test('no other count of the catalog is on the page', () => {
    const counts = page
      .replaceAll(/Measured with catalog .*? more of them\./g, '')
      .match(/\b\d+ (?:commands|probes|checks|packages)\b/g)
    expect(counts).toEqual([`${commands.length} commands`, expect.stringMatching(/^\d+ packages$/)])
  })
})
