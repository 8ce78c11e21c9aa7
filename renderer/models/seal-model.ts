import { type Severity, severityWords } from '../../schemas/conclusion-words.ts'
import type { Input } from '../../schemas/ipc.ts'
import type { FrameworkCounts } from '../../schemas/ipc-findings.ts'
import type {
  ExportDraft,
  ExportPlan,
  ExportResults,
  IdentityView,
  PackReview,
  PreflightItem,
  VerificationHeadline,
} from '../../schemas/ipc-packs.ts'
import type { FrameworkName, RunListItem } from '../../schemas/ipc-views.ts'
import type { SignerTrust, VerifiedKind } from '../../schemas/verification.ts'
import { LEVELS } from './finding-model.ts'
import type { Route } from './routes.ts'
import { may } from './team.ts'
import { plural, when } from './text.ts'

/** The steps of an export, in order. */
export const STEPS = ['scope', 'redact', 'seal', 'review'] as const
export type Step = (typeof STEPS)[number]
export const STEP_TITLES: Readonly<Record<Step, string>> = {
  scope: 'Scope',
  redact: 'Redact',
  seal: 'Seal',
  review: 'Review and save',
}

/** The choices that every seal needs. */
export interface SealChoices {
  /** A redacted copy is created in addition to the pack. */
  readonly copy: boolean
  /** Null if none was chosen; then the first identity seals. */
  readonly identity: string | null
  readonly timestamp: boolean
}
export type SealPlan = Pick<ExportPlan, 'demo' | 'identities' | 'organization' | 'authority'>

/** The choices so far. Going back, a failure or another screen loses none of them. */
export interface Choices extends SealChoices {
  readonly frameworks: readonly FrameworkName[]
  /** Additional outputs: ids from the plan. */
  readonly also: readonly string[]
  readonly classes: readonly string[]
  readonly who: string
  readonly why: string
}

/** The shared state of the wizard’s steps. */
export interface StepProps {
  readonly plan: ExportPlan
  readonly choices: Choices
  readonly onChange: (part: Partial<Choices>) => void
}

/** Initial choices: the frameworks of the fleet, the first identity, and a time-stamp where an authority is set. */
export const firstChoices = (plan: ExportPlan): Choices => ({
  frameworks: plan.frameworks.filter(({ chosen }) => chosen).map(({ id }) => id),
  also: plan.also.filter(({ chosen }) => chosen).map(({ id }) => id),
  copy: false,
  classes: [],
  who: '',
  why: '',
  identity: plan.identities[0]?.name ?? null,
  timestamp: plan.authority !== null,
})

/** Frameworks of most exports, including custom ones; the others are folded. */
export const frameworkGroups = ({ frameworks }: ExportPlan) => ({
  usual: frameworks.filter(({ kind }) => kind !== 'more'),
  more: frameworks.filter(({ kind }) => kind === 'more'),
})

/** Why a step cannot be completed, or null. */
export function problemAt(step: Step, { frameworks, copy, classes, who, why }: Choices): string | null {
  if (step === 'scope' && frameworks.length === 0) return 'Choose at least one framework.'
  if (step !== 'redact' || !copy) return null
  if (classes.length === 0) return 'Choose what to redact, or create no redacted copy.'
  if (who.trim() === '') return 'Enter who redacts the copy. The copy names that person.'
  return why.trim().length < 3 ? 'Enter the reason (at least 3 characters). It is printed in the copy.' : null
}

/**
 * The identity that will seal: the selected one or the first. Null where there is none; then nothing can be sealed.
 */
export const identityOf = ({ identity }: SealChoices, { identities }: SealPlan): IdentityView | null =>
  identities.find(({ name }) => name === identity) ?? identities[0] ?? null

/** Where an open item is resolved, and the words of its link. The signer is entered on a step of the export itself. */
export const PREFLIGHT_LINKS: Readonly<
  Record<PreflightItem['id'], { readonly title: string; readonly to: Route | 'seal' }>
> = {
  signer: { title: 'Open step Seal', to: 'seal' },
  engagement: { title: 'Open engagement', to: { screen: 'engagement', of: 'run' } },
  population: { title: 'Open population', to: { screen: 'engagement', of: 'run', part: 'population' } },
  nodes: { title: 'Open results by node', to: { screen: 'properties', of: 'run' } },
  places: { title: 'Open declared nodes', to: { screen: 'declarations', part: 'nodes' } },
  findings: { title: 'Open findings', to: { screen: 'findings', of: 'run' } },
  documents: { title: 'Open documents', to: { screen: 'documents', of: 'run' } },
  signatures: { title: 'Open risk acceptances', to: { screen: 'risk-acceptances', of: 'run' } },
  time: { title: 'Open time-stamping', to: { screen: 'settings', part: 'time-stamping' } },
}

/** Items whose screens show the run that is shown. The screens of all others are the same for every run. */
const OF_SHOWN_RUN: readonly PreflightItem['id'][] = ['population', 'nodes', 'findings', 'documents']

/** The link of an item. With `showsRun`, it first makes the exported run the one that is shown. */
export interface PreflightLink {
  readonly title: string
  readonly to: Route | 'seal'
  readonly showsRun: boolean
}

