import type { TableChoice } from '../../../schemas/ipc-views.ts'
import { ok } from '../../core/failure.ts'
import { fileIn } from '../../core/layout.ts'
import type { EngineContext, Handlers } from './context.ts'
import { fileName, readKept, turnOf, writeKept } from './kept-json.ts'

type Methods = 'tables.get' | 'tables.choose' | 'table.save'
type Choices = Readonly<Record<string, TableChoice>>

/** How a person sees tables, and tables that are saved as they are shown. Nothing that is evaluated depends on it. */
export function tableMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { ports, folder } = context
  const path = fileIn(folder, 'tables')
  const turn = turnOf(context, 'tables')
  // A file in another form is a choice of columns that is lost, and nothing else.
  const choices = async (): Promise<Choices> => {
    const kept = await readKept(ports, path, isChoices)
    return (kept.ok ? kept.value : null) ?? {}
  }
  return {
    'tables.get': async () => ok(await choices()),
    'tables.choose': ({ table, choice }) =>
      turn(async () => await writeKept(ports, path, { ...(await choices()), [table]: choice })),
    'table.save': async ({ rows }, chosen) => {
      if (chosen === undefined) return ok(null)
      const written = await ports.files.write(chosen.path, ports.csv(rows))
      return written.ok ? ok({ file: fileName(chosen.path) }) : written
    },
  }
}

const isChoices = (value: unknown): value is Choices =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isChoice)

function isChoice(value: unknown): value is TableChoice {
  if (typeof value !== 'object' || value === null) return false
  const { hidden, by, isReversed } = value as Record<string, unknown>
  return (
    Array.isArray(hidden) &&
    hidden.every((one) => typeof one === 'string') &&
    (by === null || typeof by === 'string') &&
    typeof isReversed === 'boolean'
  )
}
