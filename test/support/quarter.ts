import { join } from 'node:path'
import { createIdentities } from '../../main/adapters/identity/index.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { createSealing } from '../../main/adapters/seal/index.ts'
import { exportRun } from '../../main/app/export/export.ts'
import { appendSigned, recordGap } from '../../main/app/history/append-signed.ts'
import { keepRun } from '../../main/app/history/rebuild-history.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { inMemory } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Scope } from '../../schemas/types.ts'
import { must } from './outcomes.ts'
import { ACCOUNT, type Answering, type Edit, PACKAGE, PASSWORDS, recordingOn } from './quarter-nodes.ts'

/** What happens in a simulated stretch of daily runs. Days and nodes count from 1; `from` and `until` are both included. */
export interface QuarterPlan {
  readonly from: string
  readonly days: number
  readonly nodes: number
  readonly recordedGaps: readonly number[]
  readonly unrecordedGap: number
  readonly late: number
  /** From this day on, the run is due an hour later. */
  readonly rescheduled: number
  readonly away: { readonly node: number; readonly from: number; readonly until: number }
  readonly weakened: { readonly node: number; readonly from: number; readonly until: number }
  readonly account: { readonly node: number; readonly from: number }
  readonly packages: { readonly node: number; readonly from: number }
  /** The machine of `node` stands under the name of `as` from then on, and a spare one takes its place. */
  readonly moved: { readonly node: number; readonly as: number; readonly from: number }
}

export const FULL_QUARTER: QuarterPlan = {
  from: '2026-08-01',
  days: 92,
  nodes: 50,
  recordedGaps: [26, 55],
  unrecordedGap: 70,
  late: 50,
  rescheduled: 46,
  away: { node: 13, from: 41, until: 44 },
  weakened: { node: 7, from: 20, until: 33 },
  account: { node: 7, from: 40 },
  packages: { node: 31, from: 62 },
  moved: { node: 9, as: 50, from: 60 },
}

export const SMALL_QUARTER: QuarterPlan = {
  from: '2026-08-01',
  days: 12,
  nodes: 3,
  recordedGaps: [5, 9],
  unrecordedGap: 8,
  late: 7,
  rescheduled: 6,
  away: { node: 3, from: 6, until: 7 },
  weakened: { node: 1, from: 3, until: 5 },
  account: { node: 1, from: 4 },
  packages: { node: 1, from: 10 },
  moved: { node: 2, as: 3, from: 11 },
}

export const QUARTER_FLEET = 'simulated fleet'
export const QUARTER_SCHEDULE = 'nightly'
const WITHIN_MINUTES = 120

/** The real adapters over a folder of their own, with a clock that is set by hand and a key made for it. */
export interface Stage {
  readonly ports: Ports
  readonly root: string
  readonly chainFolder: string
  readonly signer: Signer
  /** PEM of the root to trust. */
  readonly rootPem: string
  readonly setClock: (at: string) => void
}

export async function openStage(root: string, from: string): Promise<Stage> {
  let at = momentOf(from, -31, '09:00')
  const real = createPorts(catalog)
  const clock = { ...real.clock, now: () => at }
  const identities = createIdentities(clock, real.entropy, join(root, 'identities'))
  const ports: Ports = { ...real, clock, identities, sealing: createSealing(clock, real.entropy) }
  const own = { folder: identities.defaultFolder, name: 'default', passphrase: 'a simulated quarter' }
  must(await identities.create({ ...own, subject: 'Simulated evidence' }))
  return {
    ports,
    root,
    chainFolder: chainFolderOf(root, QUARTER_FLEET),
    signer: must(await identities.open(own.folder, own.name, own.passphrase)),
    rootPem: must(await identities.trust(own.folder, own.name)).rootPem,
    setClock: (moment) => {
      at = moment
    },
  }
}

export interface SimulatedDay {
  readonly day: number
  /** Null on a day without a run. */
  readonly run: string | null
  readonly milliseconds: number
}

/** Goes through the days: plans, runs, seals and keeps each, or leaves a gap. Each run is the real export of the real catalog. */
export async function simulateQuarter(
  stage: Stage,
  plan: QuarterPlan,
  onDay: (day: SimulatedDay) => void = () => undefined,
): Promise<readonly SimulatedDay[]> {
  const days: SimulatedDay[] = []
  await enterPlan(stage, 'every day at 02:00 in UTC', momentOf(plan.from, 0, '00:00'), 'The nightly collection begins')
  for (let day = 1; day <= plan.days; day += 1) {
    if (day === plan.rescheduled)
      await enterPlan(
        stage,
        'every day at 03:00 in UTC',
        momentOf(plan.from, day - 2, '12:00'),
        'Backups run until half past two',
      )
    const begun = performance.now()
    const run = await simulateDay(stage, plan, day)
    const done = { day, run, milliseconds: Math.round(performance.now() - begun) }
    days.push(done)
    onDay(done)
  }
  stage.setClock(momentOf(plan.from, plan.days, '00:30'))
  return days
}

