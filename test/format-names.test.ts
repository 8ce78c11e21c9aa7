import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { periodStatement } from '../main/core/period/pack.ts'
import { partJson } from '../main/verify/disclosure/cuts/copy.ts'
import { revealBytes } from '../main/verify/disclosure/reveal.ts'
import type { Period } from '../schemas/types.ts'
import { membersOfInterface, memberTables, namesBelow, schemaAt } from './support/format-names.ts'

const FOLDER = new URL('../docs/format/', import.meta.url)
const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md'))
const page = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')

/** What a table of members describes: a part of a JSON Schema, or, for a document without one, the names in the code that writes it. */
type Described = string | { readonly members: readonly string[] }

const ENTRY = 'main/core/run-chain/entry.ts'
const entry = (name: string): Described => ({ members: membersOfInterface(ENTRY, name) })
const openPart = { class: 'text', salt: '', bytes: new Uint8Array() } as const
/** A whole file has `base64` in place of `text`. */
const OPEN_PART: readonly string[] = [
  ...new Set(['text', 'file'].flatMap((kind) => Object.keys(partJson({ ...openPart, class: kind } as never)))),
]
const keys = (value: object): { readonly members: readonly string[] } => ({ members: Object.keys(value) })

const OBJECTS: Readonly<Record<string, Described>> = {
  'pack.md, Statement: Member': 'pack-1.json#',
  'pack.md, Statement: Member of `predicate`': 'pack-1.json#/properties/predicate',
  'pack.md, Scope and results: `data/assessment.json`': 'assessment-1.json#/$defs/AssessmentIndex',
  'pack.md, Scope and results: node’s `assessment.json`': 'assessment-1.json#/$defs/NodeAssessment',
  'pack.md, Scope and results: observation in `observations`': 'assessment-1.json#/$defs/Observation',
  'pack.md, Scope and results: `data/earlier.json`': 'period-1.json#/$defs/EarlierRuns',
  'recording.md, recording.json: Member': 'recording-1.json#',
  'recording.md, recording.json: Member of `operator`': 'recording-1.json#/$defs/Operator',
  'recording.md, Captures: Member': 'recording-1.json#/$defs/Capture',
  'run-trace.md, Run trace: Member': 'trace-1.json#',
  'run-trace.md, Run trace: Member of a node': 'trace-1.json#/$defs/TracedNode',
  'period-report.md, Period pack: Member of `predicate`': keys(
    periodStatement({} as Period, { manifest: { sha256: '', evidenceDigest: '' } as never, digests: new Map() })
      .predicate as object,
  ),
  'period-report.md, Period pack: Member of `data/period.json`': 'period-1.json#',
  'period-report.md, Period pack: one of `plans`': 'period-1.json#/$defs/PlannedSpan',
  'period-report.md, Period pack: `calendar`': 'period-1.json#/$defs/Calendar',
  'period-report.md, Period pack: one of `runs`': 'period-1.json#/$defs/PeriodRun',
  'period-report.md, Period pack: one of `missedRuns`': 'period-1.json#/$defs/MissedRunRecord',
  'period-report.md, Period pack: one of `rules`': 'period-1.json#/$defs/RulesSpan',
  'period-report.md, Period pack: one of `deviations`': 'period-1.json#/$defs/Deviation',
  'period-report.md, Period pack: one of `hardwareChanges`': 'period-1.json#/$defs/HardwareChange',
  'period-report.md, Period pack: one of `controls`': 'period-1.json#/$defs/PeriodControl',
  'period-report.md, Excerpt: Member of `excerpt.json`': {
    members: membersOfInterface('main/verify/excerpt.ts', 'Excerpt'),
  },
  'run-chain.md, Run chain: Member of `chain.json`': {
    members: membersOfInterface('main/core/run-chain/notes.ts', 'StatedHead'),
  },
  'run-chain.md, Entries: `run`': entry('RunEntry'),
  'run-chain.md, Entries: `period`': entry('PeriodEntry'),
  'run-chain.md, Entries: `plan`': entry('PlanEntry'),
  'run-chain.md, Entries: `gap`': entry('GapEntry'),
  'run-chain.md, Entries: `baseline`': entry('BaselineEntry'),
  'run-chain.md, Entries: `retired`': entry('RetiredEntry'),
  'run-chain.md, Checkpoint: Member': { members: membersOfInterface('main/core/run-chain/head.ts', 'Checkpoint') },
  'redacted-copy.md, Files of a copy: line of `disclosed.jsonl`': {
    members: membersOfInterface('main/verify/disclosure/cuts/copy.ts', 'DisclosedUnit'),
  },
  'redacted-copy.md, Files of a copy: open part': { members: OPEN_PART },
  'redacted-copy.md, Files of a copy: redacted part': keys(
    partJson({ class: 'text', bucket: 8, commitment: '' } as never),
  ),
  'redacted-copy.md, Files of a copy: `disclosure.json`': {
    members: membersOfInterface('main/verify/disclosure/notes.ts', 'DisclosureNotes'),
  },
  'redacted-copy.md, Files of a copy: `policy`': {
    members: membersOfInterface('main/verify/disclosure/notes.ts', 'StatedPolicy'),
  },
  'redacted-copy.md, Files of a copy: `counts`': {
    members: membersOfInterface('main/verify/disclosure/notes.ts', 'DisclosureCounts'),
  },
  'redacted-copy.md, Files of a copy: `underivable`': {
    members: membersOfInterface('main/verify/disclosure/underivable.ts', 'Underivable'),
  },
  'redacted-copy.md, Reveal: Member': keys(
    JSON.parse(
      new TextDecoder().decode(
        revealBytes({ place: { unit: 1, of: 'path', part: 1 }, root: '' as never, part: openPart as never }),
      ),
    ) as object,
  ),
}

