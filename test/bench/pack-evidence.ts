import { renderReport } from '../../main/adapters/pdf/index.ts'
import { createSealing } from '../../main/adapters/seal/index.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../../main/catalog/definition/remediation.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import {
  assemblePack,
  assessmentBytes,
  evidenceDigestOf,
  manifestLines,
  PATHS,
  payloadFiles,
} from '../../main/core/pack/pack.ts'
import { recordingFiles } from '../../main/core/pack/pack-files.ts'
import type { StoredBytes } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import { buildReport } from '../../main/present/report.ts'
import { realClock, realEntropy } from '../support/deps.ts'
import { fixtureRecording } from '../support/fixtures.ts'

const NODES = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

/** Everything of a sealed pack but its large files: recordings of six nodes, what follows from them, report, lists and seal. */
export async function largePack(stored: ReadonlyMap<string, StoredBytes>): Promise<ReadonlyMap<string, Uint8Array>> {
  const recordings = NODES.map((node) => fixtureRecording(node, catalog.probes))
  const asOf =
    recordings
      .map(({ recording }) => recording.endedAt)
      .sort()
      .at(-1) ?? ''
  const scope = { fleet: 'large', population: NODES, frameworks: ['hipaa', 'soc2'] as const }
  const assessment = assess({ catalog, scope, recordings, asOf })
  const evidence = new Map([...recordings.flatMap((loaded) => recordingFiles(loaded)), ...stored])
  const payload = new Map([...payloadFiles({ assessment, catalog, register: EMPTY_REGISTER }), ...evidence])
  const sealing = createSealing(realClock, realEntropy)
  const signer = await sealing.demoSigner()
  const document = buildReport({
    assessment,
    catalog,
    recordings,
    producer: 'Barewitness bench',
    remediations: REMEDIATIONS,
    evidenceDigest: evidenceDigestOf(manifestLines(payload)),
    packName: 'large',
    signer,
    demo: assessment.demo,
    register: EMPTY_REGISTER,
  })
  const embedded = [{ name: 'assessment.json', bytes: assessmentBytes(assessment), description: 'Results' }]
  payload.set(
    PATHS.report,
    await sealing.signPdf(await renderReport(document, { attachments: embedded, created: asOf }), signer),
  )
  const stated = { run: 'large', producer: 'Barewitness bench', assessment, recordings }
  const pack = assemblePack({ ...stated, payload, signer, packName: 'large.zip' })
  const inHand = [...payload, ...pack.tags].flatMap(([path, content]) =>
    content instanceof Uint8Array ? [[path, content] as const] : [],
  )
  return new Map([...inHand, [PATHS.seal, await sealing.signDetached(signer, pack.toSeal)]])
}
