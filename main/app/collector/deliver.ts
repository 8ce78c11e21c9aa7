import type { CollectorLease } from '../../../schemas/types.ts'
import { type Sha256, sha256 } from '../../core/digest.ts'
import type { Outcome } from '../../core/failure.ts'
import { inBatches, packParts, type TeamServer } from '../../core/jobs.ts'
import { captureLine, type LoadedRecording, recordingDigest, recordingJson } from '../../core/recording.ts'

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
  const missing = offered.value.missing.flatMap((digest) => {
    const bytes = parts.get(digest)
    return bytes === undefined ? [] : [{ digest, bytes }]
  })
  for (const batch of inBatches(missing)) {
    const sent = await server.parts(job.id, lease, packParts(batch))
    if (!sent.ok) return sent
  }
  return await server.deliver(job.id, { lease, recording, header: sha256(header), captures: sha256(captures) })
}
