import type { RegisterView, RiskAcceptanceView } from '../../../../schemas/ipc-register.ts'
import type { Source } from '../../../../schemas/ipc-views.ts'
import type { Register } from '../../../../schemas/types.ts'
import { statusWords } from '../../../../schemas/words.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { folderIn } from '../../../core/base/layout.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import {
  addDocument,
  addNote,
  LARGEST_DOCUMENT,
  noteBytes,
  plainFileName,
  viewerExtension,
} from '../../../core/register/attachments.ts'
import {
  approveRequest,
  decide,
  levelsIn,
  requestAcceptance,
  resolveRequest,
  withdrawDecision,
} from '../../../core/register/decisions.ts'
import {
  acceptRisk,
  isOnePerson,
  type Moment,
  withdrawAcceptance,
  withdrawDocument,
} from '../../../core/register/register.ts'
import { needsIn, setRequest } from '../../../core/register/requests.ts'
import { signaturesOf } from '../../../core/register/signatures.ts'
import { type Catalog, catalogFor } from '../../../core/rules/catalog.ts'
import type { Table } from '../../export/output-files.ts'
import { addSignature, entrySignature } from '../../register/store.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { fileName, saved, turnOf } from '../context/kept-json.ts'
import {
  asShown,
  bytesInPack,
  keepBytes,
  keepRegister,
  ownBytes,
  ownRegister,
  ownView,
  registerOf,
  verdictIn,
} from '../stored/register-store.ts'
import { signerOf } from '../trust/trust-identities.ts'

/** Register entries. Every change rewrites the whole register; changes are applied one at a time. */
export function registerMethods(context: EngineContext) {
  const { ports, catalog, session } = context
  const turn = turnOf(context, 'register')
  const moment = (): Moment => ({ now: ports.clock.now(), id: hexOf(ports.entropy.bytes(16)) })
  const catalogNow = () => catalogFor(catalog, session.run?.scope ?? {})
  const needsNow = () => needsIn(catalogNow())
  const checks = new Set(catalog.checks.map(({ id }) => id))
  const hasNode = (name: string): boolean =>
    session.run?.assessment.nodes.some(({ node }) => node === name) === true ||
    session.fleet?.nodes.some((node) => node.name === name) === true
  const change = (
    next: (register: Register) => Outcome<Register> | Promise<Outcome<Register>>,
    bytes: Uint8Array | null = null,
    kept = asShown(context),
  ): Promise<Outcome<RegisterView>> =>
    turn(async () => {
      const before = await ownRegister(kept)
      if (!before.ok) return before
      const after = await next(before.value)
      if (!after.ok) return after
      // The bytes first: a register never names a file that is not there.
      const stored = bytes === null ? ok(null) : await keepBytes(kept, bytes)
      if (!stored.ok) return stored
      const written = await keepRegister(kept, after.value)
      return written.ok ? ok(await ownView(kept, after.value)) : written
    })
  return methods({
    'register.get': ({ of }) => registerOf(context, of),
    'acceptances.accept': async (draft) => {
      const { run } = session
      if (run === null) return fail('input.refused', 'there is no run yet, so there is no deviation to accept')
      return await change((register) =>
        acceptRisk(register, draft, { ...moment(), run: run.run, verdictOf: verdictIn(catalog, run.assessment) }),
      )
    },
    'acceptances.withdraw': (draft) => change((register) => withdrawAcceptance(register, draft, ports.clock.now())),
    'acceptances.request': (draft) =>
      change((register) =>
        requestAcceptance(register, draft, { ...moment(), hasCheck: (check) => checks.has(check), hasNode }),
      ),
    'acceptances.approve': (draft) => change((register) => approveRequest(register, draft, ports.clock.now())),
    'acceptances.reject': (draft) =>
      change((register) => resolveRequest(register, { ...draft, as: 'rejected' }, ports.clock.now())),
    'acceptances.save': (_, chosen) =>
      saved(chosen, async (path) => {
        const register = await registerOf(context, 'run')
        if (!register.ok) return register
        return await ports.files.write(path, ports.csv(acceptancesTable(register.value.riskAcceptances, catalog)))
      }),
    'documents.add': async (draft, chosen) => {
      if (chosen === undefined) return ok(null)
      const kept = asShown(context)
      const read = await ports.files.read(chosen.path, LARGEST_DOCUMENT)
      if (!read.ok) return read
      const file = { name: fileName(chosen.path), bytes: read.value }
      return await change(
        (register) => addDocument(register, draft, file, { ...moment(), needsOf: needsNow() }),
        file.bytes,
        kept,
      )
    },
    'documents.note': (draft) =>
      change((register) => addNote(register, draft, { ...moment(), needsOf: needsNow() }), noteBytes(draft.text)),
    'documents.withdraw': (draft) => change((register) => withdrawDocument(register, draft, ports.clock.now())),
    'documents.show': ({ of, id }) => showDocument(context, of, id),
    'decisions.set': async (draft) => {
      const levelOf = levelsIn(catalogNow().frameworks)
      return await change((register) => decide(register, draft, { ...moment(), levelOf }))
    },
    'decisions.withdraw': (draft) => change((register) => withdrawDecision(register, draft, ports.clock.now())),
    'register.sign': async ({ id, role, identity }) => {
      // Signed before the turn begins, because a person may confirm at another computer and other changes must not
      // wait for that.
      const kept = asShown(context)
      const before = await ownRegister(kept)
      if (!before.ok) return before
      const signing = { role, openSigner: signerOf(context, identity) }
      const signature = await entrySignature(ports, before.value, id, signing)
      if (!signature.ok) return signature
      return await change((register) => addSignature(ports, register, id, signature.value), null, kept)
    },
    'requests.set': (draft) =>
      change((register) => setRequest(register, draft, { now: ports.clock.now(), needsOf: needsNow() })),
  })
}

