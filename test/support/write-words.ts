import { readFileSync, writeFileSync } from 'node:fs'
import { glossaryPage } from './glossary.ts'
import { countHits, hitsOf, lintedFiles } from './words-lint.ts'

// Writes docs/glossary.md from schemas/terms.ts, and the counts of words that are still to be replaced. The sum of these counts may only
// shrink: growth is refused, unless --allow-growth states that a list of words has become longer.

const baselineFile = new URL('../words-lint.baseline.json', import.meta.url)
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0)

writeFileSync(new URL('../../docs/glossary.md', import.meta.url), glossaryPage())

const before = sum(JSON.parse(readFileSync(baselineFile, 'utf8')) as Record<string, number>)
const counts = countHits(lintedFiles().flatMap(hitsOf))
const now = sum(counts)
if (now > before && !process.argv.includes('--allow-growth')) {
  process.stderr.write(`${now} words to replace, ${before} before. Replace them, or pass --allow-growth.\n`)
  process.exitCode = 1
} else {
  writeFileSync(baselineFile, `${JSON.stringify(counts, null, 2)}\n`)
  process.stdout.write(`${now} words to replace, ${before} before.\n`)
}
