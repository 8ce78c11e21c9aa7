import type { VerificationReport } from '../../schemas/verification.ts'
import { assess } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import type { Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import { type VerifiedPack, verifyPack } from '../core/verify.ts'
import type { World } from '../core/world.ts'

export interface ReviewedPack {
  readonly report: VerificationReport
  /** What the pack states, read as far as it can be. */
  readonly contents: VerifiedPack['contents']
}

/** Opens a pack (archive or folder) and asks the five questions. Fails only when it cannot be opened safely. */
export async function reviewPack(
  world: World,
  catalog: Catalog,
  path: string,
  trust: readonly Uint8Array[],
): Promise<Outcome<ReviewedPack>> {
  const opened = await world.packs.open(path)
  if (!opened.ok) return opened
  try {
    const { report, contents } = await verifyPack({
      source: opened.value,
      seal: world.sealing.reader,
      catalog,
      validator: world.validator,
      assess,
      trust,
      verifiedAt: world.clock.now(),
      file: path.split(/[/\\]/).at(-1) ?? path,
    })
    return ok({ report, contents })
  } finally {
    await opened.value.close()
  }
}
