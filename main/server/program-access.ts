import type { CollectorJob } from '../../schemas/types.ts'
import { canonicalJson } from '../core/base/canonical-json.ts'
import type { LoadedRecording } from '../core/recording/recording.ts'
import { COLLECTOR_TOKEN, tokenDigest } from '../core/team/jobs.ts'

/**
 * All requests of collectors, separate from ACCESS. They need the token of a collector; a session of a person gives no access to them, and the
 * token gives access to nothing else. `job`: only for a job that this collector has leased.
 */
export const COLLECTOR_VERBS = {
  ask: { verb: 'POST', job: false, input: 'collector-ask' },
  renew: { verb: 'POST', job: true, input: 'collector-renewal' },
  offer: { verb: 'POST', job: true, input: 'collector-offer' },
  parts: { verb: 'PUT', job: true, input: null },
  deliver: { verb: 'POST', job: true, input: 'collector-delivery' },
  refuse: { verb: 'POST', job: true, input: 'collector-refusal' },
} as const satisfies Readonly<
  Record<string, { readonly verb: 'POST' | 'PUT'; readonly job: boolean; readonly input: string | null }>
>
export type CollectorVerb = keyof typeof COLLECTOR_VERBS
/** Inputs of these verbs; their schemas are in schemas/collector.schema.json. */
type CollectorInput = Exclude<(typeof COLLECTOR_VERBS)[CollectorVerb]['input'], null>

/**
 * Why a recording does not belong to a job, or null. The collector states where it measured from (`vantage`); all other declarations must equal
 * those of the job.
 */
export function otherThanJob(
  { run, node, hostKey, metadata }: CollectorJob,
  { recording, captures }: LoadedRecording,
): string | null {
  const { vantage: _, ...declared } = recording.node
  if (recording.run !== run) return 'the recording is of another run'
  if (recording.id !== node.name) return 'the recording has the name of another node'
  if (canonicalJson(declared) !== canonicalJson(node)) return 'the recording has other declarations than the job'
  if (recording.demo || recording.synthetic !== null) return 'the recording is not of a real node'
  if (recording.liveTests === true || (recording.metadata === true && !metadata))
    return 'the recording has probes that the job does not ask for'
  if (recording.outcome.failure?.code === 'run.cancelled') return 'the collection was interrupted'
  if (recording.hostKey === null && captures.length > 0) return 'the recording does not name the host key of the node'
  if (hostKey !== null && recording.hostKey !== null && recording.hostKey.fingerprint !== hostKey)
    return 'the recording is of another host key than the fleet file states'
  return null
}

/**
 * All requests of sealers. They need the token of a sealer and concern requests to its own certificate; a session of a person and the token of a
 * collector give no access to them.
 */
export const SEALER_VERBS = {
  ask: { input: 'sealer-ask' },
  answer: { input: 'sealer-answer' },
  refuse: { input: 'sealer-refusal' },
  head: { input: 'sealer-head-ask' },
  'sign-head': { input: 'sealer-head-answer' },
} as const
export type SealerVerb = keyof typeof SEALER_VERBS

/** Inputs of programs; their schemas are in schemas/collector.schema.json and schemas/sealer.schema.json. */
export type ProgramInput = CollectorInput | (typeof SEALER_VERBS)[SealerVerb]['input']

/** The program whose token an Authorization header contains, or null. Only digests are compared. */
export function holderOf<T extends { readonly tokenDigest: string }>(
  header: string | undefined,
  known: readonly T[] | undefined,
): T | null {
  const [, token = ''] = /^Bearer ([!-~]+)$/.exec(header ?? '') ?? []
  if (!COLLECTOR_TOKEN.test(token)) return null
  const digest = tokenDigest(token)
  return known?.find((one) => one.tokenDigest === digest) ?? null
}
