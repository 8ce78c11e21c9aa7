import type { Ports } from '../../core/all-ports.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import {
  LONGEST_PAUSE_MS,
  MOST_AT_ONCE,
  MOST_ATTEMPTS,
  type Outbox,
  retryAfter,
  type Sent,
  type Target,
  type TargetForm,
  waitBefore,
} from '../../core/outbox/delivery.ts'
import type { FindingItem, OutboxItem } from '../../core/outbox/item.ts'
import { itemDigest, type Letter, type LetterState, letterName, unplanned } from '../../core/outbox/journal.ts'

export interface DeliverDeps extends Pick<Ports, 'clock' | 'entropy'> {
  readonly outbox: Outbox
  /** Resolves after a pause, at which the program must still run. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** Aborted to begin nothing more: the answer to a request in progress is still used, and everything else waits. */
  readonly signal?: AbortSignal | undefined
}

/** The result of delivering to one target. */
export interface TargetResult {
  readonly target: string
  readonly delivered: number
  /** Number of items left to the next run of the program. */
  readonly waiting: number
  /** Items given up in this run and in earlier ones. */
  readonly givenUp: readonly { readonly key: string; readonly why: string }[]
  /** Why items wait; null where none does. */
  readonly why: string | null
}

/** The items that a pack is sent as. */
export interface ItemsOfPack {
  readonly items: readonly OutboxItem[]
  /** For receivers that have the finding of an earlier pack. */
  readonly absent: readonly FindingItem[]
}

/**
 * The items of a pack for one target: those that it accepts, and the current state of findings that it received
 * earlier.
 */
export const itemsFor = (
  { name: target, takes }: Pick<TargetForm, 'name' | 'takes'>,
  { items, absent }: ItemsOfPack,
  known: ReadonlyMap<string, Letter>,
): readonly OutboxItem[] => [
  ...items.filter(takes),
  ...absent.filter(({ key }) => {
    const letter = known.get(letterName({ target, key }))
    return letter !== undefined && (letter.state.is === 'delivered' || letter.remote !== null)
  }),
]

/**
 * Records the items for each target, all of them before anything is sent. With `again`, items that were given up are
 * planned again too. Returns the number of planned items. Fails as the journal does.
 */
export async function planItems(
  { outbox, clock }: Pick<DeliverDeps, 'outbox' | 'clock'>,
  targets: readonly Target[],
  pack: ItemsOfPack,
  again: boolean,
): Promise<Outcome<number>> {
  let planned = 0
  for (const form of targets) {
    const { name: target } = form
    const known = outbox.letters()
    const wanted = itemsFor(form, pack, known)
    const missing = new Set([
      ...unplanned(known, target, wanted),
      ...(again ? wanted.filter((item) => isGivenUp(known.get(letterName({ target, key: item.key })), item)) : []),
    ])
    for (const item of missing) {
      const about = { target, key: item.key, digest: itemDigest(item), at: clock.now() }
      const recorded = await outbox.record({ kind: 'planned', ...about, item })
      if (!recorded.ok) return recorded
      planned += 1
    }
  }
  return ok(planned)
}

const isGivenUp = (letter: Letter | undefined, item: OutboxItem): boolean =>
  letter?.state.is === 'given-up' && letter.digest === itemDigest(item)

/**
 * Delivers waiting items, target by target. A failure of one target does not affect the others. Fails as the journal
 * does.
 */
export async function deliverWaiting(
  deps: DeliverDeps,
  targets: readonly Target[],
): Promise<Outcome<readonly TargetResult[]>> {
  const results: TargetResult[] = []
  for (const target of targets) {
    const result = await deliverTo(deps, target)
    if (!result.ok) return result
    results.push(result.value)
  }
  return ok(results)
}

async function deliverTo(deps: DeliverDeps, target: Target): Promise<Outcome<TargetResult>> {
  const { outbox, clock } = deps
  const own = (): readonly Letter[] => [...outbox.letters().values()].filter((one) => one.target === target.name)
  let delivered = 0
  let why: string | null = null
  for (const letter of own()) {
    if (deps.signal?.aborted === true) break
    if (letter.state.is !== 'waiting') continue
    // The reason for deferring one item concerns the receiver, and therefore all of its items.
    const deferred = own().flatMap(({ state }) => (isDeferred(state, clock.now()) ? [state.why ?? ''] : []))[0]
    if (deferred !== undefined) {
      why = deferred
      break
    }
    const outcome = await deliverLetter(deps, target, letter, letter.state.item)
    if (!outcome.ok) return outcome
    if (outcome.value === 'delivered') delivered += 1
  }
  const left = own()
  return ok({
    target: target.name,
    delivered,
    waiting: left.filter(({ state }) => state.is === 'waiting').length,
    givenUp: left.flatMap(({ key, state }) => (state.is === 'given-up' ? [{ key, why: state.why }] : [])),
    why:
      why ?? left.flatMap(({ state }) => (state.is === 'waiting' && state.why !== null ? [state.why] : []))[0] ?? null,
  })
}