async function enterPlan(stage: Stage, cadence: string, from: string, why: string): Promise<void> {
  stage.setClock(from)
  must(
    await appendSigned(stage.ports, { ...entering(stage), begin: true }, (at, signer) =>
      ok([
        {
          kind: 'plan',
          schedule: QUARTER_SCHEDULE,
          cadence,
          withinMinutes: WITHIN_MINUTES,
          from,
          at,
          fleet: QUARTER_FLEET,
          why,
          signer,
        },
      ]),
    ),
  )
}

const entering = ({ chainFolder, signer }: Stage) => ({
  fleet: QUARTER_FLEET,
  chainFolder,
  openSigner: async () => ok(signer),
})

async function simulateDay(stage: Stage, plan: QuarterPlan, day: number): Promise<string | null> {
  const due = dueOn(plan, day)
  if (day === plan.unrecordedGap) return null
  if (plan.recordedGaps.includes(day)) {
    stage.setClock(momentOf(plan.from, day - 1, '09:00'))
    const why = 'The network of the site was under maintenance, as announced'
    must(await recordGap(stage.ports, { ...entering(stage), due, why, schedule: QUARTER_SCHEDULE }))
    return null
  }
  const begun = later(due, day === plan.late ? 195 : 1)
  const asOf = later(begun, 11)
  stage.setClock(asOf)
  const run = `${begun.replaceAll(/[-:]/g, '').slice(0, 13).toLowerCase()}z-${String(day).padStart(4, '0')}`
  const recordings = nodesOn(plan, day).map((node) => recordingOn({ ...node, run, at: begun }))
  const exported = must(
    await exportRun(stage.ports, catalog, {
      run,
      scope: scopeOf(plan),
      recordings: recordings.map(inMemory),
      asOf,
      signer: stage.signer,
      stamping: null,
      folder: `${stage.root}/${run}`,
      register: EMPTY_REGISTER,
      attachmentBytes: async ({ name }) => fail('attachment.altered', name),
      inventory: null,
      also: [],
      chainFolder: stage.chainFolder,
      planned: { schedule: QUARTER_SCHEDULE, due },
    }),
  )
  const { trace, tagManifest, signer, files } = exported
  const pack = `${run}/${files[0]?.name ?? ''}`
  must(await keepRun(stage.ports, stage.root, { trace, sealed: { tagManifest, signer, pack, at: asOf } }))
  return run
}

export const nodeName = (number: number): string => `node-${String(number).padStart(2, '0')}`

const scopeOf = ({ nodes }: QuarterPlan): Scope => ({
  fleet: QUARTER_FLEET,
  population: Array.from({ length: nodes }, (_, index) => nodeName(index + 1)) as unknown as Scope['population'],
  frameworks: ['hipaa', 'soc2'],
})

/** Nodes that answer on a day, each with the machine that stands under its name and what is otherwise on it. */
function nodesOn(plan: QuarterPlan, day: number): readonly Omit<Answering, 'run' | 'at'>[] {
  const { away, moved } = plan
  return Array.from({ length: plan.nodes }, (_, index) => index + 1)
    .filter((node) => !(node === away.node && day >= away.from && day <= away.until))
    .map((node) => {
      const isMoved = day >= moved.from
      const spare = plan.nodes + BASES_APART
      const machine = isMoved && node === moved.as ? moved.node - 1 : isMoved && node === moved.node ? spare : node - 1
      return { node: nodeName(node), machine, edits: editsOn(plan, day, node) }
    })
}

/** So that the spare machine is made from another fixture than any other change would suggest. */
const BASES_APART = 10

function editsOn({ weakened, account, packages }: QuarterPlan, day: number, node: number): readonly Edit[] {
  return [
    ...(node === weakened.node && day >= weakened.from && day <= weakened.until ? [PASSWORDS] : []),
    ...(node === account.node && day >= account.from ? ACCOUNT : []),
    ...(node === packages.node && day >= packages.from ? [PACKAGE] : []),
  ]
}

/** When the run of a day is due. */
export const dueOn = ({ from, rescheduled }: QuarterPlan, day: number): string =>
  momentOf(from, day - 1, day < rescheduled ? '02:00' : '03:00')

const DAY_MS = 86_400_000
/** A time of UTC, so many days after the first. */
export const momentOf = (from: string, days: number, time: string): string =>
  new Date(Date.parse(`${from}T${time}:00.000Z`) + days * DAY_MS).toISOString()
const later = (moment: string, minutes: number): string => new Date(Date.parse(moment) + minutes * 60_000).toISOString()