/**
 * Opens a copy of an attached PDF, PNG or JPEG in the system's viewer, under an extension that matches its bytes. The
 * previous copy is deleted. No other file type is ever opened.
 */
async function showDocument(context: EngineContext, of: Source, id: string): Promise<Outcome<null>> {
  const { ports, folder, desktop } = context
  const register = await registerOf(context, of)
  if (!register.ok) return register
  const attachment = register.value.documents.find((one) => one.id === id)
  if (attachment === undefined) return fail('input.refused', 'there is no document of this id')
  const bytes = await (of === 'run' ? ownBytes : bytesInPack)(context, attachment)
  if (!bytes.ok) return bytes
  const extension = viewerExtension(bytes.value)
  if (extension === null) return fail('input.refused', 'only PDF, PNG and JPEG files can be opened')
  const name = plainFileName(attachment.name).replace(/\.[^.]*$/, '')
  // A viewer may still hold the previous copy; it then stays until the next call.
  await ports.files.remove(folderIn(folder, 'shown'))
  const copy = `${folderIn(folder, 'shown')}/${hexOf(ports.entropy.bytes(4))}-${name === '' ? 'record' : name}.${extension}`
  const written = await ports.files.write(copy, bytes.value)
  if (!written.ok) return written
  const locked = await ports.files.lock(copy)
  return locked.ok ? await desktop.show(copy) : locked
}

type Column = readonly [title: string, cell: (entry: RiskAcceptanceView) => string]

const columnsFor = ({ checks }: Catalog): readonly Column[] => [
  ['status', ({ status }) => statusWords[status]],
  ['check', ({ check }) => check],
  ['expected condition', ({ check }) => checks.find(({ id }) => id === check)?.expected ?? ''],
  ['nodes', ({ nodes }) => nodes.join(' ')],
  ['reason', ({ reason }) => reason],
  ['compensating control', ({ compensatingControl }) => compensatingControl],
  ['owner', ({ owner }) => owner],
  ['requested by', ({ requestedBy }) => requestedBy],
  ['approved by', ({ approvedBy }) => approvedBy],
  ['approver’s role', ({ approverRole }) => approverRole ?? ''],
  ['same requester and approver', (entry) => (isOnePerson(entry) ? 'requested and approved by the same person' : '')],
  ['accepted at (UTC)', ({ acceptedAt }) => acceptedAt],
  ['expires at (UTC)', ({ expiresAt }) => expiresAt],
  ['run', ({ run }) => run ?? ''],
  ['withdrawn at (UTC)', ({ withdrawn }) => withdrawn?.at ?? ''],
  ['withdrawn by', ({ withdrawn }) => withdrawn?.by ?? ''],
  ['withdrawal reason', ({ withdrawn }) => withdrawn?.reason ?? ''],
  [
    'signed as, with key',
    (entry) =>
      signaturesOf(entry)
        .map(({ role, fingerprint }) => `${role} ${fingerprint}`)
        .join('; '),
  ],
  ['id', ({ id }) => id],
]

/** Risk acceptances, one a line, as they were entered. */
function acceptancesTable(entries: readonly RiskAcceptanceView[], catalog: Catalog): Table {
  const columns = columnsFor(catalog)
  return [
    columns.map(([title]) => title),
    ...entries.map((entry) => columns.map(([, cell]) => oneLine(cell(entry), 30_000))),
  ]
}
