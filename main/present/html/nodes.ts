import type { CheckResult, NodeAssessment, Recording } from '../../../schemas/types.ts'
import { verdictWords } from '../../../schemas/words.ts'
import { jsonBytes } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import { SEVERITY } from '../../core/conclusion/tally.ts'
import { nodeAssessmentPath, nodeFolder } from '../../core/pack/pack-files.ts'
import { byProbeAndCommand, type RecordingOutline } from '../../core/recording/recording.ts'
import type { Check } from '../../core/rules/check.ts'
import { nodeFacts, recordingsOf } from '../report/nodes/nodes.ts'
import { countLines, titles, verdictMark, when } from '../report/parts/wording.ts'
import { cellHtml, factsHtml } from './blocks.ts'
import { captureId, checkAnchor, nodeAnchor, type Page, resultId } from './context.ts'
import { captureHtml, observationsBriefly, observationsHtml } from './evidence.ts'
import { figureHtml } from './figure.ts'
import { checkLink } from './findings.ts'
import { htmlText, idOf, marked } from './marks.ts'

/** Bytes for the results of all nodes of a large fleet together, shared equally, so that the file opens at once. */
const MOST_OF_RESULTS = 9 * 1024 * 1024
const LEAST_OF_NODE = 2 * 1024

/** Every declared node: identity and its verification, isolation, location, counts, and all results by check. */
export function* nodesHtml(page: Page): Generator<string> {
  const { matter, isLarge } = page
  const { nodes, asOf } = matter.assessment
  const recordings = recordingsOf(matter)
  const outlines = new Map(matter.recordings.map((one) => [one.recording.node.name, one]))
  const brief = isLarge
    ? ' Results that are satisfied, informational or not applicable are named only, and supporting observations are counted; all are in the file of the node. A capture is named by its SHA-256, which is its file name.'
    : ''
  yield `<section id="nodes" aria-labelledby="nodes-h"><h2 id="nodes-h">${titles.nodes}</h2><p>${plural(nodes.length, 'declared node')}, as of ${when(asOf)}. Results are from one run; drift is not compared.${brief}</p>`
  for (const node of nodes) {
    const recording = recordings.get(node.recording?.digest ?? '') ?? null
    yield* nodeHtml(page, node, recording, outlines.get(node.node))
  }
  yield '</section>'
}

const REPEATED: readonly string[] = ['Results', 'Deviations']

function* nodeHtml(
  page: Page,
  node: NodeAssessment,
  recording: Recording | null,
  outline: RecordingOutline | undefined,
): Generator<string> {
  const { matter, anchors, isLarge, placeOf } = page
  const id = idOf(nodeAnchor(node.node))
  const counts = countLines(matter.tally.onNode(node.node))
  const shown = isLarge ? htmlText(counts.map(({ text }) => text).join(' · ')) : cellHtml(counts, anchors)
  const place = placeOf.get(node.node) ?? 0
  // The line of the node and its results state both already.
  const facts = nodeFacts(matter, node, recording).filter(({ label }) => !isLarge || !REPEATED.includes(label))
  yield `<article class="node" id="${id}" aria-labelledby="${id}-h" data-node="${place}"><details><summary><h3 id="${id}-h">${htmlText(plain(node.node, 80))}</h3><span class="meta">${shown}</span></summary><div class="body">${factsHtml(facts, anchors)}`
  for (const [at, figure] of (matter.figures?.get(node.node) ?? []).entries())
    yield figureHtml(figure, `g${place}-${at}`)
  if (isLarge) yield* briefResults(page, node)
  else {
    yield* fullResults(page, node)
    yield* captures(page, node, outline)
  }
  yield '</div></details></article>'
}

/** Results by verdict, worst first; each opens to its observations and their captures. */
function* fullResults(page: Page, { node }: NodeAssessment): Generator<string> {
  const { catalog, tally } = page.matter
  yield '<h4>Results by check</h4>'
  for (const verdict of SEVERITY) {
    const checks = catalog.checks.filter(({ id }) => tally.verdict(node, id) === verdict)
    if (checks.length === 0) continue
    yield `<details class="verdicts"><summary>${marked(verdictMark(verdict), `${verdictWords[verdict].label} (${checks.length})`)}</summary>`
    for (const check of checks) yield resultHtml(page, node, check, tally.result(node, check.id))
    yield '</details>'
  }
}

