import type { Assessment, AssessmentIndex } from '../../../schemas/types.ts'
import { parseBounded } from '../base/bounded-json.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { assessmentBytes, assessmentIndexOf, nodeAssessmentPath, PATHS, type PackFiles, sizeOf } from './pack-files.ts'

/**
 * What a report embeds: every result or, for a large fleet, the index of results, which cites each node’s results in the pack by digest.
 * PDF readers load an embedded file into memory as a whole, hence the limit.
 */
export type EmbeddedForm = 'whole' | 'index'

export const EMBEDDED_NAMES: Readonly<Record<EmbeddedForm, string>> = {
  whole: 'assessment.json',
  index: 'assessment-index.json',
}

/** Above this total size, results of nodes are only in the pack. */
export const MOST_EMBEDDED = 16 * 1024 * 1024

export interface EmbeddedFile {
  readonly form: EmbeddedForm
  readonly name: string
  readonly bytes: Uint8Array
  readonly description: string
}

/** The file that a report on this assessment embeds. `payload` is that of its pack, from payloadFiles(). */
export function embeddedFile(assessment: Assessment, payload: PackFiles): EmbeddedFile {
  const index = payload.get(PATHS.assessment)
  const size = assessment.nodes.reduce((sum, { node }) => {
    const content = payload.get(nodeAssessmentPath(node))
    return sum + (content === undefined ? 0 : sizeOf(content))
  }, 0)
  if (size > MOST_EMBEDDED && index instanceof Uint8Array)
    return {
      form: 'index',
      name: EMBEDDED_NAMES.index,
      bytes: index,
      description: 'State of every control, and each node with the digest of its results in the pack',
    }
  return {
    form: 'whole',
    name: EMBEDDED_NAMES.whole,
    bytes: assessmentBytes(assessment),
    description: 'Every verdict with its observations',
  }
}

/**
 * The results embedded in a report, as the index that its pack must contain. Null unless exactly one result file is
 * embedded, in canonical form.
 */
export function embeddedResults(
  attachments: ReadonlyMap<string, Uint8Array>,
): { readonly form: EmbeddedForm; readonly index: AssessmentIndex } | null {
  const [whole, index] = [attachments.get(EMBEDDED_NAMES.whole), attachments.get(EMBEDDED_NAMES.index)]
  const bytes = whole ?? index
  if (bytes === undefined || (whole !== undefined && index !== undefined)) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value = parseBounded(text) as Assessment | AssessmentIndex
    if (!Array.isArray(value.nodes) || `${canonicalJson(value)}\n` !== text) return null
    if (whole !== undefined) return { form: 'whole', index: assessmentIndexOf(value as Assessment) }
    return value.schema === INDEX_SCHEMA ? { form: 'index', index: value as AssessmentIndex } : null
  } catch {
    return null
  }
}

const INDEX_SCHEMA: AssessmentIndex['schema'] = 'barewitness.assessment-index/1'
