import { catalog } from '../../main/catalog/definition/index.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { assessNode, termsOf } from '../../main/core/conclusion/assess.ts'
import { traceNode } from '../../main/core/history/trace.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import { FIXTURE_TIME, fixtureRecording } from './fixtures.ts'

/** What each machine of the simulated fleet is made from, in turn. */
const BASES = [
  'demo-gpu-01',
  'demo-metal-04',
  'demo-gpu-02',
  'demo-nosudo-06',
  'demo-guest-03',
  'fx-access-hardened',
] as const

/** A change of one answer: the text in the place of another. Throws where the other is not in it, as then nothing would change. */
export interface Edit {
  /** `probe/command`. */
  readonly answer: string
  readonly change: (text: string) => string
}

/** How a node answers on a day. */
export interface Answering {
  readonly node: string
  readonly run: string
  /** When it was asked: UTC, ISO 8601. */
  readonly at: string
  /** Number of the machine, from 0: its parts, its host key and what it is made from. A machine can stand under another node's name. */
  readonly machine: number
  readonly edits: readonly Edit[]
}

/** A node's answers as a recording: those of a fixture, with serial numbers, addresses and host key of a machine of its own, re-dated. */
export function recordingOn({ node, run, at, machine, edits }: Answering): LoadedRecording {
  const { recording, captures } = machineOf(machine)
  return {
    recording: {
      ...recording,
      id: node,
      run,
      node: { ...recording.node, name: node, address: addressOf(machine) },
      hostKey: {
        type: 'ssh-ed25519',
        fingerprint: `SHA256:${Buffer.from(sha256(`host key ${machine}`), 'hex')
          .toString('base64')
          .replace(/=+$/, '')}`,
        trust: { how: 'fingerprint', detail: 'simulated' },
      },
      startedAt: at,
      endedAt: at,
      demo: false,
      synthetic: SIMULATED,
    },
    captures: edited(captures, edits).map((answer) => ({ ...answer, meta: { ...answer.meta, startedAt: at } })),
  }
}

const SIMULATED = 'Answers of a made-up node, given to a simulated machine and a day of a simulated quarter'

const addressOf = (machine: number): string => `10.9.${machine >> 8}.${(machine & 255) + 1}`

const machines = new Map<number, LoadedRecording>()

/** A machine: the fixture with its parts renamed, made once. Names keep their length and their kinds of characters. */
function machineOf(machine: number): LoadedRecording {
  const known = machines.get(machine)
  if (known !== undefined) return known
  const { loaded, parts } = baseOf(BASES[machine % BASES.length] ?? BASES[0])
  const renamed = parts.map((value): readonly [RegExp, string] => [
    new RegExp(value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'),
    ownValue(value, machine),
  ])
  const rename = (text: string): string => renamed.reduce((now, [from, to]) => now.replace(from, to), text)
  const made = { ...loaded, captures: loaded.captures.map((answer) => rewritten(answer, rename)) }
  machines.set(machine, made)
  return made
}

interface Base {
  readonly loaded: LoadedRecording
  /** Serial numbers and fixed addresses of its parts, the longest first. */
  readonly parts: readonly string[]
}

const bases = new Map<string, Base>()

function baseOf(name: string): Base {
  const known = bases.get(name)
  if (known !== undefined) return known
  const loaded = fixtureRecording(name, catalog.probes)
  const scope = {
    fleet: 'simulated',
    population: [name] as [string],
    frameworks: ['soc2' as const],
    asOf: FIXTURE_TIME,
  }
  const { parts } = traceNode(catalog, loaded, assessNode(catalog, name, loaded, termsOf(scope)))
  const values = [...new Set(parts.map(({ value }) => value))].sort((a, b) => b.length - a.length)
  const made = { loaded, parts: values }
  bases.set(name, made)
  return made
}

/** The second half of a value's letters and digits, drawn anew for the machine. */
function ownValue(value: string, machine: number): string {
  const drawn = sha256(`${machine} ${value}`)
  const from = Math.floor(value.length / 2)
  return [...value]
    .map((letter, index) => {
      const digit = Number.parseInt(drawn[index % drawn.length] ?? '0', 16)
      return index < from || !/[0-9a-f]/i.test(letter) ? letter : String(digit % 10)
    })
    .join('')
}

function edited(captures: readonly CapturedAnswer[], edits: readonly Edit[]): readonly CapturedAnswer[] {
  if (edits.length === 0) return captures
  return captures.map((answer) => {
    const own = edits.filter((edit) => edit.answer === `${answer.meta.probe}/${answer.meta.command}`)
    if (own.length === 0) return answer
    const changed = rewritten(answer, (text) => own.reduce((now, { change }) => change(now), text))
    if (changed === answer) throw new Error(`nothing changed in ${answer.meta.probe}/${answer.meta.command}`)
    return changed
  })
}

/** The answer with another standard output; the same value where nothing is another. */
function rewritten(answer: CapturedAnswer, change: (text: string) => string): CapturedAnswer {
  const before = Buffer.from(answer.stdout).toString('latin1')
  const after = change(before)
  if (after === before) return answer
  const stdout = new Uint8Array(Buffer.from(after, 'latin1'))
  return { ...answer, stdout, meta: { ...answer.meta, stdout: { sha256: sha256(stdout), size: stdout.length } } }
}

/** The server of SSH takes passwords. */
export const PASSWORDS: Edit = {
  answer: 'sshd.effective/settings',
  change: (text) => text.replace('passwordauthentication no', 'passwordauthentication yes'),
}

/** A package came. */
export const PACKAGE: Edit = {
  answer: 'packages.list-dpkg/packages',
  change: (text) => text.replace('ii \tbash\t', 'ii \tnmap\t7.94+git20230807.3008daf12+dfsg-2\nii \tbash\t'),
}

const KEY = Buffer.concat([
  Buffer.from('0000000b7373682d6564323535313900000020', 'hex'),
  Buffer.from('5c'.repeat(32), 'hex'),
]).toString('base64')
/** An account with a key came. */
export const ACCOUNT: readonly Edit[] = [
  { answer: 'accounts.local/passwd', change: (text) => `${text}contractor:x:1090:1090::/home/contractor:/bin/bash\n` },
  {
    answer: 'authorized-keys/keys',
    change: (text) => `${text}/home/contractor/.ssh/authorized_keys\0ssh-ed25519 ${KEY}\n`,
  },
]
