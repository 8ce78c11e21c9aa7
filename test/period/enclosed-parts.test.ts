import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signEntry } from '../../main/app/register/store.ts'
import { canonicalJson, jsonBytes } from '../../main/core/base/canonical-json.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import { evidenceDigestOf, PATHS } from '../../main/core/pack/pack.ts'
import { EXCERPT_PATH, partialPaths } from '../../main/core/period/pack.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { ownEntry } from '../../main/core/run-chain/entry.ts'
import { verifyExcerpt } from '../../main/verify/excerpt.ts'
import type { Mapping, Register, RunTrace, Statement } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { validator } from '../support/deps.ts'
import { must } from '../support/outcomes.ts'
import {
  asked,
  bytesOf,
  entriesIn,
  type Files,
  filesIn,
  type PeriodKit,
  periodKit,
  rechained,
  rederived,
  sealedAround,
  textIn,
} from '../support/period-kit.ts'
import { acceptanceRequestOf, registerOf, riskAcceptanceOf } from '../support/register.ts'
import { SAMPLE_RULES, sampleCatalog, sealing, sourceOf } from '../support/sample-pack.ts'
import { unsignedVantage, vantageOf } from '../support/vantage.ts'

// A signer seals a run that no pack of a run would pass with, and hands over only a period report, or an excerpt, that encloses a part of it.

type Changes = Readonly<Record<string, (was: unknown) => unknown>>

const ROOT = 'data/runs/run-24'
let kit: PeriodKit
let good: Files
beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24)
  kit.at('2026-11-26T09:00:00.000Z')
  must(await kit.account('2026-11-23', '2026-11-24', [{ population: 'node-runs', size: 4, seed: 'spring' }]))
  good = await filesIn(kit.ports, join(kit.folder, 'out', 'period-2026-11-23-2026-11-24.barewitness.zip'))
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

/** The last run of the period with other contents in its part, under a seal of its own. */
async function altered(changes: Changes, of: (statement: Statement) => Statement = (same) => same): Promise<Files> {
  const files: Files = new Map(good)
  const put = (path: string, bytes: Uint8Array): void => {
    files.set(`${ROOT}/${path}`, bytes)
  }
  let manifest = textIn(files, `${ROOT}/${PATHS.manifest}`)
  for (const [path, change] of Object.entries(changes)) {
    put(path, jsonBytes(change(JSON.parse(textIn(files, `${ROOT}/${path}`)))))
    const digest = sha256(files.get(`${ROOT}/${path}`) ?? new Uint8Array())
    manifest = manifest.replace(new RegExp(`^[0-9a-f]{64}  ${path}$`, 'm'), `${digest}  ${path}`)
  }
  put(PATHS.manifest, bytesOf(manifest))
  const evidenceDigest = evidenceDigestOf(manifest)
  const before = JSON.parse(textIn(files, `${ROOT}/${PATHS.statement}`)) as Statement
  const listed = new Map(manifest.split('\n').map((line) => [line.slice(66), line.slice(0, 64)]))
  const statement = of({
    ...before,
    subject: before.subject.map((one) => ({
      ...one,
      digest: { sha256: one.name === PATHS.manifest ? sha256(manifest) : (listed.get(one.name) ?? '') },
    })),
    predicate: { ...before.predicate, report: { evidenceDigest } },
  })
  put(PATHS.statement, jsonBytes(statement))
  const info = textIn(files, `${ROOT}/${PATHS.info}`)
  put(PATHS.info, bytesOf(info.replace(/^Evidence-Digest: .*$/m, `Evidence-Digest: ${evidenceDigest}`)))
  let tags = textIn(files, `${ROOT}/${PATHS.tagManifest}`)
  for (const path of [PATHS.manifest, PATHS.statement, PATHS.info])
    tags = tags.replace(
      new RegExp(`^[0-9a-f]{64}  ${path}$`, 'm'),
      `${sha256(files.get(`${ROOT}/${path}`) ?? new Uint8Array())}  ${path}`,
    )
  put(PATHS.tagManifest, bytesOf(tags))
  put(PATHS.seal, await sealing.signDetached(kit.signer, bytesOf(tags)))
  const own = ownEntry(statement.predicate, bytesOf(tags), kit.signer.fingerprint)
  const entries = entriesIn(files).map((one) =>
    one.entry.kind === 'run' && one.entry.run === 'run-24' ? { entry: own, signature: null } : one,
  )
  return rechained(files, entries)
}

