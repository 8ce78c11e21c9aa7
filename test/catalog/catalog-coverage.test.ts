import { describe, expect, test } from 'vitest'
import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { checkListing, thresholdListing } from '../../main/catalog/definition/listing.ts'
import { OFF_NODE_CHECKS, VOCABULARY } from '../../main/catalog/definition/subjects.ts'
import { catalogSnapshot } from '../../main/core/rules/catalog.ts'
import { conclude } from '../../main/core/rules/check.ts'
import type { ThresholdValue } from '../../main/core/rules/profile.ts'
import { documentsOf } from '../../main/core/rules/requests.ts'
import assessmentSchema from '../../schemas/assessment.schema.json' with { type: 'json' }
import { BANNED } from '../../schemas/words.ts'
import { checks, fixtures } from '../support/evaluated.ts'

const built = new Set(checks.map(({ id }) => id))
const given = new Set(OFF_NODE_CHECKS.map(({ id }) => id))
const mapped = new Set(
  catalog.frameworks.flatMap(({ controls }) => controls.flatMap(({ mappings }) => mappings.map(({ check }) => check))),
)

describe('every idea of the vocabulary', () => {
  test('is built, or has a reason why no server can answer it; never both', () => {
    const places = ({ id }: { readonly id: string }): number => [built, given].filter((some) => some.has(id)).length
    expect(VOCABULARY.filter((entry) => places(entry) !== 1).map(({ id }) => id)).toEqual([])
  })

  test('nothing else is given up, and what is given up would feed a row', () => {
    const ids = new Set(VOCABULARY.map(({ id }) => id))
    expect(OFF_NODE_CHECKS.filter(({ id }) => !ids.has(id) || !mapped.has(id))).toEqual([])
    expect(given.size).toBe(OFF_NODE_CHECKS.length)
  })
})

describe('what servers cannot answer', () => {
  test('has its reason in a sentence, and what answers it instead', () => {
    for (const { id, source, why } of OFF_NODE_CHECKS) {
      expect(why, id).toMatch(/\.$/)
      for (const word of BANNED) expect(why, id).not.toMatch(word)
      const serving = catalog.requests.filter(({ serves }) => serves.includes(id))
      if (source === 'document')
        expect(
          serving.map(({ heldBy }) => heldBy),
          id,
        ).toEqual(['document'])
    }
  })

  test('no control asks for the same document twice', () => {
    for (const control of catalog.frameworks.flatMap(({ controls }) => controls)) {
      const titles = documentsOf(catalog, control).map(({ title }) => title)
      expect(new Set(titles).size, control.key).toBe(titles.length)
    }
  })

  test('is in the pack’s copy of the catalog', () =>
    expect(catalogSnapshot(catalog)).toMatchObject({ offNodeChecks: OFF_NODE_CHECKS, thresholds: THRESHOLDS }))
})

describe('thresholds', () => {
  test('the schema knows exactly the ones that there are', () =>
    expect(assessmentSchema.$defs.ThresholdChange.properties.threshold.enum).toEqual(THRESHOLDS.map(({ id }) => id)))

  test('a check names the thresholds that it compares with: those it reads in some fixture, and no others', () => {
    const wrong = checks.flatMap((check) => {
      const read = new Set<string>()
      for (const { readings, context } of fixtures) {
        const thresholds = new (class extends Map<string, ThresholdValue> {
          override get(id: string): ThresholdValue | undefined {
            read.add(id)
            return super.get(id)
          }
        })(context.thresholds)
        conclude(check, readings, { ...context, thresholds })
      }
      const declared = [...(check.thresholds ?? [])].sort()
      return JSON.stringify([...read].sort()) === JSON.stringify(declared)
        ? []
        : [[check.id, declared, [...read].sort()]]
    })
    expect(wrong).toEqual([])
  })

  test('each is compared against by some check', () => {
    const unused = thresholdListing(catalog).filter((threshold) => threshold.checks.length === 0)
    expect(unused.map(({ id }) => id)).toEqual([])
  })
})

describe('the listing', () => {
  const listing = checkListing(catalog)

  test('has every check and everything that is given up, each with the rows it feeds in every framework', () => {
    expect(listing.map(({ id }) => id)).toEqual([...built, ...given])
    const feeds = new Map(listing.map((one) => [one.id, one.feeds]))
    for (const id of mapped) expect(feeds.get(id)?.length, id).toBeGreaterThan(0)
    const keys = catalog.frameworks.flatMap(({ id, controls }) => controls.map(({ key }) => [id, key] as const))
    expect(keys.filter(([id, key]) => !key.startsWith(`${id}:`))).toEqual([])
    expect(listing.every((one) => (one.built ? one.limitations : one.why).length > 10)).toBe(true)
  })

  test('states the value of each profile, and where it is the baseline’s', () => {
    const tries = thresholdListing(catalog).find(({ id }) => id === 'ssh.auth-tries')
    expect(tries?.values).toMatchObject({
      baseline: { value: 6, ofBaseline: false },
      cis: { value: 4, ofBaseline: false },
      stig: { value: 6, ofBaseline: true },
    })
    expect(tries?.checks).toEqual(['access.sshd.connection-limits'])
  })
})
