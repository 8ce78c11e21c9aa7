import type { Sealing } from '../../core/all-ports.ts'
import type { Clock, Entropy } from '../../core/ports/ports.ts'
import { createDemoSigner } from '../identity/folder.ts'
import { signDetached } from './cms.ts'
import { comparePages } from './pdf/compare.ts'
import { readPdf } from './pdf/read.ts'
import { nextPdfStamp, readSeal, signPdf } from './reader.ts'

/** The sealing port: signatures over packs and reports, and their strict reader. */
export const createSealing = (clock: Clock, entropy: Entropy): Sealing => ({
  signDetached,
  signPdf,
  nextPdfStamp: async (...input) => nextPdfStamp(...input),
  reader: { read: async (input) => readSeal(input), readPdf: async (...input) => readPdf(...input) },
  comparePages: async (...input) => comparePages(...input),
  demoSigner: () => createDemoSigner(clock, entropy),
})
