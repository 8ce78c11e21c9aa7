import { readFileSync } from 'node:fs'
import renames from './renames.json' with { type: 'json' }

/**
 * `tsx test/support/behaviour/compare.ts BEFORE AFTER`: compares two files of `print.ts`. What `renames.json` names may have changed its
 * name: keys of objects, where one key may have become several, and strings that are exactly such a value. Sentences (the keys under
 * `texts`) may differ and are counted; any other difference is printed, the first hundred of them, and the status is 1.
 */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type Table = Readonly<Record<string, string>>
const KEYS: Readonly<Record<string, readonly string[]>> = renames.keys
const VALUES: Table = renames.values
const TEXTS: ReadonlySet<string> = new Set(renames.texts)
const PRINTED = 100

const read = (file: string): ReadonlyMap<string, Json> =>
  new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly about: string; readonly value: Json })
      .map(({ about, value }) => [about, value]),
  )

let sentences = 0
const problems: string[] = []
const short = (value: Json | undefined): string => (JSON.stringify(value) ?? 'absent').slice(0, 160)

function compare(at: string, key: string, before: Json | undefined, after: Json | undefined): void {
  if (before === after || (typeof before === 'string' && VALUES[before] === after)) return
  if (before !== null && after !== null && typeof before === 'object' && typeof after === 'object') {
    const [was, is] = [before, after] as readonly Readonly<Record<string, Json>>[]
    // An element of a list of sentences is a sentence as well.
    // A key keeps its name where other objects keep theirs.
    const taken = new Set<string>()
    for (const one of Object.keys(was ?? {})) {
      const names = [one, ...(KEYS[one] ?? []), VALUES[one] ?? one]
      const name = names.find((each) => is?.[each] !== undefined) ?? one
      taken.add(name)
      compare(`${at}.${name}`, Array.isArray(after) ? key : name, was?.[one], is?.[name])
    }
    for (const one of Object.keys(is ?? {})) if (!taken.has(one)) compare(`${at}.${one}`, one, undefined, is?.[one])
    return
  }
  if (TEXTS.has(key) && typeof before === 'string' && typeof after === 'string') sentences += 1
  else problems.push(`${at}: ${short(before)} is now ${short(after)}`)
}

const [before, after] = process.argv.slice(2, 4)
if (before === undefined || after === undefined) throw new Error('usage: compare.ts BEFORE AFTER')
const was = read(before)
const is = read(after)
for (const about of new Set([...was.keys(), ...is.keys()])) {
  const held = was.get(about)
  compare(about, '', held, is.get(about))
}
for (const problem of problems.slice(0, PRINTED)) process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${is.size} items compared: ${problems.length} differences that no renaming explains, ${sentences} sentences in other words\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1
