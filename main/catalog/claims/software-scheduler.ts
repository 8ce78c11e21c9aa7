import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { containersOf, tenancyProcesses } from '../probes/tenancy-processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { oneOf } from './values.ts'

const KINDS = ['kubernetes', 'slurm'] as const

/** Programs of each on a node that does work, as ps shows them, cut after 15 characters. */
const PROGRAMS: Readonly<Record<(typeof KINDS)[number], RegExp>> = {
  kubernetes: /^(kubelet|k3s(-server|-agent)?|rke2|k0s|kubelite)$/,
  slurm: /^slurm(d|stepd)$/,
}
const LIMITS =
  'Programs of root by their names at one moment. The owner of the cluster, whether the node accepts work, and its configuration are not shown.'

export const softwareScheduler: ClaimTest = {
  id: 'software.scheduler',
  title: 'The node’s program of the claimed scheduler runs.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    const word = kind === 'slurm' ? 'Slurm' : 'Kubernetes'
    return defineCheck({
      id: 'software.scheduler',
      property: 'operations',
      expected: `The program that joins this node to ${word} runs.`,
      limitations: LIMITS,
      requires: { processes: tenancyProcesses },
      evaluate({ processes }) {
        const running = processes.processes.filter(
          ({ user, command }) => user === 'root' && PROGRAMS[kind].test(command),
        )
        const pods = kind === 'slurm' ? [] : containersOf(processes).filter(({ manager }) => manager === word)
        if (running.length > 0)
          return decide([
            supports(
              `Running: ${named([...new Set(running.map(({ command }) => command))].sort())}${pods.length > 0 ? `, with ${count(pods.length, 'pod')}` : ''}.`,
              tenancyProcesses,
            ),
          ])
        if (pods.length > 0)
          return decide([
            unclear(
              `${count(pods.length, 'pod')} of ${word} runs under a program not listed in this catalog.`,
              tenancyProcesses,
            ),
          ])
        return decide([
          processes.isComplete
            ? contradicts(
                `No program of ${word} is among ${count(processes.processes.length, 'process', 'processes')}, in a list that is complete.`,
                tenancyProcesses,
              )
            : unclear('The list of processes is not complete, so that one may run unseen.', tenancyProcesses),
        ])
      },
    })
  },
}
