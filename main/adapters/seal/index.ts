import type { Clock, Entropy } from '../../core/ports.ts'
import type { Sealing } from '../../core/world.ts'
import { createDemoSigner } from '../identity/signer.ts'
import { signDetached } from './cms.ts'
import { signPdf } from './pades.ts'
import { createSealReader } from './reader.ts'

/** The sealing port: signatures over packs and reports, and their strict reader. */
export const createSealing = (clock: Clock, entropy: Entropy): Sealing => ({
  signDetached,
  signPdf,
  reader: createSealReader(),
  demoSigner: () => createDemoSigner(clock, entropy),
})
