import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainStart } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Signer } from '../../core/ports/ports.ts'
import {
  entryBytes,
  type LoggedEntry,
  type OpenRunChain,
  type RunChain,
  type SignedEntry,
} from '../../core/run-chain/entry.ts'
import { whileSigning } from '../common/seal-file.ts'
import { newChain, withRunChain } from './run-chain.ts'

export interface EnterInput {
  readonly fleet: string
  readonly chainFolder: string
  /** Called only after everything else was accepted. */
  readonly openSigner: () => Promise<Outcome<Signer>>
  /** Starts a new chain where there is none; without it, a missing chain is refused. */
  readonly begin?: boolean
  /** Appends while another resource is locked or changed. Called only after everything is signed. */
  readonly appendWith?: (append: () => Promise<Outcome<RunChain>>) => Promise<Outcome<RunChain>>
}

type AppendPorts = Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>

/**
 * Appends signed entries without a pack to the run chain, so that later packs contain them. `make` receives the time,
 * the signer's fingerprint and the current chain, and may refuse. It is called twice, before signing and with the
 * chain locked, because the chain is not locked during signing, which may take minutes. Entries that the second call
 * no longer returns are not appended. Fails with input.refused where there is no chain, and where the second call
 * returns an entry that was not signed; otherwise as the signer and the chain do.
 */
export async function appendSigned(
  ports: AppendPorts,
  { fleet, chainFolder, openSigner, begin = false, appendWith = (append) => append() }: EnterInput,
  make: (at: string, signer: string, chain: RunChain) => Outcome<readonly SignedEntry[]>,
): Promise<Outcome<RunChain>> {
  const begun = begin || (await ports.files.isThere(chainStart(chainFolder)))
  if (!begun) return fail('input.refused', `there is no run chain in ${chainFolder}; nothing was recorded`)
  const opened = await openSigner()
  if (!opened.ok) return opened
  const signer = opened.value
  const beginning = newChain(ports, fleet)
  const at = ports.clock.now()
  const made = (chain: OpenRunChain): Outcome<readonly SignedEntry[]> => make(at, signer.fingerprint, chain.chain())
  const locked = <T>(work: (chain: OpenRunChain) => Promise<Outcome<T>>): Promise<Outcome<T>> =>
    withRunChain(ports, chainFolder, beginning, work)
  const first = await locked(async (chain) => made(chain))
  if (!first.ok) return first
  const signatures = await whileSigning(async () => ok(await signaturesOver(ports, signer, first.value)))
  if (!signatures.ok) return signatures
  return await appendWith(() =>
    locked(async (chain) => {
      const entries = made(chain)
      if (!entries.ok) return entries
      let last: Outcome<RunChain> = ok(chain.chain())
      for (const entry of entries.value) {
        const signature = signatures.value.get(canonicalJson(entry))
        if (signature === undefined)
          return fail('input.refused', 'the run chain changed while the entry was signed; nothing more was recorded')
        last = await chain.append({ entry, signature })
        if (!last.ok) break
      }
      return last
    }),
  )
}

/** Signatures (CMS, base64) by the canonical JSON of their entries. */
async function signaturesOver(
  { sealing }: Pick<Ports, 'sealing'>,
  signer: Signer,
  entries: readonly SignedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const signatures = new Map<string, string>()
  for (const entry of entries) {
    const signature = await sealing.signDetached(signer, entryBytes(entry))
    signatures.set(canonicalJson(entry), Buffer.from(signature).toString('base64'))
  }
  return signatures
}

interface GapInput extends Omit<EnterInput, 'begin'> {
  /** When the run was due: UTC, ISO 8601. */
  readonly due: string
  /** The owner's reason. */
  readonly why: string
  readonly schedule?: string
}

/**
 * Enters a missed run into an existing run chain. Fails with input.refused without a reason, for a time in the
 * future, and for a run that is already recorded for its schedule; otherwise as appendSigned() does.
 */
export async function recordGap(ports: AppendPorts, input: GapInput): Promise<Outcome<RunChain>> {
  const { fleet, due, schedule } = input
  const why = input.why.trim()
  if (why === '') return fail('input.refused', 'enter why the run did not take place; nothing was recorded')
  if (due > ports.clock.now()) return fail('input.refused', `${due} is in the future; nothing was recorded`)
  return await appendSigned(ports, input, (at, signer, { entries }) =>
    schedule !== undefined && isRecorded(entries, schedule, due)
      ? fail('input.refused', `${due} of ${schedule} is recorded as missed already; nothing was recorded`)
      : ok([{ kind: 'gap', ...(schedule === undefined ? {} : { schedule }), due, at, fleet, why, signer }]),
  )
}

const isRecorded = (entries: readonly LoggedEntry[], schedule: string, due: string): boolean =>
  entries.some(
    ({ entry, signature }) =>
      entry.kind === 'gap' &&
      entry.schedule === schedule &&
      Date.parse(entry.due) === Date.parse(due) &&
      signature !== null,
  )

interface BaselineInput extends Omit<EnterInput, 'begin'> {
  /** A sealed run of this fleet. */
  readonly run: string
  /** The owner's reason. */
  readonly why: string
}

/**
 * Sets the run that later runs are compared with, as a signed entry in the run chain. Fails with input.refused without
 * a reason, and for a run that the chain does not contain or whose evidence was deleted; otherwise as appendSigned()
 * does.
 */
export async function nameBaseline(ports: AppendPorts, input: BaselineInput): Promise<Outcome<RunChain>> {
  const { fleet, run } = input
  const why = input.why.trim()
  if (why === '' || why.length > 1000)
    return fail('input.refused', 'enter a reason of 1 to 1,000 characters; nothing was recorded')
  return await appendSigned(ports, input, (at, signer, { entries }) => {
    const about = entries.filter(({ entry }) => (entry.kind === 'run' || entry.kind === 'retired') && entry.run === run)
    if (!about.some(({ entry }) => entry.kind === 'run'))
      return fail(
        'input.refused',
        `the run chain of ${plain(fleet, 100)} has no sealed run ${plain(run, 100)}; nothing was recorded`,
      )
    if (about.at(-1)?.entry.kind === 'retired')
      return fail('input.refused', `the evidence of run ${plain(run, 100)} was deleted; nothing was recorded`)
    return ok([{ kind: 'baseline', run, at, fleet, why, signer }])
  })
}
