import { type Question, questionWords, type VerificationReport } from '../../../schemas/verification.ts'
import { type Reviewed, reviewFile } from '../../app/review.ts'
import { catalog } from '../../catalog/index.ts'
import type { Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { type ChainHead, headText, parseHead } from '../../core/run-chain/head.ts'
import { MOST_PROBLEMS } from '../../core/verify/budgets.ts'
import { type Asked, lackingIn } from '../../core/verify/lacking.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { newFile } from '../options.ts'
import { emit, say } from '../terminal.ts'
import { readCertificates, readLists } from '../trusting.ts'

interface Options {
  readonly trust: string[]
  readonly trustTimestamps: string[]
  readonly crl: string[]
  readonly lastHead?: string
  readonly saveHead?: string
  readonly json?: true
}

/** `verify FILE`: six answers about a pack or a report, one by one; every verdict derived again from the raw bytes. */
export function verifyCommand(context: Context): void {
  const { program, world } = context
  program
    .command('verify <file>')
    .description('check a pack or a report: intact, signed by, existed by, complete, reproducible, chain continuous')
    .option('--trust <certificate...>', 'PEM certificates whose keys you decided to trust for seals', [])
    .option('--trust-timestamps <certificate...>', 'PEM certificates of time-stamp authorities that you believe', [])
    .option('--crl <list...>', 'newer revocation lists, of signers or authorities, PEM or DER', [])
    .option('--last-head <file>', 'the head of the chain of runs that you kept from an earlier pack')
    .option('--save-head <file>', 'keep the head of the chain of runs after this pack, if nothing contradicts it')
    .option('--json', 'machine-readable')
    .action(async (path: string, options: Options) => {
      const reviewed = await review(context, path, options)
      if (!reviewed.ok) {
        if (options.json === true) emit({ ok: false, failure: reviewed.error })
        return endWith(context, reviewed.error)
      }
      const { report, head, kept, lastHead } = reviewed.value
      const asked = {
        signers: options.trust.length > 0,
        authorities: options.trustTimestamps.length > 0,
        lastHead: lastHead !== null,
      }
      const lacking = report.ok ? lackingIn(report, asked) : []
      if (options.json === true) emit(inJson(report, lacking))
      printReport(report)
      say(closing(report, lacking, asked))
      if (options.saveHead !== undefined) {
        const why = whyNotKept(report, head, kept)
        const written =
          why !== null || head === null ? ok(null) : await world.files.write(options.saveHead, headText(head))
        if (!written.ok) return endWith(context, written.error)
        say(
          why === null
            ? `Kept the head of the chain in ${options.saveHead}; name it with --last-head next time.`
            : `No head was kept: ${why}.${kept === null ? '' : ` ${options.saveHead} stays as it is.`}`,
        )
      }
      if (!report.ok) context.exit(EXIT.notVerified)
      else if (lacking.length > 0) context.exit(EXIT.incomplete)
    })
}

/** What --json prints: of what comes out differently as many as of any other problem; `rules` counts them all. */
export const inJson = (report: VerificationReport, lacking: readonly Question[]) => ({
  ...report,
  differences: report.differences.slice(0, MOST_PROBLEMS),
  lacking,
})

type Review = Reviewed & {
  /** What --save-head would replace. */
  readonly kept: ChainHead | null
  /** What the history was compared with. */
  readonly lastHead: ChainHead | null
}

async function review({ world }: Context, path: string, options: Options): Promise<Outcome<Review>> {
  const signers = await readCertificates(world, options.trust)
  if (!signers.ok) return signers
  const authorities = await readCertificates(world, options.trustTimestamps)
  if (!authorities.ok) return authorities
  const lists = await readLists(world, options.crl)
  if (!lists.ok) return lists
  const named = options.lastHead === undefined ? ok(null) : await readHead(world, options.lastHead)
  if (!named.ok) return named
  const kept = await headToReplace(world, options.saveHead)
  if (!kept.ok) return kept
  const trust = { signers: signers.value, authorities: authorities.value, lists: lists.value }
  const lastHead = named.value ?? kept.value
  const reviewed = await reviewFile(world, catalog, { path, trust, lastHead, keep: false })
  return reviewed.ok ? ok({ ...reviewed.value, kept: kept.value, lastHead }) : reviewed
}

async function readHead({ files }: Context['world'], path: string): Promise<Outcome<ChainHead>> {
  const read = await files.read(path)
  return read.ok ? parseHead(new TextDecoder().decode(read.value)) : read
}

/** The head in the file that --save-head names; null where there is no such file. Nothing else is ever written over. */
async function headToReplace(world: Context['world'], path: string | undefined): Promise<Outcome<ChainHead | null>> {
  if (path === undefined) return ok(null)
  const fresh = newFile(path)
  if (fresh.ok) return ok(null)
  const head = await readHead(world, path)
  return head.ok ? head : fresh
}

/** Why a head is not written. One that is there gives way only to a later one that continues it. */
function whyNotKept(report: VerificationReport, head: ChainHead | null, kept: ChainHead | null): string | null {
  if (!report.ok) return 'it is rejected'
  if (head === null) return 'it states no chain of runs, or its key is not one that you trust'
  if (kept === null) return null
  if (kept.chain !== head.chain) return 'it is of another chain'
  if (kept.size > head.size) return 'it is older than what you kept'
  const continuous = report.answers.some((answer) => answer.question === 'chain-continuous' && answer.outcome === 'yes')
  return continuous ? null : 'it was not shown to continue what you kept'
}

const OUTCOMES = { yes: 'yes', no: 'NO', 'not-shown': 'not shown' } as const
const KINDS = {
  pack: 'pack',
  report: 'report',
  disclosure: 'pack with parts withheld',
  period: 'account of a period',
  excerpt: 'excerpt of a pack',
  'foreign-pdf': 'PDF',
} as const

const demoMark = ({ demo, signer }: VerificationReport): string =>
  demo ? `   [Demo data${signer?.standing === 'unknown' ? ': sealed by a key that nobody may trust' : ''}]` : ''

function printReport(report: VerificationReport): void {
  say(`${plain(report.file)} (${KINDS[report.kind]})${demoMark(report)}`)
  for (const { question, outcome, summary, details } of report.answers) {
    say(`  ${questionWords[question].label.padEnd(16)} ${OUTCOMES[outcome].padEnd(9)} ${plain(summary, 2000)}`)
    for (const detail of details.slice(0, 40)) say(`      ${plain(detail, 2000)}`)
    if (details.length > 40) say(`      … and ${details.length - 40} more (use --json)`)
  }
}

/** The last line: the one that people remember. */
function closing({ ok: stands, kind, rules }: VerificationReport, lacking: readonly Question[], asked: Asked): string {
  if (!stands) return 'It is rejected.'
  if (lacking.length > 0 && rules?.standing === 'unknown')
    return `${rules.unconfirmed} of ${rules.results} results could not be confirmed: its rules, version ${rules.version}, are not known here. Not shown: ${lacking.map((question) => questionWords[question].label).join(', ')}.`
  if (lacking.length > 0)
    return `Not shown: ${lacking.map((question) => questionWords[question].label).join(', ')}. Nothing in it contradicts its seal, and not everything that was asked for could be shown.`
  if (asked.signers) return 'Nothing in it contradicts its seal, and everything that was asked for was shown.'
  return `Nothing in it contradicts its seal. Whose seal it is was not asked: name a certificate with --trust.${kind === 'report' ? ' The evidence is in the pack.' : ''}`
}
