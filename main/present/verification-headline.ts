import type { VerificationAnswer, VerificationHeadline } from '../../schemas/ipc-packs.ts'
import {
  type CheckOutcome,
  nextStepWords,
  type VerificationCheck,
  type VerificationCheckResult,
  type VerificationReport,
  type VerifiedKind,
  verificationCheckWords,
} from '../../schemas/verification.ts'

/** The checks that support the words “contents verified”. */
const CONTENTS: readonly VerificationCheck[] = ['integrity', 'completeness', 'reproducibility']

/** One headline for the six checks, in window and command line; the first rule that fits wins. */
export function verificationHeadline({ ok, kind, demo, checks }: VerificationReport): VerificationHeadline {
  const of = (wanted: CheckOutcome): readonly VerificationCheckResult[] =>
    checks.filter(({ outcome }) => outcome === wanted)
  const failed = of('failed').map(({ check }) => check)
  const passed = of('passed').map(({ check }) => check)
  const open = of('indeterminate')
  const text = countsText(checks)
  if (kind === 'foreign-pdf')
    return { tone: 'open', word: 'Not a Barewitness file', text: 'This file was not verified.' }
  const isRepacked = of('failed').some(({ isOnlyRepacked }) => isOnlyRepacked === true)
  if (isRepacked && failed.length === 1)
    return {
      tone: 'failed',
      word: 'Verification failed: packed by another program',
      text: 'Every sealed file matches its digest. Unpack the archive and verify the folder, or ask the sender for the original file.',
    }
  if (failed.includes('integrity') && !isRepacked)
    return {
      tone: 'failed',
      word: 'Verification failed: contents altered',
      text: 'Do not rely on the files and results named below. The rest can be read.',
    }
  if (!ok || failed.length > 0)
    return {
      tone: 'failed',
      word: `Verification failed: ${failed.map((check) => verificationCheckWords[check].label).join(', ')}`,
      text: `${text} Do not rely on what they name.`,
    }
  if (demo) {
    const key = isOfDemoKey(checks) ? ' The demo key cannot be trusted.' : ''
    return { tone: 'open', word: 'Demo data: not evidence', text: `${text}${key}` }
  }
  if (open.some(({ check, needs }) => check === 'signature' && needs === 'signer'))
    return {
      tone: 'open',
      word: CONTENTS.every((check) => passed.includes(check))
        ? 'Contents verified. Signer not yet confirmed'
        : 'No check failed. Signer not yet confirmed',
      text,
    }
  if (open.length > 0)
    return { tone: 'open', word: `No check failed; ${open.length} of ${checks.length} indeterminate`, text }
  return {
    tone: 'passed',
    word: checks.length === 6 ? 'All six checks passed' : `All ${checks.length} checks passed`,
    text: '',
  }
}

/** Whether demo data is sealed with a demo key, which no reader can confirm; a signer can seal it with another. */
export const isOfDemoKey = (checks: readonly VerificationCheckResult[]): boolean =>
  checks.some(({ check, outcome, needs }) => check === 'signature' && outcome !== 'passed' && needs === undefined)

/** “3 of 6 checks passed, 2 need your input, 1 is indeterminate.” */
function countsText(checks: readonly VerificationCheckResult[]): string {
  const count = (is: (one: VerificationCheckResult) => boolean): number => checks.filter(is).length
  const failed = count(({ outcome }) => outcome === 'failed')
  const asking = count(({ needs }) => needs !== undefined)
  const open = count(({ outcome, needs }) => outcome === 'indeterminate' && needs === undefined)
  return `${[
    `${count(({ outcome }) => outcome === 'passed')} of ${checks.length} checks passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? 'needs' : 'need'} your input`]),
    ...(open === 0 ? [] : [`${open} ${open === 1 ? 'is' : 'are'} indeterminate`]),
  ].join(', ')}.`
}

/** The checks with their outcomes in words and the reader’s next step. */
export const verificationAnswers = ({ kind, checks }: VerificationReport): readonly VerificationAnswer[] =>
  checks.map((result) => ({
    ...result,
    word: outcomeWord(kind, result),
    step: result.needs === undefined ? null : nextStepWords[result.needs],
  }))

/** Only a file written by Barewitness can be called altered. */
export function outcomeWord(
  kind: VerifiedKind,
  { check, outcome, needs, isOnlyRepacked }: VerificationCheckResult,
): string {
  if (outcome === 'indeterminate') return needs === undefined ? 'Indeterminate' : 'Needs input'
  if (outcome === 'passed') return 'Passed'
  if (check !== 'integrity') return 'Failed'
  if (isOnlyRepacked === true) return 'Repacked'
  return kind === 'foreign-pdf' ? 'Unknown format' : 'Altered'
}
