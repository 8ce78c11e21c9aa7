import {
  type MeasureCommand,
  type Parsed,
  type Probe,
  wasNotAsked,
  wasSlowSudo,
} from '../../../core/recording/probe.ts'
import { type Check, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'

/** Over the probes of the whole catalog. */
export const evidenceCollectionCompleteness = (probes: readonly Probe<unknown>[]): Check =>
  defineCheck({
    id: 'evidence.collection-completeness',
    property: 'evidence',
    expected: 'Every planned probe ran on this node and returned a complete capture.',
    limitations:
      'Shows that captures were obtained, not their content. Probes that this version does not include are not counted.',
    requires: {},
    optional: Object.fromEntries(probes.map((probe) => [probe.id, probe])),
    evaluate(_, readings: Readonly<Record<string, Parsed<unknown>>>, { node }) {
      const asked = probes.filter(
        (probe) =>
          !isNotAsked(probe, readings) &&
          (!isOnly(probe, 'nonce-echo') || node.vantage !== undefined) &&
          // Kept only where the host key was compared with a list: evidence.host-identity misses it where it should be there.
          (!isOnly(probe, 'host-key-list') || readings[probe.id]?.ok === true),
      )
      const whose = (is: (reason: string) => boolean): readonly Probe<unknown>[] =>
        asked.filter(({ id }) => {
          const reading = readings[id]
          return reading === undefined ? is('this was not collected') : !reading.ok && is(reading.reason)
        })
      const absent = whose((reason) => /tool absent/.test(reason))
      const denied = whose(isDenied)
      const slow = asked.filter(({ id }) => {
        const reading = readings[id]
        return reading !== undefined && wasSlowSudo(reading)
      })
      const lost = whose(
        (reason) =>
          !wasSlowSudo({ ok: false, reason }) &&
          /^(this was not collected|not collected: |not usable: )/.test(reason) &&
          !/tool absent/.test(reason) &&
          !isDenied(reason),
      )
      // The command ran and its answer is incomplete: missing evidence, as of a node that was not reached.
      const cut = lost.filter(({ id }) => {
        const reading = readings[id]
        return reading?.ok === false && CUT_SHORT.test(reading.reason)
      })
      return decide(
        steps(asked.length, {
          absent,
          denied,
          slow: slow.length === 0 ? null : { probes: slow, text: sudoMessage(slow, readings) },
          cut,
          lost: lost.filter((probe) => !cut.includes(probe)),
        }),
      )
    },
  })

/** Answers that ended early, were too large, or that a short form of the program cannot give; see whyUnusable(). */
const CUT_SHORT =
  /did not finish in time$|was cut at the size limit$|the session ended before .* answered$|has no exit status$|\(BusyBox\) cannot answer this$/

const isDenied = (reason: string): boolean => /needs administrator rights|sudo does not allow/.test(reason)
const isOnly = ({ commands }: Probe<unknown>, measure: MeasureCommand['measure']): boolean =>
  Object.values(commands).every((command) => command.kind === 'measure' && command.measure === measure)

/**
 * A live test, or a question to a metadata service, that no one requested. One that was requested and not collected is a gap like any
 * other.
 */
const isNotAsked = (
  { id, live, optIn }: Probe<unknown>,
  readings: Readonly<Record<string, Parsed<unknown>>>,
): boolean => {
  const reading = readings[id]
  return (live === true || optIn !== undefined) && reading !== undefined && wasNotAsked(reading)
}

/** The message of a slow sudo; empty where it gave none. */
function sudoMessage(slow: readonly Probe<unknown>[], readings: Readonly<Record<string, Parsed<unknown>>>): string {
  for (const { id } of slow) {
    const reading = readings[id]
    const message = reading?.ok === false ? /\): (.+)$/.exec(reading.reason)?.[1] : undefined
    if (message !== undefined) return ` (sudo reported “${message}”)`
  }
  return ''
}

interface Left {
  readonly absent: readonly Probe<unknown>[]
  readonly denied: readonly Probe<unknown>[]
  readonly slow: { readonly probes: readonly Probe<unknown>[]; readonly text: string } | null
  /** Asked, and the answer is incomplete. */
  readonly cut: readonly Probe<unknown>[]
  /** Planned, and no capture shows that they were asked. */
  readonly lost: readonly Probe<unknown>[]
}

function steps(asked: number, { absent, denied, slow, cut, lost }: Left): readonly DraftObservation[] {
  const titles = (probes: readonly Probe<unknown>[]): string =>
    named(
      probes.map(({ id }) => id),
      12,
    )
  return [
    ...(lost.length > 0
      ? [contradicts(`${count(lost.length, 'probe')} of ${asked} left no usable capture: ${titles(lost)}.`, null)]
      : []),
    ...(cut.length > 0
      ? [unclear(`${count(cut.length, 'probe')} of ${asked} returned no complete capture: ${titles(cut)}.`, null)]
      : []),
    ...(denied.length > 0
      ? [
          unclear(
            `${count(denied.length, 'probe')} of ${asked} need administrator rights that were not granted: ${titles(denied)}.`,
            null,
          ),
        ]
      : []),
    ...(slow === null
      ? []
      : [
          unclear(
            `${count(slow.probes.length, 'probe')} of ${asked} did not run or did not complete because sudo on this server took too long${slow.text}: ${titles(slow.probes)}.`,
            null,
          ),
        ]),
    ...(asked === 0 ? [unclear('No probe was planned.', null)] : []),
    ...(asked > 0 && lost.length + cut.length + denied.length === 0 && slow === null
      ? [
          supports(
            `${asked - absent.length} of ${asked} probes returned complete captures; the others concern programs that this server does not have${absent.length > 0 ? ` (${titles(absent)})` : ''}.`,
            null,
          ),
        ]
      : []),
  ]
}