/**
 * The link of an open item. Null where its screen would show another run than the exported one, which cannot be
 * shown.
 */
export function preflightLink(
  id: PreflightItem['id'],
  { isShown, mayShow }: { readonly isShown: boolean; readonly mayShow: boolean },
): PreflightLink | null {
  const { title, to } = PREFLIGHT_LINKS[id]
  if (isShown || !OF_SHOWN_RUN.includes(id)) return { title, to, showsRun: false }
  return mayShow
    ? { title: `Show this run and ${title.charAt(0).toLowerCase()}${title.slice(1)}`, to, showsRun: true }
    : null
}

/** How many of the items are open, as a sentence. */
export function preflightLine(items: readonly PreflightItem[]): string {
  const left = items.filter(({ state }) => state !== 'done').length
  return left === 0
    ? 'Nothing is open.'
    : `${left} of ${plural(items.length, 'item')} ${left === 1 ? 'is' : 'are'} open. You can export with open items; the report states them.`
}

interface SignerDraft {
  readonly organization: string
  readonly person: string
}

/** Organization and person as one name, as the certificate has it. */
export const signerName = ({ organization, person }: SignerDraft): string => `${organization.trim()} (${person.trim()})`

/** The length that a certificate allows for a name (RFC 5280, ub-common-name). */
const LONGEST_SIGNER = 64

/** Why no identity can be created with this name, or null. */
export function signerProblem(draft: SignerDraft): string | null {
  if (draft.organization.trim() === '') return 'Enter the organization that seals.'
  if (draft.person.trim() === '') return 'Enter the person or role that seals.'
  const over = signerName(draft).length - LONGEST_SIGNER
  return over <= 0 ? null : `Shorten the two names by ${plural(over, 'character')}.`
}

/** Why nothing can be sealed with these choices, or null. Demo data is sealed with a demo key. */
export const sealProblem = (choices: SealChoices, plan: SealPlan): string | null =>
  plan.demo || identityOf(choices, plan) !== null
    ? null
    : may('identities.create')
      ? 'Create a signing identity first.'
      : 'A signer must be connected first.'

/** The input of `export.build`. A time-stamp is requested only where an authority is set. */
export const buildInput = (choices: Choices, plan: ExportPlan): Input<'export.build'> => ({
  ...(plan.isShown ? {} : { run: plan.run }),
  frameworks: choices.frameworks,
  identity: identityOf(choices, plan)?.name ?? null,
  timestamp: choices.timestamp && plan.authority !== null,
  also: choices.also,
  redact: choices.copy ? { classes: choices.classes, who: choices.who.trim(), why: choices.why.trim() } : null,
})

/** Nodes with evidence out of the declared nodes. */
export const nodesLine = ({ declared, missing }: ExportPlan): string =>
  `${declared - missing.length} of ${plural(declared, 'node')}`

const countOf = ({ counts }: Pick<ExportResults, 'counts'>): number =>
  LEVELS.reduce((sum, level) => sum + counts[level], 0)

/** Findings by severity: "3 findings: 1 critical, 2 low". */
export function findingCounts(results: Pick<ExportResults, 'counts'>): string {
  const words = (level: Severity): string => `${results.counts[level]} ${severityWords[level].toLowerCase()}`
  const levels = LEVELS.filter((level) => results.counts[level] > 0).map(words)
  return `${plural(countOf(results), 'finding')}${levels.length === 0 ? '' : `: ${levels.join(', ')}`}`
}

/** The results of the run and their evaluation date, in sentences. */
export function resultsLine({
  results,
  declared,
  missing,
  isShown,
}: Pick<ExportPlan, 'results' | 'declared' | 'missing' | 'isShown'>): string {
  const { asOf, deviations, deviatingNodes } = results
  const found =
    missing.length === declared
      ? 'No node was tested.'
      : countOf(results) === 0
        ? 'No deviations noted on the nodes tested.'
        : `${plural(deviations, 'deviation')} on ${deviatingNodes} of ${plural(declared, 'node')}.`
  return `${found} Evaluated as of ${when(asOf)}.${isShown ? '' : ' The other screens show another run.'}`
}

/** "HIPAA: 15 of 72 controls in scope". */
export const controlsWithDeviations = ({ title, inScope, states }: FrameworkCounts): string =>
  `${title}: ${states.find(([state]) => state === 'deviations')?.[1] ?? 0} of ${plural(inScope, 'control')} in scope`

export const isPartial = ({ missing }: ExportPlan): boolean => missing.length > 0

/** The run of the plan, from the list of runs. */
export const runOf = (plan: ExportPlan, runs: readonly RunListItem[]): RunListItem | null =>
  runs.find(({ run }) => run === plan.run) ?? null

/** Verdicts that cannot be reproduced from a copy by node, the node with most first. */
export function lossByNode(
  lost: ExportDraft['notDerivable'],
): readonly { readonly node: string; readonly checks: ExportDraft['notDerivable'] }[] {
  const nodes = [...new Set(lost.map(({ node }) => node))]
  return nodes
    .map((node) => ({ node, checks: lost.filter((one) => one.node === node) }))
    .sort((a, b) => b.checks.length - a.checks.length || (a.node < b.node ? -1 : 1))
}

