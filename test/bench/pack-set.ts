import { createHash, hash, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files as a large pack holds them, on disk, with their sizes and digests listed beside them. */
export interface PackSet {
  /** Holds `pack/` with the large files, and `list`: a line each with digest, size and path. */
  readonly folder: string
  readonly files: number
  readonly bytes: number
}

interface Shape {
  readonly small: number
  readonly middle: number
  readonly large: number
}

/**
 * What a pack of 5 GiB and 200,000 files is made of, beside the evidence of six nodes. Small: 0.2–60 KiB; middle: 1–16 MiB; large: 100–200 MiB; within each the
 * logarithm of the size is spread evenly.
 */
export const FULL: Shape = { small: 199_690, middle: 300, large: 10 }
export const SMALL: Shape = { small: 9_985, middle: 14, large: 1 }
export const DISTRIBUTION =
  'small 0.2-60 KiB, middle 1-16 MiB, large 100-200 MiB, each log-uniform; 200 files to a folder, named by digest'

const KIB = 1024
const MIB = 1024 * KIB
const PER_FOLDER = 200
const POOL = 32 * MIB

export function makePackSet(folder: string, shape: Shape): PackSet {
  const pool = randomBytes(POOL)
  const next = mulberry32(20_261_121)
  const between = (low: number, high: number): number => Math.round(low * (high / low) ** next())
  const sizes = [
    ...Array.from({ length: shape.small }, () => between(0.2 * KIB, 60 * KIB)),
    ...Array.from({ length: shape.middle }, () => between(MIB, 16 * MIB)),
    ...Array.from({ length: shape.large }, () => between(100 * MIB, 200 * MIB)),
  ]
  const listed: { readonly path: string; readonly digest: string; readonly size: number }[] = []
  for (const [index, size] of sizes.entries()) {
    const part = String(Math.floor(index / PER_FOLDER)).padStart(4, '0')
    const parts = Array.from({ length: Math.ceil(size / POOL) }, (_, piece) => {
      const length = Math.min(POOL, size - piece * POOL)
      const from = Math.floor(next() * (POOL - length))
      return pool.subarray(from, from + length)
    })
    const whole = createHash('sha256')
    for (const part of parts) whole.update(part)
    const digest = parts.length === 1 ? hash('sha256', parts[0] ?? pool) : whole.digest('hex')
    const path = `data/large/part-${part}/${digest}`
    listed.push({ path, digest, size })
    const place = join(folder, 'pack', path)
    if (index % PER_FOLDER === 0) mkdirSync(dirname(place), { recursive: true })
    const file = openSync(place, 'w')
    for (const part of parts) writeSync(file, part)
    closeSync(file)
  }
  writeFileSync(join(folder, 'list'), listed.map(({ path, digest, size }) => `${digest} ${size} ${path}\n`).join(''))
  return { folder, files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** Small, known generator: every run measures the same sizes. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
