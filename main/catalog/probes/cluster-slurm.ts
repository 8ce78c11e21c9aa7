import { type Answer, defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface SlurmAdministrators {
  readonly administrators: readonly string[]
  readonly operators: readonly string[]
}

/**
 * sacctmgr(1), read-only: users of the batch system with a level of administration, and no others. Like squeue, the node's own client
 * asks the accounting service that the node belongs to; on a server without Slurm the tool is absent.
 */
export const clusterSlurm = defineProbe({
  id: 'cluster.slurm',
  title: 'Administrators of the batch system',
  why: 'An administrator of the scheduler can run work on this server as any user.',
  commands: {
    administrators: run(listing('Administrator'), { timeoutSeconds: 15 }),
    operators: run(listing('Operator'), { timeoutSeconds: 15 }),
  },
  parse({ administrators, operators }) {
    const [first, second] = [usersIn(administrators), usersIn(operators)]
    if (first === null || second === null) return unknown('the accounting service did not list its administrators')
    return known<SlurmAdministrators>({ administrators: first, operators: second })
  },
})

function listing(level: 'Administrator' | 'Operator'): readonly [string, ...string[]] {
  return ['sacctmgr', '-r', '-n', '-P', 'show', 'user', 'where', `adminlevel=${level}`, 'format=User,AdminLevel']
}

function usersIn({ exitCode, text }: Answer): readonly string[] | null {
  const rows = lines(text).map((line) => /^([^|]{1,64})\|(?:Administrator|Operator)$/.exec(line)?.[1])
  return exitCode !== 0 || rows.includes(undefined) ? null : rows.filter((user) => user !== undefined)
}