/** Mark and color of a headline. */
export const HEADLINE_MARKS: Readonly<
  Record<VerificationHeadline['tone'], { readonly mark: string; readonly tone: string }>
> = {
  passed: { mark: 'ring-tick', tone: 'satisfied' },
  failed: { mark: 'square-cross', tone: 'not-satisfied' },
  open: { mark: 'diamond-question', tone: 'inconclusive' },
}

export const KINDS: Readonly<Record<VerifiedKind, { readonly label: string; readonly isNot: string | null }>> = {
  pack: { label: 'Evidence pack', isNot: null },
  report: {
    label: 'Report only',
    isNot:
      'This is a report without its evidence pack. It contains no raw evidence, so no verdict can be reproduced from it. Ask for the pack.',
  },
  disclosure: {
    label: 'Redacted copy',
    isNot:
      'This is not the complete pack. Its owner redacted the parts named below. Verdicts that depend on them cannot be reproduced here.',
  },
  period: {
    label: 'Period report',
    isNot:
      'This is not the pack of one run. It covers the runs of a period, and contains raw evidence only for the sampled nodes.',
  },
  excerpt: {
    label: 'Pack excerpt',
    isNot: 'This is not a complete pack. It contains some nodes of one run, under the seal of that run.',
  },
  'foreign-pdf': { label: 'Unknown PDF', isNot: 'This PDF was not written by Barewitness. It was not verified.' },
}

/** Whether the reader can confirm the signer: the seal verifies, and no trusted certificate covers its key. */
export const mayConfirm = ({ report: { signer, demo, checks } }: PackReview): boolean =>
  signer !== null &&
  !demo &&
  signer.trust === 'unknown' &&
  checks.every(({ check, outcome }) => check !== 'signature' || outcome !== 'failed')

/** What a reader does next on the page of the verification. */
export interface ReviewStep {
  readonly next: 'signer' | 'worksheet' | 'other-file'
  /** Whether results can be sampled. */
  readonly hasWorksheet: boolean
}

/** A file that failed is replaced by another copy first: whose key sealed it does not matter before that. */
export function reviewStep(review: PackReview): ReviewStep {
  const { headline, report, view } = review
  const isRejected = headline.tone === 'failed' || report.kind === 'foreign-pdf'
  if (isRejected) return { next: 'other-file', hasWorksheet: view !== null }
  return mayConfirm(review)
    ? { next: 'signer', hasWorksheet: false }
    : { next: view === null ? 'other-file' : 'worksheet', hasWorksheet: view !== null }
}

export const STANDINGS: Readonly<Record<SignerTrust, { readonly label: string; readonly meaning: string }>> = {
  pinned: { label: 'Trusted key', meaning: 'You trust this key.' },
  known: { label: 'Trusted issuer', meaning: 'You trust the root certificate that issued this key.' },
  unknown: {
    label: 'Unconfirmed signer',
    meaning: 'You have not confirmed this key. Anyone can create a key with this name.',
  },
}

/** Splits "Clinic, key 3f9a…" into name and fingerprint; in any other form, the whole is the name. */
export function signerParts(signer: string): { readonly name: string; readonly fingerprint: string | null } {
  const parts = /^(.*), key ([0-9a-f]{64})$/s.exec(signer)
  return { name: parts?.[1] ?? signer, fingerprint: parts?.[2] ?? null }
}

const GROUP = 4

/** A fingerprint in groups of four, for comparison. */
export const inGroups = (fingerprint: string): readonly string[] => fingerprint.match(/.{1,4}/gs) ?? []

type Comparison =
  | { readonly is: 'empty' | 'same' }
  | { readonly is: 'not-a-fingerprint'; readonly digits: number }
  /** The first group of four that differs, counted from 1. */
  | { readonly is: 'different'; readonly group: number }

/**
 * Compares a fingerprint received from the signer with the one in the file. Accepts upper case, colons, spaces, and a leading
 * "SHA-256:" or "sha256 Fingerprint=".
 */
export function compareFingerprint(ours: string, received: string): Comparison {
  const bare = received
    .replace(/sha-?256( fingerprint)?\s*[:=]?/i, '')
    .replace(/[\s:.-]/g, '')
    .toLowerCase()
  if (bare === '') return { is: 'empty' }
  if (!/^[0-9a-f]{64}$/.test(bare)) return { is: 'not-a-fingerprint', digits: bare.replace(/[^0-9a-f]/g, '').length }
  const at = [...bare].findIndex((digit, place) => digit !== ours[place])
  return at === -1 ? { is: 'same' } : { is: 'different', group: Math.floor(at / GROUP) + 1 }
}

/** "131 of 131 verdicts identical with catalog 1.4.0", or the reason why nothing can be compared. */
export function reEvaluationLine({ verdicts, view }: PackReview): string {
  if (view === null || verdicts.stated === 0) return 'No verdict in this file can be reproduced.'
  return `${verdicts.identical} of ${plural(verdicts.stated, 'verdict')} identical with catalog ${view.catalog.version}.`
}
