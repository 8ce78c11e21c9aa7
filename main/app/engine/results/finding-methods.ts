import { engagementState } from '../../../../schemas/engagement-words.ts'
import type { AcceptancesDraft, HomeView, Recorded, ResponsesDraft } from '../../../../schemas/ipc-findings.ts'
import type { Source } from '../../../../schemas/ipc-views.ts'
import type { EntrySignature, Register } from '../../../../schemas/types.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import type { Signer } from '../../../core/ports/ports.ts'
import { acceptRisk, type Moment, withdrawAcceptance } from '../../../core/register/register.ts'
import {
  currentResponses,
  isSameStatement,
  respond,
  statedBefore,
  withdrawResponse,
} from '../../../core/register/responses.ts'
import { catalogFor } from '../../../core/rules/catalog.ts'
import { documentPlan } from '../../../present/document-requests.ts'
import { homeOf } from '../../../present/home.ts'
import {
  deviatingNodes,
  type FindingSource,
  findingChecks,
  findingsView,
  findingView,
  homeMatter,
} from '../../evaluate/finding-views.ts'
import { addSignature, entrySignature, type Signing } from '../../register/store.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { nothingOf, saved, turnOf } from '../context/kept-json.ts'
import { changesOf, dueRunsOf } from '../history/since-last-run.ts'
import { collectedNodes } from '../runs/stored-runs.ts'
import { declaredOrNone, readDraft, shelfShown } from '../stored/engagement-store.ts'
import { asShown, type Kept, keepRegister, ownRegister, verdictIn } from '../stored/register-store.ts'
import { signingKey } from '../trust/trust-identities.ts'
import { identitiesFolder } from '../trust/trust-secrets.ts'
import { findingSource } from './presented.ts'

/** Findings of the shown run or of the open pack, and management responses to them. Verdicts never change. */
export function findingMethods(context: EngineContext) {
  const withSource = async <T>(
    of: Source,
    answer: (source: FindingSource | null) => Outcome<T> | Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const source = await findingSource(context, of)
    return source.ok ? await answer(source.value) : source
  }
  const change = registerChange(context)
  return methods({
    'home.get': () => withSource('run', async (source) => ok(await homeView(context, source))),
    'home.changes': async () => ok(await changesOf(context)),
    'documents.plan': () => withSource('run', (source) => ok(source === null ? null : documentPlan(source))),
    'documents.save-message': ({ owner }, chosen) =>
      saved(chosen, (path) =>
        withSource('run', async (source) => {
          const plan = source === null ? null : documentPlan(source)
          const message = plan?.owners.find((one) => one.owner === owner)?.message ?? null
          return message === null
            ? fail('input.refused', 'no document is outstanding from this owner')
            : await context.ports.files.write(path, message)
        }),
      ),
    'findings.get': ({ of, node }) =>
      withSource(of, (source) => ok(source === null ? null : findingsView(source, node))),
    'finding.get': ({ of, reference }) =>
      withSource(of, (source) => ok(source === null ? null : findingView(source, reference))),
    'findings.nodes': ({ checks }) =>
      withSource('run', (source) => ok(source === null ? [] : deviatingNodes(source, checks))),
    'responses.set': async (draft) => {
      const momentOf = entryMoments(context)
      return await change(draft.identity, 'respondent', (register, add) =>
        respondToAll(context, { register, draft, momentOf, add }),
      )
    },
    'responses.withdraw': async ({ ids, ...taken }) =>
      await change(null, 'respondent', (register) =>
        each(register, ids, (next, id) => withdrawResponse(next, { id, ...taken }, context.ports.clock.now())),
      ).then(nothingOf),
    'acceptances.accept-many': (draft) =>
      withSource('run', async (source) => {
        if (source === null) return fail('input.refused', 'there is no run yet, so there is no deviation to accept')
        const momentOf = entryMoments(context)
        return await change(draft.identity, 'approver', (register, add) =>
          acceptAll({ register, source, draft, momentOf, add }),
        )
      }),
    'acceptances.withdraw-many': async ({ ids, ...taken }) =>
      await change(null, 'approver', (register) =>
        each(register, ids, (next, id) => withdrawAcceptance(next, { id, ...taken }, context.ports.clock.now())),
      ).then(nothingOf),
  })
}

