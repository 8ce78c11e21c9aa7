import type { VerificationProgress, VerificationReport } from '../../../schemas/verification.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { isExcerpt, isPeriodPack } from '../../core/period/pack.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Checkpoint } from '../../core/run-chain/head.ts'
import { isDisclosure } from '../../verify/disclosure/read.ts'
import { verifyDisclosure, verifyExcerpt } from '../../verify/excerpt.ts'
import { type PackContents, verifyPack } from '../../verify/pack.ts'
import { verifyPeriod } from '../../verify/period.ts'
import type { OnResult } from '../../verify/pipeline.ts'
import { largerThanRead, verifyReport } from '../../verify/report.ts'
import type { Trust } from '../../verify/steps/trust.ts'
import { shared } from '../common/shared.ts'
import { pageComparer, periodPageComparer } from './pages.ts'

interface ReviewInput {
  readonly path: string
  readonly trust: Trust
  readonly checkpoint: Checkpoint | null
  /** Keep the content of the pack for reading it afterwards. */
  readonly keep: boolean
  /** Watches the verification. Without a stop, the outcome is the same with and without it. */
  readonly watch?: VerificationWatch
}

export interface Reviewed {
  readonly report: VerificationReport
  /** The readable content of the pack; null for a PDF. */
  readonly contents: PackContents | null
  /** The checkpoint that the reader may keep. */
  readonly head: Checkpoint | null
}

type ReviewPorts = Pick<
  Ports,
  'clock' | 'csv' | 'files' | 'keptRules' | 'packs' | 'reports' | 'sealing' | 'tidyMemory' | 'validator' | 'zones'
>

/**
 * Opens a pack (archive or folder) or a PDF and runs the six verification checks. Fails only when it cannot be opened
 * safely, and with pack.stopped after a stop: a verification that was stopped concludes nothing.
 */
export async function reviewFile(ports: ReviewPorts, catalog: Catalog, input: ReviewInput): Promise<Outcome<Reviewed>> {
  const reviewed = await sixChecks(ports, catalog, input)
  return input.watch?.signal.aborted === true ? fail('pack.stopped', 'before all checks were concluded') : reviewed
}

/**
 * Runs the checks. Fails with rules.refused where rules took part that this program must not have; their conclusions
 * count for nothing.
 */
async function sixChecks(ports: ReviewPorts, catalog: Catalog, input: ReviewInput): Promise<Outcome<Reviewed>> {
  const kept = ports.keptRules()
  try {
    const reviewed = await checksWith(kept, ports, catalog, input)
    const refused = kept.refused()
    return refused.length === 0 ? reviewed : fail('rules.refused', `rules of version ${refused.join(', ')}`)
  } finally {
    kept.close()
  }
}

async function checksWith(
  kept: ReturnType<ReviewPorts['keptRules']>,
  ports: ReviewPorts,
  catalog: Catalog,
  input: ReviewInput,
): Promise<Outcome<Reviewed>> {
  const { path, trust, watch } = input
  const file = path.split(/[/\\]/).at(-1) ?? path
  const verifiedAt = ports.clock.now()
  if (/\.pdf$/i.test(path)) {
    const pdf = await ports.files.read(path)
    if (!pdf.ok && pdf.error.code === 'input.refused')
      return ok({ report: largerThanRead({ file, verifiedAt }), contents: null, head: null })
    if (!pdf.ok) return pdf
    const report = await verifyReport({ pdf: pdf.value, reader: ports.sealing.reader, trust, verifiedAt, file })
    return ok({ report, contents: null, head: null })
  }
  kept.begin()
  const opened = await ports.packs.open(path)
  if (!opened.ok) return opened
  try {
    const { departures } = opened.value
    const source = watch === undefined ? opened.value : watchedSource(opened.value, watch)
    const seal = ports.sealing.reader
    // After a stop, readings fail, and conclusions from that are no results.
    const onResult: OnResult = (...result) => (watch?.signal.aborted === false ? watch.onResult(...result) : undefined)
    const onStep = watch?.onStep
    const { validator } = ports
    const whole = { source, departures, seal, catalog, kept, trust, validator, verifiedAt, file, onStep, onResult }
    if (isDisclosure(opened.value)) return ok({ report: await verifyDisclosure(whole), contents: null, head: null })
    if (isExcerpt(opened.value)) return ok({ report: await verifyExcerpt(whole), contents: null, head: null })
    if (isPeriodPack(opened.value)) {
      const { zones, csv } = ports
      const pages = periodPageComparer(ports, catalog, opened.value)
      const more = { zones, csv, producer: PRODUCER, pages, checkpoint: input.checkpoint }
      const verified = await verifyPeriod({ ...whole, ...more })
      return ok({ ...verified, contents: null })
    }
    const share = shared()
    return ok(
      await verifyPack({
        ...whole,
        index: opened.value.indexApart(),
        share,
        onAssessed: kept.close,
        pages: pageComparer(ports, catalog, opened.value, share),
        checkpoint: input.checkpoint,
        keep: input.keep,
      }),
    )
  } finally {
    await opened.value.close()
  }
}

/** Who watches a verification, and may end it. */
interface VerificationWatch {
  readonly onStep: (progress: VerificationProgress) => void
  /** The result of a check that is final before the others. */
  readonly onResult: OnResult
  readonly signal: AbortSignal
}

/** Maximum number of progress reports about compared files: a pack has tens of thousands of files. */
const MOST_REPORTS = 50

/**
 * A pack that counts its files as they are compared. After a stop, every further reading rejects, so that the
 * verification ends soon. The caller then checks the signal and discards the result.
 */
function watchedSource(pack: OpenPack, { onStep, signal }: VerificationWatch): OpenPack {
  const total = pack.paths.length
  const every = Math.max(1, Math.ceil(total / MOST_REPORTS))
  const seen = new Set<string>()
  const going = (): void => {
    if (signal.aborted) throw new Error('the verification was stopped')
  }
  return {
    ...pack,
    read: async (path, most) => {
      going()
      return await pack.read(path, most)
    },
    sha256: async (path) => {
      going()
      const digest = await pack.sha256(path)
      seen.add(path)
      if (seen.size % every === 0) onStep({ step: 'files', done: seen.size, total })
      return digest
    },
  }
}
