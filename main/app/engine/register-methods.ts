import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { catalogFor } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { addDocument, addNote, LARGEST_DOCUMENT, noteBytes } from '../../core/register/attachments.ts'
import { decide, levelsIn, withdrawDecision } from '../../core/register/decisions.ts'
import { approveRequest, requestAcceptance, settleRequest } from '../../core/register/pending.ts'
import { needsIn, setRequest } from '../../core/register/requests.ts'
import { registerView } from '../../core/register/view.ts'
import { acceptRisk, type Moment, withdrawAcceptance, withdrawDocument } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import type { EngineContext, Handlers } from './context.ts'
import { hexOf, inTurn } from './kept-json.ts'
import { showDocument } from './register-show.ts'
import { keepBytes, keepRegister, ownRegister, registerOf } from './register-store.ts'
import { exceptionsTable } from './register-table.ts'
import type { RunState } from './session.ts'
import { fileName } from './trust-methods.ts'

type Methods =
  | 'register.get'
  | 'acceptances.accept'
  | 'acceptances.withdraw'
  | 'acceptances.request'
  | 'acceptances.approve'
  | 'acceptances.reject'
  | 'acceptances.save'
  | 'documents.add'
  | 'documents.note'
  | 'documents.withdraw'
  | 'documents.show'
  | 'decisions.set'
  | 'decisions.withdraw'
  | 'requests.set'

/** Register entries. Every change rewrites the whole register; changes are applied one at a time. */
export function registerMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { world, catalog, session } = context
  const turn = inTurn()
  const moment = (): Moment => ({ now: world.clock.now(), id: hexOf(world.entropy.bytes(16)) })
  const catalogNow = () => catalogFor(catalog, session.run?.scope ?? {})
  const needsNow = () => needsIn(catalogNow())
  const checks = new Set(catalog.checks.map(({ id }) => id))
  const verdictIn =
    (run: RunState) =>
    (node: string, check: string): Verdict | null => {
      const assessed = run.assessment.nodes.find((one) => one.node === node)
      if (assessed === undefined || !checks.has(check)) return null
      return assessed.results.find((found) => found.check === check)?.verdict ?? 'not-tested'
    }
  const hasNode = (name: string): boolean =>
    session.run?.assessment.nodes.some(({ node }) => node === name) === true ||
    session.fleet?.nodes.some((node) => node.name === name) === true
  /** A change applies to the fleet that was shown when it was requested, whatever is shown meanwhile. */
  const asShown = () => ({ world, folder: context.folder, session: { ...session } })
  const change = (
    next: (register: Register) => Outcome<Register>,
    bytes: Uint8Array | null = null,
    kept = asShown(),
  ): Promise<Outcome<RegisterView>> =>
    turn(async () => {
      const before = await ownRegister(kept)
      if (!before.ok) return before
      const after = next(before.value)
      if (!after.ok) return after
      // The bytes first: a register never names a file that is not there.
      const stored = bytes === null ? ok(null) : await keepBytes(kept, bytes)
      if (!stored.ok) return stored
      const written = await keepRegister(kept, after.value)
      return written.ok ? ok(registerView(after.value, world.clock.now())) : written
    })
  return {
    'register.get': async ({ of }) => await registerOf(context, of),
    'acceptances.accept': async (draft) => {
      const { run } = session
      if (run === null) return fail('input.refused', 'there is no run yet, so there is no deviation to accept')
      return await change((register) =>
        acceptRisk(register, draft, { ...moment(), run: run.run, verdictOf: verdictIn(run) }),
      )
    },
    'acceptances.withdraw': async (draft) =>
      await change((register) => withdrawAcceptance(register, draft, world.clock.now())),
    'acceptances.request': async (draft) =>
      await change((register) =>
        requestAcceptance(register, draft, { ...moment(), hasCheck: (check) => checks.has(check), hasNode }),
      ),
    'acceptances.approve': async (draft) =>
      await change((register) => approveRequest(register, draft, world.clock.now())),
    'acceptances.reject': async (draft) =>
      await change((register) => settleRequest(register, { ...draft, as: 'rejected' }, world.clock.now())),
    'acceptances.save': async (_, chosen) => {
      if (chosen === undefined) return ok(null)
      const register = await registerOf(context, 'run')
      if (!register.ok) return register
      const written = await world.files.write(
        chosen.path,
        world.csv(exceptionsTable(register.value.riskAcceptances, catalog)),
      )
      return written.ok ? ok({ file: fileName(chosen.path) }) : written
    },
    'documents.add': async (draft, chosen) => {
      if (chosen === undefined) return ok(null)
      const kept = asShown()
      const read = await world.files.read(chosen.path, LARGEST_DOCUMENT)
      if (!read.ok) return read
      const file = { name: fileName(chosen.path), bytes: read.value }
      return await change(
        (register) => addDocument(register, draft, file, { ...moment(), needsOf: needsNow() }),
        file.bytes,
        kept,
      )
    },
    'documents.note': async (draft) =>
      await change((register) => addNote(register, draft, { ...moment(), needsOf: needsNow() }), noteBytes(draft.text)),
    'documents.withdraw': async (draft) =>
      await change((register) => withdrawDocument(register, draft, world.clock.now())),
    'documents.show': async ({ of, id }) => await showDocument(context, of, id),
    'decisions.set': async (draft) => {
      const levelOf = levelsIn(catalogNow().frameworks)
      return await change((register) => decide(register, draft, { ...moment(), levelOf }))
    },
    'decisions.withdraw': async (draft) =>
      await change((register) => withdrawDecision(register, draft, world.clock.now())),
    'requests.set': async (draft) =>
      await change((register) => setRequest(register, draft, { now: world.clock.now(), needsOf: needsNow() })),
  }
}
