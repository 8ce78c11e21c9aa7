import { serialize } from 'node:v8'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assessIsolation } from '../../main/catalog/single-tenancy/isolation/argue.ts'
import { type Command, NO_SUCH_PATH, type Parsed, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import type { IsolationArgument } from '../../main/core/rules/catalog.ts'
import { capturesOf, probesArguedFrom, readingsFrom } from './isolation-readings.ts'

type Change = (answer: CapturedAnswer, command: Command) => CapturedAnswer | null

const as =
  (exitCode: number | null, stderr: string, status: CapturedAnswer['meta']['status'] = 'done'): Change =>
  ({ meta }) => ({
    meta: { ...meta, exitCode, status },
    stdout: new Uint8Array(),
    stderr: new TextEncoder().encode(stderr),
  })

/** Every way in which an answer can be kept from us by whoever makes the image, each as the collector would record it. */
export const LOSSES: Readonly<Record<string, Change>> = {
  removed: () => null,
  'tool absent': as(127, ''),
  'not run for want of rights': as(null, '', 'not-run'),
  'refused by sudo': (answer, command) =>
    as(1, 'sudo: a password is required\n')({ ...answer, meta: { ...answer.meta, privilege: 'sudo' } }, command),
  'permission denied': as(1, 'cat: /it: Permission denied\n'),
  'empty, exit 0': as(0, ''),
  'empty, exit 1': as(1, ''),
  'no such file': (answer, command) => {
    const paths = command.kind === 'run' ? command.needsPath : undefined
    return paths === undefined
      ? as(2, 'ls: /it: No such file or directory\n')(answer, command)
      : as(null, NO_SUCH_PATH + paths.join(' '), 'no-path')(answer, command)
  },
}

/** How near an answer is to hardware: the higher, the nearer. */
export const nearness = ({ environment, rule }: IsolationArgument): number =>
  environment === 'bare-metal' ? 3 : environment !== 'undetermined' ? 0 : rule.id === 'R8' ? 2 : 1

/** A text that two readings share where nothing distinguishes them. */
const textOf = (reading: Parsed<unknown>): string => serialize(reading).toString('latin1')

/**
 * The argument again and again, with one answer kept from us in one way: each time the answer, the way and the argument. Plain removal
 * comes first for each answer. Losses of one probe that read alike are argued once.
 */
export function* withEachLost(
  node: string,
  probes = /^/,
): Generator<readonly [key: string, way: string, IsolationArgument]> {
  const { captures, context } = capturesOf(node)
  const whole = readingsFrom(captures)
  const asked = probesArguedFrom(whole, context)
  /** By probe, and by what was read of it. */
  const argued = new Map<string, Map<string, IsolationArgument>>()
  for (const [key, capture] of captures) {
    const probe = catalog.probes.find(({ id }) => id === capture.meta.probe)
    const command = probe?.commands[capture.meta.command]
    if (probe === undefined || command === undefined || !asked.has(probe.id) || !probes.test(key)) continue
    const alike = argued.get(probe.id) ?? new Map<string, IsolationArgument>()
    argued.set(probe.id, alike)
    const less = new Map(captures)
    for (const [way, change] of Object.entries(LOSSES)) {
      const changed = change(capture, command)
      less.delete(key)
      if (changed !== null) less.set(key, changed)
      const reading = readProbe(probe, less)
      const text = textOf(reading)
      const argument = alike.get(text) ?? assessIsolation(new Map([...whole, [probe.id, reading]]), context)
      alike.set(text, argument)
      yield [key, way, argument]
    }
  }
}
