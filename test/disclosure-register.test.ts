import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { signEntry } from '../main/app/register/store.ts'
import { ok } from '../main/core/base/failure.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { DisclosurePolicy } from '../main/verify/disclosure/redact.ts'
import { verifyDisclosure } from '../main/verify/excerpt.ts'
import type { Assessment, Register, RiskAcceptance } from '../schemas/types.ts'
import { realClock, validator } from './support/deps.ts'
import { copyOf, disclosablePack } from './support/disclosure.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { registerOf, riskAcceptanceOf } from './support/register.ts'
import {
  NO_KEPT_RULES,
  sampleCatalog,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
} from './support/sample-pack.ts'

const folder = folderOfTests('disclosure-register')
const now = realClock.now()
const endOf = (days: number): string =>
  `${new Date(Date.parse(now) + days * 86_400_000).toISOString().slice(0, 10)}T23:59:59.999Z`
let signer: Signer
let signed: Register

beforeAll(async () => {
  signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'owner')
  const accepted = riskAcceptanceOf({
    check: 'encryption.at-rest.swap',
    nodes: ['node-b'],
    acceptedAt: now,
    expiresAt: endOf(30),
  })
  const register = registerOf({ riskAcceptances: [accepted] })
  const by = { role: 'approver', openSigner: async () => ok(signer) } as const
  signed = must(await signEntry({ sealing, clock: realClock }, register, accepted.id, by))
})

/** The failed checks of a copy of a pack that its signer sealed with this register. */
async function failedOf(
  register: Register,
  { forge, ...policy }: Partial<DisclosurePolicy> & { readonly forge?: (honest: Assessment) => Assessment } = {},
): Promise<string> {
  const pack = await disclosablePack({
    signer,
    catalog: sampleCatalog,
    recordings: [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')],
    population: ['node-a', 'node-b'],
    asOf: now,
    register,
    ...(forge && { forge }),
  })
  const { files } = await copyOf(pack, sampleCatalog, { paths: [PATHS.report], ...policy })
  const report = await verifyDisclosure({
    validator,
    source: sourceOf(files),
    departures: [],
    seal: sealing.reader,
    catalog: sampleCatalog,
    kept: NO_KEPT_RULES,
    trust: { signers: [signer.certificate], authorities: [], lists: [] },
    verifiedAt: realClock.now(),
    file: 'copy.zip',
  })
  return report.checks
    .flatMap(({ check, outcome, details }) => (outcome === 'failed' ? [`${check}: ${details.join(' ')}`] : []))
    .join('\n')
}

const changed = (changes: Partial<RiskAcceptance>): Register => ({
  ...signed,
  riskAcceptances: signed.riskAcceptances.map((one) => ({ ...one, ...changes })),
})

describe('of a redacted copy with an open register', () => {
  test('a signed entry verifies', async () => {
    expect(await failedOf(signed)).toBe('')
  })

  test('an entry changed after it was signed is rejected', async () => {
    expect(await failedOf(changed({ reason: 'No condition is attached.' }))).toMatch(
      /^completeness: .*the signature of the approver is invalid/,
    )
  })

  test('an entry beyond the longest term is rejected', async () => {
    const { signatures: _, ...bare } = { ...riskAcceptanceOf(), ...signed.riskAcceptances[0] }
    const register = { ...signed, riskAcceptances: [{ ...bare, expiresAt: '2099-12-31T23:59:59.999Z' }] }
    expect(await failedOf(register)).toMatch(/^completeness: .*expiry that is not permitted/)
  })

  test('a register of another form is rejected', async () => {
    expect(await failedOf({ ...signed, opinion: 'unqualified' } as Register)).toMatch(
      /^completeness: data\/register\.json/,
    )
  })

  test('one with a redacted part is not compared', async () => {
    expect(await failedOf(signed, { paths: [PATHS.report, PATHS.register] })).toBe('')
  })
})

test('a scope with nodes in no declaration is rejected', async () => {
  const forge = (honest: Assessment): Assessment => ({ ...honest, scope: { ...honest.scope, inFleet: ['node-a'] } })
  expect(await failedOf(signed, { forge })).toMatch(/completeness: data\/scope\.json/)
})
