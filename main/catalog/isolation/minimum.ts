import type { Isolation } from '../../../schemas/types.ts'
import { INITIAL_NAMESPACES, namespaces } from '../probes/namespaces.ts'
import { count } from '../steps.ts'
import { hostFeatures, instruments } from './cpu-hardware.ts'
import { nativeGpus } from './gpu-hardware.ts'
import { type LiveTest, liveAsked, livePassed } from './live-tests.ts'
import type { Observed } from './observe.ts'
import { signsOf } from './observe.ts'
import { realPorts, rootFitsProcessor, uncoreFunctions } from './pci-hardware.ts'
import type { Family, Read } from './signal.ts'
import { weightHere } from './weight.ts'

type MinimumItem = Isolation['minimum'][number]
type Holds = MinimumItem['holds']

/** Readings without which hardware is not argued at all: every login can make them, on every kernel that a server runs. */
const MUST_BE_READ: readonly string[] = [
  'cpu.hvbit',
  'cpu.powerbits',
  'cpu.pmu',
  'cpu.clock',
  'cpu.vulns',
  'dmi.strings',
  'acpi.set',
  'pci.hostbridge',
  'pci.vendors',
  'pci.uncore',
  'virt.bus',
  'hv.dirs',
  'time.steal',
  'ns.inode',
  'blk.path',
  'net.driver',
]
const ENOUGH_READ = 0.8
/**
 * Answers that a whole collection has: one that was taken out, cut off or lost leaves a question that was put without its answer, and it
 * may be the answer that contradicts. A refused right or an absent tool is an answer of its own. The reasons are those of readProbe().
 */
const LOST = /^(this was not collected$|not usable: |not collected: the session ended)/
/** A reading that is this much likelier on a guest must be explained before hardware is argued (e to the first power). */
const NEEDS_EXPLANATION = 1
/** What a drive or an adapter looks like speaks of that device: servers with a data-processing unit show virtual ones on real hardware. */
const OF_A_DEVICE: ReadonlySet<Family> = new Set(['storage', 'network'])

/**
 * The minimum evidence for hardware, part by part. Only where every part that applies holds is hardware argued; what was not read does
 * not hold. One part may not apply: GPUs where there are none, live tests where nobody asked for them.
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

const part = (item: MinimumItem['item'], title: string, holds: Holds | boolean, text: string): MinimumItem => ({
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

function counters(read: Read): MinimumItem {
  const all = [...instruments(read), realPorts(read)]
  const found = all.filter((one) => ('found' in one ? one.found : one.holds))
  const texts = (found.length >= 2 ? found : all).map(({ text }) => text)
  return part('c', 'At least two instruments of hardware answer', found.length >= 2, texts.join(' '))
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
        ? 'Live tests were asked for, and this machine has no device that answers them; what rests on them stays open.'
        : 'Live tests were not asked for; what rests on them stays open.',
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

/** No contradiction, and nothing unexplained that is likelier on a guest. */
function undisputed(observed: readonly Observed[]): MinimumItem {
  const signs = signsOf(observed)
  const open = new Set([
    ...signs.filter(({ sign }) => sign.weight !== 'hint').map(({ signal }) => signal.id),
    ...observed
      .filter((one) => !OF_A_DEVICE.has(one.signal.family) && (weightHere(one) ?? 0) > NEEDS_EXPLANATION)
      .map(({ signal }) => signal.id),
  ])
  return part(
    'g',
    'Nothing contradicts it',
    open.size === 0,
    open.size === 0
      ? 'No contradiction was seen, and no reading that needs an explanation.'
      : `Not explained: ${[...open].sort().join(', ')}.`,
  )
}

function coverage(observed: readonly Observed[]): MinimumItem {
  const applicable = observed.filter(({ found }) => found.reads !== 'not-applicable')
  const read = applicable.filter(({ found }) => found.reads !== 'unreadable')
  const unread = applicable
    .filter(({ signal, found }) => found.reads === 'unreadable' && MUST_BE_READ.includes(signal.id))
    .map(({ signal }) => signal.id)
  const lost = applicable
    .filter(({ found }) => found.reads === 'unreadable' && found.probe.live !== true && LOST.test(found.reason))
    .map(({ signal }) => signal.id)
  const needed = [...new Set([...unread, ...lost])]
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
  const applicable = observed.filter(({ found }) => found.reads !== 'not-applicable')
  const read = applicable.filter(({ found }) => found.reads !== 'unreadable')
  return applicable.length > 0 && read.length / applicable.length >= ENOUGH_READ
}
