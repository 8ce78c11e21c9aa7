import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { evidenceFolder, evidenceOfRun, exportFolder, folderIn, isSafeName, runOf } from '../../core/base/layout.ts'
import { quote } from '../../core/base/plain-text.ts'
import { parseList } from '../../core/objects.ts'
import { PATHS } from '../../core/pack/pack.ts'
import type { Signer } from '../../core/ports/ports.ts'
import { type Due, type Fate, retentionPlan, type Stays } from '../../core/retention/retention.ts'
import type { RetiredEntry } from '../../core/run-chain/entry.ts'
import { withPack } from '../common/pack-shelf.ts'
import { appendSigned } from './append-signed.ts'
import { chainsBelow, packsBelow } from './rebuild-history.ts'

/** Retention period of documentation (45 CFR 164.316(b)(2)(i)). */
export const USUAL_YEARS = 6

interface RetentionInput {
  readonly root: string
  readonly years: number
  /** The owner's reason; required for fewer years than the default, and for runs that a period report rests on. */
  readonly why: string
  /** Also deletes runs that a sealed period report within these years covers. */
  readonly evenInPeriods: boolean
  /** Null: a dry run. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

interface Retained {
  /** Runs to delete, or deleted. */
  readonly due: readonly Due[]
  /** Expired runs that are kept, with the reason. */
  readonly stays: readonly Stays[]
  /** Bytes that no recording refers to any more. */
  readonly freed: number
  readonly applied: boolean
  /** Copies of these runs in an object store, according to the copies of its lists in the folder. */
  readonly inStore: ReadonlyMap<string, InStore>
}

/**
 * The earliest end of retention of a run's files in an object store, and whether the store refuses deletion until
 * then.
 */
interface InStore {
  readonly until: string
  readonly locked: boolean
}

/**
 * Deletes evidence, packs and traces of runs that are older than the policy allows. Each deletion is first entered,
 * signed, into its fleet's chain; the entries of the runs stay. Deletions that an earlier call entered but did not
 * complete are completed now.
 */
export async function retain(
  ports: Pick<
    Ports,
    'clock' | 'entropy' | 'files' | 'openHistory' | 'openRunChain' | 'openStore' | 'packs' | 'sealing'
  >,
  input: RetentionInput,
): Promise<Outcome<Retained>> {
  const why = input.why.trim()
  if (!Number.isSafeInteger(input.years) || input.years < 1)
    return fail('input.refused', 'enter a retention period in whole years, at least 1; nothing was deleted')
  if (why === '' && (input.years < USUAL_YEARS || input.evenInPeriods))
    return fail(
      'input.refused',
      `enter a reason: it is required for fewer than ${USUAL_YEARS} years, and for runs that a period report rests on; nothing was deleted`,
    )
  const chains = await chainsBelow(ports, input.root)
  if (!chains.ok) return chains
  const now = ports.clock.now()
  const { years, evenInPeriods } = input
  const fates = new Map(chains.value.map((one) => [one, retentionPlan(one.chain, { asOf: now, years, evenInPeriods })]))
  const due = [...fates.values()].flatMap((fate) => fate.due)
  const stays = [...fates.values()].flatMap((fate) => fate.stays)
  const stored = await runsInStore(ports, input.root)
  if (!stored.ok) return stored
  const inStore = new Map(
    due.flatMap(({ run }) => {
      const kept = stored.value.get(run)
      return kept !== undefined && kept.until > now ? [[run, kept] as const] : []
    }),
  )
  const { openSigner } = input
  if (openSigner === null) return ok({ due, stays, freed: 0, applied: false, inStore })
  const held: (() => Promise<void>)[] = []
  try {
    const ready = await readied(ports, input.root, due, held)
    if (!ready.ok) return ready
    for (const [{ folder, chain }, fate] of fates) {
      const fresh = fate.due.filter((one) => !one.entered && ready.value.due.includes(one))
      if (fresh.length === 0) continue
      const words = why === '' ? `Older than ${input.years} years.` : `Older than ${input.years} years. ${why}`
      const entered = await appendSigned(ports, { fleet: chain.fleet, chainFolder: folder, openSigner }, (at, signer) =>
        ok(
          fresh.flatMap(({ run, seals }) =>
            seals.map((tagManifest): RetiredEntry => {
              const why = `${words}${inStoreWords(inStore.get(run))}`
              return { kind: 'retired', run, tagManifest, at, fleet: chain.fleet, why, signer }
            }),
          ),
        ),
      )
      if (!entered.ok) return entered
    }
    const done = await removed(ports, input.root, ready.value.due)
    return done.ok
      ? ok({ ...done.value, due: ready.value.due, stays: [...stays, ...ready.value.stays], inStore })
      : done
  } finally {
    for (const release of held) await release()
  }
}

