import { setFlagsFromString } from 'node:v8'

/** V8 optimizes a function that has run this many bytes of its code; by default after 67,584. */
const BYTES_RUN = 600_000
/** The V8 of Node.js 20. Later ones count calls instead, and write an error for a flag that they do not have. */
const COUNTS_BYTES = /^11\./

/** Whether this runtime has the flag. In Electron, V8’s flags may be frozen. */
export const countsBytes = (versions: { readonly v8: string; readonly electron?: string }): boolean =>
  versions.electron === undefined && COUNTS_BYTES.test(versions.v8)

/**
 * Leaves functions that run for a short time unoptimized, where V8 has the flag. In a process of a few seconds, compiling them takes more
 * processor time than it saves. Results do not change.
 */
export function optimizeLater(): void {
  if (countsBytes(process.versions)) setFlagsFromString(`--interrupt-budget=${BYTES_RUN}`)
}
