import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Schedule } from '../../schemas/types.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { StartedBy } from '../core/schedule/store.ts'
import type { Context } from './context.ts'

export interface FileOption {
  readonly schedules?: string
}

export const withFile = (command: Command): Command =>
  command.option('--schedules <file>', 'Schedule file; default schedules.json next to the identities')

/** The absolute path of the schedule file, because timer units name it. */
export const fileOf = ({ ports }: Context, { schedules }: FileOption): string =>
  schedules === undefined ? ports.schedules.defaultFile : resolve(schedules)

/** One schedule of the file. Fails with input.refused if there is none with this name, otherwise as reading does. */
export async function scheduleNamed(context: Context, file: string, name: string): Promise<Outcome<Schedule>> {
  const read = await context.ports.schedules.read(file)
  if (!read.ok) return read
  const found = read.value.schedules.find((one) => one.name === name)
  return found === undefined ? fail('input.refused', `there is no schedule ${name} in ${file}`) : ok(found)
}

/** The command that a timer unit starts: this program at its real path, links resolved. */
export const startedBy = (context: Context, options: FileOption): Pick<StartedBy, 'program' | 'file'> => ({
  program: [process.execPath, realpathSync(process.argv[1] ?? '')],
  file: fileOf(context, options),
})
