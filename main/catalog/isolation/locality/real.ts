import type { DeviceLocality } from '../../../../schemas/types.ts'
import type { Layer } from '../../../../schemas/words.ts'
import { plain } from '../../../core/plain-text.ts'

export type Is = DeviceLocality['is']
export interface Place {
  readonly is: Is
  readonly text: string
}

/** One result for one device; its name can hold words of the node. */
export const answer = (kind: DeviceLocality['kind'], device: string, { is, text }: Place): DeviceLocality => ({
  kind,
  device: plain(device, 80),
  is,
  text,
})

/** What a real-looking device is, given what the system runs on: native only where that was argued to be the hardware. */
export function real(layer: Layer, what = 'A physical function'): Place {
  if (layer === 'metal' || layer === 'hypervisor-host')
    return { is: 'native', text: `${what}, and the system runs on the hardware.` }
  return layer === 'vm'
    ? { is: 'passthrough', text: `${what}, handed to this guest as it seems; a patched emulator can imitate one.` }
    : {
        is: 'unknown',
        text: `${what}, as it seems; the execution environment is undetermined.`,
      }
}
