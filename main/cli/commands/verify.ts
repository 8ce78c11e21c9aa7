import { questionWords, type VerificationReport } from '../../../schemas/verification.ts'
import { reviewFile } from '../../app/review.ts'
import { catalog } from '../../catalog/index.ts'
import type { Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { type ChainHead, headText, parseHead } from '../../core/run-chain/head.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, say } from '../terminal.ts'
import { readFiles, revocationListsIn } from '../trusting.ts'

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
      const { report, head } = reviewed.value
      if (options.json === true) emit(report)
      printReport(report)
      if (options.saveHead !== undefined) {
        const kept = head === null ? ok(null) : await world.files.write(options.saveHead, headText(head))
        if (!kept.ok) return endWith(context, kept.error)
        say(
          head === null
            ? `No head was kept: ${report.ok ? 'the pack states no chain of runs' : 'the pack is rejected'}.`
            : `Kept the head of the chain in ${options.saveHead}; name it with --last-head next time.`,
        )
      }
      if (!report.ok) context.exit(EXIT.notVerified)
    })
}

async function review({ world }: Context, path: string, options: Options): ReturnType<typeof reviewFile> {
  const signers = await readFiles(world, options.trust)
  if (!signers.ok) return signers
  const authorities = await readFiles(world, options.trustTimestamps)
  if (!authorities.ok) return authorities
  const lists = await readFiles(world, options.crl)
  if (!lists.ok) return lists
  const lastHead = await readHead(world, options.lastHead)
  if (!lastHead.ok) return lastHead
  const trust = {
    signers: signers.value,
    authorities: authorities.value,
    lists: lists.value.flatMap(revocationListsIn),
  }
  return await reviewFile(world, catalog, { path, trust, lastHead: lastHead.value, keep: false })
}

async function readHead({ files }: Context['world'], path: string | undefined): Promise<Outcome<ChainHead | null>> {
  if (path === undefined) return ok(null)
  const read = await files.read(path)
  return read.ok ? parseHead(new TextDecoder().decode(read.value)) : read
}

const OUTCOMES = { yes: 'yes', no: 'NO', 'not-shown': 'not shown' } as const
const KINDS = { pack: 'pack', report: 'report', disclosure: 'pack with parts withheld', 'foreign-pdf': 'PDF' } as const

function printReport(report: VerificationReport): void {
  say(
    `${plain(report.file)} (${KINDS[report.kind]})${report.demo ? '   [Demo data: sealed by a key that nobody may trust]' : ''}`,
  )
  for (const { question, outcome, summary, details } of report.answers) {
    say(`  ${questionWords[question].label.padEnd(16)} ${OUTCOMES[outcome].padEnd(9)} ${plain(summary, 2000)}`)
    for (const detail of details.slice(0, 40)) say(`      ${plain(detail, 2000)}`)
    if (details.length > 40) say(`      … and ${details.length - 40} more (use --json)`)
  }
  say(report.ok ? 'Nothing in it contradicts its seal.' : 'It is rejected.')
}
