import { standingLimitation } from '../../../schemas/words.ts'
import type { Catalog } from '../catalog.ts'
import type { Control } from '../framework.ts'
import { nodeFolder } from '../pack-files.ts'
import type { ReportInput } from '../report/input.ts'

/** What files for other tools are made from: all of them tell the same assessment, and name the sealed evidence it rests on. */
export interface FormatInput
  extends Pick<
    ReportInput,
    | 'assessment'
    | 'catalog'
    | 'recordings'
    | 'register'
    | 'producer'
    | 'evidenceDigest'
    | 'packName'
    | 'signer'
    | 'demo'
  > {
  readonly run: string
}

/** Said in every file that leaves the report behind. */
export const STANDING_LIMITATION = standingLimitation('file repeats')

export const DEMO_NOTICE =
  'Demo data: made from the built-in demo fleet. It says nothing about any real server and must not be used as evidence.'

/** Controls by framework and key. */
export function controlIndex({
  frameworks,
}: Pick<Catalog, 'frameworks'>): (framework: string, key: string) => Control | undefined {
  const found = new Map(frameworks.map(({ id, controls }) => [id, new Map(controls.map((one) => [one.key, one]))]))
  return (framework, key) => found.get(framework)?.get(key)
}

/** Where the bytes of an answer lie in the pack. */
export const answerPath = (node: string, digest: string): string => `${nodeFolder(node)}/sha256/${digest}`
