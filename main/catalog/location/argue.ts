import type { FrontEnd } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Context } from '../../core/check.ts'
import { reachableCountries } from '../../core/geo/relation.ts'
import type { Parsed } from '../../core/probe.ts'
import type { NonceEcho } from '../probes/nonce-echo.ts'
import { answerOf, questionsOf } from './answers.ts'
import { BORDERS } from './borders.ts'
import { type Delay, readDelay } from './discs.ts'
import { frontEnd } from './front-end.ts'
import { egressNotes } from './signals/registry.ts'
import { LOCATION_WANTS, type LocationFacts, locationSignals, missedStatements } from './signals.ts'
import { settledTime } from './timing.ts'
import { milliseconds } from './words.ts'

/** Where a node is said, and has, to be, and what bears it out: times first, then statements by who stands behind them. Never one number. */
export const arguesLocation: Catalog['arguesLocation'] = (readings, context) => {
  const facts = factsFrom(readings)
  const echo = facts.echo.ok ? facts.echo.fact : null
  const delay = readDelay(echo, context)
  const signals = locationSignals(facts, context)
  const unread = missedStatements(facts).map(({ text }) => text)
  const reachable = delay.usable.length === 0 ? null : reachableCountries(delay.usable, BORDERS)
  const front = echo === null ? null : frontEnd(settledTime(echo), echo.path)
  return {
    claim: context.node.location ?? null,
    answers: questionsOf(context).map((question) => answerOf(question, { delay, signals, unread }, context)),
    discs: delay.discs,
    reachable: reachable === null ? null : [...reachable],
    frontEnd: front,
    signals,
    notes: [
      ...notesOf({ echo, delay, front, exclude: delay.usable.length > 1 && reachable === null }, context),
      ...egressNotes(facts, context),
    ],
  }
}

function factsFrom(readings: ReadonlyMap<string, Parsed<unknown>>): LocationFacts {
  const facts = Object.entries(LOCATION_WANTS).map(([name, { id }]) => [name, readings.get(id) ?? NOT_COLLECTED])
  return Object.fromEntries(facts) as LocationFacts
}

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

interface Noted {
  readonly echo: NonceEcho | null
  readonly delay: Delay
  readonly front: FrontEnd | null
  readonly exclude: boolean
}

function notesOf({ echo, delay, front, exclude }: Noted, { hostKey }: Context): string[] {
  return [
    ...delay.notes,
    ...(exclude
      ? [
          'The times of the vantages exclude each other: there is nowhere that all of them reach, so that one declared place or one clock is wrong. That is no finding against the node.',
        ]
      : []),
    ...(delay.usable.length === 0
      ? []
      : [
          'The times bound whoever holds the keys of the SSH session. Delay does not show that this is the audited machine, and no relay with a copy of its host key.',
        ]),
    ...(front?.exceeds === true
      ? [
          `Something nearer than the node opens the TCP connection: a relay, load balancer or proxy. It was open after ${milliseconds(front.tcpMs)}, and the echo took ${milliseconds(front.echoMs)}; ${milliseconds(front.allowedMs)} of a gap would be usual. The echo goes through it to the holder of the keys, so that the bound above stands.`,
        ]
      : []),
    ...(echo !== null && (echo.path?.jumps ?? 0) > 0
      ? ['The connection went through a jump host; the echo went to the node and back all the way.']
      : []),
    ...(hostKey === undefined
      ? ['The recording names no host key, so that records of other vantages cannot be compared.']
      : []),
  ]
}
