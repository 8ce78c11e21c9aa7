import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { disclosureTag, exportRun } from '../../main/app/export/export.ts'
import type { ExportInput } from '../../main/app/export/report-input.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import type { Ports, RenderOptions } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import { assembleBag, PATHS } from '../../main/core/pack/pack.ts'
import { evidenceDigestOver, type ManifestDigests } from '../../main/core/pack/pack-files.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { ReportDocument } from '../../main/present/report.ts'
import { SEED_PATH, seedIn } from '../../main/verify/disclosure/cuts/parts.ts'
import { lackingIn } from '../../main/verify/steps/complete.ts'
import type { Statement } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { packOf } from './kept-runs.ts'
import { must } from './outcomes.ts'
import { inHand } from './sample-pack.ts'

export type Files = ReadonlyMap<string, Uint8Array>

interface Drawn {
  readonly document: ReportDocument
  readonly options: RenderOptions
}

/** A pack as it was exported, and what its PDFs were drawn from. */
export interface HonestPack {
  readonly files: Files
  readonly drawn: readonly Drawn[]
}

/** What a signer changes. */
export interface Forgery {
  /** The payload without the reports. */
  readonly payload?: (files: Files) => Files
  readonly document?: (document: ReportDocument) => ReportDocument
  readonly html?: (html: string) => string
  /** The index that ties redacted copies to the seal. */
  readonly index?: (text: string) => string
  readonly statement?: (statement: Statement) => Statement
}

const REPORTS: readonly string[] = [PATHS.report, PATHS.executive, PATHS.html]
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
const textIn = (files: Files, path: string): string => decoded(files.get(path))

/** Exports a run that was collected, and reads its pack. */
export async function honestPack(
  ports: Ports,
  catalog: Catalog,
  root: string,
  input: Pick<ExportInput, 'run' | 'scope' | 'inventory' | 'sites' | 'signer' | 'chainFolder'>,
): Promise<HonestPack> {
  const drawn: Drawn[] = []
  const reports: Ports['reports'] = {
    render: (document, options) => {
      drawn.push({ document, options })
      return ports.reports.render(document, options)
    },
  }
  const { run } = input
  must(
    await exportRun({ ...ports, reports }, catalog, {
      ...input,
      recordings: must(await ports.readRecordings([`${root}/evidence/${run}`])),
      asOf: ports.clock.now(),
      stamping: null,
      folder: `${root}/${run}`,
      register: EMPTY_REGISTER,
      attachmentBytes: async () => ok(new Uint8Array()),
      also: [],
    }),
  )
  const opened = must(await ports.packs.open(packOf(root, run)))
  const files = new Map<string, Uint8Array>()
  for (const path of opened.paths) files.set(path, await opened.read(path))
  await opened.close()
  return { files, drawn }
}

/**
 * The pack that its signer makes with changed contents: evidence digest, reports, statement, index, lists and seal all follow from what is in it
 * then, as an altered copy of the program would write them.
 */
export async function forgedPack(
  ports: Pick<Ports, 'reports' | 'sealing'>,
  { files, drawn }: HonestPack,
  signer: Signer,
  forgery: Forgery,
): Promise<Map<string, Uint8Array>> {
  const before = JSON.parse(textIn(files, PATHS.statement)) as Statement
  const { run, producer, asOf, demo, report } = before.predicate
  const own = new Map([...files].filter(([path]) => path.startsWith('data/') && !REPORTS.includes(path)))
  const payload = new Map(forgery.payload?.(own) ?? own)
  const digest = evidenceDigestOver(payload)
  const bound = (text: string): string => text.replaceAll(report.evidenceDigest, digest)
  const signed = async ({ document, options }: Drawn): Promise<Uint8Array> => {
    const made = JSON.parse(bound(JSON.stringify(document))) as ReportDocument
    return await ports.sealing.signPdf(await ports.reports.render(forgery.document?.(made) ?? made, options), signer)
  }
  const [executive, whole] = drawn
  if (executive === undefined || whole === undefined) throw new Error('the pack was not drawn')
  payload.set(PATHS.executive, await signed(executive))
  payload.set(PATHS.report, await signed(whole))
  const html = bound(textIn(files, PATHS.html))
  payload.set(PATHS.html, utf8(forgery.html?.(html) ?? html))
  const statement = (manifest: ManifestDigests): Statement => {
    const subject = before.subject.flatMap((one) => {
      const content = payload.get(one.name)
      const found = one.name === PATHS.manifest ? manifest.sha256 : content === undefined ? null : sha256(content)
      return found === null ? [] : [{ ...one, digest: { sha256: found } }]
    })
    const made = {
      ...before,
      subject,
      predicate: { ...before.predicate, report: { evidenceDigest: manifest.evidenceDigest } },
    }
    return forgery.statement?.(made) ?? made
  }
  const seed = seedIn(payload.get(SEED_PATH) ?? new Uint8Array())
  const tags = seed === null ? new Map<string, Uint8Array>() : await disclosureTag(payload, seed)
  const pack = assembleBag({
    payload,
    tags: new Map([...tags].map(([path, bytes]) => [path, utf8(forgery.index?.(decoded(bytes)) ?? decoded(bytes))])),
    signer,
    packName: `${run}.barewitness.zip`,
    producer,
    identifier: run,
    asOf,
    demo,
    statement,
  })
  const seal = await ports.sealing.signDetached(signer, pack.toSeal)
  return inHand(new Map([...payload, ...pack.tags, [PATHS.seal, seal]]))
}

/** Writes a pack, and answers as `verify PACK --trust root.pem` does. */
export async function judged(
  ports: Ports,
  catalog: Catalog,
  folder: string,
  files: Files,
  signer: Signer,
): Promise<{ readonly report: VerificationReport; readonly exit: number }> {
  const path = join(mkdtempSync(join(folder, 'judged-')), 'pack.zip')
  must(await ports.packs.write(path, files))
  const trust = { signers: signer.chain.slice(-1), authorities: [], lists: [] }
  const { report } = must(await reviewFile(ports, catalog, { path, trust, checkpoint: null, keep: false }))
  const lacking = lackingIn(report, { signers: true, authorities: false, checkpoint: false })
  return { report, exit: report.ok ? (lacking.length > 0 ? EXIT.incomplete : EXIT.done) : EXIT.notVerified }
}