const isDeferred = (state: LetterState, now: string): state is LetterState & { is: 'waiting' } =>
  state.is === 'waiting' && state.until !== null && Date.parse(state.until) > Date.parse(now)

type LetterOutcome = 'delivered' | 'deferred' | 'given-up' | 'stopped'

/** Attempts one item until it is delivered, given up or deferred. Fails as the journal does. */
async function deliverLetter(
  { outbox, clock, entropy, wait, signal }: DeliverDeps,
  target: Target,
  { key, digest, attempts: before, remote }: Letter,
  item: OutboxItem,
): Promise<Outcome<LetterOutcome>> {
  const about = () => ({ target: target.name, key, digest, at: clock.now() })
  for (let tried = 1; ; tried += 1) {
    const begun = await outbox.record({ kind: 'attempted', ...about() })
    if (!begun.ok) return begun
    const attempt = await attempted(target, item, remote, signal)
    // As after a kill, the next attempt asks the receiver what it has.
    if (attempt.is === 'stopped') return ok('stopped')
    if (attempt.is === 'delivered') {
      const recorded = await outbox.record({ kind: 'delivered', ...about(), remote: attempt.remote })
      return recorded.ok ? ok('delivered') : recorded
    }
    const attempts = before + tried
    if (attempt.is === 'never' || (attempt.is === 'later' && attempts >= MOST_ATTEMPTS)) {
      const why = attempt.is === 'never' ? attempt.why : `${attempt.why}, ${attempts} attempts`
      const recorded = await outbox.record({ kind: 'given-up', ...about(), why })
      return recorded.ok ? ok('given-up') : recorded
    }
    const asked = retryAfter(attempt.retryAfter, clock.now())
    const milliseconds = waitBefore(attempts, asked, (entropy.bytes(1)[0] ?? 0) / 256)
    if (
      attempt.is === 'later' &&
      tried < MOST_AT_ONCE &&
      milliseconds <= LONGEST_PAUSE_MS &&
      signal?.aborted !== true
    ) {
      await wait(milliseconds)
      continue
    }
    const now = about()
    const until = new Date(Date.parse(now.at) + milliseconds).toISOString()
    const recorded = await outbox.record({ kind: 'deferred', ...now, until, why: attempt.why })
    return recorded.ok ? ok('deferred') : recorded
  }
}

type Attempt =
  | { readonly is: 'delivered'; readonly remote: string | null }
  /** Tried again; `setting`: not before a setting changed, and without a limit. */
  | { readonly is: 'later' | 'setting'; readonly why: string; readonly retryAfter: string | null }
  /** This item is refused in its present form. */
  | { readonly is: 'never'; readonly why: string }
  /** Ended before the next request. */
  | { readonly is: 'stopped' }

/** One attempt. An item that no longer exists at the receiver is delivered as a new one. */
async function attempted(
  target: Target,
  item: OutboxItem,
  known: string | null,
  signal: DeliverDeps['signal'],
): Promise<Attempt> {
  const first = await exchanged(target, item, known, signal)
  return first.is === 'gone' && known !== null ? leftOf(await exchanged(target, item, null, signal)) : leftOf(first)
}

type Exchanged = Attempt | { readonly is: 'gone'; readonly why: string }

const leftOf = (one: Exchanged): Attempt =>
  one.is === 'gone' ? { is: 'setting', why: one.why, retryAfter: null } : one

async function exchanged(
  target: Target,
  item: OutboxItem,
  known: string | null,
  signal: DeliverDeps['signal'],
): Promise<Exchanged> {
  const exchange = target.exchange(item, known)
  for (let step = exchange.next(); ; ) {
    if (step.done === true) return endOf(step.value)
    if (signal?.aborted === true) return { is: 'stopped' }
    const sent = await target.receiver(step.value)
    if (sent.is !== 'answered') return classified(sent)
    step = exchange.next(sent.answer)
  }
}

const endOf = (outcome: Outcome<string | null>): Exchanged =>
  outcome.ok ? { is: 'delivered', remote: outcome.value } : { is: 'later', why: outcome.error.detail, retryAfter: null }

const [UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TIMEOUT, TOO_MANY] = [401, 403, 404, 408, 429]

/** Whether a refusal is temporary, needs another setting, or concerns this item. */
function classified(sent: Exclude<Sent, { readonly is: 'answered' }>): Exchanged {
  if (sent.is === 'unreachable') return { is: 'later', why: sent.why, retryAfter: null }
  const { status, why, retryAfter: asked } = sent
  if (status === NOT_FOUND || status === 410) return { is: 'gone', why }
  if (status >= 500 || status === TIMEOUT || status === TOO_MANY) return { is: 'later', why, retryAfter: asked }
  if (status === UNAUTHORIZED || status === FORBIDDEN || status < 400) return { is: 'setting', why, retryAfter: asked }
  return { is: 'never', why }
}