const resultHtml = (page: Page, node: string, { id, expected }: Check, result: CheckResult | undefined): string =>
  `<details class="result" id="${resultId(page, node, id)}"><summary>${htmlText(expected)} <code>${htmlText(id)}</code></summary><p class="quiet">${checkLink(page, id)}${findingLink(page, node, id)}</p>${observationsHtml(page, node, result?.observations ?? [], 'by-link')}</details>`

function findingLink({ findings, matter }: Page, node: string, check: string): string {
  const finding = findings.get(check)
  return finding === undefined || matter.tally.verdict(node, check) !== 'not-satisfied'
    ? ''
    : ` · <a href="#${idOf(finding.reference)}">${htmlText(finding.reference)}</a>`
}

function* captures(page: Page, { node }: NodeAssessment, outline: RecordingOutline | undefined): Generator<string> {
  const all = (outline?.captures ?? []).map(({ meta }) => meta).sort(byProbeAndCommand)
  if (all.length === 0) return
  yield `<details class="captures"><summary>All captures (${all.length})</summary>`
  const printed = new Set<string>()
  for (const meta of all) {
    const id = captureId(page, node, meta)
    if (!printed.has(id)) yield captureHtml(page, node, meta)
    printed.add(id)
  }
  yield '</details>'
}

const OPEN = ['not-satisfied', 'not-tested', 'inconclusive'] as const
const CLOSED = ['satisfied', 'informational', 'not-applicable'] as const

/**
 * For a large fleet: open results with their observations, up to the node’s share of the file; the other results by the id of their check.
 */
function* briefResults(page: Page, node: NodeAssessment): Generator<string> {
  const { catalog, tally, assessment } = page.matter
  const most = Math.max(LEAST_OF_NODE, Math.floor(MOST_OF_RESULTS / assessment.nodes.length))
  const file = `<code>${htmlText(nodeAssessmentPath(node.node))}</code>, SHA-256 <code>${page.matter.digests?.get(node.node) ?? sha256(jsonBytes(node))}</code>`
  yield `<h4>Results by check</h4><p class="quiet">All observations: ${file}. Captures: <code>${htmlText(`${nodeFolder(node.node)}/${RECORDING.blobs}`)}</code></p>`
  let left = most
  for (const verdict of OPEN) {
    const checks = catalog.checks.filter(({ id }) => tally.verdict(node.node, id) === verdict)
    if (checks.length === 0) continue
    if (node.results.length === 0) {
      yield `<p>${verdictWords[verdict].label}: ${plural(checks.length, 'check')}.</p>`
      continue
    }
    yield `<p><b>${verdictWords[verdict].label} (${checks.length})</b></p><ul class="results brief">`
    for (const { id } of checks) {
      const html = briefHtml(page, node.node, id, tally.result(node.node, id), left > 0)
      left -= html.length
      yield html
    }
    yield '</ul>'
  }
  for (const verdict of CLOSED) {
    const checks = catalog.checks.filter(({ id }) => tally.verdict(node.node, id) === verdict)
    if (checks.length > 0)
      yield `<p><b>${verdictWords[verdict].label} (${checks.length})</b> ${htmlText(checks.map(({ id }) => id).join(', '))}</p>`
  }
}

function briefHtml(page: Page, node: string, check: string, result: CheckResult | undefined, isWhole: boolean): string {
  const observations = result?.observations ?? []
  const words = !isWhole
    ? ` ${plural(observations.length, 'observation')} in the file of the node`
    : observations.length === 0
      ? ''
      : observationsBriefly(observations)
  return `<li id="${resultId(page, node, check)}">${htmlText(check)}${findingLink(page, node, check)}${words}</li>`
}

/** Each check with its expected condition, limitations and counts. */
export function* checksHtml({ matter }: Page): Generator<string> {
  yield '<section id="checks" aria-labelledby="checks-h"><h2 id="checks-h">Checks</h2><p>A satisfied check shows its expected condition and nothing more. Each count is over all declared nodes.</p><table><thead><tr><th scope="col">Check</th><th scope="col">Expected condition and limitations</th><th scope="col">Results</th></tr></thead><tbody>'
  for (const { id, expected, limitations } of matter.catalog.checks) {
    const counts = cellHtml(countLines(matter.tally.overNodes(id)), { has: () => false })
    yield `<tr id="${idOf(checkAnchor(id))}"><th scope="row"><code>${htmlText(id)}</code></th><td data-h="Expected condition and limitations">${htmlText(expected)} <span class="quiet">${htmlText(limitations)}</span></td><td data-h="Results">${counts}</td></tr>`
  }
  yield '</tbody></table></section>'
}
