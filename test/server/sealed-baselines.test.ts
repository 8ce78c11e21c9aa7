import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reviewFile } from '../../main/app/export/review.ts'
import { chainFolderOf, draftName } from '../../main/core/base/layout.ts'
import { entryBytes, parseEntryLine } from '../../main/core/run-chain/entry.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { must } from '../support/outcomes.ts'
import { sealing } from '../support/sample-pack.ts'
import { newSigner, sealedRun, teamWithSealers } from '../support/sealer-kit.ts'
import { codeOf, type TeamKit } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const ports = createFakePorts()
const { kitWithSealers, sealerOf } = teamWithSealers(signer, () => ports)

const chainOf = (kit: TeamKit): string => chainFolderOf(join(kit.folder, 'alpha'), 'sealed')
const entriesOf = (kit: TeamKit) =>
  readFileSync(join(chainOf(kit), 'entries.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const logged = parseEntryLine(line)
      if (logged === null) throw new Error('not a line of a run chain')
      return logged
    })

test('a baseline and a missed run are shown to the signer, signed there, and stated by the next pack', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  // The chain is not locked while the signer decides.
  const sealer = await sealerOf(kit, {
    confirms: async ({ content }) => {
      if (content === undefined) return true
      const chain = await ports.openRunChain(chainOf(kit), { id: 'f'.repeat(64), fleet: 'sealed' })
      if (chain.ok) await chain.value.close()
      return chain.ok
    },
  })
  const { run } = await sealedRun(officer)
  const baseline = { run, why: 'As delivered.', identity: 'chen' }
  expect(codeOf(await officer.call('alpha', 'history.set-baseline', baseline))).toBe('answered')
  const gap = { schedule: null, due: '2026-10-31T02:00:00Z', why: 'The network was down.', identity: 'chen' }
  expect(codeOf(await officer.call('alpha', 'history.record-gap', gap))).toBe('answered')
  expect(sealer.shown.map((lines) => lines.join('\n'))).toEqual([
    expect.stringContaining(run),
    expect.stringContaining('2026-10-31T02:00:00Z'),
  ])
  const [, entered, missed] = entriesOf(kit)
  if (entered === undefined || missed === undefined) throw new Error('nothing was entered')
  expect([entered.entry, missed.entry]).toMatchObject([
    { kind: 'baseline', run, why: 'As delivered.', signer: signer.fingerprint },
    { kind: 'gap', why: 'The network was down.', signer: signer.fingerprint },
  ])
  // The bytes that one machine makes with this key.
  const own = await sealing.signDetached(signer, entryBytes(entered.entry))
  expect(entered.signature).toBe(Buffer.from(own).toString('base64'))
  expect(kit.auditText().split('\n')).toContainEqual(
    expect.stringMatching(new RegExp(`"kind":"signature".*"run":"${run}"`)),
  )

  const { draft } = await sealedRun(officer)
  const name = draft.files.find((one) => one.name.endsWith('.barewitness.zip'))?.name ?? ''
  const path = join(kit.folder, 'alpha', draftName(draft.handle), name)
  const reviewed = must(await reviewFile(ports, fakeCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }))
  expect(reviewed.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('a baseline that is not confirmed, or that another role requests, is not recorded', async () => {
  const kit = await kitWithSealers()
  const officer = await kit.as('officer')
  const sealer = await sealerOf(kit, { confirms: async ({ content }) => content === undefined })
  const { run } = await sealedRun(officer)
  const baseline = { run, why: 'As delivered.', identity: 'chen' }
  expect(codeOf(await officer.call('alpha', 'history.set-baseline', baseline))).toBe('sealing.refused')
  const asked = sealer.asked.length
  // Refused before the signer is asked.
  expect(codeOf(await officer.call('alpha', 'history.set-baseline', { ...baseline, run: 'run-9' }))).toBe(
    'input.refused',
  )
  for (const role of ['auditor', 'operator', 'administrator'] as const) {
    const visitor = await kit.as(role)
    for (const method of ['history.set-baseline', 'history.record-gap'] as const)
      expect((await visitor.call('alpha', method, baseline)).status).toBeOneOf([403, 404])
  }
  expect(sealer.asked).toHaveLength(asked)
  expect(entriesOf(kit).map(({ entry }) => entry.kind)).toEqual(['run'])
})
