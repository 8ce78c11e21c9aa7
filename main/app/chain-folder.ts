import { sha256 } from '../core/digest.ts'
import { isSafeName } from '../core/pack-files.ts'

/**
 * Path of a fleet's run chain below a folder: one chain per fleet, so that fleets that share a folder do not share a
 * chain.
 */
export const chainFolderOf = (folder: string, fleet: string): string =>
  `${folder}/chains/${isSafeName(fleet) ? fleet : `fleet-${sha256(fleet).slice(0, 24)}`}`