const inPeriod = async (files: Files): Promise<VerificationReport> =>
  asked(kit, await sealedAround(rederived(kit, files), kit.signer))

function inExcerpt(files: Files): Promise<VerificationReport> {
  const part = [...files].flatMap(([path, bytes]) =>
    path.startsWith(`${ROOT}/`) ? [[path.slice(ROOT.length + 1), bytes] as const] : [],
  )
  const nodes = ['node-a', 'node-b']
  const enclosed = new Set(
    partialPaths(
      part.map(([path]) => path),
      nodes,
    ),
  )
  const said = jsonBytes({ schema: 'barewitness.excerpt/1', run: 'run-24', nodes, why: 'sample' })
  return verifyExcerpt({
    ...SAMPLE_RULES,
    source: sourceOf(new Map([...part.filter(([path]) => enclosed.has(path)), [EXCERPT_PATH, said]])),
    departures: [],
    seal: sealing.reader,
    validator,
    trust: { signers: [kit.signer.certificate], authorities: [], lists: [] },
    verifiedAt: kit.ports.clock.now(),
    file: 'excerpt',
  })
}

const completeness = ({ checks }: VerificationReport) => checks.find(({ check }) => check === 'completeness')
const rejects = (report: VerificationReport, said: RegExp): void => {
  expect(report.ok).toBe(false)
  expect(completeness(report)).toMatchObject({ outcome: 'failed' })
  expect(completeness(report)?.details.join('\n')).toMatch(said)
}

async function signedRegister(signer: Signer): Promise<Register> {
  const at = '2026-11-20T09:00:00.000Z'
  const ports = { sealing, clock: { ...kit.ports.clock, now: () => at } }
  const asked = registerOf({ acceptanceRequests: [acceptanceRequestOf({ requestedAt: at })] })
  return must(
    await signEntry(ports, asked, acceptanceRequestOf().id, { role: 'requester', openSigner: async () => ok(signer) }),
  )
}

const IMITATION: Mapping = {
  ...(sampleCatalog.frameworks[0] as Mapping),
  id: 'soc2-2',
  status: 'in-use',
  controls: (sampleCatalog.frameworks[0] as Mapping).controls.map((one) => ({ ...one, key: `soc2-2:${one.id}` })),
}
/** The same scope in the assessment and the trace, where they are compared. */
const scoped = (change: (scope: Record<string, unknown>) => Record<string, unknown>): Changes => ({
  [PATHS.scope]: (was) => change(was as Record<string, unknown>),
})

test('a part that was altered in no way verifies', async () => {
  const files = await altered({})
  expect(await inPeriod(files)).toMatchObject({ ok: true })
  expect(await inExcerpt(files)).toMatchObject({ ok: true })
})

