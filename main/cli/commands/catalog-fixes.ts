import type { Command } from 'commander'
import { REMEDIATIONS } from '../../catalog/remediation.ts'
import { WHO } from '../../present/formats/work-order-markdown.ts'
import { JSON_OUTPUT } from '../options.ts'
import { emit, emitText } from '../terminal.ts'

/** `catalog fixes`: for each check, who can change it, on which systems a test proved the steps, and what the steps are. */
export function catalogFixesCommand(parent: Command): void {
  parent
    .command('fixes')
    .description('List steps per check: who can change it, systems on which a test ran them')
    .option(...JSON_OUTPUT)
    .action(({ json }: { json?: true }) => (json === true ? emit(REMEDIATIONS) : emitText(fixesText())))
}

function fixesText(): string {
  const proven = REMEDIATIONS.filter((one) => one.proven !== undefined).length
  const lines = REMEDIATIONS.map(({ check, whoCanChange, steps, proven: proofs = [] }) => {
    const where = proofs.map(({ distribution, note }) => `${distribution}${note === undefined ? '' : `; ${note}`}`)
    return [
      check,
      WHO[whoCanChange],
      where.length === 0 ? 'not run by a test' : `tested on ${where.join(', ')}`,
      [...new Set(steps.map(({ title }) => title))].join('; '),
    ].join('  ')
  })
  return `${[...lines, '', `Tested on real systems: ${proven} of ${REMEDIATIONS.length} checks.`].join('\n')}\n`
}
