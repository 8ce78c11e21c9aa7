import {
  VERIFICATION_SHOWS,
  type VerificationCheck,
  type VerificationReport,
  verificationCheckWords,
} from '../../../schemas/verification.ts'
import { readCertificates } from '../../app/common/certificate-files.ts'
import { type Reviewed, reviewFile } from '../../app/export/review.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { MOST_PROBLEMS, unlistedIn } from '../../core/base/budgets.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type Checkpoint, headText, LARGEST_CHECKPOINT, parseHead } from '../../core/run-chain/head.ts'
import { isOfDemoKey, verificationHeadline } from '../../present/verification-headline.ts'
import { type Asked, lackingIn } from '../../verify/steps/complete.ts'
import { type Context, EXIT, emit, endWith, newFile, printLine } from '../parts/options.ts'
import { readLists } from '../parts/sealing.ts'

interface Options {
  readonly trust: string[]
  readonly trustTimestamps: string[]
  readonly crl: string[]
  readonly lastCheckpoint?: string
  readonly saveCheckpoint?: string
  readonly json?: true
}

/** `verify FILE`: six independent verification checks; every verdict is re-evaluated from the raw bytes. */
export function verifyCommand(context: Context): void {
  const { program, ports } = context
  program
    .command('verify')
    .description('Verify a pack, report, redacted copy, excerpt or period report')
    .argument('<file>', 'File to verify')
    .option('--trust <certificate...>', 'PEM certificates of signers, or their issuers, that you trust', [])
    .option('--trust-timestamps <certificate...>', 'PEM certificates of time-stamp authorities that you trust', [])
    .option('--crl <list...>', 'Newer revocation lists of signers or authorities, PEM or DER', [])
    .option('--last-checkpoint <file>', 'Checkpoint of the run chain that you kept from an earlier pack')
    .option('--save-checkpoint <file>', 'Write the checkpoint of this pack, if no check failed')
    .option('--json', 'Print the verification result as JSON')
    .action(async (path: string, options: Options) => {
      const reviewed = await review(context, path, options)
      if (!reviewed.ok) {
        if (options.json === true) emit({ ok: false, failure: reviewed.error })
        return endWith(context, reviewed.error)
      }
      const { report, head, kept, checkpoint } = reviewed.value
      const asked = {
        signers: options.trust.length > 0,
        authorities: options.trustTimestamps.length > 0,
        checkpoint: checkpoint !== null,
      }
      const lacking = report.ok ? lackingIn(report, asked) : []
      let isOutputMissing = false
      if (options.json === true) emit(inJson(report, lacking))
      printReport(report)
      if (report.rules !== null) printLine(`  Rules of this program: ${catalog.version}, ${ports.rulesState}.`)
      printLine(closing(report, lacking, asked))
      if (options.saveCheckpoint !== undefined) {
        const why = whyNotKept(report, head, kept)
        const written =
          why !== null || head === null ? ok(null) : await ports.files.write(options.saveCheckpoint, headText(head))
        if (!written.ok) return endWith(context, written.error)
        isOutputMissing = why !== null
        printLine(
          why === null
            ? `Saved the checkpoint to ${options.saveCheckpoint}. Next time, pass it with --last-checkpoint.`
            : `No checkpoint saved: ${why}.${kept === null ? '' : ` ${options.saveCheckpoint} is unchanged.`}`,
        )
      }
      if (!report.ok) context.exit(EXIT.notVerified)
      else if (lacking.length > 0 || isOutputMissing) context.exit(EXIT.incomplete)
    })
}

/** The output of --json: differing results up to the limit of other problems; `rules` counts all of them. */
export const inJson = (report: VerificationReport, lacking: readonly VerificationCheck[]) => ({
  ...report,
  differences: report.differences.slice(0, MOST_PROBLEMS),
  lacking,
})

type Review = Reviewed & {
  /** The checkpoint that --save-checkpoint would replace. */
  readonly kept: Checkpoint | null
  /** The checkpoint that the run chain was compared with. */
  readonly checkpoint: Checkpoint | null
}

async function review({ ports }: Context, path: string, options: Options): Promise<Outcome<Review>> {
  const signers = await readCertificates(ports, options.trust)
  if (!signers.ok) return signers
  const authorities = await readCertificates(ports, options.trustTimestamps)
  if (!authorities.ok) return authorities
  const lists = await readLists(ports, options.crl)
  if (!lists.ok) return lists
  const named = options.lastCheckpoint === undefined ? ok(null) : await readHead(ports, options.lastCheckpoint)
  if (!named.ok) return named
  const kept = await headToReplace(ports, options.saveCheckpoint)
  if (!kept.ok) return kept
  const trust = { signers: signers.value, authorities: authorities.value, lists: lists.value }
  const checkpoint = named.value ?? kept.value
  const reviewed = await reviewFile(ports, catalog, { path, trust, checkpoint, keep: false })
  return reviewed.ok ? ok({ ...reviewed.value, kept: kept.value, checkpoint }) : reviewed
}

