import type { NotifyCommand } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Notice } from '../../core/notice.ts'
import { runProgram } from './run-program.ts'

export const COMMAND_LIMIT = 30_000

/** Sends the notification as one line of JSON to the stdin of a program. Fails with notice.undelivered. */
export const tellCommand = (
  { argv }: NotifyCommand,
  notice: Notice,
  limit: number = COMMAND_LIMIT,
): Promise<Outcome<null>> => runProgram(argv, `${JSON.stringify(notice)}\n`, limit)