async function homeView(context: EngineContext, source: FindingSource | null): Promise<HomeView> {
  const { ports, folder, session } = context
  const listed = await ports.identities.list(identitiesFolder(folder))
  const shelf = shelfShown(context)
  const [{ engagement }, draft] = [await declaredOrNone(shelf), await readDraft(shelf)]
  return homeOf(
    {
      fleet: session.fleet?.name ?? null,
      nodes: session.fleet === null ? 0 : collectedNodes(session.fleet).length,
      running: runningNow(context),
      engagement: engagementState(engagement, draft.ok && draft.value !== null),
      fieldwork: engagement?.fieldwork ?? null,
      signing: session.demo ? 'demo-key' : context.signing,
      hasIdentity: listed.ok && listed.value.length > 0,
      dueRuns: await dueRunsOf(context),
      requests: context.requestsOfAuditors(),
    },
    source === null ? null : homeMatter(source),
  )
}

function runningNow({ session: { going, journal } }: EngineContext): { finished: number; all: number } | null {
  if (going === null || journal === null) return null
  const { events } = journal.status(going)
  const started = events.find((event) => event.kind === 'run-started')
  const finished = events.filter(({ kind }) => kind === 'node-done' || kind === 'node-failed').length
  return { finished, all: started?.kind === 'run-started' ? started.nodes.length : finished }
}

/** Adds the id of a recorded entry, and the number of deviations that it concerns. */
type Add = (id: string, deviations: number) => void
type Next = (register: Register, add: Add) => Outcome<Register>

/**
 * Changes the register of the shown fleet, all entries at once or none. Entries are signed before the turn begins,
 * because a person may confirm at another computer and other changes must not wait for that. An entry keeps its id
 * and time from signing to storing, and is refused where it would be stored in another form than it was signed.
 */
function registerChange(
  context: EngineContext,
): (identity: string | null, role: Signing['role'], next: Next) => Promise<Outcome<Recorded>> {
  const turn = turnOf(context, 'register')
  return async (identity, role, next) => {
    const kept = asShown(context)
    const signed = identity === null ? ok(null) : await signaturesOf(context, kept, next, { role, identity })
    if (!signed.ok) return signed
    return await turn(async () => {
      const after = await changed(kept, next)
      if (!after.ok) return after
      const { register, added } = after.value
      const whole = signed.value === null ? ok(register) : await withSignatures(context, register, added, signed.value)
      if (!whole.ok) return whole
      const written = await keepRegister(kept, whole.value)
      if (!written.ok) return written
      const deviations = added.reduce((sum, one) => sum + one.deviations, 0)
      return ok({ ids: added.map(({ id }) => id), deviations, isSigned: identity !== null && added.length > 0 })
    })
  }
}

interface Changed {
  readonly register: Register
  readonly added: readonly { readonly id: string; readonly deviations: number }[]
}

async function changed(kept: Kept, next: Next): Promise<Outcome<Changed>> {
  const before = await ownRegister(kept)
  if (!before.ok) return before
  const added: { readonly id: string; readonly deviations: number }[] = []
  const after = next(before.value, (id, deviations) => void added.push({ id, deviations }))
  return after.ok ? ok({ register: after.value, added }) : after
}

/** A signature for each entry that a change would add now. The key is opened once, after every entry was accepted. */
async function signaturesOf(
  context: EngineContext,
  kept: Kept,
  next: Next,
  { role, identity }: { readonly role: Signing['role']; readonly identity: string },
): Promise<Outcome<ReadonlyMap<string, EntrySignature>>> {
  const after = await changed(kept, next)
  if (!after.ok) return after
  const signatures = new Map<string, EntrySignature>()
  const { register, added } = after.value
  if (added.length === 0) return ok(signatures)
  const key = await signingKey(context, identity)
  if (!key.ok) return key
  const openSigner = async (): Promise<Outcome<Signer>> => ok(key.value.value)
  for (const { id } of added) {
    const signed = await entrySignature(context.ports, register, id, { role, openSigner })
    if (!signed.ok) return signed
    signatures.set(id, signed.value)
  }
  return ok(signatures)
}

