import type { RiskArea } from '../../../schemas/conclusion-words.ts'

/**
 * Data of views: the same results and documents in the order in which a reader of one framework looks for them. A
 * view concludes nothing, adds no verdict, and names its sources.
 */

/** Source of the wording of a view, by clause or section. */
export interface ViewSource {
  readonly title: string
  readonly status: 'in-force' | 'guidance' | 'voluntary'
  readonly sources: readonly string[]
  /** What the view does not show. */
  readonly notShown: string
}

/** Classes of threat sources (NIST SP 800-30 r1, table D-2). */
type ThreatSource = 'adversarial' | 'accidental' | 'structural' | 'environmental'

/** What can happen where findings of one risk area are open. */
interface Threat {
  readonly riskArea: RiskArea
  readonly threat: string
  readonly sources: readonly ThreatSource[]
}

/** One element of a risk analysis (OCR guidance of 14 July 2010, nine elements). */
export interface RiskElement {
  readonly id: string
  readonly title: string
  /** The corresponding steps of NIST SP 800-66 r2, section 3.2. */
  readonly step: string
  /** What people have to add. */
  readonly people: string
  readonly requests: readonly string[]
}

interface RiskAnalysisView extends ViewSource {
  readonly elements: readonly RiskElement[]
  readonly threats: readonly Threat[]
}

/** One clause of an agreement with a business associate, or one fact about the relationship. */
export interface AgreementRow {
  /** The section that requires it. */
  readonly clause: string
  readonly title: string
  readonly summary: string
  /** Checks whose results a reader compares with the clause. */
  readonly checks: readonly string[]
  readonly requests: readonly string[]
}

interface AgreementView extends ViewSource {
  readonly relation: readonly AgreementRow[]
  readonly clauses: readonly AgreementRow[]
}

/** An index by section; each control of the framework is listed under its own section. */
interface ProtocolView extends ViewSource {
  readonly framework: string
}

/** One practice of a voluntary framework, and the checks that relate to it. */
export interface Practice {
  readonly id: string
  readonly title: string
  readonly checks: readonly string[]
  readonly requests: readonly string[]
}

export interface PracticesView extends ViewSource {
  readonly practices: readonly Practice[]
}

export interface HipaaViews {
  readonly riskAnalysis: RiskAnalysisView
  readonly agreement: AgreementView
  readonly protocol: ProtocolView
  readonly practices: PracticesView
}

/** The questions that a reader asks about each carrier of data. */
export const CARRIER_QUESTIONS = ['location', 'access', 'encryption', 'copies', 'handover'] as const
export type CarrierQuestion = (typeof CARRIER_QUESTIONS)[number]

/** A place where an AI workload stores data, whether or not a person declared it. */
interface Carrier {
  readonly id: string
  readonly title: string
  readonly where: string
  readonly risk: string
  /** Checks whose results partly answer each question; empty where no node shows it. */
  readonly answers: Readonly<Record<CarrierQuestion, readonly string[]>>
  readonly requests: readonly string[]
}

interface CarriersView extends ViewSource {
  readonly rows: readonly Carrier[]
}

/** Rows of another framework, by id and with titles of our own, and the checks related to them. */
interface FrameworkView extends ViewSource {
  readonly id: string
  readonly rows: readonly Practice[]
}

export interface AiViews {
  readonly carriers: CarriersView
  readonly frameworks: readonly FrameworkView[]
}
