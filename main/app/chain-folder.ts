import { sha256 } from '../core/digest.ts'
import { isSafeName } from '../core/pack-files.ts'

/** Where a fleet's chain of runs lies below a folder: one chain each, so that fleets which share a folder do not meet in one. */
export const chainFolderOf = (folder: string, fleet: string): string =>
  `${folder}/chains/${isSafeName(fleet) ? fleet : `fleet-${sha256(fleet).slice(0, 24)}`}`
