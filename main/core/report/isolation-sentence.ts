import type { NodeAssessment } from '../../../schemas/types.ts'
import { imageLimit, LAYERS, layerSaid, layerWords, notEstablished } from '../../../schemas/words.ts'
import { of } from './wording.ts'

/** What the nodes run on, counted by answer, and what no such answer excludes; none where nothing was argued. */
export function isolationSentences(nodes: readonly NodeAssessment[]): readonly string[] {
  const argued = nodes.flatMap(({ isolation }) => isolation ?? [])
  if (argued.length === 0) return []
  const answers = [...LAYERS.map((layer) => layerWords[layer]), notEstablished].flatMap((words) => {
    const count = argued.filter((one) => layerSaid(one) === words).length
    return count === 0 ? [] : [`${words.charAt(0).toLowerCase()}${words.slice(1)} ${of(count, nodes.length)}`]
  })
  return [`Isolation: ${answers.join('; ')}.`, imageLimit]
}
