import type { Sample, WorksheetLine } from '../../../schemas/ipc-packs.ts'
import { SAMPLE_POPULATIONS, STRATA, WORK_STATES, type WorkState } from '../../../schemas/review-words.ts'
import { VERDICTS } from '../../../schemas/words.ts'
import { type SampleTerms, stratumOf } from '../../core/sample.ts'
import { haveTexts, isObject } from './kept-json.ts'

/** An auditor's notes on one pack. Nothing is deleted: earlier samples and notes stay in the file. */
export interface WorksheetFile {
  readonly schema: 'barewitness.worksheet/2'
  /** Digest of the pack that the notes concern. */
  readonly sha256: string
  /** As typed; empty where no name was given. */
  readonly auditor: string
  /** Stored, because another version of the rules may rate severities otherwise and so draw another sample. */
  readonly sample: Sample | null
  /** Every sample with its time, oldest first: repeated sampling stays visible. */
  readonly draws: readonly (SampleTerms & { readonly at: string })[]
  /** The latest decision and note of each result. */
  readonly lines: readonly WorksheetLine[]
  /** Earlier decisions and notes, oldest first. */
  readonly history: readonly WorksheetLine[]
}

type EarlierState = 'open' | 'looked-at' | 'question' | 'accepted'
type EarlierLine = Omit<WorksheetLine, 'state'> & { readonly state: EarlierState }

/** The form of earlier versions, without strata, populations and decisions. */
interface EarlierFile {
  readonly schema: 'barewitness.worksheet/1'
  readonly sha256: string
  readonly sample: {
    readonly seed: string
    readonly population: number
    readonly sampled: readonly Pick<Sample['sampled'][number], 'place' | 'node' | 'check' | 'verdict'>[]
  } | null
  readonly draws: readonly { readonly seed: string; readonly size: number; readonly at: string }[]
  readonly lines: readonly EarlierLine[]
  readonly history: readonly EarlierLine[]
}

export type AnyWorksheetFile = WorksheetFile | EarlierFile

/** Inspected is no decision, and a question asks for more. */
const DECIDED: Readonly<Record<EarlierState, WorkState>> = {
  open: 'open',
  'looked-at': 'open',
  question: 'needs-more-evidence',
  accepted: 'agrees',
}

const EARLIER_TERMS = { from: 'all', stratified: false } as const

/** A worksheet of an earlier version in the present form, with every sample, note and time that it has. */
export function upToDate(file: AnyWorksheetFile): WorksheetFile {
  if (file.schema === 'barewitness.worksheet/2') return file
  const line = (one: EarlierLine): WorksheetLine => ({ ...one, state: DECIDED[one.state] })
  const { sha256, sample, draws, lines, history } = file
  return {
    schema: 'barewitness.worksheet/2',
    sha256,
    auditor: '',
    sample:
      sample === null
        ? null
        : {
            ...sample,
            ...EARLIER_TERMS,
            strata: [],
            sampled: sample.sampled.map((one) => ({
              ...one,
              severity: null,
              stratum: stratumOf({ verdict: one.verdict, severity: null }),
            })),
          },
    draws: draws.map((draw) => ({ ...draw, ...EARLIER_TERMS })),
    lines: lines.map(line),
    history: history.map(line),
  }
}

const has = (known: readonly string[], value: unknown): boolean => typeof value === 'string' && known.includes(value)

/** Whether a value is a worksheet of this or an earlier version. */
export function isWorksheet(value: unknown): value is AnyWorksheetFile {
  if (!isObject(value) || typeof value.sha256 !== 'string' || !Array.isArray(value.draws)) return false
  const lists = [value.lines, value.history]
  if (value.schema === 'barewitness.worksheet/1')
    return isSample(value.sample, isDrawn) && lists.every((lines) => areLines(lines, Object.keys(DECIDED)))
  return (
    value.schema === 'barewitness.worksheet/2' &&
    typeof value.auditor === 'string' &&
    isSample(value.sample, (one) => isDrawn(one) && has(STRATA, one.stratum)) &&
    (value.sample === null || (has(SAMPLE_POPULATIONS, value.sample.from) && Array.isArray(value.sample.strata))) &&
    lists.every((lines) => areLines(lines, WORK_STATES))
  )
}

const areLines = (lines: unknown, states: readonly string[]): boolean =>
  Array.isArray(lines) &&
  lines.every((line) => haveTexts(line, ['node', 'check', 'state', 'note', 'at']) && has(states, line.state))

const isDrawn = (one: Record<string, unknown>): boolean =>
  haveTexts(one, ['node', 'check', 'verdict']) && typeof one.place === 'number' && has(VERDICTS, one.verdict)

const isSample = (
  value: unknown,
  isOne: (one: Record<string, unknown>) => boolean,
): value is Record<string, unknown> | null =>
  value === null ||
  (isObject(value) &&
    typeof value.seed === 'string' &&
    typeof value.population === 'number' &&
    Array.isArray(value.sampled) &&
    value.sampled.every((one: unknown) => isObject(one) && isOne(one)))
