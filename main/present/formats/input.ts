import { generalLimitation } from '../../../schemas/words.ts'
import { alike } from '../../core/base/grouping.ts'
import type { Remediated } from '../../core/finding/finding.ts'
import { nodeFolder } from '../../core/pack/pack-files.ts'
import type { AiViews, HipaaViews } from '../../core/recording/evidence-view.ts'
import { compare } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Control } from '../../core/rules/framework.ts'
import type { ReportInput } from '../input.ts'
import type { Presentation } from '../presentation.ts'

/** Input of the export formats: all contain the same assessment and cite the sealed evidence behind it. */
export interface FormatInput
  extends Pick<
    ReportInput,
    | 'assessment'
    | 'catalog'
    | 'recordings'
    | 'register'
    | 'remediations'
    | 'producer'
    | 'evidenceDigest'
    | 'packName'
    | 'signer'
    | 'demo'
  > {
  readonly run: string
  /** Common prefix of the names of the files next to the pack. */
  readonly prefix: string
  /** Findings, figures and sentences, as the report has them. */
  readonly shown: Presentation
  /** Data of the views for readers of one framework. No verdict depends on it. */
  readonly views: { readonly hipaa: HipaaViews; readonly ai: AiViews }
}

/** Printed in every file that is used without the report. */
export const GENERAL_LIMITATION = generalLimitation('file repeats')

export const DEMO_NOTICE =
  'Demo data: produced from the built-in demo fleet. It does not describe any real server and must not be used as evidence.'

/** Controls by framework and key. */
export function controlIndex({
  frameworks,
}: Pick<Catalog, 'frameworks'>): (framework: string, key: string) => Control | undefined {
  const found = new Map(frameworks.map(({ id, controls }) => [id, new Map(controls.map((one) => [one.key, one]))]))
  return (framework, key) => found.get(framework)?.get(key)
}

const NIST = 'nist-800-53'

/** NIST SP 800-53 controls that a check is mapped to, in any role. */
export const nistControls = ({ frameworks }: Pick<Catalog, 'frameworks'>, check: string): readonly string[] =>
  mappedControls(frameworks.find(({ id }) => id === NIST)?.controls ?? [], check)

/** Ids of the controls that a check is mapped to. */
export const mappedControls = (controls: readonly Control[], check: string): readonly string[] =>
  controls
    .filter(({ mappings }) => mappings.some((one) => one.check === check))
    .map(({ id }) => id)
    .sort(compare)

/** Path of a capture’s output in the pack. */
export const answerPath = (node: string, digest: string): string => `${nodeFolder(node)}/sha256/${digest}`

/** A finding of an earlier run of the period that no node has any more, with the runs that confirm it. */
export interface Closed {
  readonly reference: string
  readonly check: string
  readonly title: string
  /** In order of time; at least one. */
  readonly steps: readonly Remediated[]
}

/** Findings that are closed. One that is remediated on some nodes and found on others stays open. */
export function closedOf({ findings, informational, remediated }: Presentation): readonly Closed[] {
  const open = new Set([...findings, ...informational].map(({ reference }) => reference))
  const gone = remediated.filter(({ reference }) => !open.has(reference))
  return alike(gone, ({ reference }) => reference).flatMap((steps) => {
    const [first] = steps
    return first === undefined ? [] : [{ reference: first.reference, check: first.check, title: first.title, steps }]
  })
}
