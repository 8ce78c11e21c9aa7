import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { plain } from '../../../core/plain-text.ts'

export type Attachment = DeviceAttachment['attachment']
export interface Place {
  readonly attachment: Attachment
  readonly text: string
}

/** One result for one device; its name can hold words of the node. */
export const answer = (
  kind: DeviceAttachment['kind'],
  device: string,
  { attachment, text }: Place,
): DeviceAttachment => ({
  kind,
  device: plain(device, 80),
  attachment,
  text,
})

/** What a real-looking device is, given what the system runs on: physical only where that was argued to be the hardware. */
export function real(environment: Environment, what = 'A physical function'): Place {
  if (environment === 'bare-metal' || environment === 'hypervisor-host')
    return { attachment: 'physical', text: `${what}, and the system runs on the hardware.` }
  return environment === 'virtual-machine'
    ? {
        attachment: 'passthrough',
        text: `${what}, handed to this guest as it seems; a patched emulator can imitate one.`,
      }
    : {
        attachment: 'undetermined',
        text: `${what}, as it seems; the execution environment is undetermined.`,
      }
}
