import { SIGNALS } from '../../../main/catalog/single-tenancy/isolation/signals.ts'
import { ENVIRONMENTS } from '../../../schemas/words.ts'
import type { Assessed } from './assess.ts'

/** What is expected of a corpus: each a sentence with what was counted. */
export interface Acceptance {
  readonly text: string
  readonly holds: boolean
}

export interface Totals {
  readonly cases: number
  readonly judged: number
  readonly right: number
  readonly undecided: number
  readonly wrong: number
}

export const wrongOnes = (assessed: readonly Assessed[]): readonly Assessed[] =>
  assessed.filter(({ judgement }) => judgement === 'wrong')

export function totalsOf(assessed: readonly Assessed[]): Totals {
  const count = (of: Assessed['judgement']): number => assessed.filter(({ judgement }) => judgement === of).length
  const [right, undecided, wrong] = [count('right'), count('undecided'), count('wrong')]
  return { cases: assessed.length, judged: right + undecided + wrong, right, undecided, wrong }
}

/** A row per truth and scope: how many cases, and how many of each answer. */
export function matrixText(assessed: readonly Assessed[]): string {
  const keys = [...new Set(assessed.map(({ truth, scope }) => `${truth}\t${scope}`))].sort()
  const rows = keys.map((key) => {
    const [truth = '', scope = ''] = key.split('\t')
    const own = assessed.filter((one) => one.truth === truth && one.scope === scope)
    const { right, undecided, wrong, judged } = totalsOf(own)
    const verdict = judged === 0 ? ['-', '-', '-'] : [right, undecided, wrong].map(String)
    const answers = ENVIRONMENTS.map((environment) =>
      String(own.filter((one) => one.environment === environment).length),
    )
    return [truth, scope, String(own.length), ...answers, ...verdict]
  })
  return table([['truth', 'scope', 'cases', ...ENVIRONMENTS, 'right', 'undecided', 'wrong'], ...rows])
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const DRESSED = /flag-?only|smbios-?only|stealth|disguis|dressed|spoof|hidden|conceal/i

/** A guest that was made to look like hardware, by the words of its label. */
export const isDressed = ({ name, platform }: Pick<Assessed, 'name' | 'platform'>): boolean =>
  DRESSED.test(`${name} ${platform}`)

const PLATFORM_WORDS: readonly (readonly [label: RegExp, answer: RegExp])[] = [
  [/firecracker/i, /Firecracker|KVM/i],
  [/kvm|qemu|tcg|rhev|lkvm|alibaba|gcp|google/i, /KVM|QEMU|TCG|Red Hat|Google|Alibaba|kvmtool|LKVM/i],
  [/xen/i, /Xen|Amazon/i],
  [/vmware|esx/i, /VMware/i],
  [/hyper-?v|azure|microsoft/i, /Microsoft|Hyper-V|Azure/i],
  [/virtualbox|vbox/i, /VirtualBox/i],
  [/aws|amazon|nitro|ec2/i, /Amazon|Xen|KVM/i],
]

/** Whether the platform that was named is one that the label's words allow; a label without such words allows any name. */
export function isNamed({ platform, named }: Pick<Assessed, 'platform' | 'named'>): boolean {
  if (named === null) return false
  const allowed = PLATFORM_WORDS.filter(([label]) => label.test(platform)).map(([, answer]) => answer)
  return allowed.length === 0 || allowed.some((answer) => answer.test(named))
}

/** The four conditions of acceptance, over the cases that could be judged. */
export function acceptanceOf(assessed: readonly Assessed[]): readonly Acceptance[] {
  const of = (truth: string): readonly Assessed[] => assessed.filter((one) => one.truth === truth)
  const asMetal = assessed.filter(
    ({ truth, environment, judgement }) =>
      judgement === 'wrong' && truth !== 'bare-metal' && environment === 'bare-metal',
  )
  const physical = of('bare-metal')
  const asVirtual = physical.filter(({ judgement }) => judgement === 'wrong')
  const whole = of('vm').filter((one) => one.scope === 'full' && !isDressed(one))
  const named = whole.filter((one) => one.environment === 'virtual-machine' && isNamed(one))
  const apart = [...of('container'), ...of('hypervisor-host')]
  const mixed = apart.filter(({ judgement }) => judgement === 'wrong')
  const share = (part: number, total: number): string => `${part} of ${total}`
  return [
    {
      text: `nothing virtual is called metal: ${share(asMetal.length, assessed.length - physical.length)}`,
      holds: asMetal.length === 0,
    },
    {
      text: `at most 2 % of bare metal is called virtual: ${share(asVirtual.length, physical.length)}`,
      holds: asVirtual.length <= physical.length * 0.02,
    },
    {
      text: `at least 95 % of honest guests captured in full are named: ${share(named.length, whole.length)}`,
      holds: named.length >= whole.length * 0.95,
    },
    {
      text: `containers and hypervisor hosts are told apart: ${share(apart.length - mixed.length, apart.length)} not mistaken, ${share(apart.filter(({ judgement }) => judgement === 'right').length, apart.length)} named`,
      holds: mixed.length === 0,
    },
  ]
}

/** How many machines are recognised as hardware, and with what each part of the minimum evidence is missing: the base rate of "not decided". */
export function metalText(assessed: readonly Assessed[], joined: readonly Assessed[]): string {
  const physical = assessed.filter(({ truth }) => truth === 'bare-metal')
  const recognised = physical.filter(({ environment }) => environment === 'bare-metal')
  const full = physical.filter(({ scope }) => scope === 'full')
  const rate = (some: readonly Assessed[]): string =>
    `${some.filter(({ environment }) => environment === 'bare-metal').length} of ${some.length}`
  const virtual = assessed.filter(({ truth }) => truth !== 'bare-metal')
  const open = physical.filter(({ environment }) => environment === 'undetermined')
  const missing = (item: string): number =>
    open.filter(({ argument }) => argument.minimum.some((part) => part.item === item && part.holds === 'no')).length
  const items = [...new Set(open.flatMap(({ argument }) => argument.minimum.map(({ item }) => item)))].sort()
  return [
    `metal recognised: ${recognised.length} of ${physical.length} (captured in full: ${rate(full)}; joined from several captures of one machine: ${rate(joined)})`,
    `not hardware and called metal: ${rate(virtual)}`,
    `undecided hardware: ${open.length} of ${physical.length}; parts of the minimum that do not hold: ${items.map((item) => `${item} ${missing(item)}`).join(', ')}`,
  ].join('\n')
}

const MOST_REASONS = 8

/** A case with its answer, the rule that decided, and what spoke for it: first what the rule's own signals read. */
export function reasonsText({ name, truth, scope, environment, named, argument }: Assessed): string {
  const { id, text } = argument.rule
  const deciding = new Set(
    SIGNALS.filter((signal) => text.includes(signal.id)).flatMap(({ probes }) => probes.map((one) => one.id)),
  )
  const isDeciding = ({ probe }: { readonly probe: string | null }): boolean => probe !== null && deciding.has(probe)
  const against = argument.observations.filter(({ direction }) => direction === 'contradicts')
  const steps = against.length > 0 ? against : argument.observations
  const shown = [...steps.filter(isDeciding), ...steps.filter((step) => !isDeciding(step))].slice(0, MOST_REASONS)
  return [
    `${name} (${truth}, ${scope}) was called ${environment}${named === null ? '' : `, ${named}`}: ${id} ${text}`,
    ...shown.map((step) => `  - ${step.text}${step.probe === null ? '' : ` [${step.probe}]`}`),
  ].join('\n')
}
