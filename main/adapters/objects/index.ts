import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TeamObjects } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/base/failure.ts'
import type { ObjectStore } from '../../core/objects.ts'
import type { ObjectSecrets } from '../team-config.ts'
import { openObjectFolder } from './folder.ts'
import { openS3 } from './s3.ts'

/** The store of one engagement, as a valid configuration names it. Fails as openS3() and openObjectFolder(). */
export async function openObjects(
  { s3, folder }: TeamObjects,
  secrets: ObjectSecrets | null,
  engagement: string,
): Promise<Outcome<ObjectStore>> {
  if (folder !== undefined) return await openObjectFolder(join(folder, engagement))
  if (s3 === undefined || secrets === null) return fail('input.refused', 'objects names neither s3 nor folder')
  const { endpoint, region, bucket, prefix } = s3
  const below = `${prefix === undefined ? '' : `${prefix}/`}${engagement}/`
  return await openS3({ endpoint, region, bucket, ...secrets }, below, {
    now: () => Date.now(),
    pause: (milliseconds) => sleep(milliseconds),
  })
}
