import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Assessed } from './assess.ts'
import { table } from './matrix.ts'
import { replayVirtWhat } from './replay-virt-what.ts'

/** What a tool said of a machine: its words, and the layers that they stand for. */
export interface PeerAnswer {
  readonly words: string
  readonly layers: readonly string[]
}

const CONTAINERS =
  /^(docker|podman|lxc|lxc-libvirt|openvz|systemd-nspawn|rkt|wsl|container-other|linux_vserver.*|illumos-lx|crio|kubernetes|bhyve-container)$/

function layerOf(word: string): string {
  if (CONTAINERS.test(word)) return 'container'
  if (word === 'xen-dom0' || word === 'xen0') return 'hypervisor-host'
  if (/lpar/.test(word) && !/kvm/.test(word)) return 'lpar'
  return word === 'none' || word === 'physical' ? 'bare-metal' : 'vm'
}

const answerOf = (words: readonly string[]): PeerAnswer => {
  const said = words.length === 0 ? ['none'] : words
  return { words: said.join(' '), layers: [...new Set(said.map(layerOf))] }
}

const wordsIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^[a-z][a-z0-9_.-]*$/.test(line) && !line.startsWith('rc='))

/** What was recorded on the machine itself, or what the tool says of the capture where it can be made to read one; else null. */
const PEERS: Readonly<Record<string, (folder: string) => PeerAnswer | null>> = {
  'virt-what': (folder) => {
    const recorded = recordedIn(folder, 'virt-what.txt')
    const words = recorded === null ? replayVirtWhat(folder) : recorded
    return words === null ? null : answerOf(wordsIn(words))
  },
  'systemd-detect-virt': (folder) => {
    const recorded = recordedIn(folder, 'systemd-detect-virt.txt')
    return recorded === null ? null : answerOf(wordsIn(recorded).slice(0, 1))
  },
  facter: (folder) => {
    const recorded = recordedIn(folder, 'facter.txt')
    if (recorded === null) return null
    const virtual = /^virtual => (\S+)/m.exec(recorded)?.[1]
    const hypervisor = /^ {2}(\w+) => \{/m.exec(recorded)?.[1]
    return answerOf([virtual ?? hypervisor ?? 'none'])
  },
}

function recordedIn(folder: string, name: string): string | null {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path, 'latin1') : null
}

/** Who was right about each case that a peer has an answer for, and the totals. */
export function peersText(assessed: readonly Assessed[]): string {
  const names = Object.keys(PEERS)
  const judged = assessed
    .filter(({ judgement }) => judgement !== 'not judged')
    .map((one) => ({ one, answers: names.map((name) => PEERS[name]?.(one.folders[0] ?? '') ?? null) }))
  const compared = judged.filter(({ answers }) => answers.some((answer) => answer !== null))
  const mark = (answer: PeerAnswer | null, truth: string): string =>
    answer === null ? 'n/a' : `${answer.layers.includes(truth) ? 'right' : 'wrong'} (${answer.words})`
  const rows = compared.map(({ one, answers }) => [
    one.name,
    one.truth,
    `${one.judgement} (${one.environment}${one.named === null ? '' : `, ${one.named}`})`,
    ...answers.map((answer) => mark(answer, one.truth)),
  ])
  const right = compared.filter(({ one }) => one.judgement === 'right').length
  const undecided = compared.filter(({ one }) => one.judgement === 'undecided').length
  const totals = names.map((name, index) => {
    const said = compared.flatMap(({ one, answers }) => {
      const answer = answers[index]
      return answer === null || answer === undefined ? [] : [answer.layers.includes(one.truth)]
    })
    return `${name}: ${said.filter(Boolean).length} right of ${said.length}`
  })
  return [
    table([['case', 'truth', 'barewitness', ...names], ...rows]),
    '',
    `barewitness: ${right} right, ${undecided} undecided, ${compared.length - right - undecided} wrong of ${compared.length}`,
    ...totals,
  ].join('\n')
}
