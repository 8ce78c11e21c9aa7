import { useSyncExternalStore } from 'react'
import type { Reply } from '../../schemas/ipc.ts'
import type { ExportDraft, ExportPlan, ExportView, PackReview } from '../../schemas/ipc-packs.ts'
import type { PeriodPlan } from '../../schemas/ipc-periods.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { type PeriodChoices, periodInput } from '../models/period-model.ts'
import type { Route } from '../models/routes.ts'
import {
  buildInput,
  type Choices,
  firstChoices,
  problemAt,
  type SealChoices,
  STEPS,
  type Step,
} from '../models/seal-model.ts'
import { plural } from '../models/text.ts'
import { call } from './bridge.ts'
import { announce } from './store.ts'

/** The current export. It outlives its screen, so that opening another screen loses nothing. */
export interface ExportState {
  /** The run that the choices apply to; another run starts a new export. */
  readonly run: string | null
  readonly step: Step
  readonly choices: Choices | null
  /** The choices of a period report. */
  readonly period: PeriodChoices | null
  /** The kind of export that is sealed, sealed and not yet saved, or saved. There is one export at a time. */
  readonly of: ExportSubject
  readonly sealing: boolean
  /** Identities created on this screen: the plan is requested again after each. */
  readonly identitiesMade: number
  readonly error: CallFailure | null
  /** Sealed and not yet saved. */
  readonly draft: Draft | null
  readonly saved: Saved | null
}

/** The kind of an export. */
type ExportSubject = 'run' | 'period'

export interface Draft {
  readonly made: ExportDraft
  /** The choices that were sealed. Other choices need another seal. */
  readonly from: SealChoices
  /** The user saw which verdicts the copy loses and kept it; also true where it loses none. */
  readonly lossAccepted: boolean
  readonly review: PackReview | null
}

export interface Saved extends ExportView {
  readonly signer: string
  /** The files include a redacted copy. */
  readonly copy: boolean
}

const NOTHING: ExportState = {
  run: null,
  step: 'scope',
  choices: null,
  period: null,
  of: 'run',
  sealing: false,
  identitiesMade: 0,
  error: null,
  draft: null,
  saved: null,
}

let state: ExportState = NOTHING
const listeners = new Set<() => void>()

export function changeExport(part: Partial<ExportState>): void {
  state = { ...state, ...part }
  for (const listener of listeners) listener()
}

export const useExport = (): ExportState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

/** Announced when the screen is left: a sealed draft is neither saved nor lost. */
export function announceDraft(): void {
  if (state.draft !== null) announce('The sealed draft is not saved. You can save it until you close Barewitness.')
}

/** A step can be opened when all earlier steps are complete; the last one when a draft of these choices exists. */
export function canReach(step: Step, { choices, draft, sealing }: ExportState): boolean {
  if (choices === null || sealing) return false
  if (step === 'review') return draft?.lossAccepted === true && draft.from === choices
  return STEPS.slice(0, STEPS.indexOf(step)).every((before) => problemAt(before, choices) === null)
}

/** Starts with this plan, unless its run is already open. A draft of another run is kept until it is saved or discarded. */
export function beginExport(plan: ExportPlan): void {
  if (state.run === plan.run || isOccupied(state)) return
  changeExport({ ...NOTHING, run: plan.run, choices: firstChoices(plan), identitiesMade: state.identitiesMade })
}

/** Opens a step that can be reached. */
export function openStep(step: Step): void {
  if (canReach(step, state)) changeExport({ step })
}

/** Starts with these choices, unless a period report is already open. */
export function beginPeriod(period: PeriodChoices): void {
  if (state.period === null && !isOccupied(state)) changeExport({ period, error: null })
}

const isOccupied = ({ draft, sealing }: ExportState): boolean => draft !== null || sealing

/** Whether an export of the other kind must be saved or discarded first. */
export const isOther = (state: ExportState, of: ExportSubject): boolean => isOccupied(state) && state.of !== of

/** The screen of the export that is open. */
export const exportRoute = ({ of }: Pick<ExportState, 'of'>): Route =>
  of === 'run' ? { screen: 'export' } : { screen: 'period-export' }

/** Starts a new export; what was sealed or saved stays where it is. */
export const startOver = (): void => changeExport({ ...NOTHING, identitiesMade: state.identitiesMade })

/** Seals the current choices. An earlier draft is discarded only after the new one exists. */
export async function sealDraft(plan: ExportPlan): Promise<void> {
  const { choices } = state
  if (choices !== null) await seal('run', choices, () => call('export.build', buildInput(choices, plan)))
}

/** Seals a report on the chosen period. */
export async function sealPeriod(plan: PeriodPlan): Promise<void> {
  const { period } = state
  if (period !== null) await seal('period', period, () => call('period.build', periodInput(period, plan)))
}

async function seal(of: ExportSubject, from: SealChoices, build: () => Promise<Reply<ExportDraft>>): Promise<void> {
  const { draft: earlier } = state
  if (state.sealing) return
  changeExport({ of, sealing: true, error: null })
  announce('Sealing the pack.')
  const built = await build()
  if (!built.ok) return changeExport({ sealing: false, error: built.error })
  if (earlier !== null) void call('export.discard', { handle: earlier.made.handle })
  const loss = built.value.notDerivable.length
  changeExport({
    sealing: false,
    draft: { made: built.value, from, lossAccepted: loss === 0, review: null },
    ...(of === 'run' ? { step: loss === 0 ? 'review' : 'seal' } : {}),
  })
  announce(
    loss === 0
      ? 'Pack sealed.'
      : `Pack sealed. ${plural(loss, 'verdict')} cannot be reproduced from the redacted copy.`,
  )
}

/** Discards the sealed draft; the choices are kept. */
export async function discardDraft(): Promise<void> {
  if (state.draft === null) return
  const dropped = await call('export.discard', { handle: state.draft.made.handle })
  if (!dropped.ok) return changeExport({ error: dropped.error })
  changeExport({ draft: null, error: null, ...(state.of === 'run' ? { step: 'seal' } : {}) })
  announce('Draft discarded.')
}

/** Opens the draft in the review window, and keeps its verification results here. */
export async function reviewDraft(): Promise<CallFailure | null> {
  const { draft } = state
  if (draft === null) return null
  const reviewed = await call('export.review', { handle: draft.made.handle })
  if (!reviewed.ok) return reviewed.error
  if (state.draft?.made.handle === draft.made.handle)
    changeExport({ draft: { ...state.draft, review: reviewed.value } })
  return null
}

/** Saves the draft in a folder the user chooses; nothing changes when the dialog is closed. */
export async function saveDraft(): Promise<CallFailure | null> {
  const { draft } = state
  if (draft === null) return null
  const saved = await call('export.save', { handle: draft.made.handle })
  if (!saved.ok) return saved.error
  if (saved.value === null) return null
  changeExport({ draft: null, saved: { ...saved.value, signer: draft.made.signer, copy: draft.from.copy } })
  announce('Pack exported.')
  return null
}
