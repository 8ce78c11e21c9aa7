import type { Isolation } from '../../../../schemas/types.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { count } from '../../base/steps.ts'
import { INITIAL_NAMESPACES, namespaces } from '../tenancy/sessions.ts'
import { weightHere } from './levels.ts'
import { realPorts, rootFitsProcessor, uncoreFunctions } from './pci-hardware.ts'
import { hostFeatures, instruments, nativeGpus } from './processors/cpu-hardware.ts'
import { type LiveTest, liveAsked, livePassed } from './processors/live-tests.ts'
import { type Family, type Observed, signsOf } from './signal.ts'

type MinimumItem = Isolation['minimum'][number]

/**
 * Signals of which a missing reading does not leave the result open: those that nothing virtual would show in, or that concern one device
 * alone, which decides nothing about the machine. Every other signal is the only witness of something.
 */
const NO_WITNESS: ReadonlySet<string> = new Set([
  'blk.smart',
  'blk.transport',
  'net.lldp',
  'net.neigh',
  'net.overlay',
  'ns.cgroup',
  'sec.boot',
])
const ENOUGH_READ = 0.8
/** A reading that is this much likelier on a guest must be explained before hardware is argued (e to the first power). */
const NEEDS_EXPLANATION = 1
/**
 * Number of families with a reading that indicates a guest. None of 428 machines known to be hardware has two; every
 * disguised guest does.
 */
const FAMILIES_IN_DOUBT = 2
/**
 * The appearance of a drive or an adapter concerns that device: servers with a data-processing unit show virtual ones
 * on real hardware.
 */
const OF_A_DEVICE: ReadonlySet<Family> = new Set(['storage', 'network'])

/**
 * The minimum evidence for hardware, part by part. Hardware is concluded only where every applicable part is met;
 * unread evidence does not meet it. A part may not apply: GPUs where there are none, live tests where none were
 * requested.
 */
export function minimumEvidence(read: Read, observed: readonly Observed[]): readonly MinimumItem[] {
  return [
    features(read),
    tree(read),
    counters(read),
    cost(read),
    session(read),
    gpus(read, observed),
    undisputed(observed),
    coverage(observed),
  ]
}

export const holdsWhole = (minimum: readonly MinimumItem[]): boolean => minimum.every(({ holds }) => holds !== 'no')

const part = (
  item: MinimumItem['item'],
  title: string,
  holds: MinimumItem['holds'] | boolean,
  text: string,
): MinimumItem => ({
  item,
  title,
  holds: typeof holds === 'string' ? holds : holds ? 'yes' : 'no',
  text,
})

function features(read: Read): MinimumItem {
  const { holds, text } = hostFeatures(read)
  return part('a', 'The processor shows what only a host may use', holds, text)
}

function tree(read: Read): MinimumItem {
  const [root, uncore] = [rootFitsProcessor(read), uncoreFunctions(read)]
  return part('b', 'The PCI tree is that of the processor', root.holds && uncore.holds, `${root.text} ${uncore.text}`)
}

/**
 * Number of instruments that must answer: more than the one that QEMU imitates by a setting of its own (-accel
 * kvm,rapl=on).
 */
const ENOUGH_INSTRUMENTS = 2

function counters(read: Read): MinimumItem {
  const ports = realPorts(read)
  const all = instruments(read)
  const found = [
    ...all.filter(({ is }) => is === 'answers').map(({ text }) => text),
    ...(ports.holds ? [ports.text] : []),
  ]
  const texts = found.length >= ENOUGH_INSTRUMENTS ? found : [...all.map(({ text }) => text), ports.text]
  return part('c', 'At least two hardware instruments respond', found.length >= ENOUGH_INSTRUMENTS, texts.join(' '))
}

function cost(read: Read): MinimumItem {
  const title = 'Live tests fit hardware'
  const tests: readonly LiveTest[] = livePassed(read)
  if (tests.length === 0)
    return part(
      'd',
      title,
      'not-applicable',
      liveAsked(read)
        ? 'Live tests were requested, but this machine has no device for them; conclusions that depend on them are not possible.'
        : 'Live tests were not requested; conclusions that depend on them are not possible.',
    )
  const failed = tests.filter(({ holds }) => !holds)
  return part('d', title, failed.length === 0, (failed.length > 0 ? failed : tests).map(({ text }) => text).join(' '))
}

