import { dirname } from 'node:path'
import type { ScheduleFile } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import type { SchemaValidator } from '../../core/ports.ts'
import type { ScheduleStore } from '../../core/schedule/schedule.ts'
import { lockFolder } from '../folder-lock.ts'
import { isCode, makeFolder, readPlain, writeWhole } from '../store/durable.ts'
import { ownersFile } from '../stored-file.ts'

const LARGEST = 16 * 1024 * 1024
/** How long another process may take to change the file. */
const PATIENCE_MS = 10_000
const MOST_PROBLEMS = 5
const NOTHING: ScheduleFile = { schema: 'barewitness.schedules/1', schedules: [] }

/** The schedule files of this computer. */
export function createScheduleStore(defaultFile: string, validator: SchemaValidator): ScheduleStore {
  const checked = (file: string, value: unknown): Outcome<ScheduleFile> => {
    const problems = validator.problems('schedules', value).slice(0, MOST_PROBLEMS)
    if (problems.length > 0) return fail('input.refused', `${file}: ${problems.join('; ')}`)
    const { schedules } = value as ScheduleFile
    const names = schedules.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    return twice === undefined
      ? ok(value as ScheduleFile)
      : fail('input.refused', `${file}: two schedules have the name “${twice}”`)
  }
  const read: ScheduleStore['read'] = async (file) => {
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(await readPlain(file, LARGEST))
    } catch (problem) {
      if (isCode(problem, 'ENOENT')) return ok(NOTHING)
      return fail('input.refused', `${file} could not be read: ${told(problem)}`)
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (problem) {
      return fail('input.refused', `${file} is not JSON: ${told(problem)}`)
    }
    return checked(file, value)
  }
  return {
    defaultFile,
    read,
    change: async (file, next) => {
      try {
        await makeFolder(dirname(file), 0o700)
        const lock = await lockFolder(dirname(file), PATIENCE_MS)
        if (!lock.ok) return lock
        try {
          const now = await read(file)
          if (!now.ok) return now
          const made = await next(now.value)
          if (!made.ok) return made
          const fits = checked(file, made.value)
          if (fits.ok) await writeWhole(file, `${JSON.stringify(fits.value, null, 2)}\n`)
          return fits
        } finally {
          await lock.value.release()
        }
      } catch (problem) {
        return fail('store.failed', `${file}: ${told(problem)}`)
      }
    },
    secret: async (path) => {
      const line = ownersFile(path, 'secret')
      return line.ok ? ok(null) : line
    },
  }
}

const told = (problem: unknown): string => plain(problem instanceof Error ? problem.message : String(problem), 300)
