import { fail, type Outcome } from '../core/failure.ts'
import { PATHS } from '../core/pack.ts'
import { isSafeName } from '../core/pack-files.ts'
import { quote } from '../core/plain-text.ts'
import type { Signer } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { type Due, type Fate, retentionPlan, type Stays } from '../core/retention.ts'
import type { RetiredEntry } from '../core/run-chain/entry.ts'
import type { World } from '../core/world.ts'
import { appendSigned } from './append-signed.ts'
import { type ChainBelow, chainsBelow } from './chains.ts'
import { packsBelow } from './rebuild-history.ts'

/** As long as documentation has to be kept (45 CFR 164.316(b)(2)(i)). */
export const USUAL_YEARS = 6

export interface RetentionInput {
  readonly root: string
  readonly years: number
  /** The owner's words; needed for fewer years than usual, and for runs that an account of a period rests on. */
  readonly why: string
  /** Takes runs away too that a sealed account of a period within these years covers. */
  readonly evenInPeriods: boolean
  /** Null: only lists what would go. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

export interface Retained {
  /** What goes, or went. */
  readonly due: readonly Due[]
  /** What is as old and stays, with the reason. */
  readonly stays: readonly Stays[]
  /** Bytes that no recording holds any more. */
  readonly freed: number
  readonly applied: boolean
}

/**
 * Lets go of evidence, packs and traces of runs that are older than the policy says. Each is first entered, signed, into its fleet's
 * chain as retired; the entries of the runs stay. What an earlier call entered and did not come to remove is removed now.
 */
export async function retain(world: World, input: RetentionInput): Promise<Outcome<Retained>> {
  const why = input.why.trim()
  if (!Number.isSafeInteger(input.years) || input.years < 1)
    return fail('input.refused', 'the policy needs whole years, at least one; nothing was removed')
  if (why === '' && (input.years < USUAL_YEARS || input.evenInPeriods))
    return fail(
      'input.refused',
      `say why: fewer than ${USUAL_YEARS} years, and runs that an account of a period rests on, are not let go without a reason; nothing was removed`,
    )
  const chains = await chainsBelow(world, input.root)
  if (!chains.ok) return chains
  const fates = new Map(chains.value.map((one) => [one, fateOf(world, input, one)]))
  const due = [...fates.values()].flatMap((fate) => fate.due)
  const stays = [...fates.values()].flatMap((fate) => fate.stays)
  const { openSigner } = input
  if (openSigner === null) return ok({ due, stays, freed: 0, applied: false })
  const held: (() => Promise<void>)[] = []
  try {
    const ready = await readied(world, input.root, due, held)
    if (!ready.ok) return ready
    for (const [{ folder, chain }, fate] of fates) {
      const fresh = fate.due.filter((one) => !one.entered && ready.value.due.includes(one))
      if (fresh.length === 0) continue
      const words = why === '' ? `Older than ${input.years} years.` : `Older than ${input.years} years. ${why}`
      const entered = await appendSigned(world, { fleet: chain.fleet, chainFolder: folder, openSigner }, (at, signer) =>
        ok(
          fresh.flatMap(({ run, seals }) =>
            seals.map((tagManifest): RetiredEntry => {
              return { kind: 'retired', run, tagManifest, at, fleet: chain.fleet, why: words, signer }
            }),
          ),
        ),
      )
      if (!entered.ok) return entered
    }
    const done = await removed(world, input.root, ready.value.due)
    return done.ok ? ok({ ...done.value, due: ready.value.due, stays: [...stays, ...ready.value.stays] }) : done
  } finally {
    for (const release of held) await release()
  }
}

const fateOf = (world: World, { years, evenInPeriods }: RetentionInput, { chain }: ChainBelow): Fate =>
  retentionPlan(chain, { asOf: world.clock.now(), years, evenInPeriods })

/** Which of these can be removed now; the folders of their evidence are held from here on. */
async function readied(
  world: World,
  root: string,
  due: readonly Due[],
  held: (() => Promise<void>)[],
): Promise<Outcome<Fate>> {
  const packs = await packsBelow(world, root)
  if (!packs.ok) return packs
  const notFolders = new Set<string>()
  for (const folder of [root, `${root}/evidence`]) {
    const below = await world.files.below(folder, 1)
    if (!below.ok) return below
    for (const name of [...below.value.files, ...below.value.others]) notFolders.add(name)
  }
  const ready: Due[] = []
  const stays: Stays[] = []
  for (const one of due) {
    const folder = `${root}/evidence/${one.run}`
    let why = notFolders.has(one.run)
      ? 'a link or a file has the name of its folder; look at it, and remove it yourself'
      : await whyPackStays(world, root, one, packs.value)
    if (why === null && (await world.files.isThere(folder))) {
      const lock = await world.files.hold(folder, 0)
      if (lock.ok) held.push(lock.value.release)
      else why = 'another program holds its evidence; wait until it is done, then try again'
    }
    if (why === null) ready.push(one)
    else stays.push({ run: one.run, why })
  }
  return ok({ due: ready, stays })
}

/** Evidence, packs and traces of runs that the chain calls retired. */
async function removed(
  world: World,
  root: string,
  due: readonly Due[],
): Promise<Outcome<Pick<Retained, 'freed' | 'applied'>>> {
  for (const { run } of due) {
    for (const folder of [`${root}/evidence/${run}`, `${root}/${run}`]) {
      const gone = await world.files.remove(folder)
      if (!gone.ok) return gone
    }
  }
  const forgotten = await forget(world, root, due)
  if (!forgotten.ok) return forgotten
  const store = await world.openStore(`${root}/evidence`)
  if (!store.ok) return store
  const freed = await store.value.sweep()
  return freed.ok ? ok({ freed: freed.value, applied: true }) : freed
}

/** A folder that holds another pack than the retired ones is not theirs. */
async function whyPackStays(
  world: World,
  root: string,
  { run, seals }: Due,
  packs: readonly string[],
): Promise<string | null> {
  if (!isSafeName(run)) return `${quote(run)} is not the name of a folder of ours`
  for (const path of packs.filter((one) => one.startsWith(`${run}/`))) {
    const pack = await world.packs.open(`${root}/${path}`)
    if (!pack.ok) return `${path} cannot be read as a pack; look at it, and remove it yourself`
    const seal = await pack.value.sha256(PATHS.tagManifest).catch(() => '')
    await pack.value.close()
    if (!seals.includes(seal)) return `${path} is another pack than the one that the chain calls retired`
  }
  return null
}

async function forget(world: World, root: string, due: readonly Due[]): Promise<Outcome<null>> {
  const history = await world.openHistory(root)
  if (!history.ok) return history
  for (const { run, seals } of due)
    for (const tagManifest of [...seals, null]) {
      const gone = await history.value.forget(run, tagManifest)
      if (!gone.ok) return gone
    }
  return ok(null)
}
