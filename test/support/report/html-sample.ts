import { catalog } from '../../../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../../../main/catalog/definition/remediation.ts'
import { figuresOf } from '../../../main/catalog/figures/figures.ts'
import type { LoadedRecording } from '../../../main/core/recording/recording.ts'
import { capturedTexts } from '../../../main/present/html/captured.ts'
import type { ReportInput } from '../../../main/present/report.ts'
import { fixtureRecording } from '../fixtures.ts'
import { enlarged, formatSample } from '../format-sample.ts'

/** The sample of the formats with what the HTML report prints besides: remedies, figures, and text of captures. */
export function htmlSample(): ReportInput {
  const input = formatSample()
  const loaded = new Map<string, LoadedRecording>(
    input.recordings.map(({ recording: { node } }) => [node.name, fixtureRecording(node.name, catalog.probes)]),
  )
  const { nodes, scope } = input.assessment
  return {
    ...input,
    remediations: REMEDIATIONS,
    captured: new Map([...loaded].map(([node, recording]) => [node, capturedTexts(recording)])),
    figures: new Map(
      nodes.flatMap((node) => {
        const recording = loaded.get(node.node)
        return recording === undefined ? [] : [[node.node, figuresOf(recording, node, scope)] as const]
      }),
    ),
  }
}

/** As many nodes as asked for, as a large fleet is printed. */
export function largeHtmlSample(size: number): ReportInput {
  const { captured: _, figures: __, ...input } = htmlSample()
  return { ...enlarged({ ...formatSample(), ...input }, size), remediations: REMEDIATIONS }
}
