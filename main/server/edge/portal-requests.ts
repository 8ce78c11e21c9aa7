import type { Engine } from '../../../schemas/ipc.ts'
import type { PortalMethods, PortalRequest, RequestEntry } from '../../../schemas/ipc-portal.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain, plainLines } from '../../core/plain-text.ts'
import { isDay } from '../../core/register/days.ts'
import { requestView } from '../portal/requests.ts'
import { mayRead, NO_PACK, NO_REQUEST } from '../portal/state.ts'
import { type Answers, answered, type PortalCaller, type PortalContext } from './portal-context.ts'

type Requesting = 'portal.requests' | 'portal.ask' | 'portal.act'

/** What auditors ask for, and what officers answer. */
export function requesting(context: PortalContext): Pick<Answers, Requesting> {
  const { state, record, now, newId } = context
  const today = (): string => new Date(now()).toISOString().slice(0, 10)
  const listed = ({ role, who }: PortalCaller): readonly PortalRequest[] =>
    state()
      .requests.flatMap((one, place) =>
        role === 'officer' || one.by.subject === who.subject
          ? [requestView(one, { role, number: place + 1, today: today(), canRead: reader(context, role, who.subject) })]
          : [],
      )
      .toReversed()
  const after = (caller: PortalCaller, done: Outcome<null>) => answered(done.ok ? ok(listed(caller)) : done)
  return {
    'portal.requests': async (caller) => answered(ok(listed(caller))),
    'portal.ask': async (caller, { title, text, about, due }) => {
      const named = plain(title.trim(), 200)
      if (named.length < 3) return answered(fail('input.refused', 'what is requested must be entered'))
      if (!isDay(due) || due < today())
        return answered(fail('input.refused', 'the due day must be a day from today on'))
      const { control, node, check, period } = about
      const request = {
        ...{ id: newId(), title: named, text: prose(text), due },
        about: { control: line(control), node: line(node), check: line(check), period: line(period) },
      }
      return after(caller, await record(caller.who, { kind: 'requested', ...request }))
    },
    'portal.act': async (caller, { id, to, comment, ...wanted }) => {
      const asked = state().requests.find((one) => one.id === id)
      if (asked === undefined) return answered(NO_REQUEST)
      const named = await namedEvidence(context, caller, { ...wanted, subject: asked.by.subject })
      if (!named.ok) return answered(named)
      const entry = { id, role: caller.role, to, comment: prose(comment), ...named.value }
      return after(caller, await record(caller.who, { kind: 'request-acted', ...entry }))
    },
  }
}

const line = (text: string): string => plain(text.trim(), 253)
const prose = (text: string): string => plainLines(text, 4000)

const reader =
  ({ state, now }: Pick<PortalContext, 'state' | 'now'>, role: PortalCaller['role'], subject: string) =>
  (id: string): boolean => {
    const pack = state().packs.find((one) => one.id === id)
    return pack !== undefined && (role === 'officer' || mayRead(state(), pack, subject, now()))
  }

type Names = Pick<PortalMethods['portal.act']['in'], 'packs' | 'documents' | 'findings'>

/**
 * What an answer names, with the labels that it has now: packs that the auditor may read, documents of the register, and findings of the run
 * that is shown. Fails with input.not-found where one is not there; auditors name nothing.
 */
async function namedEvidence(
  context: PortalContext,
  { role, engine }: PortalCaller,
  { packs, documents, findings, subject }: Names & { readonly subject: string },
): Promise<Outcome<Pick<RequestEntry, 'packs' | 'documents' | 'findings'>>> {
  if (role === 'auditor' && packs.length + documents.length + findings.length > 0)
    return fail('input.refused', 'only an answer names evidence')
  const canRead = reader(context, 'auditor', subject)
  const shared = picked(
    packs,
    context.state().packs.flatMap(({ id, run }) => (canRead(id) ? [{ id, label: `Run ${run}` }] : [])),
  )
  if (shared === null) return NO_PACK
  const filed = documents.length === 0 ? ok([]) : await documentsOf(engine)
  if (!filed.ok) return filed
  const found = findings.length === 0 ? ok([]) : await findingsOf(engine)
  if (!found.ok) return found
  const [named, deviating] = [picked(documents, filed.value), picked(findings, found.value)]
  if (named === null || deviating === null) return fail('input.not-found', 'there is no such document or finding')
  return ok({ packs: shared, documents: named, findings: deviating })
}

type Named = RequestEntry['packs']

/** The entries of these ids, or null where one is missing. */
function picked(ids: readonly string[], from: Named): Named | null {
  const found = from.filter(({ id }) => ids.includes(id))
  return found.length === ids.length ? found : null
}

async function documentsOf(engine: Engine): Promise<Outcome<Named>> {
  const register = await engine.call('register.get', { of: 'run' })
  if (!register.ok) return register
  return ok(
    register.value.documents.map(({ id, name, sha256 }) => ({ id, label: `${plain(name, 200)}, SHA-256 ${sha256}` })),
  )
}

async function findingsOf(engine: Engine): Promise<Outcome<Named>> {
  const findings = await engine.call('findings.get', { of: 'run', node: null })
  if (!findings.ok) return findings
  const { rows = [], informational = [] } = findings.value ?? {}
  return ok(
    [...rows, ...informational].map(({ reference, condition }) => ({ id: reference, label: plain(condition, 300) })),
  )
}
