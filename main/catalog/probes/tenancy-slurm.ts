import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface SlurmJob {
  readonly id: string
  readonly user: string
  readonly account: string
  readonly state: string
}
export interface SlurmJobs {
  readonly jobs: readonly SlurmJob[]
}

/**
 * squeue(1): the node name "localhost" represents this server, so that jobs of other servers stay out of the record. The node's own client
 * asks the scheduler it belongs to; on a server without Slurm the tool is absent. Partitions that are hidden from users count too (-a); a
 * scheduler can still keep others' jobs from an ordinary login (slurm.conf(5), PrivateData).
 */
export const tenancySlurm = defineProbe({
  id: 'tenancy.slurm',
  title: 'Batch jobs on this server',
  why: 'Shows whose jobs the scheduler has placed on this server. Names of jobs and command lines are not read.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: () => null,
  },
  commands: { jobs: run(['squeue', '-a', '-h', '-w', 'localhost', '-o', '%A|%u|%a|%T'], { timeoutSeconds: 15 }) },
  parse({ jobs }) {
    if (jobs.exitCode !== 0) return unknown('the scheduler did not list its jobs')
    const rows = lines(jobs.text).map((line) =>
      /^\s*(\d{1,10})\|([^|]{1,64})\|([^|]{0,128})\|([A-Z_]{1,20})\s*$/.exec(line),
    )
    if (rows.includes(null)) return unknown('the list of jobs has an unexpected format')
    return known<SlurmJobs>({
      jobs: rows.map((row) => ({
        id: row?.[1] ?? '',
        user: row?.[2]?.trim() ?? '',
        account: row?.[3]?.trim() ?? '',
        state: row?.[4] ?? '',
      })),
    })
  },
})
