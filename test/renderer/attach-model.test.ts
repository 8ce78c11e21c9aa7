import { describe, expect, test } from 'vitest'
import { addDocument } from '../../main/core/register/attachments.ts'
import { attachmentsBy } from '../../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import {
  answerable,
  answerableNodes,
  attachLacks,
  attachmentInput,
  type DocumentForm,
  emptyForm,
  furtherRequests,
  isSamePerson,
} from '../../renderer/models/attach-model.ts'
import { must } from '../support/outcomes.ts'
import { check, requestOf, row, view } from './made-up-view.ts'

const TARGET = { controls: [{ framework: 'requests', control: 'ER-18' }], need: 'Title of ER-18', supersedes: null }
const EMPTY = emptyForm('2026-11-20', '2027-11-20')
const RECEIVED: DocumentForm = { ...EMPTY, summary: 'the contract', providedBy: 'The provider', owner: 'M. Ortiz' }
const INSPECTED: DocumentForm = {
  ...RECEIVED,
  level: 'inspected',
  inspectedBy: 'J. Chen',
  lookedAt: '14 of 14 accounts',
  conclusion: 'supports',
}

const ANSWERING: DocumentForm = { ...INSPECTED, answers: true, checks: ['access.mfa'], nodes: ['db-1', 'db-2'] }

describe('one document for several requests', () => {
  const requests = ['ER-03', 'ER-18', 'ER-21'].map((id) => requestOf(id))

  test('is attached to each of them once, and counts for each', () => {
    const draft = attachmentInput(TARGET, { ...INSPECTED, alsoFor: ['ER-03', 'ER-18', 'ER-21'] })
    if (draft === null) throw new Error('something is missing')
    expect(draft.controls.map(({ control }) => control)).toEqual(['ER-18', 'ER-03', 'ER-21'])
    const file = { name: 'policy.pdf', bytes: new TextEncoder().encode('%PDF-1.7') }
    const facts = {
      now: '2026-11-20T10:00:00.000Z',
      id: 'd'.repeat(32),
      needsOf: (_: string, id: string) => [`Title of ${id}`],
    }
    const added = must(addDocument(EMPTY_REGISTER, draft, file, facts))
    const of = attachmentsBy(added, facts.now, null)
    for (const id of ['ER-03', 'ER-18', 'ER-21']) expect(of('requests', id)).toHaveLength(1)
  })

  test('further requests are found by id and words; chosen ones stay listed', () => {
    const found = (text: string, chosen: readonly string[] = []) =>
      furtherRequests({ requests }, { id: 'ER-18' }, { chosen, text }).map(({ id }) => id)
    expect(found('')).toEqual(['ER-03', 'ER-21'])
    expect(found('er-21')).toEqual(['ER-21'])
    expect(found('title of er-21', ['ER-03'])).toEqual(['ER-03', 'ER-21'])
    expect(found('nothing')).toEqual([])
  })
})

describe('what a form lacks', () => {
  test.each<[string, DocumentForm, readonly string[]]>([
    ['an empty form', EMPTY, ['summary', 'providedBy', 'owner']],
    ['received, complete', RECEIVED, []],
    ['inquiry, complete', { ...RECEIVED, level: 'inquiry' }, []],
    ['a note without a title and a text', { ...RECEIVED, kind: 'note' }, ['name', 'note']],
    [
      'inspected, with nothing of the inspection',
      { ...RECEIVED, level: 'inspected' },
      ['inspectedBy', 'lookedAt', 'conclusion'],
    ],
    ['reperformed, without a day', { ...INSPECTED, level: 'reperformed', inspectedOn: '' }, ['inspectedOn']],
    ['inspected, complete', INSPECTED, []],
    ['answers without a check and a node', { ...ANSWERING, checks: [], nodes: [] }, ['checks', 'nodes']],
    ['answers of a document that does not support', { ...ANSWERING, checks: [], conclusion: 'does-not-support' }, []],
    ['an end without a day', { ...RECEIVED, validUntil: '' }, ['validUntil']],
    ['no end', { ...RECEIVED, ends: false, validUntil: '' }, []],
  ])('%s', (_, form, fields) => expect(Object.keys(attachLacks(form))).toEqual(fields))

  test('there is no default conclusion, and the default level does not count', () =>
    expect([EMPTY.conclusion, EMPTY.level]).toEqual([null, 'received']))
})

