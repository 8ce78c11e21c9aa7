import type { FrontEnd } from '../../../schemas/types.ts'
import { reachableCountries } from '../../core/geo/relation.ts'
import type { Parsed } from '../../core/recording/probe.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Context } from '../../core/rules/check.ts'
import type { NonceEcho } from '../operations/evidence/probes.ts'
import { answerOf, questionsOf } from './answers.ts'
import { type Delay, readDelay } from './discs.ts'
import { BORDERS, milliseconds, settledTime } from './peers.ts'
import { egressNotes, frontEnd } from './registry.ts'
import { LOCATION_WANTS, type LocationFacts, locationSignals, missedStatements } from './signals.ts'

/**
 * Where a node is declared and required to be, and the supporting evidence: round-trip times first, then statements
 * by their source. Never a single number.
 */
export const assessLocation: Catalog['assessLocation'] = (readings, context) => {
  const facts = factsFrom(readings)
  const echo = facts.echo.ok ? facts.echo.fact : null
  const delay = readDelay(echo, context)
  const signals = locationSignals(facts, context)
  const unread = missedStatements(facts).map(({ text }) => text)
  const reachable = delay.usable.length === 0 ? null : reachableCountries(delay.usable, BORDERS)
  const front = echo === null ? null : frontEnd(settledTime(echo), echo.path)
  return {
    claim: context.node.location ?? null,
    results: questionsOf(context).map((question) => answerOf(question, { delay, signals, unread }, context)),
    distanceBounds: delay.discs,
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
          'The times of the vantage points exclude each other: no point is within all of their distance bounds, so at least one declared place or clock is wrong. This is no evidence against the node.',
        ]
      : []),
    ...(delay.usable.length === 0
      ? []
      : [
          'The times bound the holder of the SSH session keys. Delay does not show that this is the audited machine rather than a relay with a copy of its host key.',
        ]),
    ...(front?.exceeds === true
      ? [
          `A system nearer than the node accepts the TCP connection: a relay, load balancer or proxy. It was open after ${milliseconds(front.tcpMs)}, and the echo took ${milliseconds(front.echoMs)}; ${milliseconds(front.allowedMs)} of difference would be usual. The echo passes through it to the holder of the keys, so the bound above applies.`,
        ]
      : []),
    ...(echo !== null && (echo.path?.jumps ?? 0) > 0
      ? ['The connection went through a jump host; the echo covered the full path to the node and back.']
      : []),
    ...(hostKey === undefined
      ? ['The recording names no host key, so that records of other vantage points cannot be compared.']
      : []),
  ]
}
