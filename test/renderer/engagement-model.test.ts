import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lacksIn } from '../../main/core/engagement/form.ts'
import {
  blankForm,
  categoriesLine,
  joinedForm,
  linesIn,
  nodesIn,
  notIn,
  rowsIn,
  rowsShown,
  rowsText,
  sectionState,
  unsavedSections,
  withCategory,
  withOwner,
} from '../../renderer/models/engagement-model.ts'
import { engagementSectionWords } from '../../schemas/engagement-words.ts'
import { ENGAGEMENT_SECTIONS } from '../../schemas/ipc-engagement.ts'
import { fakeEngagement } from '../support/fake-provider.ts'

const { schema: _, inventory: __, ...FORM } = fakeEngagement
const NOTHING_KNOWN = { checks: new Set<string>(), rows: new Map<string, ReadonlySet<string>>() }

describe('sections of an engagement', () => {
  test('only what was changed is not saved', () => {
    expect([...unsavedSections(FORM, FORM)]).toEqual([])
    expect([...unsavedSections({ ...FORM, entity: 'Another' }, FORM)]).toEqual(['who'])
    const moved = { ...FORM, ephi: { ...FORM.ephi, owner: 'J. Chen' }, signOff: [] }
    expect([...unsavedSections(moved, FORM)]).toEqual(['ephi'])
    expect([...unsavedSections(FORM, null)]).toEqual([...ENGAGEMENT_SECTIONS])
  })

  test('sections that two people changed are joined, and one that both changed is named and keeps what was typed here', () => {
    const typed = { ...FORM, ephi: { ...FORM.ephi, owner: 'J. Chen' } }
    const other = { ...FORM, entity: 'Another', fieldwork: null, population: { ...FORM.population, owner: 'R. Vega' } }
    expect(joinedForm(typed, FORM, FORM)).toEqual({ form: typed, both: [] })
    expect(joinedForm(typed, FORM, other)).toEqual({ form: { ...other, ephi: typed.ephi }, both: [] })
    const { fieldwork: _fieldwork, ...without } = { ...FORM, entity: 'Mine' }
    expect(joinedForm(without, FORM, other)).toEqual({
      form: { ...without, population: other.population },
      both: ['who'],
    })
    expect(joinedForm(other, FORM, other)).toEqual({ form: other, both: [] })
  })

  test.each([
    ['saved and whole', FORM, FORM, [], 'boundary', 'complete'],
    ['a list that names nothing', FORM, FORM, [], 'sign-off', 'empty'],
    ['saved, and something is missing', FORM, FORM, [{ section: 'boundary', text: 'x' }], 'boundary', 'missing'],
    ['changed since', { ...FORM, entity: '' }, FORM, [{ section: 'who', text: 'x' }], 'who', 'unsaved'],
    ['missing elsewhere', FORM, FORM, [{ section: 'who', text: 'x' }], 'boundary', 'complete'],
  ] as const)('%s', (_name, form, saved, lacks, section, is) =>
    expect(sectionState(form, { lacks: [...lacks], form: saved }, section).is).toBe(is),
  )

  test('a blank form lacks something in every section that is not a list alone, and a whole one nothing', () => {
    const lacking = new Set(lacksIn(blankForm('2026-11-20'), NOTHING_KNOWN).map(({ section }) => section))
    expect([...lacking]).toEqual(['who', 'boundary', 'ephi', 'population'])
    expect(lacksIn(FORM, NOTHING_KNOWN)).toEqual([])
  })

  test('the owner of the engagement is the owner of its sections, except where another one is named', () => {
    const blank = blankForm('2026-11-20', ['gpu-01'])
    expect(blank.population.nodes).toEqual(['gpu-01'])
    const typed = withOwner(withOwner(blank, 'M'), 'M. Ortiz')
    const owners = ({ owner, boundary, ephi, population }: typeof blank) => [
      owner,
      boundary.owner,
      ephi.owner,
      population.owner,
    ]
    expect(owners(typed)).toEqual(['M. Ortiz', 'M. Ortiz', 'M. Ortiz', 'M. Ortiz'])
    const other = { ...typed, ephi: { ...typed.ephi, owner: 'J. Chen' } }
    expect(owners(withOwner(other, 'R. Vega'))).toEqual(['R. Vega', 'R. Vega', 'J. Chen', 'R. Vega'])
  })

  test('each has a name', () => {
    for (const section of ENGAGEMENT_SECTIONS) expect(engagementSectionWords[section].meaning).toMatch(/\.$/)
  })
})

