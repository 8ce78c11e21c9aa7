import type { Recording } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { type Catalog, catalogDigest } from '../core/catalog.ts'
import type { Outcome } from '../core/failure.ts'
import type { ConnectTarget, RunEvent } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { collectNode } from './collect-node.ts'
import { type RunResult, runFleet } from './run.ts'

export interface CollectRunInput {
  readonly run: string
  readonly targets: readonly ConnectTarget[]
  readonly storeFolder: string
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onEvent: (event: RunEvent) => void
  /** What recordings of this run say of themselves: only the demo fleet's are marked. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
}