describe('the draft', () => {
  test.each<[string, DocumentForm, unknown, unknown]>([
    ['received: no inspection', RECEIVED, null, null],
    ['received: what was typed of an inspection before is left out', { ...ANSWERING, level: 'received' }, null, null],
    [
      'inspected',
      INSPECTED,
      { by: 'J. Chen', on: '2026-11-20', lookedAt: '14 of 14 accounts', conclusion: 'supports' },
      null,
    ],
    [
      'reperformed, does not support: it answers nothing',
      { ...ANSWERING, level: 'reperformed', conclusion: 'does-not-support' },
      { by: 'J. Chen', on: '2026-11-20', lookedAt: '14 of 14 accounts', conclusion: 'does-not-support' },
      null,
    ],
    [
      'answers named checks on named nodes',
      ANSWERING,
      expect.anything(),
      { checks: ['access.mfa'], nodes: ['db-1', 'db-2'] },
    ],
    ['answers switched off again', { ...ANSWERING, answers: false }, expect.anything(), null],
  ])('%s', (_, form, inspection, answers) => {
    const draft = attachmentInput(TARGET, form)
    expect(draft).toMatchObject({ ...TARGET, level: form.level, inspection, answers, validUntil: '2027-11-20' })
    if (draft === null) throw new Error('no draft')
    const facts = { now: '2026-11-20T12:00:00.000Z', id: 'a'.repeat(32), needsOf: () => [TARGET.need] }
    const added = addDocument(EMPTY_REGISTER, draft, { name: 'a.pdf', bytes: new Uint8Array([1]) }, facts)
    expect(added.ok, JSON.stringify(added)).toBe(true)
  })
  test('nothing is sent while something is missing', () =>
    expect([attachmentInput(TARGET, EMPTY), attachmentInput(TARGET, { ...INSPECTED, conclusion: null })]).toEqual([
      null,
      null,
    ]))
})

test.each([
  ['J. Chen', 'J. Chen', true],
  ['  j.  chen ', 'J. Chen', true],
  ['Ｊ. Chen', 'J. Chen', true],
  ['J. Chen', 'M. Ortiz', false],
  ['', '', false],
])('%j and %j are the same person: %s', (one, other, same) => expect(isSamePerson(one, other)).toBe(same))

describe('results that a request may answer', () => {
  const made = view(
    [check('access.mfa', 'access'), check('access.root', 'access'), check('other', 'access')],
    [
      row('a', ['not-satisfied', 'not-satisfied', 'not-satisfied']),
      row('b', ['inconclusive', 'inconclusive', 'satisfied']),
      row('c', ['satisfied', 'not-tested', 'satisfied']),
      row('d', ['not-tested', 'not-tested', 'not-tested'], { status: 'failed' }),
      row('e', ['informational', 'not-applicable', 'satisfied']),
    ],
  )
  const request = requestOf('ER-18', {
    mayAnswer: [
      { check: 'access.mfa', answers: 'any' },
      { check: 'access.root', answers: 'undecided' },
      { check: 'unknown.check', answers: 'any' },
    ],
  })
  const some = answerable(made, request)
  test('are those of its checks alone, deviations only where it may answer them, and never of a node that was not reached', () =>
    expect(
      some.map(({ check: { id }, nodes }) => [id, nodes.map(({ node, verdict }) => `${node} ${verdict}`)]),
    ).toEqual([
      ['access.mfa', ['a not-satisfied', 'b inconclusive']],
      ['access.root', ['b inconclusive', 'c not-tested']],
    ]))
  test('a request without such checks, and a document of no request, answer none', () =>
    expect([answerable(made, requestOf('ER-01')), answerable(made, null)]).toEqual([[], []]))
  test.each([
    [[], []],
    [['access.mfa'], ['a', 'b']],
    [
      ['access.mfa', 'access.root'],
      ['a', 'b', 'c'],
    ],
    [['other'], []],
  ])('nodes of %j', (checks, nodes) => expect(answerableNodes(some, checks)).toEqual(nodes))
})