async function readHead({ files }: Context['ports'], path: string): Promise<Outcome<Checkpoint>> {
  const read = await files.read(path)
  if (!read.ok) return read
  if (read.value.length > LARGEST_CHECKPOINT) return fail('input.refused', `${path} is larger than any checkpoint`)
  return parseHead(new TextDecoder().decode(read.value))
}

/** The checkpoint in the file of --save-checkpoint; null if there is no such file. Fails for any other file, which is never overwritten. */
async function headToReplace(ports: Context['ports'], path: string | undefined): Promise<Outcome<Checkpoint | null>> {
  if (path === undefined) return ok(null)
  const fresh = newFile(path)
  if (fresh.ok) return ok(null)
  const head = await readHead(ports, path)
  return head.ok ? head : fresh
}

/** Why a checkpoint is not written; null if it is. An existing one is replaced only by a later one that extends it. */
function whyNotKept(report: VerificationReport, head: Checkpoint | null, kept: Checkpoint | null): string | null {
  if (!report.ok) return 'verification failed'
  if (head === null) return 'the file has no run chain, or you do not trust its signer'
  if (kept === null) return null
  if (kept.chain !== head.chain) return 'the file belongs to another run chain'
  if (kept.size > head.size) return 'the file is older than your checkpoint'
  const continuous = report.checks.some((answer) => answer.check === 'continuity' && answer.outcome === 'passed')
  return continuous ? null : 'the run chain was not shown to extend your checkpoint'
}

const OUTCOMES = { passed: 'passed', failed: 'FAILED', indeterminate: 'indeterminate' } as const
const KINDS = {
  pack: 'pack',
  report: 'report',
  disclosure: 'redacted copy',
  period: 'period report',
  excerpt: 'pack excerpt',
  'foreign-pdf': 'PDF',
} as const

const demoMark = ({ demo, checks }: VerificationReport): string =>
  demo ? `   [Demo data${isOfDemoKey(checks) ? ': sealed with the demo key, which must not be trusted' : ''}]` : ''

const MOST_DETAILS = 40

/** How many details follow those printed, with those that the report counts and does not list. */
export function restOf(details: readonly string[]): string {
  const unlisted = unlistedIn(details.at(-1) ?? '')
  const listed = details.length - MOST_DETAILS - (unlisted === 0 ? 0 : 1)
  return unlisted === 0
    ? `… and ${listed} more (use --json)`
    : `… and ${listed + unlisted} more; --json lists ${listed} of them`
}

function printReport(report: VerificationReport): void {
  printLine(`${plain(report.file)} (${KINDS[report.kind]})${demoMark(report)}`)
  for (const { check, outcome, summary, details } of report.checks) {
    printLine(
      `  ${verificationCheckWords[check].label.padEnd(16)} ${OUTCOMES[outcome].padEnd(13)} ${plain(summary, 2000)}`,
    )
    for (const detail of details.slice(0, MOST_DETAILS)) printLine(`      ${plain(detail, 2000)}`)
    if (details.length > MOST_DETAILS) printLine(`      ${restOf(details)}`)
  }
}

/** The last lines: the headline, what is still required, and the fixed limitation. */
function closing(report: VerificationReport, lacking: readonly VerificationCheck[], { signers }: Asked): string {
  const { kind, rules, checks } = report
  const needs = checks.map((one) => one.needs)
  const labels = lacking.map((check) => verificationCheckWords[check].label).join(', ')
  const next = [
    ...(lacking.length > 0 && rules?.status === 'unknown'
      ? [
          `${rules.unconfirmed === 0 ? 'No result is confirmed' : `${rules.unconfirmed} of ${rules.results} results could not be confirmed`}: rules version ${rules.version} is not available here.`,
        ]
      : []),
    ...(report.ok && lacking.length > 0 ? [`Required but indeterminate: ${labels}.`] : []),
    ...(report.ok && !signers ? ['The signer was not checked: pass a certificate with --trust.'] : []),
    ...(needs.includes('authority')
      ? ['To trust a time-stamp authority, pass its certificate with --trust-timestamps.']
      : []),
    ...(report.ok && kind === 'report' ? ['A report alone contains no evidence; verify its pack.'] : []),
  ]
  const { word, text } = verificationHeadline(report)
  const lines = [`${word}.`, ...(text === '' ? [] : [text]), ...next].join(' ')
  return [lines, VERIFICATION_SHOWS].join('\n')
}
