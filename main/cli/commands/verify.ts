import { questionWords, type VerificationReport } from '../../../schemas/verification.ts'
import { reviewPack } from '../../app/review.ts'
import { catalog } from '../../catalog/index.ts'
import { plain } from '../../core/plain-text.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, say } from '../terminal.ts'

/** `verify PACK`: five answers, one by one; every verdict derived again from the raw bytes. */
export function verifyCommand(context: Context): void {
  const { program, world } = context
  program
    .command('verify <pack>')
    .description('check a pack: unaltered, signed by, existed by, complete, reproducible')
    .option('--trust <certificate...>', 'PEM certificates whose keys you decided to trust', [])
    .option('--json', 'machine-readable')
    .action(async (path: string, options: { trust: string[]; json?: true }) => {
      const anchors: Uint8Array[] = []
      for (const file of options.trust) {
        const pem = await world.files.read(file)
        if (!pem.ok) return endWith(context, pem.error)
        anchors.push(pem.value)
      }
      const reviewed = await reviewPack(world, catalog, path, anchors)
      if (!reviewed.ok) {
        if (options.json === true) emit({ ok: false, failure: reviewed.error })
        return endWith(context, reviewed.error)
      }
      if (options.json === true) emit(reviewed.value.report)
      printReport(reviewed.value.report)
      if (!reviewed.value.report.ok) context.exit(EXIT.notVerified)
    })
}

const OUTCOMES = { yes: 'yes', no: 'NO', 'not-shown': 'not shown' } as const

function printReport(report: VerificationReport): void {
  say(`${plain(report.file)}${report.demo ? '   [Demo data: sealed by a key that nobody may trust]' : ''}`)
  for (const { question, outcome, summary, details } of report.answers) {
    say(`  ${questionWords[question].label.padEnd(12)} ${OUTCOMES[outcome].padEnd(9)} ${plain(summary, 2000)}`)
    for (const detail of details.slice(0, 40)) say(`      ${plain(detail, 2000)}`)
    if (details.length > 40) say(`      … and ${details.length - 40} more (use --json)`)
  }
  say(report.ok ? 'Nothing in this pack contradicts its seal.' : 'This pack is rejected.')
}
