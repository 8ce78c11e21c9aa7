import { catalog } from '../../main/catalog/definition/index.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import { fixtureNames, fixtureRecording } from './fixtures.ts'

// Run as a program in another time zone and locale: prints the digest of one assessment. These nodes answer nearly every question.
const names = fixtureNames().filter((name) => /^(demo|fx-dist)-/.test(name))
const assessment = assess({
  catalog,
  scope: { fleet: 'fixtures', population: names, frameworks: ['hipaa', 'soc2', 'nprm'] },
  recordings: names.map((name) => fixtureRecording(name, catalog.probes)),
  asOf: '2026-11-21T00:00:00.000Z',
})
process.stdout.write(`${sha256(canonicalJson(assessment))}\n`)
