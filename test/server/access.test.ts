import { describe, expect, test } from 'vitest'
import { ACCESS, decide, mayOf } from '../../main/server/access.ts'
import type { Method } from '../../schemas/ipc.ts'
import { DIALOGS, INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'

const METHODS = Object.keys(INPUT_SCHEMAS) as Method[]
const cells = METHODS.flatMap((method) => TEAM_ROLES.map((role) => [method, role] as const))
/** Fits what every method asks of an input besides the role. */
const FITS = { identity: null, of: 'pack' }
const allowed = (role: TeamRole, method: Method, input: unknown = FITS, demo = true): boolean =>
  decide(role, method, input, { demo, sealer: demo }).allowed

/** What a sealer alone signs: nothing of it has demo data. */
const SIGNED = [
  ...(['register.sign', 'history.record-gap', 'history.set-baseline'] as const),
  ...(['period.plan', 'period.build'] as const),
]
const SCHEDULED = ['schedules.add', 'schedules.change', 'schedules.remove'] as const

test('the table has exactly the methods of the engine', () => {
  expect(Object.keys(ACCESS).sort()).toEqual([...METHODS].sort())
})

test.each(cells)('%s for %s: what the page offers is what is served', (method, role) => {
  expect(mayOf(role, { demo: true, sealer: true }).includes(method)).toBe(allowed(role, method))
  const decision = decide(role, method, FITS, { demo: true, sealer: true })
  if (!decision.allowed) expect(decision.reason).not.toBe('')
})

test('administrators may call nothing', () => {
  expect(mayOf('administrator', { demo: true, sealer: true })).toEqual([])
})

/** What an auditor may call: the pack that they opened, their own settings and worksheet, and the portal. */
const OF_PACK = [
  'assessment.get',
  'claims.answers',
  'claims.get',
  'coverage.get',
  'documents.show',
  'engagement.get',
  'evidence.get',
  'evidence.list',
  'figures.get',
  'finding.get',
  'findings.get',
  'location.get',
  'node.get',
  'node.timeline',
  'register.get',
  'search.index',
]
const OWN = ['app.info', 'catalog.get', 'settings.get', 'settings.set', 'table.save', 'trust.add-choose', 'trust.list']
const REVIEW = [
  ...['pack.import-checkpoint', 'pack.re-evaluate', 'pack.review', 'pack.stop', 'pack.trust', 'pack.trust-authority'],
  ...['review.limits', 'review.note', 'review.populations', 'review.sample', 'review.save-workbook'],
  ...['review.save-worksheet', 'review.save-worksheet-pdf', 'review.worksheet', 'trust.remove'],
]
const PORTAL = ['portal.act', 'portal.ask', 'portal.open', 'portal.packs', 'portal.requests', 'portal.save']

test('auditors may call what concerns a shared pack and themselves, and nothing else', () => {
  const expected = [...OF_PACK, ...OWN, ...REVIEW, ...PORTAL].sort()
  expect([...mayOf('auditor', { demo: true, sealer: true })].sort()).toEqual(expected)
})

test.each(OF_PACK as Method[])('%s gives an auditor nothing of the run that is shown', (method) => {
  expect(allowed('auditor', method)).toBe(true)
  for (const input of [{ of: 'run' }, {}, null, [], 'pack', { of: ['pack'] }])
    expect(allowed('auditor', method, input)).toBe(false)
  expect(allowed('officer', method, { of: 'run' })).toBe(true)
})

test('every method with the run or the pack as its source is restricted for auditors', () => {
  const sourced = METHODS.filter((method) =>
    Object.hasOwn((INPUT_SCHEMAS[method] as { properties?: object }).properties ?? {}, 'of'),
  )
  const unrestricted = sourced.filter((method) => allowed('auditor', method, { ...FITS, of: 'run' }))
  expect([sourced.length > 10, unrestricted]).toEqual([true, []])
})

test('operators decide nothing and add no document', () => {
  const deciding = /^(acceptances|responses|decisions|documents|requests|engagement|inventory|provider|mappings)\./
  const may = mayOf('operator', { demo: true, sealer: true }).filter((method) => deciding.test(method))
  expect(may.filter((method) => !/\.(get|list|save|plan|show|request)$/.test(method))).toEqual([])
})

test.each(METHODS.filter((method) => DIALOGS[method] !== undefined))('%s needs no dialog on the server', (method) => {
  const rule = ACCESS[method]
  const served = 'served' in rule ? rule.served : 'refused'
  const dialog = DIALOGS[method]
  const instead = dialog === 'save-file' ? 'download' : dialog === 'export-folder' ? 'folder' : 'upload'
  expect(['refused', instead]).toContain(served)
})

test('no method without a dialog takes an upload or writes a download', () => {
  const odd = METHODS.filter((method) => {
    const rule = ACCESS[method]
    return DIALOGS[method] === undefined && 'served' in rule && ['upload', 'download', 'folder'].includes(rule.served)
  })
  expect(odd).toEqual([])
})

describe('conditions', () => {
  test.each(['responses.set', 'acceptances.accept-many'] as const)(
    '%s signed only where a sealer is configured',
    (method) => {
      const at = (input: unknown, sealer: boolean, role: TeamRole = 'officer'): boolean =>
        decide(role, method, input, { demo: true, sealer }).allowed
      expect([at({ identity: null }, false), at({ identity: null }, true), at({ identity: 'acme' }, true)]).toEqual([
        true,
        true,
        true,
      ])
      expect(at({ identity: 'acme' }, false)).toBe(false)
      for (const input of [{}, { identity: 1 }, null, [], 'x'])
        expect([at(input, false), at(input, true)]).toEqual([false, false])
      for (const role of TEAM_ROLES.filter((one) => one !== 'officer'))
        expect([at({ identity: 'acme' }, true, role), at({ identity: null }, true, role)]).toEqual([false, false])
    },
  )
  test.each(SIGNED)('%s is for officers, where a sealer is configured', (method) => {
    const at = (role: TeamRole, demo: boolean, sealer: boolean): boolean =>
      decide(role, method, null, { demo, sealer }).allowed
    expect([at('officer', true, true), at('officer', false, true), at('officer', true, false)]).toEqual([
      true,
      true,
      false,
    ])
    for (const role of TEAM_ROLES.filter((one) => one !== 'officer')) expect(at(role, true, true)).toBe(false)
  })
  test.each(SCHEDULED)('%s is for officers and operators, where a sealer is configured', (method) => {
    const roles = (sealer: boolean) =>
      TEAM_ROLES.filter((role) => decide(role, method, null, { demo: false, sealer }).allowed)
    expect([[...roles(true)].sort(), roles(false)]).toEqual([['officer', 'operator'], []])
  })
  test.each(['schedules.list', 'schedules.status'] as const)('%s is for officers and operators', (method) => {
    const roles = TEAM_ROLES.filter((role) => decide(role, method, null, { demo: false, sealer: false }).allowed)
    expect([...roles].sort()).toEqual(['officer', 'operator'])
  })
  test('demo data only where the engagement is for it', () => {
    expect(allowed('operator', 'demo.open', null, true)).toBe(true)
    expect(allowed('operator', 'demo.open', null, false)).toBe(false)
    expect(mayOf('operator', { demo: false, sealer: false })).not.toContain('demo.open')
  })
})

test.each(
  METHODS.filter((method) =>
    /^(export\.review|schedules\.(run|choose|install|preview)|pack\.(choose|recent|open)|identities\.(?!list))/.test(
      method,
    ),
  ),
)('%s is refused to every role', (method) => {
  for (const role of TEAM_ROLES) expect(allowed(role, method)).toBe(false)
})

test.each(METHODS.filter((method) => /^export\.(?!review)/.test(method)))(
  '%s is for officers, where a signer or demo data is configured',
  (method) => {
    const at = (role: TeamRole, demo: boolean, sealer: boolean): boolean =>
      decide(role, method, null, { demo, sealer }).allowed
    expect([at('officer', false, true), at('officer', true, false), at('officer', false, false)]).toEqual([
      true,
      true,
      false,
    ])
    for (const role of TEAM_ROLES.filter((one) => one !== 'officer')) expect(at(role, true, true)).toBe(false)
  },
)
