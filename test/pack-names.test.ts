import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packs } from '../main/adapters/pack/index.ts'
import { folderOfTest } from './support/folders.ts'
import { codeOf, must } from './support/outcomes.ts'
import { leaveReserved, withoutLinks } from './support/without-links.ts'

// A finished archive is given its name. On a file system without links an empty file reserves the name first, and is left by a process that is
// killed then.

const ARCHIVE = 'the archive'

/** An archive without its name, and the name. */
function prepared(): { readonly from: string; readonly to: string } {
  const folder = folderOfTest('pack-names')
  const to = join(folder, 'a.zip')
  const from = `${to}.prepared`
  writeFileSync(from, ARCHIVE, { mode: 0o600 })
  return { from, to }
}

test.each([
  ['with links', () => undefined],
  ['without links', withoutLinks],
])('an archive gets its name on a file system %s', async (_, fileSystem) => {
  const { from, to } = prepared()
  fileSystem()
  expect(codeOf(await packs.publish(from, to))).toBe('ok')
  expect([readFileSync(to, 'utf8'), existsSync(from)]).toEqual([ARCHIVE, false])
})

test('a name that a killed process had reserved is taken over', async () => {
  const { from, to } = prepared()
  writeFileSync(to, '', { mode: 0o600 })
  withoutLinks()
  expect(codeOf(await packs.publish(from, to))).toBe('ok')
  expect([readFileSync(to, 'utf8'), existsSync(from)]).toEqual([ARCHIVE, false])
})

const FILES = new Map([['data/a', new Uint8Array([1])]])

/** A name that a killed process, or the one of this number, had reserved. */
function left(by?: number): { readonly to: string; readonly part: string } {
  const to = join(folderOfTest('pack-names'), 'a.zip')
  return { to, part: leaveReserved(to, by) }
}

test('a new archive takes over a name that a killed process had reserved for its own', async () => {
  const { to } = left()
  withoutLinks()
  expect(await packs.isFree(to)).toBe(true)
  expect(codeOf(await packs.write(to, FILES))).toBe('ok')
  expect(readdirSync(dirname(to))).toEqual(['a.zip'])
  const written = must(await packs.open(to))
  expect(written.paths).toEqual(['data/a'])
  await written.close()
  expect(await packs.isFree(to)).toBe(false)
  expect(codeOf(await packs.write(to, FILES))).toBe('input.refused')
})

test('an archive that this process ended with, under the same number, is one that was left', async () => {
  const { to } = left(process.pid)
  withoutLinks()
  expect(codeOf(await packs.write(to, FILES))).toBe('ok')
})

test('of several that write a new archive at once, none replaces what another one wrote', async () => {
  const { to } = left()
  withoutLinks()
  const codes = (await Promise.all([1, 2, 3, 4].map(() => packs.write(to, FILES)))).map(codeOf)
  expect(codes.filter((code) => code === 'ok').length).toBeLessThanOrEqual(1)
  expect(codeOf(await packs.write(to, FILES))).toBe(codes.includes('ok') ? 'input.refused' : 'ok')
})

const EARLIER = new Date(Date.now() - 60_000)
test.each<[string, () => ReturnType<typeof left>, boolean]>([
  ['where there are links', left, true],
  ['while another process writes an archive of this name', () => left(process.ppid), false],
  [
    'without an archive of a killed process',
    () => {
      const made = left()
      rmSync(made.part)
      return made
    },
    false,
  ],
  [
    'where the file is older than the archive',
    () => {
      const made = left()
      utimesSync(made.to, EARLIER, EARLIER)
      return made
    },
    false,
  ],
  [
    'where the file has content',
    () => {
      const made = left()
      writeFileSync(made.to, 'x')
      return made
    },
    false,
  ],
])('a new archive takes no name over %s', async (_, make, hasLinks) => {
  const { to } = make()
  const before = lstatSync(to, { bigint: true })
  if (!hasLinks) withoutLinks()
  expect(await packs.isFree(to)).toBe(false)
  expect(codeOf(await packs.write(to, FILES))).toBe('input.refused')
  const after = lstatSync(to, { bigint: true })
  expect([after.ino, after.size, after.mode]).toEqual([before.ino, before.size, before.mode])
})

test.each<[string, (to: string) => void, boolean]>([
  ['an empty file where there are links', (to) => writeFileSync(to, '', { mode: 0o600 }), true],
  ['a file with content', (to) => writeFileSync(to, 'x', { mode: 0o600 }), false],
  [
    'an empty file that is older than the archive',
    (to) => {
      writeFileSync(to, '', { mode: 0o600 })
      utimesSync(to, EARLIER, EARLIER)
    },
    false,
  ],
  [
    'an empty file with other rights',
    (to) => {
      writeFileSync(to, '')
      chmodSync(to, 0o644)
    },
    false,
  ],
  [
    'a link to an empty file',
    (to) => {
      writeFileSync(`${to}.other`, '', { mode: 0o600 })
      symlinkSync(`${to}.other`, to)
    },
    false,
  ],
  ['a folder', (to) => void mkdirSync(to), false],
])('%s is left as it is', async (_, make, hasLinks) => {
  const { from, to } = prepared()
  make(to)
  const before = lstatSync(to, { bigint: true })
  if (!hasLinks) withoutLinks()
  expect(codeOf(await packs.publish(from, to))).toBe('input.refused')
  const after = lstatSync(to, { bigint: true })
  expect([after.ino, after.size, after.mode]).toEqual([before.ino, before.size, before.mode])
  expect(readFileSync(from, 'utf8')).toBe(ARCHIVE)
})
