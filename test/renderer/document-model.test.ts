import { describe, expect, test } from 'vitest'
import {
  DOCUMENT_COLUMNS,
  documentFilters,
  documentsIn,
  documentWords,
  heldLine,
  isBelow,
  levelOf,
  otherDocuments,
  PROGRESS,
  type Progress,
  progressOf,
  progressWords,
  showsDocument,
  targetOf,
} from '../../renderer/models/document-model.ts'
import { savedTable } from '../../renderer/models/table-model.ts'
import { EVIDENCE_LEVELS } from '../../schemas/conclusion-words.ts'
import type { DocumentView } from '../../schemas/ipc-register.ts'
import type { ControlDocumentView } from '../../schemas/ipc-results.ts'
import { documentOf as evidenceDocumentOf } from '../support/register.ts'
import { controlOf, documentOf } from './made-up-view.ts'

const ASKED = { owner: 'J. Chen', due: '2026-12-01T23:59:59.999Z', overdue: false }
const REPERFORMED = { id: 'ER-10', minimum: 'reperformed' } as const

describe('the state of a document', () => {
  test.each<[Partial<ControlDocumentView>, Progress, string]>([
    [{}, 'outstanding', 'Outstanding'],
    [{ askedOf: ASKED }, 'requested', 'Requested'],
    [{ askedOf: { ...ASKED, overdue: true } }, 'overdue', 'Overdue'],
    [{ level: 'inquiry' }, 'below-level', 'Inquiry; minimum level Inspected'],
    [{ level: 'received', askedOf: ASKED }, 'below-level', 'Received; minimum level Inspected'],
    [{ level: 'inspected', request: REPERFORMED }, 'below-level', 'Inspected; minimum level Reperformed'],
    [
      { level: 'received', askedOf: { ...ASKED, overdue: true } },
      'overdue',
      'Overdue; Received, minimum level Inspected',
    ],
    [{ state: 'held', level: 'inspected' }, 'held', 'Inspected, supports'],
    [{ state: 'held', level: 'reperformed' }, 'held', 'Reperformed, supports'],
    [{ state: 'held', heldElsewhere: 'decision' }, 'held', 'Covered by an approved decision on this control'],
    [{ state: 'held', heldElsewhere: 'population' }, 'held', 'Covered by the population reconciliation'],
    [{ state: 'held', heldElsewhere: 'declaration' }, 'held', 'Covered by the engagement'],
    [{ state: 'held', heldElsewhere: 'pack' }, 'held', 'Covered by the sealed pack'],
    [{ state: 'held', heldElsewhere: 'chain' }, 'held', 'Covered by the run chain'],
    [{ state: 'deviation', level: 'inspected' }, 'deviation', 'Inspected, does not support'],
    [{ state: 'optional', mandatory: false }, 'optional', 'Optional'],
    [{ state: 'optional', mandatory: false, level: 'received' }, 'optional', 'Optional; Received'],
    // A document that is only optional is never overdue.
    [{ state: 'optional', mandatory: false, askedOf: { ...ASKED, overdue: true } }, 'optional', 'Optional'],
  ])('%o', (part, progress, words) => {
    const document = documentOf('ER-01', part)
    expect([progressOf(document), documentWords(document)]).toEqual([progress, words])
  })
  test('only what was inspected and does not support has the mark of a deviation', () =>
    expect(PROGRESS.filter((one) => progressWords[one].tone === 'not-satisfied')).toEqual(['deviation']))
  test('levels are ordered, and a level above received without an inspection counts as received', () => {
    expect(EVIDENCE_LEVELS.map((level) => isBelow(level, 'inspected'))).toEqual([true, true, false, false])
    const inspection = { by: 'A', at: '', lookedAt: '', conclusion: 'supports' } as const
    expect([
      levelOf({ level: 'reperformed' }),
      levelOf({ level: 'reperformed', inspection }),
      levelOf({ level: 'inquiry' }),
      levelOf({}),
    ]).toEqual(['received', 'reperformed', 'inquiry', 'received'])
  })
})

describe('what a document is attached to', () => {
  test('an evidence request, whatever control it is attached at', () =>
    expect(targetOf('hipaa', 'hipaa:312(a)', documentOf('ER-03'))).toEqual({
      framework: 'requests',
      control: 'ER-03',
      need: 'Title of ER-03',
    }))
  test('the control and its need, in a mapping of the customer', () =>
    expect(targetOf('house', 'house:1', documentOf('x', { request: null, title: 'Badge list' }))).toEqual({
      framework: 'house',
      control: 'house:1',
      need: 'Badge list',
    }))
})

