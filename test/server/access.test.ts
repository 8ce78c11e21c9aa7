import { describe, expect, test } from 'vitest'
import { ACCESS, decide, mayOf } from '../../main/server/access.ts'
import type { Method } from '../../schemas/ipc.ts'
import { DIALOGS, INPUT_SCHEMAS } from '../../schemas/ipc-inputs.ts'
import { TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'

const METHODS = Object.keys(INPUT_SCHEMAS) as Method[]
const cells = METHODS.flatMap((method) => TEAM_ROLES.map((role) => [method, role] as const))
const allowed = (role: TeamRole, method: Method, input: unknown = { identity: null }, demo = true): boolean =>
  decide(role, method, input, { demo, sealer: demo }).allowed

test('the table has exactly the methods of the engine', () => {
  expect(Object.keys(ACCESS).sort()).toEqual([...METHODS].sort())
})

test.each(cells)('%s for %s: what the page offers is what is served', (method, role) => {
  expect(mayOf(role, { demo: true, sealer: true }).includes(method)).toBe(allowed(role, method))
  const decision = decide(role, method, { identity: null }, { demo: true, sealer: true })
  if (!decision.allowed) expect(decision.reason).not.toBe('')
})

test('administrators may call nothing', () => {
  expect(mayOf('administrator', { demo: true, sealer: true })).toEqual([])
})

test('auditors may call what reads, and nothing that records, collects or contacts a node', () => {
  const reading =
    /^(app\.info|catalog\.get|[a-z]+\.(get|list|answers|plan|nodes|deviations|changes|compare|flip|index|status|timeline|preview|show|preview-save)|(acceptances|table)\.save)$/
  expect(mayOf('auditor', { demo: true, sealer: true }).filter((method) => !reading.test(method))).toEqual([])
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
  test.each(['responses.set', 'acceptances.accept-many'] as const)('%s only without a signature', (method) => {
    expect(allowed('officer', method, { identity: null })).toBe(true)
    for (const input of [{ identity: 'acme' }, {}, null, [], 'x']) expect(allowed('officer', method, input)).toBe(false)
  })
  test('demo data only where the engagement is for it', () => {
    expect(allowed('operator', 'demo.open', null, true)).toBe(true)
    expect(allowed('operator', 'demo.open', null, false)).toBe(false)
    expect(mayOf('operator', { demo: false, sealer: false })).not.toContain('demo.open')
  })
})

test.each(
  METHODS.filter((method) =>
    /^(export\.review|schedules|pack|review|trust|register\.sign|identities\.(?!list))/.test(method),
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
