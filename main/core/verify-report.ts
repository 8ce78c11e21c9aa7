import type { Question, VerificationAnswer, VerificationReport } from '../../schemas/verification.ts'
import { plain } from './plain-text.ts'
import type { PdfReading, SealReader } from './ports.ts'
import { type EmbeddedForm, embeddedResults } from './report/embedded.ts'
import { bounded } from './verify/budgets.ts'
import { signedBy, signerOf } from './verify/signature.ts'
import { existedBy, shownTime } from './verify/time.ts'
import { certificatesOf, type Trust } from './verify/trust.ts'

export interface VerifyReportInput {
  readonly pdf: Uint8Array
  readonly reader: SealReader
  readonly trust: Trust
  /** UTC, ISO 8601. */
  readonly verifiedAt: string
  /** The file's name, for display. */
  readonly file: string
}

/**
 * The answers about a PDF by itself. Of one of our reports: whether it is intact, whose it is and by when it existed; the rest needs the
 * pack. Of anybody else's PDF nothing is said but what it is not. Never throws.
 */
export async function verifyReport(input: VerifyReportInput): Promise<VerificationReport> {
  const { pdf, reader, trust, verifiedAt } = input
  const reading = await reader.readPdf(pdf, certificatesOf([...trust.signers, ...trust.authorities]), trust.lists)
  return reading.kind === 'report' ? ofOurs(reading, input) : ofOthers(reading, { file: input.file, verifiedAt })
}

function ofOurs(reading: PdfReading, { trust, verifiedAt, file }: VerifyReportInput): VerificationReport {
  const { seal, problems } = reading
  const stamps = seal?.timestamps ?? []
  // Whoever adds a time-stamp over a whole report puts all chains into it first.
  const wholeChains = stamps.length > 1
  const time = shownTime(stamps, { trust, verifiedAt, wholeChains, firstRoot: null })
  const embedded = embeddedResults(reading.attachments)
  const broken = [...problems, ...(seal?.problems ?? [])]
  const answers: readonly VerificationAnswer[] = [
    broken.length === 0
      ? answer(
          'intact',
          'yes',
          'The report is as it was when it was sealed, and nothing was added but time-stamps and what they need.',
          [
            `Level ${reading.level}: a matter of form, whoever the authorities are. A later level that was cut off leaves a lower one; the pack says which bytes belong to it.`,
            'What its pages say was not compared with any evidence.',
          ],
        )
      : answer('intact', 'no', 'The report is not as it was sealed.', broken),
    signedBy(seal, { trust, time, verifiedAt, wholeChain: wholeChains, absent: NO_SIGNATURE }),
    existedBy(time, { stamps: stamps.length, expected: false, statedAt: embedded?.index.asOf ?? null }),
    notShown('complete', 'A report alone does not hold the answers of the nodes. Verify the pack it belongs to.', [
      `It names evidence digest ${plain(reading.evidenceDigest ?? 'nothing')}.`,
      CARRIED[embedded?.form ?? 'none'],
    ]),
    notShown('reproducible', 'Verdicts can be evaluated again from a pack only.'),
    notShown('chain-continuous', 'The chain of runs stands in packs only.'),
  ]
  return {
    schema: 'barewitness.verification/2',
    file: plain(file),
    kind: 'report',
    verifiedAt,
    ok: answers.every(({ outcome }) => outcome !== 'no'),
    demo: seal?.demo === true || embedded?.index.demo === true,
    answers: answers.map(bounded),
    rules: null,
    differences: [],
    signer: signerOf(seal, trust, time.at ?? verifiedAt),
  }
}

const NO_SIGNATURE = 'No signature of an author can be read in this PDF.'

const CARRIED: Readonly<Record<EmbeddedForm | 'none', string>> = {
  whole: 'It carries the results of every node.',
  index:
    'It carries the states of controls, and each node with the digest of its results. The results themselves are in the pack.',
  none: 'It carries no results that can be read.',
}

/** The answers about a PDF that is not read, because no report of ours is that large. */
export const largerThanRead = (about: Pick<VerificationReport, 'file' | 'verifiedAt'>): VerificationReport =>
  ofOthers({ problems: ['This PDF is larger than any report that Barewitness reads.'] }, about)

const ofOthers = (
  { problems }: Pick<PdfReading, 'problems'>,
  { file, verifiedAt }: Pick<VerificationReport, 'file' | 'verifiedAt'>,
): VerificationReport => ({
  schema: 'barewitness.verification/2',
  file: plain(file),
  kind: 'foreign-pdf',
  verifiedAt,
  ok: false,
  demo: false,
  answers: [
    answer('intact', 'no', 'This is not a report that Barewitness wrote. It was not verified.', problems),
    ...(['signed-by', 'existed-by', 'complete', 'reproducible', 'chain-continuous'] as const).map((question) =>
      notShown(question, 'Nothing is said about files that Barewitness did not write.'),
    ),
  ],
  rules: null,
  differences: [],
  signer: null,
})

const answer = (
  question: Question,
  outcome: VerificationAnswer['outcome'],
  summary: string,
  details: readonly string[] = [],
): VerificationAnswer => ({ question, outcome, summary, details })

const notShown = (question: Question, summary: string, details: readonly string[] = []): VerificationAnswer =>
  answer(question, 'not-shown', summary, details)
