import type { TableChoice } from '../../../schemas/ipc-views.ts'
import { ok } from '../../core/failure.ts'
import { fileIn } from '../../core/layout.ts'
import { type EngineContext, methods } from './context.ts'
import { areTexts, isObject, readKept, saved, turnOf, writeKept } from './kept-json.ts'

type Choices = Readonly<Record<string, TableChoice>>

/** How a person sees tables, and tables saved as they are shown. No evaluation depends on it. */
export function tableMethods(context: EngineContext) {
  const { ports, folder } = context
  const path = fileIn(folder, 'tables')
  const turn = turnOf(context, 'tables')
  // A file in another form loses only a choice of columns.
  const choices = async (): Promise<Choices> => {
    const kept = await readKept(ports, path, isChoices)
    return (kept.ok ? kept.value : null) ?? {}
  }
  return methods({
    'tables.get': async () => ok(await choices()),
    'tables.choose': ({ table, choice }) =>
      turn(async () => await writeKept(ports, path, { ...(await choices()), [table]: choice })),
    'table.save': ({ rows }, chosen) => saved(chosen, (path) => ports.files.write(path, ports.csv(rows))),
  })
}

const isChoices = (value: unknown): value is Choices => isObject(value) && Object.values(value).every(isChoice)

const isChoice = (value: unknown): value is TableChoice =>
  isObject(value) &&
  areTexts(value.hidden) &&
  (value.by === null || typeof value.by === 'string') &&
  typeof value.isReversed === 'boolean'