function session(read: Read): MinimumItem {
  const title = 'We look from the system itself, not from a container'
  const reading = read(namespaces)
  if (!reading.ok) return part('e', title, false, `${namespaces.title}: ${reading.reason}.`)
  const { own } = reading.fact
  const initial = own.pid === INITIAL_NAMESPACES.pid && own.user === INITIAL_NAMESPACES.user
  return part(
    'e',
    title,
    initial,
    initial
      ? 'Our session sits in the system’s initial process and user namespaces.'
      : 'Our session is not in the system’s initial process and user namespaces.',
  )
}

function gpus(read: Read, observed: readonly Observed[]): MinimumItem {
  const { holds, text } = nativeGpus(read, observed)
  return part('f', 'The GPUs are native', holds, text)
}

/** No contradiction, nothing that is much likelier on a guest, and no two families with a reading towards one, however slight. */
function undisputed(observed: readonly Observed[]): MinimumItem {
  const decided = new Set([
    ...signsOf(observed)
      .filter(({ sign }) => sign.weight !== 'hint')
      .map(({ signal }) => signal.id),
    ...observed
      .filter((one) => !OF_A_DEVICE.has(one.signal.family) && (weightHere(one) ?? 0) > NEEDS_EXPLANATION)
      .map(({ signal }) => signal.id),
  ])
  const slight = doubts(observed)
  const open = [...new Set([...decided, ...(slight.families >= FAMILIES_IN_DOUBT ? slight.signals : [])])].sort()
  const [seen] = slight.signals
  return part(
    'g',
    'No contradiction, and no indications of a guest from two parts of the machine',
    open.length === 0,
    open.length > 0
      ? `Not explained: ${open.join(', ')}.`
      : seen === undefined
        ? 'No contradiction was observed, and no value that needs an explanation.'
        : `No contradiction was observed. Values more typical of guests, from one part of the machine only: ${slight.signals.join(', ')}.`,
  )
}

/** Signals that read as on a guest, and from how many families; those of single drives and adapters apart. */
function doubts(observed: readonly Observed[]): { readonly signals: readonly string[]; readonly families: number } {
  const own = observed.filter(({ signal, found }) => found.indicates === 'virtual' && !OF_A_DEVICE.has(signal.family))
  return {
    signals: own.map(({ signal }) => signal.id).sort(),
    families: new Set(own.map(({ signal }) => signal.family)).size,
  }
}

/**
 * Applicable signals that were not read. The reason does not matter: the party that builds the image decides which
 * tools it contains, which rights it grants and which modules its kernel loads, so that a refused right and an absent
 * tool count like a removed capture.
 */
const unreadWitnesses = (observed: readonly Observed[]): readonly Observed[] =>
  observed.filter(
    ({ signal, found }) => found.indicates === 'unreadable' && found.probe.live !== true && !NO_WITNESS.has(signal.id),
  )

function coverage(observed: readonly Observed[]): MinimumItem {
  const applicable = observed.filter(({ found }) => found.indicates !== 'not-applicable')
  const read = applicable.filter(({ found }) => found.indicates !== 'unreadable')
  const needed = unreadWitnesses(observed).map(({ signal }) => signal.id)
  const enough = needed.length === 0 && read.length > 0
  return part(
    'h',
    'Enough was read',
    enough,
    `Of ${count(applicable.length, 'signal')} that apply, ${read.length} were read.${enough ? '' : ` Needed and not read: ${needed.join(', ')}.`}`,
  )
}

/** The part of applicable signals that was read: below this, evidence is never better than passive (grade C). */
export const isWellRead = (observed: readonly Observed[]): boolean => {
  const applicable = observed.filter(({ found }) => found.indicates !== 'not-applicable')
  const read = applicable.filter(({ found }) => found.indicates !== 'unreadable')
  return applicable.length > 0 && read.length / applicable.length >= ENOUGH_READ
}
