import type { Assessment, Scope } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { assess } from '../core/assess.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { type Catalog, catalogSnapshot } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { assemblePack, evidenceDigest } from '../core/pack.ts'
import type { Signer } from '../core/ports.ts'
import type { LoadedRecording } from '../core/recording.ts'
import { buildReport } from '../core/report.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { controlsTable, findingsTable, type Table } from './tables.ts'

export interface ExportInput {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly asOf: string
  readonly signer: Signer
  readonly folder: string
}

export interface Exported {
  readonly assessment: Assessment
  readonly files: readonly {
    readonly name: string
    readonly path: string
    readonly size: number
    readonly sha256: string
  }[]
}

export const PRODUCER = `Barewitness ${VERSION}`
