import type { Context } from '../context.ts'
import { driftCommands } from './history-drift.ts'
import { keepingCommands } from './history-keep.ts'
import { periodCommands } from './history-period.ts'

/** `history …`: stored runs of one --out folder, comparisons between them, and period reports. */
export function historyCommand(context: Context): void {
  const command = context.program.command('history').description('Inspect and keep runs')
  for (const add of [keepingCommands, driftCommands, periodCommands]) add(command, context)
}