/** Tables that explain members of several objects, each of which has a table of its own. */
const EXPLAINS: Readonly<Record<string, readonly string[]>> = {
  'run-chain.md, Entries: Member': ['signature', ...membersOfInterface(ENTRY, 'RunEntry')],
}

/** Definitions whose members a page leaves to the schema or to another page, with the place where they are described. */
const LEFT: Readonly<Record<string, string>> = {
  'recording-1.json#/$defs/DeclaredNode': 'docs/fleet-file.md',
  'recording-1.json#/$defs/HardwarePin': 'docs/fleet-file.md',
  'engagement-1.json#': 'schemas/engagement.schema.json',
  'assessment-1.json#/$defs/Isolation': 'schemas/assessment.schema.json',
  'assessment-1.json#/$defs/ControlAssessment': 'docs/conclusions.md',
  'assessment-1.json#/$defs/Scope': 'schemas/assessment.schema.json',
  'assessment-1.json#/$defs/Reconciliation': 'schemas/assessment.schema.json',
  'assessment-1.json#/$defs/SharedIdentities': 'schemas/assessment.schema.json',
  'assessment-1.json#/$defs/ClaimResult': 'schemas/assessment.schema.json',
  'assessment-1.json#/$defs/Machine': 'schemas/assessment.schema.json',
  'location-1.json#/$defs/Location': 'schemas/location.schema.json',
}

/** Words in code font that are no member, with their meaning. */
const OTHER: Readonly<Record<string, string>> = {
  m: 'a letter of verdicts',
  c: 'a letter of verdicts',
  i: 'a letter of verdicts',
  n: 'a letter of verdicts',
  t: 'a letter of verdicts',
  r: 'a letter of verdicts',
  ignoredInDrift: 'a member of data/catalog.json',
  verdicts: 'a member of the nodes of a trace',
  readings: 'a member of the nodes of a trace',
}

const tables = pages.flatMap((name) =>
  memberTables(page(name)).map(({ object, rows }) => ({ name, key: `${name}, ${object}`, rows })),
)
const described = Object.values(OBJECTS).filter((one) => typeof one === 'string')
const stops = new Set([...described, ...Object.keys(LEFT)])

describe('the names of members in docs/format', () => {
  test('are those of an object that this test knows', () => {
    expect(tables.map(({ key }) => key).sort()).toEqual([...Object.keys(OBJECTS), ...Object.keys(EXPLAINS)].sort())
  })

  test.each(tables.filter(({ key }) => Object.hasOwn(OBJECTS, key)))('$key: all, and no other', ({ key, rows }) => {
    const object = OBJECTS[key] ?? ''
    const members = typeof object === 'string' ? Object.keys(schemaAt(object).properties as object) : object.members
    expect(rows.flatMap(({ names }) => names).sort()).toEqual([...members].sort())
  })

  test.each(tables.filter(({ key }) => Object.hasOwn(EXPLAINS, key)))(
    '$key: none that is not there',
    ({ key, rows }) => {
      const unknown = rows.flatMap(({ names }) => names).filter((name) => !EXPLAINS[key]?.includes(name))
      expect(unknown).toEqual([])
    },
  )

  const withSchema = tables.flatMap(({ name, key, rows }) => {
    const reference = OBJECTS[key]
    if (typeof reference !== 'string') return []
    const properties = schemaAt(reference).properties as Readonly<Record<string, unknown>>
    return rows.map(({ names, named }) => ({
      name,
      row: `${key}, ${names.join(', ')}`,
      named,
      siblings: Object.keys(properties),
      all: names.map((member) => namesBelow(reference, { [member]: properties[member] }, new Set())),
      own: names.map((member) => namesBelow(reference, { [member]: properties[member] }, stops)),
    }))
  })

  test.each(withSchema)('$row: what a row names is in the schema of its members', ({ named, siblings, all }) => {
    const known = new Set([...siblings, ...all.flatMap(({ members, values }) => [...members, ...values])])
    expect(named.filter((word) => !known.has(word) && !Object.hasOwn(OTHER, word))).toEqual([])
  })

  test.each(withSchema)('$row: the members below it are on the page', ({ name, own }) => {
    const text = page(name)
    const missing = own.flatMap(({ members }) => [...members].filter((member) => !text.includes(`\`${member}\``)))
    expect(missing).toEqual([])
  })

  test('a place where other members are described is a file', () => {
    for (const [reference, file] of Object.entries(LEFT)) {
      schemaAt(reference)
      expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).not.toBe('')
    }
  })
})

describe('the test finds', () => {
  const sample = '# T\n\n| Member | Content |\n|---|---|\n| `probe`, `comand` | `stdout` |\n'
  test('the members of a table and what its cells name', () => {
    expect(memberTables(sample)).toEqual([
      { object: 'T: Member', rows: [{ names: ['probe', 'comand'], named: ['stdout'] }] },
    ])
  })
  test('members below a schema, with their values', () => {
    const { members, values } = namesBelow('recording-1.json#', schemaAt('recording-1.json#'), new Set())
    expect([members.has('fingerprint'), members.has('comand'), values.has('partial')]).toEqual([true, false, true])
  })
})
