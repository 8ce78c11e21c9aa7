import { describe, expect, test } from 'vitest'
import { checkTally, nodesWith, otherRecords, slotsOf, treeOf } from '../../renderer/control-tree.ts'
import type { AttachmentView, RegisterView } from '../../schemas/ipc-packs.ts'
import type { ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { ControlState } from '../../schemas/words.ts'
import { VERDICTS } from '../../schemas/words.ts'
import { check, row, view } from './made-up-view.ts'

const control = (
  id: string,
  group: string,
  state: ControlState | null,
  more: Partial<ControlRow> = {},
): ControlRow => ({
  key: `hipaa:${id}`,
  id,
  title: `Title of ${id}`,
  summary: 'Encrypt what is sent.',
  level: 'required',
  group,
  evidenceClass: 'partial',
  supports: [{ check: 'encryption.in-transit.ssh-algorithms', shows: '' }],
  notShown: 'Everything else.',
  needsAlso: ['Policy', 'Agreement'],
  notFromNodes: [],
  responsibility: [],
  assessed:
    state === null
      ? null
      : {
          framework: 'hipaa',
          control: id,
          state,
          nodePart: null,
          checks: [],
          outstanding: [],
          records: { needed: 2, held: 0 },
          rationale: null,
        },
  counted: null,
  ...more,
})
const hipaa: FrameworkView = {
  id: 'hipaa',
  title: 'HIPAA',
  version: '1',
  status: '',
  overlay: false,
  controls: [
    control('312(a)', '164.312', 'not-supported'),
    control('312(b)', '164.312', 'supported'),
    control('312(c)', '164.312', null),
    control('308(a)', '164.308', 'supported', { summary: 'Assign an officer.', supports: [] }),
  ],
}

describe('the tree', () => {
  test('keeps the catalog’s order of groups and counts states with a denominator', () =>
    expect(
      treeOf([hipaa], { text: '', state: 'all' })[0]?.groups.map(({ title, total, counts }) => [title, total, counts]),
    ).toEqual([
      [
        '164.312',
        3,
        [
          { state: 'not-supported', count: 1 },
          { state: 'insufficient-evidence', count: 1 },
          { state: 'supported', count: 1 },
        ],
      ],
      ['164.308', 1, [{ state: 'supported', count: 1 }]],
    ]))
  test('a filter leaves fewer rows and the same denominators', () => {
    const [found] = treeOf([hipaa], { text: '', state: 'supported' })
    expect(found?.groups.map(({ controls, total }) => [controls.map(({ id }) => id), total])).toEqual([
      [['312(b)'], 3],
      [['308(a)'], 1],
    ])
    expect(found?.total).toBe(4)
  })
  test.each([
    ['OFFICER', ['308(a)']],
    ['ssh-algorithms 312(b)', ['312(b)']],
    ['no such words', []],
    ['   ', ['312(a)', '312(b)', '312(c)', '308(a)']],
  ])('text %j', (text, ids) =>
    expect(
      treeOf([hipaa], { text, state: 'all' })[0]?.groups.flatMap(({ controls }) => controls.map(({ id }) => id)),
    ).toEqual(ids),
  )
})

describe('numbers that open a list of nodes', () => {
  const accepted = [{ check: 'c', until: '', owner: '' }]
  const made = view(
    [check('c', 'access')],
    [
      row('a', ['met']),
      row('b', ['not-met'], { accepted }),
      row('c', ['not-met']),
      row('d', ['not-tested']),
      row('e', ['met'], { accepted }),
      row('f', ['informational']),
    ],
  )
  test('as many nodes as the number says, and every node in one of them', () => {
    const tally = checkTally(made, 'c')
    expect([tally?.decidable, tally?.total]).toEqual([5, 6])
    const lists = VERDICTS.map((verdict) => nodesWith(made, 'c', verdict).map(({ node }) => node))
    expect(lists.map((nodes) => nodes.length)).toEqual(VERDICTS.map((verdict) => tally?.counts[verdict]))
    expect(lists.flat().sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(nodesWith(made, 'c', 'accepted').map(({ node }) => node)).toEqual(['b'])
  })
  test('a check that this catalog does not have was collected nowhere', () =>
    expect([nodesWith(made, 'unknown', 'not-tested').length, checkTally(made, 'unknown')]).toEqual([6, null]))
})

describe('records from people', () => {
  const attached = (id: string, need: string | null, standing: AttachmentView['standing']): AttachmentView =>
    ({
      id,
      need,
      standing,
      bears: standing === 'in-force',
      controls: [{ framework: 'hipaa', control: 'hipaa:312(a)' }],
    }) as unknown as AttachmentView
  const register: RegisterView = {
    pending: [],
    decisions: [],
    explanations: [],
    exceptions: [],
    attachments: [
      attached('1', 'Policy', 'expired'),
      attached('2', 'Policy', 'withdrawn'),
      attached('3', null, 'in-force'),
      attached('4', 'A need that is no more', 'in-force'),
    ],
    requests: [
      {
        framework: 'hipaa',
        control: 'hipaa:312(a)',
        need: 'Agreement',
        owner: 'M. Ortiz',
        due: '2026-11-01T23:59:59.000Z',
      },
    ],
  }
  const row = { key: 'hipaa:312(a)', needsAlso: ['Policy', 'Agreement'], notFromNodes: [] }
  const standing = (asOf: string, view = register) =>
    slotsOf('hipaa', row, view, asOf).map(({ need, is }) => [need, is])
  test('what has expired or was withdrawn fills no slot', () =>
    expect(standing('2026-10-01T00:00:00.000Z')).toEqual([
      ['Policy', 'missing'],
      ['Agreement', 'requested'],
    ]))
  test('a day after it was due it is overdue', () =>
    expect(standing('2026-11-02T00:00:00.000Z')[1]).toEqual(['Agreement', 'overdue']))
  test('a record in force fills its slot, even a late one', () => {
    const more = { ...register, attachments: [...register.attachments, attached('5', 'Agreement', 'in-force')] }
    expect(standing('2026-11-02T00:00:00.000Z', more)[1]).toEqual(['Agreement', 'attached'])
  })
  test('what was only received is no record held yet, and a decision in force stands for one', () => {
    const received = { ...attached('6', 'Policy', 'in-force'), bears: false }
    const decided = { ...row, assessed: { outstanding: ['Policy'] } } as unknown as typeof row
    const found = slotsOf('hipaa', decided, { ...register, attachments: [received] }, '2026-10-01T00:00:00.000Z')
    expect(found.map(({ need, is }) => [need, is])).toEqual([
      ['Policy', 'unexamined'],
      ['Agreement', 'decided'],
    ])
  })
  test('another framework’s record fills nothing', () =>
    expect(slotsOf('soc2', row, register, '2026-10-01T00:00:00.000Z').every(({ is }) => is === 'missing')).toBe(true))
  test('a check that nodes cannot bear has a slot for what bears it, and none where nothing can be brought', () => {
    const beyond = [
      { id: 'access.break-glass', from: 'record', why: 'Between people.', bring: 'The log of its uses.' },
      { id: 'evidence.run-history', from: 'runs', why: 'One run has none.', bring: null },
    ] as const
    const attached5 = { ...register, attachments: [attached('5', 'The log of its uses.', 'in-force')] }
    const more = { ...row, notFromNodes: beyond }
    const slots = slotsOf('hipaa', more, attached5, '2026-10-01T00:00:00.000Z')
    expect(slots.map(({ need, is, inPlaceOf }) => [need, is, inPlaceOf?.check ?? null])).toEqual([
      ['Policy', 'missing', null],
      ['Agreement', 'requested', null],
      ['The log of its uses.', 'attached', 'access.break-glass'],
    ])
    expect(otherRecords('hipaa', more, attached5)).toEqual([])
    expect(otherRecords('hipaa', row, attached5)).toHaveLength(1)
  })
  test('records for the control as a whole are listed apart', () =>
    expect(otherRecords('hipaa', row, register).map(({ id }) => id)).toEqual(['3', '4']))
})
