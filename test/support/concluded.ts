import { sshdEffective } from '../../main/catalog/access/sshd/probes.ts'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { known, type Parsed, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import type { Conclusion } from '../../main/core/rules/check.ts'
import type { DeclaredNode } from '../../schemas/types.ts'
import { fact } from './answers.ts'
import { checkOf, concludeOn, fixtureOf } from './evaluated.ts'

type Replaced = readonly [Probe<unknown>, Parsed<unknown>]
type Declared = { readonly [K in keyof DeclaredNode]?: DeclaredNode[K] | undefined }

/** The node of the demo that supports nearly everything. */
const MODEL = 'demo-gpu-01'

/** A node as declared, with parts replaced, or taken out where undefined. */
const declaredAs = (fixture: string, declared: Declared): DeclaredNode =>
  Object.fromEntries(
    Object.entries({ ...fixtureOf(fixture).context.node, ...declared }).filter(([, value]) => value !== undefined),
  ) as unknown as DeclaredNode

/** One check over one fixture node, with the declaration or settings of the SSH server changed where a test says so. */
export function concluded(
  fixture: string,
  id: string,
  declared: Declared = {},
  sshd: Readonly<Record<string, string>> = {},
): Conclusion {
  const settings = readProbe(sshdEffective, fixtureOf(fixture).captures)
  const set = Object.entries(sshd).map(([key, value]) => [key, [value]] as const)
  const changed = settings.ok ? known({ settings: new Map([...settings.fact.settings, ...set]) }) : settings
  const node = declaredAs(fixture, declared)
  return concludeOn(checkOf(id), fixture, [[sshdEffective.id, changed]], { node })
}

export const verdict = (...input: Parameters<typeof concluded>): string => concluded(...input).verdict
export const texts = (...input: Parameters<typeof concluded>): readonly string[] => stepsOf(concluded(...input))

const stepsOf = ({ observations }: Conclusion): readonly string[] =>
  observations.map(({ direction, text }) => `${direction}: ${text}`)
export const stepText = (conclusion: Conclusion): string => stepsOf(conclusion).join('\n')

/** A check over the model node, with some facts in place of its own. */
export const over = (id: string, ...facts: readonly Replaced[]): Conclusion => overDeclared({}, id, ...facts)

/** The same with parts of the declaration replaced, or taken out where undefined. */
export function overDeclared(declared: Declared, id: string, ...facts: readonly Replaced[]): Conclusion {
  const changed = facts.map(([probe, reading]) => [probe.id, reading] as const)
  return concludeOn(checkOf(id), MODEL, changed, { node: declaredAs(MODEL, declared) })
}

/** The fact that the model node gives, with some of it changed. */
export const changed = <F>(probe: Probe<F>, change: (fact: F) => F): Replaced => [
  probe as Probe<unknown>,
  known(change(fact(readProbe(probe, fixtureOf(MODEL).captures)))),
]

/** The processes of the model node, and these more in a pod. */
export const withProcesses = (...commands: readonly string[]): Replaced =>
  changed(tenancyProcesses, ({ processes, isComplete }) => ({
    isComplete,
    processes: [
      ...processes,
      ...commands.map((command, at) => ({ pid: 90_000 + at, user: 'root', command, cgroup: IN_A_POD })),
    ],
  }))

const IN_A_POD =
  '0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod01234567_89ab_cdef_0123_456789abcdef.slice'
