import { randomBytes } from 'node:crypto'
import { createSealing } from '../../main/adapters/seal/index.ts'
import { disclosureTag } from '../../main/app/export/export.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import { assemblePack, PATHS, payloadFiles } from '../../main/core/pack/pack.ts'
import { recordingFiles } from '../../main/core/pack/pack-files.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { SEED_PATH, seedFile } from '../../main/verify/disclosure/cuts/parts.ts'
import { type DisclosedCopy, disclose } from '../../main/verify/disclosure/disclose.ts'
import type { DisclosurePolicy } from '../../main/verify/disclosure/redact.ts'
import type { Assessment, Register } from '../../schemas/types.ts'
import { realClock, realEntropy } from './deps.ts'
import { must } from './outcomes.ts'
import { inHand, sourceOf } from './sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>

export const REPORT = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00])

/** A pack sealed with a disclosure seed and index, its report a few bytes that are no text. */
export async function disclosablePack(options: {
  readonly signer: Signer
  readonly catalog: Catalog
  readonly recordings: readonly LoadedRecording[]
  readonly population?: readonly string[]
  readonly asOf: string
  readonly extra?: Files
  readonly register?: Register
  /** Changes the assessment before it is packed, as a forger would. */
  readonly forge?: (assessment: Assessment) => Assessment
}): Promise<Map<string, Uint8Array>> {
  const { signer, catalog, recordings, asOf, register = EMPTY_REGISTER } = options
  const population = options.population ?? recordings.map(({ recording }) => recording.node.name)
  const scope = { fleet: 'sample', population, frameworks: ['soc2'] as const }
  const honest = assess({ catalog, scope, recordings, asOf, register })
  const assessment = options.forge?.(honest) ?? honest
  const used = recordings.filter(({ recording }) => assessment.nodes.some(({ node }) => node === recording.node.name))
  const payload = new Map([
    ...payloadFiles({ assessment, catalog, register }),
    ...used.flatMap((loaded) => recordingFiles(loaded)),
    ...(options.extra ?? []),
  ])
  const seed = new Uint8Array(randomBytes(32))
  payload.set(PATHS.report, REPORT)
  payload.set(SEED_PATH, seedFile(seed))
  const pack = assemblePack({
    payload,
    recordings: used,
    assessment,
    run: 'run-1',
    producer: 'Barewitness 0.1.0',
    signer,
    packName: 'sample.barewitness.zip',
    tags: await disclosureTag(payload, seed),
  })
  const seal = await createSealing(realClock, realEntropy).signDetached(signer, pack.toSeal)
  return inHand(new Map([...payload, ...pack.tags, [PATHS.seal, seal]]))
}

export const WHO = {
  who: 'Owner of the fleet',
  why: 'Addresses are not the auditor’s concern',
  when: '2026-11-21T08:00:00.000Z',
}

/** A copy, or a failed test. */
export async function copyOf(pack: Files, catalog: Catalog, policy: Partial<DisclosurePolicy>): Promise<DisclosedCopy> {
  const full = { classes: [], nodes: [], paths: [], ...policy }
  return must(await disclose({ source: sourceOf(pack), policy: full, catalog, ...WHO }))
}

export const textIn = (files: Files, path: string): string => new TextDecoder().decode(files.get(path))
