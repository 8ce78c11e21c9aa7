import type { Settings, TableChoice } from '../../../../schemas/ipc-views.ts'
import { VERSION } from '../../../../schemas/version.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fileIn } from '../../../core/base/layout.ts'
import { catalogView } from '../../evaluate/views.ts'
import { type EngineContext, methods } from './context.ts'
import { areTexts, isObject, parsed, readKept, saved, turnOf, writeKept } from './kept-json.ts'

const DEFAULTS: Settings = { concurrency: 64, authority: null, singleKeys: true, theme: 'system' }

/**
 * The settings; the defaults where none are stored, or where the file is not in the expected form. The file itself is
 * not changed.
 */
export async function readSettings(ports: Pick<Ports, 'files'>, folder: string): Promise<Settings> {
  const bytes = await ports.files.read(fileIn(folder, 'settings'))
  return (bytes.ok ? checkedSettings(parsed(bytes.value)) : null) ?? DEFAULTS
}

/** Stores the settings. A file that cannot be read is kept under another name. Fails with store.failed. */
async function writeSettings(
  ports: Pick<Ports, 'clock' | 'files'>,
  folder: string,
  settings: Settings,
): Promise<Outcome<Settings>> {
  const path = fileIn(folder, 'settings')
  const before = await ports.files.read(path)
  if (before.ok && checkedSettings(parsed(before.value)) === null) {
    const moment = ports.clock.now().replaceAll(/[^0-9T]/g, '')
    const kept = await ports.files.write(`${path}.not-read-${moment}`, before.value)
    if (!kept.ok) return kept
  }
  const checked = checkedSettings(settings)
  if (checked === null) return fail('input.refused', 'these settings are not in the expected format')
  const written = await ports.files.write(path, `${JSON.stringify(checked, null, 2)}\n`)
  return written.ok ? ok(checked) : written
}

/** The four settings; null for a value without all of them in the expected form. */
function checkedSettings(value: unknown): Settings | null {
  if (!isObject(value)) return null
  const { concurrency, authority, singleKeys, theme } = value
  if (typeof concurrency !== 'number' || !Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256)
    return null
  if (authority !== null && !(typeof authority === 'string' && /^https?:\/\/[!-~]{1,490}$/.test(authority))) return null
  if (typeof singleKeys !== 'boolean') return null
  if (theme !== 'system' && theme !== 'light' && theme !== 'dark') return null
  return { concurrency, authority, singleKeys, theme }
}

/** Version and catalog of this program, and the settings. */
export const appMethods = ({ ports, catalog, folder }: EngineContext) =>
  methods({
    'app.info': async () =>
      ok({
        version: VERSION,
        catalogVersion: catalog.version,
        rules: catalogView(catalog).digest,
        rulesState: ports.rulesState,
        license: 'Apache-2.0',
        probes: catalog.probes.length,
        checks: catalog.checks.length,
      }),
    'catalog.get': async () => ok(catalogView(catalog)),
    'settings.get': async () => ok(await readSettings(ports, folder)),
    'settings.set': async (settings) => await writeSettings(ports, folder, settings),
  })

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
