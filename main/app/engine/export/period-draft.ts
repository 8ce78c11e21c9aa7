import type { Input } from '../../../../schemas/ipc.ts'
import type { DayWindow } from '../../../../schemas/ipc-history.ts'
import type { PeriodPlan } from '../../../../schemas/ipc-periods.ts'
import type { Engagement } from '../../../../schemas/types.ts'
import { dayOf } from '../../../core/base/days.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { chainFolderOf, packIn, periodDraftName } from '../../../core/base/layout.ts'
import { plural } from '../../../core/base/plain-text.ts'
import { periodName } from '../../../core/period/pack.ts'
import { enteredRuns } from '../../../core/period/seen.ts'
import { type ExportedPeriod, exportPeriod, periodProblem } from '../../export/period.ts'
import { chainOfFleet } from '../../history/run-chain.ts'
import { daysBefore } from '../../schedules/schedule-status.ts'
import type { EngineContext } from '../context/context.ts'
import { turnOf } from '../context/kept-json.ts'
import { readSettings } from '../context/settings.ts'
import { NO_FLEET } from '../runs/history-read.ts'
import { declaredForExport, shelfShown } from '../stored/engagement-store.ts'
import { listIdentities, signingKey } from '../trust/trust-identities.ts'
import { type Draft, filesOf, signerWords, stampingOf, storedNotes, timeNotes } from './export-drafts.ts'
import { wordsOf } from './export-plan.ts'

const DEMO = 'demo data is never entered into a run chain, on which a period report rests'
const NO_CHAIN = 'no run of this fleet is in a run chain; a period report rests on sealed runs'

/**
 * The choices for a period report. Nothing is sealed, and no secret is requested. Fails as chain, declarations and
 * identities do.
 */
export async function periodPlan(context: EngineContext): Promise<Outcome<PeriodPlan | null>> {
  const { ports, folder, session } = context
  const { fleet, demo } = session
  if (fleet === null) return ok(null)
  const chain = demo ? ok(null) : await chainOfFleet(ports, folder, fleet.name)
  if (!chain.ok) return chain
  const declared = await declaredForExport(shelfShown(context))
  if (!declared.ok) return declared
  const identities = await listIdentities(context)
  if (!identities.ok) return identities
  const { engagement } = declared.value
  const runs = enteredRuns(chain.value?.entries ?? []).first.map(({ entry }) => entry)
  const latest = daysBefore(ports.clock.now(), 1)
  return ok({
    fleet: fleet.name,
    demo,
    runs: runs.length,
    proposed: proposedDays(engagement, runs[0] === undefined ? null : dayOf(runs[0].at), latest),
    latest,
    identities: identities.value,
    organization: engagement?.entity ?? null,
    authority: (await readSettings(ports, folder)).authority,
  })
}

/** The part of the declared period that has ended; without one, all days since the first run. */
function proposedDays(engagement: Engagement | null, first: string | null, latest: string): DayWindow | null {
  const basis = engagement?.reportingBasis
  const [from, to] = basis?.kind === 'period' ? [basis.from, basis.to] : [first, latest]
  if (from === null || from > latest) return null
  return { from, to: to < latest ? to : latest }
}

/**
 * Seals report and pack of a period that has ended into a new folder, and enters it into the run chain. Everything that can be refused is checked
 * before a key is opened.
 */
export async function buildPeriodDraft(
  context: EngineContext,
  { from, to, samples, identity, timestamp }: Input<'period.build'>,
): Promise<Outcome<Draft>> {
  const { ports, catalog, session } = context
  const { fleet, demo } = session
  if (fleet === null) return fail('input.not-found', NO_FLEET)
  if (demo) return fail('input.refused', DEMO)
  const unfit = periodProblem({ from, to, samples }, ports.clock.now())
  if (unfit !== null) return fail('input.refused', unfit)
  const chain = await chainOfFleet(ports, context.folder, fleet.name)
  if (!chain.ok) return chain
  if (chain.value === null) return fail('input.refused', NO_CHAIN)
  const stamping = timestamp ? await stampingOf(context) : ok(null)
  if (!stamping.ok) return stamping
  const declared = await declaredForExport(shelfShown(context))
  if (!declared.ok) return declared
  const purpose = `Period report on ${fleet.name}, ${from} to ${to}`
  const key = await turnOf(context, 'identities')(() => signingKey(context, identity, purpose))
  if (!key.ok) return key
  const handle = hexOf(ports.entropy.bytes(16))
  const folder = `${context.folder}/${periodDraftName(handle)}`
  const signer = key.value.value
  const made = await exportPeriod(ports, catalog, {
    root: context.folder,
    chainFolder: chainFolderOf(context.folder, fleet.name),
    fleet: fleet.name,
    from,
    to,
    samples,
    engagement: declared.value.engagement,
    signer,
    stamping: stamping.value,
    folder,
  })
  if (!made.ok) return made
  const { kept } = key.value
  return ok({
    folder,
    view: {
      handle,
      files: filesOf(made.value.files),
      signer: signerWords(signer),
      notes: [
        ...periodNotes(made.value),
        ...timeNotes({ ...made.value, authority: stamping.value?.url ?? null, onServer: context.keepsSealed }),
        ...storedNotes({ kept, chained: true, keepsSealed: context.keepsSealed }),
      ],
      notDerivable: [],
    },
    opens: packIn(folder, periodName({ from, to })),
    chained: true,
    saved: false,
  })
}

const MOST_NAMED = 20

/** Every point where the report shows less than its reader may assume. */
function periodNotes({ period: { runs, deviations }, lost, unrecorded }: ExportedPeriod): readonly string[] {
  const open = deviations.filter((one) => one.open).length
  return [
    ...(lost.length === 0 ? [] : [`${lost.length} of ${plural(runs.length, 'run')} cannot be used as evidence:`]),
    ...lost.slice(0, MOST_NAMED).map(wordsOf),
    ...(lost.length > MOST_NAMED ? [`${lost.length - MOST_NAMED} more; the report names each.`] : []),
    ...(unrecorded.length === 0
      ? []
      : [`${plural(unrecorded.length, 'scheduled run')} did not take place, without a recorded reason.`]),
    ...(open === 0 ? [] : [`${plural(open, 'deviation')} open at the end of the period.`]),
  ]
}
