import type { Context } from '../context.ts'
import { driftCommands } from './history-drift.ts'
import { keepingCommands } from './history-keep.ts'
import { periodCommands } from './history-period.ts'

/** `history …`: what was kept of the runs of one --out, what differs between them, and accounts of a period. */
export function historyCommand(context: Context): void {
  const command = context.program.command('history').description('runs, gaps and drift')
  for (const add of [keepingCommands, driftCommands, periodCommands]) add(command, context)
}