/** For the entry of the chain, which is signed: it claims no deletion beyond this folder. */
const inStoreWords = (stored: InStore | undefined): string =>
  stored === undefined
    ? ''
    : ` Deleted in the folder; the object store ${stored.locked ? 'keeps it' : 'has a copy, to be kept'} until ${stored.until.slice(0, 10)} at least.`

/**
 * By run: the end of retention of its last file in the store. Fails with objects.altered for a list in the folder
 * that cannot be read.
 */
async function runsInStore(ports: Pick<Ports, 'files'>, root: string): Promise<Outcome<ReadonlyMap<string, InStore>>> {
  const folder = folderIn(root, 'objectLists')
  const below = await ports.files.below(folder, 1)
  if (!below.ok) return below
  const runs = new Map<string, InStore>()
  for (const name of below.value.files.filter((one) => one.endsWith('.jsonl'))) {
    const bytes = await ports.files.read(`${folder}/${name}`)
    if (!bytes.ok) return bytes
    const list = parseList(new TextDecoder().decode(bytes.value))
    if (!list.ok) return fail('objects.altered', `${folder}/${name} ${list.error}; delete it, and copy again`)
    const { until, locked, files } = list.value
    for (const run of new Set(files.map(({ path }) => runOf(path) ?? ''))) {
      const before = runs.get(run)
      const isLater = before === undefined || (locked === before.locked ? until > before.until : locked)
      if (isLater) runs.set(run, { until, locked })
    }
  }
  return ok(runs)
}

/** The runs that can be deleted now, with their evidence folders locked from here on. */
async function readied(
  ports: Pick<Ports, 'files' | 'packs'>,
  root: string,
  due: readonly Due[],
  held: (() => Promise<void>)[],
): Promise<Outcome<Fate>> {
  const packs = await packsBelow(ports, root)
  if (!packs.ok) return packs
  const notFolders = new Set<string>()
  for (const folder of [root, evidenceFolder(root)]) {
    const below = await ports.files.below(folder, 1)
    if (!below.ok) return below
    for (const name of [...below.value.files, ...below.value.others]) notFolders.add(name)
  }
  const ready: Due[] = []
  const stays: Stays[] = []
  for (const one of due) {
    const folder = evidenceOfRun(root, one.run)
    let why = notFolders.has(one.run)
      ? 'a link or a file has the name of its folder; check it, and delete it yourself'
      : await whyPackStays(ports, root, one, packs.value)
    if (why === null && (await ports.files.isThere(folder))) {
      const lock = await ports.files.hold(folder, 0)
      if (lock.ok) held.push(lock.value.release)
      else why = 'another program is using its evidence; try again when it has finished'
    }
    if (why === null) ready.push(one)
    else stays.push({ run: one.run, why })
  }
  return ok({ due: ready, stays })
}

/** Evidence, packs and traces of runs that the chain lists as deleted. */
async function removed(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openStore'>,
  root: string,
  due: readonly Due[],
): Promise<Outcome<Pick<Retained, 'freed' | 'applied'>>> {
  for (const { run } of due) {
    for (const folder of [evidenceOfRun(root, run), exportFolder(root, run)]) {
      const gone = await ports.files.remove(folder)
      if (!gone.ok) return gone
    }
  }
  const forgotten = await forget(ports, root, due)
  if (!forgotten.ok) return forgotten
  const store = await ports.openStore(evidenceFolder(root))
  if (!store.ok) return store
  const freed = await store.value.sweep()
  return freed.ok ? ok({ freed: freed.value, applied: true }) : freed
}

/** A folder with a pack of another run is not theirs. */
async function whyPackStays(
  ports: Pick<Ports, 'packs'>,
  root: string,
  { run, seals }: Due,
  packs: readonly string[],
): Promise<string | null> {
  if (!isSafeName(run)) return `${quote(run)} is not a valid run folder name`
  for (const path of packs.filter((one) => one.startsWith(`${run}/`))) {
    const seal = await withPack(ports, `${root}/${path}`, async (pack) =>
      ok(await pack.sha256(PATHS.tagManifest).catch(() => '')),
    )
    if (!seal.ok) return `${path} cannot be read as a pack; check it, and delete it yourself`
    if (!seals.includes(seal.value)) return `${path} is another pack than the one that the chain lists as deleted`
  }
  return null
}

async function forget(ports: Pick<Ports, 'openHistory'>, root: string, due: readonly Due[]): Promise<Outcome<null>> {
  const history = await ports.openHistory(root)
  if (!history.ok) return history
  for (const { run, seals } of due)
    for (const tagManifest of [...seals, null]) {
      const gone = await history.value.forget(run, tagManifest)
      if (!gone.ok) return gone
    }
  return ok(null)
}