describe('lists as text', () => {
  test.each([
    ['soc2:CC6.4', [{ framework: 'soc2', control: 'soc2:CC6.4' }]],
    [
      'SOC2 CC6.4\n\n hipaa 164.310(a)(1) ',
      [
        { framework: 'soc2', control: 'CC6.4' },
        { framework: 'hipaa', control: '164.310(a)(1)' },
      ],
    ],
    ['CC6.4', [{ framework: 'unknown', control: 'CC6.4' }]],
    ['', []],
  ] as const)('rows: %j', (text, rows) => {
    expect(rowsIn(text)).toEqual(rows)
    expect(rowsIn(rowsText(rows))).toEqual(rows)
  })

  test('controls are read by the names of their frameworks', () => {
    const rows = [
      { framework: 'soc2', control: 'soc2:CC6.1' },
      { framework: 'hipaa', control: '164.310(a)(1)' },
      { framework: 'house-rules', control: 'house-rules:h-1' },
      { framework: 'unknown', control: 'X' },
    ]
    expect(rowsShown(rows)).toBe('SOC 2 CC6.1, HIPAA 164.310(a)(1), house-rules h-1, X')
  })

  test('nodes: pasted with commas, spaces or one a line, each once, as fleet files write them', () => {
    expect(nodesIn('DB-1, db-2;db-1\n\tgpu-3 ')).toEqual(['db-1', 'db-2', 'gpu-3'])
    expect(linesIn(' a \n\na\nb c')).toEqual(['a', 'b c'])
  })

  test('nodes of the fleet are offered that the population does not list', () => {
    expect(notIn(['db-2'], ['db-1', 'db-2', 'gpu-3'])).toEqual(['db-1', 'gpu-3'])
    expect(notIn(['db-1', 'db-2'], ['db-2', 'db-1'])).toEqual([])
  })

  test('what is typed never throws, and what it means is written in a way that means the same', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const rows = rowsIn(text)
        for (const { framework, control } of rows) {
          expect(framework.length).toBeLessThanOrEqual(40)
          expect(control.length).toBeLessThanOrEqual(100)
        }
        expect(nodesIn(nodesIn(text).join('\n'))).toEqual(nodesIn(text))
      }),
    )
  })
})

describe('SOC 2 categories', () => {
  test.each([
    [undefined, 'Security'],
    [[], 'Security'],
    [['privacy', 'availability'], 'Security, Availability, Privacy'],
    [
      ['availability', 'confidentiality', 'processing-integrity', 'privacy'],
      'Security, Availability, Confidentiality, Processing Integrity, Privacy',
    ],
  ] as const)('%j', (categories, line) =>
    expect(categoriesLine(categories === undefined ? {} : { categories })).toBe(line),
  )
  test('are elected and left out again, in the order of the criteria', () => {
    const one = withCategory({}, 'privacy', true)
    const two = withCategory({ categories: one }, 'availability', true)
    expect([one, two, withCategory({ categories: two }, 'privacy', false)]).toEqual([
      ['privacy'],
      ['availability', 'privacy'],
      ['availability'],
    ])
  })
  test('belong to the first section, and a form made without the question has nothing unsaved', () => {
    const { categories: _, ...earlier } = blankForm('2026-11-20')
    expect(unsavedSections(blankForm('2026-11-20'), earlier)).toEqual(new Set())
    expect(unsavedSections({ ...earlier, categories: ['privacy'] }, earlier)).toEqual(new Set(['who']))
  })
})
