import type { CollectorLease } from '../../../schemas/types.ts'
import { type Sha256, sha256 } from '../../core/digest.ts'
import type { Outcome } from '../../core/failure.ts'
import type { TeamServer } from '../../core/jobs.ts'
import { captureLine, type LoadedRecording, recordingDigest, recordingJson } from '../../core/recording.ts'
import { mapConcurrently } from '../concurrency.ts'

const PARTS_AT_ONCE = 4

/** Sends a recording, only what the server does not have yet; again without effect. Fails as the server does. */
export async function deliver(
  server: TeamServer,
  { job, lease }: CollectorLease,
  loaded: LoadedRecording,
): Promise<Outcome<null>> {
  const text = new TextEncoder()
  const [header, captures] = [
    text.encode(recordingJson(loaded.recording)),
    text.encode(loaded.captures.map(({ meta }) => captureLine(meta)).join('')),
  ]
  const parts = new Map<Sha256, Uint8Array>(
    [header, captures, ...loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])].map((bytes) => [
      sha256(bytes),
      bytes,
    ]),
  )
  const recording = recordingDigest(loaded)
  const offered = await server.offer(job.id, { lease, recording, digests: [...parts.keys()] })
  if (!offered.ok) return offered
  let failed: Outcome<null> | null = null
  await mapConcurrently(offered.value.missing, PARTS_AT_ONCE, async (digest) => {
    const bytes = parts.get(digest)
    if (bytes === undefined || failed !== null) return
    const sent = await server.part(job.id, lease, digest, bytes)
    if (!sent.ok) failed ??= sent
  })
  return (
    failed ?? (await server.deliver(job.id, { lease, recording, header: sha256(header), captures: sha256(captures) }))
  )
}
