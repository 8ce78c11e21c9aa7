import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CollectorLease } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/base/failure.ts'
import { ok } from '../../core/base/failure.ts'
import { SPOOL } from '../../core/base/layout.ts'
import type { Spool, Spooled } from '../../core/team/jobs.ts'
import { lockFolder } from '../folder-lock.ts'
import { placedProblems } from '../schema-validator.ts'
import { bytesIfThere, guarded, makeFolder, syncFolder, writeWhole } from '../store/durable.ts'

const LARGEST_JOB = 8 * 1024 * 1024
const PATIENCE_MS = 10_000
const DELIVERED = '.delivered'
const JOB = /^[0-9a-f]{32}$/

/** Opens the spool of a collector, for one process. Fails with store.failed. */
export const openSpool = (folder: string): Promise<Outcome<Spool>> =>
  guarded(async () => {
    await makeFolder(join(folder, SPOOL.refused), 0o700)
    const lock = await lockFolder(folder, PATIENCE_MS)
    if (!lock.ok) return lock
    // These were delivered, and the process was killed while it removed them.
    for (const name of await readdir(folder))
      if (name.endsWith(DELIVERED)) await rm(join(folder, name), { recursive: true, force: true })
    return ok(spoolIn(folder, lock.value.release))
  })

function spoolIn(folder: string, release: () => Promise<void>): Spool {
  const entry = async (name: string): Promise<Spooled | null> => {
    const lease = await leaseIn(join(folder, name, SPOOL.job))
    if (lease === null || lease.job.id !== name) return null
    return { lease, isFinished: (await bytesIfThere(join(folder, name, SPOOL.finished), LARGEST_JOB)) !== null }
  }
  return {
    entries: () =>
      guarded(async () => {
        const names = (await readdir(folder)).filter((name) => JOB.test(name)).sort()
        return ok((await Promise.all(names.map(entry))).filter((one) => one !== null))
      }),
    keep: (lease) =>
      guarded(async () => {
        await makeFolder(join(folder, lease.job.id), 0o700)
        await writeWhole(join(folder, lease.job.id, SPOOL.job), `${JSON.stringify(lease)}\n`)
        await syncFolder(folder)
        return ok(null)
      }),
    evidenceOf: (job) => join(folder, job, SPOOL.evidence),
    finish: (job) =>
      guarded(async () => {
        await writeWhole(join(folder, job, SPOOL.finished), '{}\n')
        return ok(null)
      }),
    setAside: (job) =>
      guarded(async () => {
        const to = join(folder, SPOOL.refused, job)
        await rm(to, { recursive: true, force: true })
        await rename(join(folder, job), to)
        return ok(null)
      }),
    remove: (job) =>
      guarded(async () => {
        // Renamed first: a partly removed folder must not count as a job.
        const gone = join(folder, `${job}${DELIVERED}`)
        await rm(gone, { recursive: true, force: true })
        await rename(join(folder, job), gone)
        await rm(gone, { recursive: true, force: true })
        return ok(null)
      }),
    close: release,
  }
}

async function leaseIn(path: string): Promise<CollectorLease | null> {
  const bytes = await bytesIfThere(path, LARGEST_JOB)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return placedProblems('collector-lease', value).length === 0 ? (value as CollectorLease) : null
  } catch {
    return null
  }
}
