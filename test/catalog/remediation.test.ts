import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import {
  filled,
  loadRemediations,
  REMEDIATIONS,
  remediationOf,
  variantsFor,
} from '../../main/catalog/definition/remediation.ts'
import { SEVERITIES } from '../../main/catalog/definition/subjects.ts'
import type { CheckRemediation } from '../../main/core/finding/work-order.ts'
import type { RemediationVariant } from '../../schemas/types.ts'
import { catalogData, catalogDataProblems } from '../support/catalog-data.ts'

const variants = REMEDIATIONS.flatMap(({ check, steps }) => steps.map((variant) => ({ check, variant })))
const place = ({ check, variant }: (typeof variants)[number]): string => `${check}: ${variant.title}`

describe('every check has a remediation', () => {
  const ids = catalog.checks.map(({ id }) => id).sort()

  test('and no other has one', () => expect(REMEDIATIONS.map(({ check }) => check).sort()).toEqual(ids))

  test('checks that the same change settles are checks of the catalog, and never the check itself', () => {
    for (const { check, alsoSettles } of REMEDIATIONS) {
      expect(alsoSettles, check).not.toContain(check)
      expect(alsoSettles.filter((id) => !ids.includes(id))).toEqual([])
    }
  })

  test('who can change it is what the severity of the check states', () => {
    const words = { tenant: 'tenant can fix', provider: 'provider must fix', both: 'both' } as const
    const remedies = new Map(SEVERITIES.map(({ check, remedy }) => [check, remedy]))
    for (const { check, whoCanChange } of REMEDIATIONS) expect(words[whoCanChange], check).toBe(remedies.get(check))
  })

  test('every family of distributions has steps', () => {
    for (const one of REMEDIATIONS)
      for (const family of ['debian', 'rhel', 'suse'] as const)
        expect(variantsFor(one, family), `${one.check} on ${family}`).not.toEqual([])
  })

  test('a check that the provider has to change names what to request from whom', () => {
    const silent = REMEDIATIONS.filter(
      ({ whoCanChange, steps }) =>
        whoCanChange !== 'tenant' && !steps.some(({ ask = [] }) => ask.some((one) => one.of === 'provider')),
    )
    expect(silent.map(({ check }) => check)).toEqual([])
  })
})

describe('every variant', () => {
  test('has a step to verify it', () => {
    for (const one of variants) {
      const { command, inspect, expected } = one.variant.verify
      expect(
        [command, inspect].filter((text) => text !== undefined && text.trim() !== ''),
        place(one),
      ).toHaveLength(1)
      expect(expected.trim(), place(one)).not.toBe('')
    }
  })

  test('has inputs for what its lines use, and no others', () => {
    for (const one of variants) {
      const { inputs = [], files = [], prepare = [], commands = [], verify } = one.variant
      const lines = [...prepare, ...commands].join('\n')
      const text = [lines, ...files.map(({ content }) => content)].join('\n')
      const used = new Set([...text.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name))
      const names = inputs.map(({ name }) => name)
      // Variables that the lines or the shell set themselves.
      const own = [...used].filter((name) => name !== 'TMOUT' && !names.includes(name ?? ''))
      expect(own, place(one)).toEqual([])
      const unused = names.filter((name) => !used.has(name) && !(verify.command ?? '').includes(`$${name}`))
      expect(unused, place(one)).toEqual([])
    }
  })

  test('is a script that sh can read', () => {
    const script = variants
      .map(({ variant: { prepare = [], commands = [], verify } }) =>
        ['(', ...prepare, ...commands, ...(verify.command === undefined ? [] : [verify.command]), 'true', ')'].join(
          '\n',
        ),
      )
      .join('\n')
    expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  test('answers with known evidence requests', () => {
    const known = new Set(catalog.requests.map(({ id }) => id))
    for (const one of variants)
      for (const { request } of one.variant.ask ?? [])
        if (request !== undefined) expect(known, place(one)).toContain(request)
  })

  test('has a title of its own within its check and family', () => {
    for (const { check, steps } of REMEDIATIONS)
      for (const family of ['debian', 'rhel', 'suse'] as const) {
        const titles = steps.filter(({ families }) => families.includes(family) || families.includes('any'))
        expect(new Set(titles.map(({ title }) => title)).size, check).toBe(titles.length)
      }
  })
})

describe('the data', () => {
  const data = catalogData()
  const [first] = REMEDIATIONS as readonly [CheckRemediation, ...CheckRemediation[]]
  const [variant] = first.steps as readonly [RemediationVariant, ...RemediationVariant[]]
  const with_ = (changes: Partial<CheckRemediation>): readonly CheckRemediation[] => [{ ...first, ...changes }]

  test('is what its schema describes', () => {
    expect(catalogDataProblems(data)).toEqual([])
    const accounts = {
      checks: (data.subjects.accounts?.checks ?? []).map(({ remediation, ...check }) => ({
        ...check,
        remediation: { ...remediation, sideEffects: ' ' },
      })),
    }
    expect(catalogDataProblems({ ...data, subjects: { ...data.subjects, accounts } })).not.toEqual([])
  })

  test.each([
    ['an unknown check', with_({ check: 'access.unheard-of' }), 'no check'],
    ['an unknown check that it settles', with_({ alsoSettles: ['access.unheard-of'] }), 'no check'],
    ['no steps', with_({ steps: [] }), 'no steps'],
    ['no way to verify', with_({ steps: [{ ...variant, verify: { expected: 'yes' } }] }), 'verified'],
    ['no family', with_({ steps: [{ ...variant, families: [] }] }), 'family'],
    [
      'steps that change nothing',
      with_({ steps: [{ title: 'x', families: ['any'], verify: { command: 'true', expected: 'yes' } }] }),
      'nothing',
    ],
    [
      'a placeholder without an input',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the data
      with_({ steps: [{ ...variant, files: [{ path: '/etc/x', content: '${NAME}\n' }] }] }),
      'NAME',
    ],
  ])('%s is refused', (_name, wrong, words) => expect(() => loadRemediations(wrong)).toThrow(words))

  test('a check that is listed twice is refused', () => expect(() => loadRemediations([first, first])).toThrow('twice'))
})

test('steps of another family are left out, and none where the family is not known', () => {
  const one = remediationOf('vuln.patch-level')
  expect(one).toBeDefined()
  if (one === undefined) return
  expect(variantsFor(one, 'suse').every(({ families }) => families.includes('suse'))).toBe(true)
  expect(variantsFor(one, null)).toEqual(one.steps)
  expect(remediationOf('access.unheard-of')).toBeUndefined()
})

test('a placeholder gets its value, and stays without one', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the data
  expect(filled('a ${ONE} ${TWO}\n', new Map([['ONE', '1$&']]))).toBe('a 1$& ${TWO}\n')
})
