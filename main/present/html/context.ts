import type { Capture, CaptureRef } from '../../../schemas/types.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { byCheck } from '../presentation.ts'
import { controlAnchor } from '../report/findings.ts'
import { MANY_NODES } from '../report/parts/figures.ts'
import type { Matter } from '../report/parts/input.ts'
import type { Anchors } from './blocks.ts'
import { idOf } from './marks.ts'

/** Input of every part of the HTML report. */
export interface Page {
  readonly matter: Matter
  readonly anchors: Anchors
  /** Every finding, those of informational checks included, by check. */
  readonly findings: ReadonlyMap<string, Finding>
  /** More nodes than a report prints in full: results without a deviation are named only, and captures by digest only. */
  readonly isLarge: boolean
  /** Place of a declared node, for ids. */
  readonly placeOf: ReadonlyMap<string, number>
  /** A capture of a node that an observation cites; undefined where the recording does not have it. */
  readonly capture: (node: string, probe: string | null, cited: CaptureRef) => Capture | undefined
}

export function pageOf(matter: Matter): Page {
  const { assessment, catalog, shown } = matter
  const findings = [...shown.findings, ...shown.informational]
  const placeOf = new Map(assessment.nodes.map(({ node }, at) => [node, at]))
  const known = new Set<string>([
    ...findings.map(({ reference }) => reference),
    ...assessment.controls.filter(({ state }) => state !== 'out-of-scope').map(controlAnchor),
    ...assessment.nodes.map(({ node }) => nodeAnchor(node)),
    ...catalog.checks.map(({ id }) => checkAnchor(id)),
  ])
  return {
    matter,
    anchors: known,
    findings: byCheck(findings),
    isLarge: assessment.nodes.length > MANY_NODES,
    placeOf,
    capture: capturesOf(matter),
  }
}

/** Keeps the captures of one node at a time, because consecutive parts ask for the same node. */
function capturesOf({ recordings }: Matter): Page['capture'] {
  const byNode = new Map(recordings.map((one) => [one.recording.node.name, one.captures]))
  let at: { readonly node: string; readonly captures: ReadonlyMap<string, Capture> } | null = null
  return (node, probe, { command, sha256 }) => {
    if (at?.node !== node)
      at = {
        node,
        captures: new Map(
          (byNode.get(node) ?? []).map(({ meta }) => [keyOf(meta.probe, meta.command, meta.stdout.sha256), meta]),
        ),
      }
    return at.captures.get(keyOf(probe ?? '', command, sha256))
  }
}

const keyOf = (probe: string, command: string, digest: string): string => `${probe}\n${command}\n${digest}`

export const nodeAnchor = (node: string): string => `node-${node}`
export const checkAnchor = (check: string): string => `check-${check}`

/** The id of a result, of one check on one node. */
export const resultId = ({ placeOf }: Page, node: string, check: string): string =>
  `r${placeOf.get(node) ?? ''}-${idOf(check)}`
/** The id of a capture in the list of its node. */
export const captureId = (
  { placeOf }: Page,
  node: string,
  { probe, command, stdout }: Pick<Capture, 'probe' | 'command' | 'stdout'>,
): string => `c${placeOf.get(node) ?? ''}-${idOf(probe)}-${idOf(command)}-${stdout.sha256.slice(0, 8)}`
