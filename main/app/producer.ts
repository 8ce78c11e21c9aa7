import { VERSION } from '../../schemas/version.ts'

/** This program, as packs name it. */
export const PRODUCER = `Barewitness ${VERSION}`
