import { readFileSync, writeFileSync } from 'node:fs'
import { glossaryPage } from './glossary.ts'
import { namedPlaces, nameHitsOf } from './names-lint.ts'
import { countHits, type Hit, hitsOf, lintedFiles } from './words-lint.ts'

// Writes docs/glossary.md from schemas/terms.ts, and the counts of words in texts and in names that are still to be replaced. The sum of
// these counts may only shrink: growth is refused, unless --allow-growth states that a list of words has become longer.

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0)

/** Writes the counts of one list, unless they grew. */
function shrink(name: string, what: string, hits: readonly Hit[]): void {
  const file = new URL(`../${name}`, import.meta.url)
  const before = sum(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>)
  const counts = countHits(hits)
  const now = sum(counts)
  if (now > before && !process.argv.includes('--allow-growth')) {
    process.stderr.write(`${now} ${what} to replace, ${before} before. Replace them, or pass --allow-growth.\n`)
    process.exitCode = 1
    return
  }
  writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`)
  process.stdout.write(`${now} ${what} to replace, ${before} before.\n`)
}

writeFileSync(new URL('../../docs/glossary.md', import.meta.url), glossaryPage())
shrink('words-lint.baseline.json', 'words', lintedFiles().flatMap(hitsOf))
shrink('names-lint.baseline.json', 'names', namedPlaces().flatMap(nameHitsOf))