async function withSignatures(
  { ports }: EngineContext,
  register: Register,
  added: Changed['added'],
  signatures: ReadonlyMap<string, EntrySignature>,
): Promise<Outcome<Register>> {
  if (added.length !== signatures.size) return fail('input.refused', CHANGED)
  let next = register
  for (const { id } of added) {
    const signature = signatures.get(id)
    if (signature === undefined) return fail('input.refused', CHANGED)
    const signed = await addSignature(ports, next, id, signature)
    if (!signed.ok) return signed
    next = signed.value
  }
  return ok(next)
}

const CHANGED = 'the register was changed while the entries were signed; nothing was stored, and you can try again'

/**
 * The time and id of the entry of each check. Repeated calls return the same, so that a signed entry can be created
 * again.
 */
function entryMoments({ ports }: EngineContext): (check: string) => Moment {
  const now = ports.clock.now()
  const ids = new Map<string, string>()
  return (check) => {
    const id = ids.get(check) ?? hexOf(ports.entropy.bytes(16))
    ids.set(check, id)
    return { now, id }
  }
}

interface Responding {
  readonly register: Register
  readonly draft: ResponsesDraft
  readonly momentOf: (check: string) => Moment
  readonly add: Add
}

/**
 * Records a response to each finding. Parts that the draft omits are taken from the current response. Unchanged
 * statements add no entry.
 */
function respondToAll(context: EngineContext, { register, draft, momentOf, add }: Responding): Outcome<Register> {
  const { catalog, session, ports } = context
  const current = currentResponses(register, ports.clock.now())
  const known = findingChecks(catalogFor(catalog, session.run?.scope ?? {}))
  return each(register, draft.checks, (next, check) => {
    const before = statedBefore(current.get(check) ?? null)
    const stated = {
      status: draft.status ?? before.status,
      owner: given(draft.owner, before.owner),
      due: given(draft.due, before.due),
      plan: given(draft.plan, before.plan),
      cause: given(draft.cause, before.cause),
    }
    if (isSameStatement(stated, before)) return ok(next)
    const facts = { ...momentOf(check), hasCheck: (id: string) => known.includes(id) }
    add(facts.id, 1)
    return respond(next, { check, ...stated, statedBy: draft.statedBy }, facts)
  })
}

/** Null keeps the earlier statement; an empty text clears it. */
const given = (text: string | null, before: string | null): string | null =>
  text === null ? before : text.trim() === '' ? null : text

interface Accepting {
  readonly register: Register
  readonly source: FindingSource
  readonly draft: AcceptancesDraft
  readonly momentOf: (check: string) => Moment
  readonly add: Add
}

/**
 * Records one risk acceptance for each finding, for those of the chosen nodes that deviate. Fails where a finding
 * deviates on none of them.
 */
function acceptAll({ register, source, draft, momentOf, add }: Accepting): Outcome<Register> {
  const { checks, nodes: chosen, identity: _, ...terms } = draft
  const { findings, informational } = source.shown
  const verdictOf = verdictIn(source.catalog, source.assessment)
  const found = new Map([...findings, ...informational].map((one) => [one.check, one]))
  return each(register, checks, (next, check) => {
    const finding = found.get(check)
    const nodes = finding === undefined ? [] : deviatingOn(finding, chosen)
    if (nodes.length === 0)
      return fail('input.refused', `check ${check} deviates on none of the chosen nodes, so there is nothing to accept`)
    const facts = momentOf(check)
    add(facts.id, nodes.length)
    return acceptRisk(next, { check, nodes, ...terms }, { ...facts, run: source.run, verdictOf })
  })
}

const deviatingOn = ({ what, deviations }: Finding, chosen: readonly string[]): readonly string[] =>
  what === 'inventory'
    ? []
    : deviations.flatMap(({ subject }) => (chosen.length === 0 || chosen.includes(subject) ? [subject] : []))

function each(
  register: Register,
  items: readonly string[],
  next: (register: Register, item: string) => Outcome<Register>,
): Outcome<Register> {
  let after: Outcome<Register> = ok(register)
  for (const item of items) {
    if (!after.ok) return after
    after = next(after.value, item)
  }
  return after
}
