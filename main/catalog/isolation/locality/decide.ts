import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { compare } from '../../../core/recording.ts'
import type { Read } from '../signal.ts'
import { diskAnswers } from './disk.ts'
import { gpuAnswers } from './gpu.ts'
import { hcaAnswers } from './hca.ts'
import { nicAnswers } from './nic.ts'

/**
 * Where each device is, one result per device. A device that looks real is called native only where the system was argued to run on
 * hardware.
 */
export function decideAttachments(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const devices = [
    ...gpuAnswers(read, environment),
    ...nicAnswers(read, environment),
    ...hcaAnswers(read, environment),
    ...diskAnswers(read, environment),
  ]
  return devices.sort((a, b) => compare(a.kind, b.kind) || compare(a.device, b.device))
}
