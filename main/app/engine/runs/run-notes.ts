import type { Planned, Scope } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import { runNotePath } from '../../../core/base/layout.ts'
import { isPlanned } from '../../../core/run-chain/entry.ts'
import { areTexts, isObject, parsed } from '../context/kept-json.ts'

/**
 * The settings that a run was started with, stored next to the evidence. A run that is opened later keeps the
 * declared nodes that it never reached. Contains no evidence.
 */
export interface RunNote {
  readonly run: string
  readonly at: string
  readonly demo: boolean
  /** Name of the fleet; absent in notes of earlier versions. */
  readonly fleet?: string
  /** The nodes to collect; nodes that only an engagement declares are added when the run is evaluated. */
  readonly population: readonly string[]
  readonly frameworks: Scope['frameworks']
  /** Absent in notes of earlier versions, and where the fleet chose none. */
  readonly profile?: Scope['profile']
  /** The scheduled run, where a team server started it. */
  readonly planned?: Planned
  /** Nodes with a complete recording at the end of the run; null while it is in progress, and when it was killed. */
  readonly complete: number | null
}

/** Fails with store.failed. */
export const writeNote = (ports: Pick<Ports, 'files'>, folder: string, note: RunNote): Promise<Outcome<null>> =>
  ports.files.write(runNotePath(folder, note.run), `${JSON.stringify(note)}\n`)

/** The note of a run; null where none can be read. `run` must have the form of a run name. */
export async function readNote(ports: Pick<Ports, 'files'>, folder: string, run: string): Promise<RunNote | null> {
  const bytes = await ports.files.read(runNotePath(folder, run))
  const note = bytes.ok ? parsed(bytes.value) : null
  return isNote(note) && note.run === run ? note : null
}

function isNote(value: unknown): value is RunNote {
  if (!isObject(value)) return false
  const { run, at, demo, fleet, population, frameworks, complete, planned } = value
  return (
    areTexts([run, at]) &&
    typeof demo === 'boolean' &&
    (fleet === undefined || typeof fleet === 'string') &&
    (planned === undefined || isPlanned(planned)) &&
    (complete === null || typeof complete === 'number') &&
    areTexts(population) &&
    areTexts(frameworks)
  )
}
