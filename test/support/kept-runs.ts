import { join } from 'node:path'
import { createPorts } from '../../main/adapters/ports.ts'
import { exportRun } from '../../main/app/export/export.ts'
import { keepRun } from '../../main/app/history/rebuild-history.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { ok } from '../../main/core/base/failure.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { Engagement } from '../../schemas/types.ts'
import { must } from './outcomes.ts'
import { sampleCatalog, sampleRecording } from './sample-pack.ts'

export const FLEET = 'sample fleet'

/** The real ports over the catalog of one probe, at a moment that can be set. */
export function portsAt(time: { now: string }): Ports {
  const ports = createPorts(sampleCatalog)
  return { ...ports, clock: { ...ports.clock, now: () => time.now } }
}

/** Recordings of two nodes as they come from a run. */
export const recordingsOf = (run: string): readonly LoadedRecording[] =>
  [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')].map(
    ({ recording, captures }) => ({ recording: { ...recording, run, id: recording.node.name }, captures }),
  )

/** Puts a run's answers into the store below a root: those of both nodes, unless others are given. */
export async function collected(
  ports: Ports,
  root: string,
  run: string,
  recordings: readonly LoadedRecording[] = recordingsOf(run),
): Promise<void> {
  const store = must(await ports.openStore(`${root}/evidence`))
  for (const { recording, captures } of recordings) {
    const failure = { code: 'run.cancelled', detail: 'not ended' } as const
    const writer = must(await store.begin({ ...recording, outcome: { status: 'partial', failure } }))
    for (const answer of captures) must(await writer.append(answer))
    must(await writer.finish(recording))
  }
}

export interface ExportChoices {
  /** Whether the history has it; it has, unless stated otherwise. */
  readonly isKept?: boolean
  readonly catalog?: Catalog
  readonly nodes?: readonly string[]
  /** Earlier runs of its period are told of in the report. */
  readonly engagement?: Engagement
}

/** Exports a run that was collected, as `run` does. */
export async function exported(
  ports: Ports,
  root: string,
  run: string,
  signer: Signer,
  { isKept = true, catalog = sampleCatalog, nodes = ['node-a', 'node-b'], engagement }: ExportChoices = {},
): Promise<void> {
  const recordings = must(await ports.readRecordings([`${root}/evidence/${run}`]))
  const { trace, tagManifest, ...made } = must(
    await exportRun(ports, catalog, {
      run,
      scope: { fleet: FLEET, population: [...nodes], frameworks: ['soc2'], ...(engagement && { engagement }) },
      recordings,
      asOf: ports.clock.now(),
      signer,
      stamping: null,
      folder: `${root}/${run}`,
      register: EMPTY_REGISTER,
      attachmentBytes: async () => ok(new Map()) as never,
      inventory: null,
      also: [],
      chainFolder: chainFolderOf(root, FLEET),
      history: root,
    }),
  )
  const sealed = { tagManifest, signer: made.signer, pack: `${run}/${run}.barewitness.zip`, at: trace.asOf }
  if (isKept) must(await keepRun(ports, root, { trace, sealed }))
}

export const packOf = (root: string, run: string): string => join(root, run, `${run}.barewitness.zip`)
