import type { DeviceLocality } from '../../../../schemas/types.ts'
import type { Layer } from '../../../../schemas/words.ts'
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
export function decideLocality(read: Read, layer: Layer): readonly DeviceLocality[] {
  const devices = [
    ...gpuAnswers(read, layer),
    ...nicAnswers(read, layer),
    ...hcaAnswers(read, layer),
    ...diskAnswers(read, layer),
  ]
  return devices.sort((a, b) => compare(a.kind, b.kind) || compare(a.device, b.device))
}