describe.each([
  ['a period report', inPeriod],
  ['an excerpt', inExcerpt],
] as const)('%s refuses a run', (_, verified) => {
  test('whose register has an entry that was changed after it was signed', async () => {
    const register = await signedRegister(kit.stranger)
    const changed = JSON.parse(JSON.stringify(register).replace('cleared at every start', 'never cleared'))
    expect(await verified(await altered({ [PATHS.register]: () => register }))).toMatchObject({ ok: true })
    rejects(
      await verified(await altered({ [PATHS.register]: () => changed })),
      /the signature of the requester is invalid/,
    )
  })

  test('whose register contradicts itself or names what there is not', async () => {
    const twice = registerOf({ riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf()] })
    rejects(await verified(await altered({ [PATHS.register]: () => twice })), /two entries have the ID/)
    const strange = registerOf({ riskAcceptances: [riskAcceptanceOf({ check: 'no.such', nodes: ['node-z'] })] })
    const report = await verified(await altered({ [PATHS.register]: () => strange }))
    rejects(report, /names check “no\.such”/)
    rejects(report, /names node “node-z”/)
  })

  test('whose own framework imitates a built-in one', async () => {
    const mappings = [IMITATION]
    rejects(await verified(await altered(scoped((scope) => ({ ...scope, mappings })))), /imitates a built-in framework/)
  })

  test('whose vantage measurement was changed after it was signed', async () => {
    const at = '2026-11-23T09:00:00.000Z'
    const record = await vantageOf(unsignedVantage(at, ['node-a', 'node-b']), kit.stranger)
    const changed = JSON.parse(JSON.stringify(record).replaceAll('5.1,', '0.9,'))
    const files = await altered(scoped((scope) => ({ ...scope, location: { vantages: [changed] } })))
    rejects(await verified(files), /vantage measurement vantage-one .*Its signature is invalid/)
  })

  test('whose trace leaves out a declared node, or names another recording or due time', async () => {
    const traced = (change: (trace: RunTrace) => RunTrace): Promise<Files> =>
      altered({ [PATHS.trace]: (was) => change(was as RunTrace) })
    const fewer = await traced((trace) => ({ ...trace, nodes: trace.nodes.slice(0, 1) }))
    rejects(await verified(fewer), /trace\.json has other nodes than those declared/)
    const other = await traced((trace) => ({
      ...trace,
      nodes: trace.nodes.map((node) => ({ ...node, recording: 'a'.repeat(64) })),
    }))
    rejects(await verified(other), /name different recordings or host keys/)
    rejects(await verified(await traced((trace) => ({ ...trace, planned: null }))), /different due times/)
  })

  test('which declares a node twice, so that it would count as two node tests', async () => {
    const files = await altered(
      {
        ...scoped((scope) => ({ ...scope, population: ['node-a', 'node-a', 'node-b'] })),
        [PATHS.trace]: (was) => {
          const trace = was as RunTrace
          return { ...trace, nodes: [...trace.nodes.slice(0, 1), ...trace.nodes] }
        },
      },
      (statement) => {
        const { nodes } = statement.predicate
        return { ...statement, predicate: { ...statement.predicate, nodes: [...nodes.slice(0, 1), ...nodes] } }
      },
    )
    rejects(await verified(files), /scope\.json declares a node twice/)
  })

  test('whose trace hides that its declarations or thresholds changed', async () => {
    const files = await altered(scoped((scope) => ({ ...scope, profile: { name: 'baseline', changes: [] } })))
    rejects(await verified(files), /does not state the digests of the declarations/)
  })

  test('whose statement names other nodes or rules than its declarations and its trace', async () => {
    const more = await altered({}, (statement) => ({
      ...statement,
      predicate: { ...statement.predicate, nodes: statement.predicate.nodes.slice(0, 1) },
    }))
    rejects(await verified(more), /statement\.json/)
    const rules = await altered({}, (statement) => ({
      ...statement,
      predicate: { ...statement.predicate, catalog: { ...statement.predicate.catalog, digest: 'b'.repeat(64) } },
    }))
    rejects(await verified(rules), /state different rules/)
  })
})

test('demo recordings are named as such, though nothing but the recordings states it', async () => {
  const path = 'data/nodes/node-a/recording.json'
  const files = await altered({ [path]: (was) => ({ ...(was as object), demo: true }) })
  expect(await inExcerpt(files)).toMatchObject({ demo: true })
  expect(await inPeriod(files)).toMatchObject({ demo: true })
})

test('a trace cannot name a catalog that its rules and declarations do not give', async () => {
  const digest = 'd'.repeat(64)
  const named = (was: unknown): RunTrace => {
    const trace = was as RunTrace
    const catalog = { ...trace.catalog, digest }
    return { ...trace, catalog, rules: sha256(canonicalJson([trace.engine, digest, null])) }
  }
  const files = await altered({ [PATHS.trace]: named }, (statement) => ({
    ...statement,
    predicate: { ...statement.predicate, catalog: { ...statement.predicate.catalog, digest } },
  }))
  const report = await inPeriod(files)
  expect(report.checks.find(({ check }) => check === 'reproducibility')).toMatchObject({ outcome: 'failed' })
})