describe('documents over all controls', () => {
  const frameworks = [
    {
      id: 'hipaa',
      proposed: false,
      controls: [
        controlOf('1', 'supported', { documents: [documentOf('ER-01', { state: 'held', attached: ['a'] })] }),
        controlOf('2', 'supported', { documents: [documentOf('ER-01'), documentOf('ER-02')] }),
      ],
    },
    {
      id: 'soc2',
      proposed: false,
      controls: [
        controlOf('3', 'supported', { documents: [documentOf('ER-02', { mandatory: false, state: 'optional' })] }),
      ],
    },
    { id: 'nprm', proposed: true, controls: [controlOf('4', 'supported', { documents: [documentOf('ER-09')] })] },
  ]
  test('each request is listed once, with its worst state and every control that it serves; proposed rules are left out', () =>
    expect(
      documentsIn(frameworks).map(({ target, document, rows }) => [
        target.control,
        document.state,
        document.attached,
        rows.map(({ framework, control }) => `${framework} ${control.id}`),
      ]),
    ).toEqual([
      ['ER-01', 'outstanding', ['a'], ['hipaa 1', 'hipaa 2']],
      ['ER-02', 'outstanding', [], ['hipaa 2', 'soc2 3']],
    ]))
  test('required ones are counted, optional ones separately', () => {
    expect(heldLine([documentOf('a', { state: 'held' }), documentOf('b')])).toBe('1 of 2 required complete')
    expect(heldLine([documentOf('a', { state: 'optional', mandatory: false })])).toBe(
      '0 of 0 required complete; 1 optional',
    )
    const received = documentOf('c', { level: 'received' })
    expect(heldLine([received, documentOf('d')])).toBe('0 of 2 required complete, 1 on file below the minimum level')
  })
  test('the filters count what is outstanding as the other screens do, and each document once among its parts', () => {
    const listed = [
      documentOf('a', { state: 'held' }),
      documentOf('b', { level: 'received' }),
      documentOf('c', { askedOf: ASKED }),
      documentOf('d'),
      documentOf('e', { state: 'optional', mandatory: false }),
    ]
    expect(documentFilters(listed).map(({ title }) => title)).toEqual([
      'All · 5',
      'All outstanding · 3 of 5',
      'Below its minimum level · 1 of 5',
      'Requested · 1 of 5',
      'Outstanding, not requested · 1 of 5',
      'On file · 1 of 5',
      'Optional · 1 of 5',
    ])
    expect(listed.filter((one) => showsDocument('open', one))).toHaveLength(3)
    expect(documentFilters([documentOf('d')]).map(({ id }) => id)).toEqual(['all', 'outstanding'])
  })
  test('documents of a control that answer no evidence request are listed separately', () => {
    const attached = (id: string, control: string, status: DocumentView['status']): DocumentView => ({
      ...evidenceDocumentOf({ id, controls: [{ framework: 'hipaa', control }] }),
      status,
      supports: false,
      supersededBy: null,
      period: null,
    })
    const documents = [
      attached('counted', 'hipaa:1', 'in-force'),
      attached('other', 'hipaa:1', 'in-force'),
      attached('ended', 'hipaa:1', 'expired'),
      attached('elsewhere', 'hipaa:2', 'in-force'),
    ]
    const control = controlOf('1', 'supported', { documents: [documentOf('ER-01', { attached: ['counted'] })] })
    expect(otherDocuments('hipaa', control, { documents }).map(({ id }) => id)).toEqual(['other'])
    expect(otherDocuments('soc2', control, { documents })).toEqual([])
  })
})

test('the list is saved with owner, due day and controls of each document', () => {
  const asked = documentOf('ER-01', { askedOf: ASKED })
  const rows = documentsIn([
    {
      id: 'hipaa',
      proposed: false,
      controls: [controlOf('a', null, { documents: [asked] }), controlOf('b', null, { documents: [asked] })],
    },
  ])
  const [head, ...lines] = savedTable(DOCUMENT_COLUMNS, rows)
  expect(head).toEqual(['Request', 'Document', 'Status', 'Required', 'Minimum level', 'Owner', 'Due', 'Controls'])
  expect(lines).toHaveLength(1)
  expect(lines[0]?.slice(-3)).toEqual([
    'J. Chen',
    '2026-12-01',
    rows[0]?.rows.map(({ control }) => control.id).join(', '),
  ])
})
