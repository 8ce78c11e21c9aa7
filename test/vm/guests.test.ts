import { afterAll, expect, test } from 'vitest'
import { importTranscript } from '../../main/app/collect/import-transcript.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import { KEEP_FIXTURES, keepFixture } from '../support/keep-fixtures.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { bootGuest, whyNoGuests } from '../support/vm/boot.ts'
import { GUESTS, type Guest } from '../support/vm/guests.ts'

const missing = whyNoGuests()
const rows: Record<string, unknown>[] = []

describeUnless(missing, 'live guests', () => {
  for (const guest of GUESTS)
    test(`${guest.name} is a virtual machine${guest.concealed ? ' that conceals it' : ''}`, { timeout: 600_000 }, () =>
      check(guest),
    )
  afterAll(() => console.table(rows))
})

async function check(guest: Guest): Promise<void> {
  const { stdout, stderr, peers, seconds } = await bootGuest(guest)
  const node = { name: guest.name, address: 'serial-line', port: 22, user: 'root', sudo: false }
  const importedAt = '2026-11-21T12:00:00.000Z'
  const imported = must(importTranscript({ stdout, stderr, node, run: 'vm', importedAt }, catalog))
  const { recording, captures } = imported
  if (KEEP_FIXTURES) keep(guest, captures)
  const { nodes } = assess({
    catalog,
    scope: { fleet: 'vm', population: [guest.name], frameworks: [] },
    recordings: [imported],
    asOf: recording.endedAt,
  })
  const isolation = nodes[0]?.isolation
  const signals = isolation?.signals.filter(({ indicates }) => indicates === 'virtual') ?? []
  rows.push({
    guest: guest.name,
    environment: isolation?.environment,
    platform: isolation?.platform,
    rule: isolation?.rule.id,
    concealed: isolation?.concealed,
    impossible: isolation?.anomalies.filter((one) => one.class === 'impossible').length,
    unexplained: isolation?.anomalies.filter((one) => one.class === 'unexplained').length,
    signals: signals.length,
    ...peers,
    seconds,
  })
  expect(isolation?.environment).toBe('virtual-machine')
  expect(isolation?.concealed).toBe(guest.concealed)
  if (guest.concealed) expect(new Set(isolation?.anomalies.map(({ signal }) => signal)).size).toBeGreaterThan(4)
}

type Captures = Extract<ReturnType<typeof importTranscript>, { ok: true }>['value']['captures']

const keep = (guest: Guest, captures: Captures): void =>
  keepFixture(
    guest.name,
    {
      synthetic: `Booted for this project: ${guest.looks}.`,
      privilege: 'root',
      node: { roster: ['root'] },
    },
    new Map(
      captures
        .filter(({ meta }) => meta.status === 'done')
        .map(({ meta: { probe, command, status, exitCode }, stdout, stderr }) => [
          `${probe}/${command}`,
          { stdout, stderr, status, exitCode: exitCode ?? 0 },
        ]),
    ),
  )
