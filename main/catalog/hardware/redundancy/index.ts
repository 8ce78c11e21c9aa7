import { quote } from '../../../core/base/plain-text.ts'
import {
  type Answer,
  defineProbe,
  glob,
  known,
  type Parsed,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { foundLines, grepIsComplete, inOrder, lines } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type SysfsBlock, storageBlockDevices } from '../../data-protection/block-devices/index.ts'
import { type NetLinks, netLinks } from '../../data-protection/network/links.ts'
import { type Bmc, type BmcPresence, bmc, bmcPresence } from '../management-controller/probes.ts'
import data from './checks.json' with { type: 'json' }

/** An md array as /proc/mdstat lists it. */
export interface MdArray {
  readonly name: string
  /** raid1, raid5, … Empty where the array is not running. */
  readonly level: string
  readonly isActive: boolean
  /** A container of firmware RAID: inactive by its nature, its arrays are listed on their own. */
  readonly isContainer: boolean
  /** Members it should have and those that work, of levels that count them. */
  readonly wanted: number | null
  readonly working: number | null
  /** Members marked (F). */
  readonly failed: readonly string[]
  readonly isRebuilding: boolean
}

/** A bond as /proc/net/bonding shows it. */
interface Bond {
  readonly name: string
  readonly mode: string
  /** Whether the driver looks at its links, at an interval. Where it does not, it states “up” of each link that it was given. */
  readonly isMonitored: boolean
  readonly links: readonly { readonly name: string; readonly isUp: boolean; readonly failures: number | null }[]
}

export interface RedundancyState {
  readonly arrays: readonly MdArray[]
  readonly bonds: readonly Bond[]
  /** ZFS pools in use and their state according to the kernel. */
  readonly pools: readonly { readonly name: string; readonly state: string }[]
  /** Btrfs file systems with a device that is missing, and how many devices of each. */
  readonly btrfs: readonly { readonly id: string; readonly devices: number; readonly missing: number }[]
}

/**
 * drivers/md/md.c (md_seq_show), drivers/net/bonding/bond_procfs.c, OpenZFS spl-kstat (state), fs/btrfs/sysfs.c (devinfo). The kernel
 * itself responses, so that no tool needs to be there: a file that does not exist means that the kernel has no such thing.
 */
export const redundancyState = defineProbe({
  id: 'storage.redundancy',
  title: 'Arrays, pools and bonded links, as reported by the kernel',
  why: 'Shows whether a part of an array, a pool or a bonded link has failed.',
  ignoredInDrift: {
    why: 'Link failures and recoveries are counted.',
    normalize: ({ arrays, bonds, pools, btrfs }: RedundancyState) => ({
      arrays: inOrder(arrays),
      bonds: inOrder(
        bonds.map(({ links, ...bond }) => ({ ...bond, links: inOrder(links.map(({ failures: _, ...link }) => link)) })),
      ),
      pools: inOrder(pools),
      btrfs: inOrder(btrfs),
    }),
  },
  commands: {
    state: run([
      'grep',
      '-H',
      '',
      // Always there: without it the kernel's files cannot be seen, and a missing one shows nothing.
      '/proc/sys/kernel/random/boot_id',
      '/proc/mdstat',
      glob('/proc/net/bonding/*'),
      glob('/proc/spl/kstat/zfs/*/state'),
      glob('/sys/fs/btrfs/*/devinfo/*/missing'),
    ]),
  },
  parse: ({ state }) =>
    grepIsComplete(state) && /^\/proc\/sys\/kernel\/random\/boot_id:./m.test(state.text)
      ? parseRedundancy(state.text)
      : unknown('the state of arrays, pools and bonds could not all be read'),
})

export function parseRedundancy(text: string): Parsed<RedundancyState> {
  const files = new Map<string, string[]>()
  for (const { path, line } of foundLines(text)) {
    const own = files.get(path)
    if (own === undefined) files.set(path, [line])
    else own.push(line)
  }
  const arrays = readMdstat(files.get('/proc/mdstat') ?? [])
  if (arrays === null) return unknown('the list of arrays has an unexpected format')
  const bonds: Bond[] = []
  const pools: { name: string; state: string }[] = []
  const btrfs = new Map<string, { devices: number; missing: number }>()
  for (const [path, own] of files) {
    const bond = /^\/proc\/net\/bonding\/([^/]+)$/.exec(path)?.[1]
    const pool = /^\/proc\/spl\/kstat\/zfs\/([^/]+)\/state$/.exec(path)?.[1]
    const volume = /^\/sys\/fs\/btrfs\/([^/]+)\/devinfo\/[^/]+\/missing$/.exec(path)?.[1]
    if (bond !== undefined) bonds.push(readBond(bond, own))
    if (pool !== undefined) pools.push({ name: pool, state: own[0]?.trim() ?? '' })
    if (volume !== undefined) {
      const before = btrfs.get(volume) ?? { devices: 0, missing: 0 }
      // Anything but a plain 0 counts as missing: a value that is not understood must not pass for a present device.
      const missing = own[0]?.trim() === '0' ? 0 : 1
      btrfs.set(volume, { devices: before.devices + 1, missing: before.missing + missing })
    }
  }
  return known({ arrays, bonds, pools, btrfs: [...btrfs].map(([id, found]) => ({ id, ...found })) })
}

/** An array takes a line that begins with its name, and indented lines after it. Null where a line fits neither. */
function readMdstat(all: readonly string[]): readonly MdArray[] | null {
  const blocks: { head: string; body: string[] }[] = []
  for (const line of all) {
    if (line.trim() === '' || /^(Personalities|unused devices|read_ahead)\b/.test(line)) continue
    if (/^md[^\s:]* : /.test(line)) blocks.push({ head: line, body: [] })
    else if (/^\s/.test(line) && blocks.length > 0) blocks.at(-1)?.body.push(line)
    else return null
  }
  return blocks.map(({ head, body }) => {
    const [name = '', rest = ''] = head.split(' : ', 2)
    const words = rest.split(/\s+/)
    const details = body.join('\n')
    const [, wanted, working] = /\[(\d{1,4})\/(\d{1,4})\]/.exec(details) ?? []
    return {
      name,
      level: words.find((word) => /^(raid\d{1,2}|linear|multipath|faulty)$/.test(word)) ?? '',
      isActive: words[0] === 'active',
      isContainer: / super external:(?!\/)/.test(details),
      wanted: wanted === undefined ? null : Number(wanted),
      working: working === undefined ? null : Number(working),
      failed: words.flatMap((word) => /^([^[\s]{1,64})\[\d+\](?:\([A-Z]\))*\(F\)/.exec(word)?.[1] ?? []),
      isRebuilding: /\b(recovery|resync|reshape)\s*=/.test(details),
    }
  })
}

/** "MII Status" occurs once for the bond, before the first link, and once for each link. */
function readBond(name: string, all: readonly string[]): Bond {
  let [mode, isMonitored] = ['', false]
  const links: { name: string; isUp: boolean; failures: number | null }[] = []
  for (const line of all) {
    const colon = line.indexOf(': ')
    const [key, value] = colon < 0 ? ['', ''] : [line.slice(0, colon).trim(), line.slice(colon + 2).trim()]
    const link = links.at(-1)
    if (key === 'Bonding Mode') mode = value
    else if (/^(MII|ARP) Polling Interval \(ms\)$/.test(key)) isMonitored ||= /^[1-9]\d*$/.test(value)
    else if (key === 'Slave Interface') links.push({ name: value, isUp: false, failures: null })
    else if (key === 'MII Status' && link !== undefined) link.isUp = value === 'up'
    else if (key === 'Link Failure Count' && link !== undefined && /^\d{1,9}$/.test(value))
      link.failures = Number(value)
  }
  return { name, mode, isMonitored, links }
}

interface DmStatus {
  /** Device-mapper RAID, which LVM uses: one letter per member, A in sync, a not yet, D failed, - not there. */
  readonly raids: readonly { readonly name: string; readonly level: string; readonly health: string }[]
  /** Devices with more than one way to them: paths that work, and paths that failed. */
  readonly multipaths: readonly { readonly name: string; readonly active: number; readonly failed: number }[]
}

/**
 * dmsetup(8) status; the kernel's Documentation/admin-guide/device-mapper/dm-raid.rst (status line) and drivers/md/dm-mpath.c
 * (multipath_status). A status line holds no keys: those are in tables only.
 */
export const storageDmStatus = defineProbe({
  id: 'storage.dm-status',
  title: 'State of mapped devices',
  why: 'Shows whether a member of an LVM RAID volume or a path to a drive has failed.',
  ignoredInDrift: {
    why: 'Devices are listed in the order in which they were opened.',
    normalize: ({ raids, multipaths }: DmStatus) => ({ raids: inOrder(raids), multipaths: inOrder(multipaths) }),
  },
  commands: { status: runAsRoot(['dmsetup', 'status']) },
  parse: ({ status }) => readDmStatus(status),
})

function readDmStatus({ exitCode, text, errorText }: Answer): Parsed<DmStatus> {
  // ENODEV on the control device: this kernel has no device mapper, and so nothing mapped.
  if (exitCode !== 0 && /control: open failed: No such device$/m.test(errorText))
    return known({ raids: [], multipaths: [] })
  if (exitCode !== 0) return unknown(`dmsetup failed: ${quote(errorText)}`)
  const rows = lines(text).map((line) => /^(.{1,300}?): \d{1,20} \d{1,20} (\S+)(?: (.*))?$/.exec(line))
  if (text.trim() !== 'No devices found' && rows.includes(null))
    return unknown('the output of dmsetup has an unexpected format')
  const raids: { name: string; level: string; health: string }[] = []
  const multipaths: { name: string; active: number; failed: number }[] = []
  for (const row of rows) {
    const [, name = '', target, rest = ''] = row ?? []
    const words = rest.split(/\s+/)
    if (target === 'raid') {
      const [level = '', , health = ''] = words
      if (!/^[AaD-]{1,64}$/.test(health)) return unknown('the state of a RAID volume has an unexpected format')
      raids.push({ name, level, health })
    }
    if (target === 'multipath') multipaths.push({ name, ...countPaths(words) })
  }
  return known({ raids, multipaths })
}

/** A path is a device number, then A or F, then how often it failed. */
function countPaths(words: readonly string[]): { readonly active: number; readonly failed: number } {
  const states = words.flatMap((word, at) => (/^\d{1,5}:\d{1,8}$/.test(word) ? [words[at + 1]] : []))
  const active = states.filter((state) => state === 'A').length
  return { active, failed: states.length - active }
}

/**
 * What the management controller shows, evaluated by `read`, or why it shows nothing. Its silence leaves nothing open
 * only where kernel and firmware list no controller.
 */
export function controllerSteps(
  presence: BmcPresence,
  controller: Parsed<Bmc>,
  read: (reported: Bmc) => readonly DraftObservation[],
): readonly DraftObservation[] {
  if (controller.ok)
    // a response of another form leaves no row, as does a controller without a sensor: neither shows that all is well.
    return (controller.fact.sensors ?? 0) === 0
      ? [unclear('The management controller listed no sensor that could be read.', bmc)]
      : read(controller.fact)
  if (presence.device || presence.listed.length > 0) return unclearAbout(bmc, controller)
  return [
    supports(
      'The kernel and the firmware list no management controller: there are no sensors of one to read.',
      bmcPresence,
    ),
  ]
}

export const availabilityRedundancy = defineCheck({
  id: 'availability.redundancy',
  property: 'operations',
  expected:
    'The disk arrays, storage pools, multipath drives, bonded links and power supplies of this node are complete.',
  limitations:
    'Whether redundancy is sufficient was not evaluated: a single part without a second one is not tested. RAID inside a controller, which shows the node one drive, and redundancy of switches, feeds and sites are not visible here. Power supplies are evaluated by the management controller’s report.',
  requires: { state: redundancyState, blocks: storageBlockDevices, links: netLinks, presence: bmcPresence },
  optional: { mapped: storageDmStatus, controller: bmc },
  evaluate({ state, blocks, links, presence }, { mapped, controller }) {
    const found = [
      ...state.arrays.filter(({ isContainer }) => !isContainer).map(arrayStep),
      ...state.pools.map(({ name, state: word }) =>
        word === 'ONLINE'
          ? supports(`The pool ${named([name])} is online.`, redundancyState)
          : contradicts(`The pool ${named([name])} is ${named([word.toLowerCase()])}.`, redundancyState),
      ),
      ...btrfsSteps(state),
      ...state.bonds.map(bondStep),
      ...unreadLinkSteps(links, state),
      ...mappedSteps(blocks, mapped),
    ]
    const supplies = controllerSteps(presence, controller, supplySteps)
    const hasNone = found.length === 0
    const nothing = supports(
      'The kernel has no disk array, storage pool, multipath drive or bonded link: its lists are complete and empty.',
      redundancyState,
    )
    const observations = [...found, ...(hasNone ? [nothing] : []), ...supplies]
    const hasSupplies = controller.ok && (controller.fact.supplies ?? []).length > 0
    return hasNone && !hasSupplies && supplies.every(({ direction }) => direction === 'supports')
      ? { verdict: 'not-applicable', observations }
      : decide(observations)
  },
})

function arrayStep({ name, level, isActive, wanted, working, failed, isRebuilding }: MdArray): DraftObservation {
  const what = `The array ${named([name])}${level === '' ? '' : ` (${level})`}`
  if (!isActive) return contradicts(`${what} is not running.`, redundancyState)
  const gone = failed.length === 0 ? '' : ` Failed: ${named(failed)}.`
  if (wanted !== null && working !== null && working < wanted)
    return contradicts(
      `${what} has ${working} of ${wanted} members${isRebuilding ? ' and is being rebuilt' : ''}.${gone}`,
      redundancyState,
    )
  if (failed.length > 0) return contradicts(`${what} has a failed member.${gone}`, redundancyState)
  if (wanted !== null) return supports(`${what} has ${wanted} of ${wanted} members.`, redundancyState)
  // raid0 and linear print no member count: they run with all members or not at all.
  return level === 'raid0' || level === 'linear'
    ? supports(`${what} runs; it keeps no second copy.`, redundancyState)
    : unclear(`${what} runs, and its number of members is not reported.`, redundancyState)
}

function btrfsSteps({ btrfs }: RedundancyState): readonly DraftObservation[] {
  return btrfs
    .filter(({ devices, missing }) => devices > 1 || missing > 0)
    .map(({ id, devices, missing }) =>
      missing > 0
        ? contradicts(`The Btrfs file system ${named([id])} misses ${missing} of ${devices} devices.`, redundancyState)
        : supports(`The Btrfs file system ${named([id])} has all of its ${devices} devices.`, redundancyState),
    )
}

function bondStep({ name, mode, isMonitored, links }: Bond): DraftObservation {
  const what = `The bond ${named([name])} (${named([mode])})`
  const down = links.filter(({ isUp }) => !isUp).map((link) => link.name)
  if (links.length === 0) return contradicts(`${what} has no link.`, redundancyState)
  if (down.length > 0)
    return contradicts(
      `${what} has ${links.length - down.length} of ${links.length} links; down: ${named(down)}.`,
      redundancyState,
    )
  return !isMonitored
    ? unclear(
        `${what} has ${count(links.length, 'link')}, which its driver does not monitor: whether each is up is not shown.`,
        redundancyState,
      )
    : supports(`${what} has ${links.length} of ${count(links.length, 'link')} up.`, redundancyState)
}

/** Joined links that the bonding driver does not list: teams, which have a daemon of their own, and bonds that it hid from us. */
function unreadLinkSteps({ links }: NetLinks, { bonds }: RedundancyState): readonly DraftObservation[] {
  const read = new Set(bonds.map(({ name }) => name))
  const unread = links.filter(({ kind, name }) => kind === 'team' || (kind === 'bond' && !read.has(name)))
  return unread.length === 0
    ? []
    : [unclear(`The state of joined links was not read: ${named(unread.map(({ name }) => name))}.`, netLinks)]
}

/** Device-mapper names its users by the beginning of the UUID; plain LVM volumes and RAID ones cannot be distinguished by it. */
function mappedSteps({ devices }: SysfsBlock, mapped: Parsed<DmStatus>): readonly DraftObservation[] {
  const isAsked = [...devices.values()].some(({ dmUuid }) => /^(LVM-|mpath-|DMRAID-)/.test(dmUuid ?? ''))
  if (!mapped.ok) return isAsked ? unclearAbout(storageDmStatus, mapped) : []
  return [
    ...mapped.fact.raids.map(({ name, level, health }) =>
      /^A+$/.test(health)
        ? supports(`The volume ${named([name])} (${named([level])}) has all of its members in step.`, storageDmStatus)
        : contradicts(
            `Of the members of the volume ${named([name])} (${named([level])}), ${health.replaceAll('A', '').length} of ${health.length} have failed or are not in step.`,
            storageDmStatus,
          ),
    ),
    ...mapped.fact.multipaths.map(({ name, active, failed }) =>
      failed > 0 || active === 0
        ? contradicts(
            `The drive ${named([name])} is reached by ${active} of ${active + failed} paths.`,
            storageDmStatus,
          )
        : supports(`The drive ${named([name])} is reached by ${count(active, 'path')}.`, storageDmStatus),
    ),
  ]
}

// IPMI 2.0, table 42-3, sensor type 08h, and table 42-2, redundancy states, as ipmitool words them.
const SUPPLY_TROUBLE =
  /failure|fail\b|predictive|lost|out-of-range|config(uration)? error|off|inactive|redundancy degraded|sufficient from redundant/i
const SUPPLY_GOOD = /presence detected|\bpresent\b|^ok$|^fully redundant$/i

function supplySteps({ supplies = [] }: Bmc): readonly DraftObservation[] {
  if (supplies.length === 0) return [supports('The management controller lists no power supply.', bmc, 'sensors')]
  const bad = supplies.filter(({ state }) => SUPPLY_TROUBLE.test(state))
  const silent = supplies.filter(({ state }) => !SUPPLY_TROUBLE.test(state) && !SUPPLY_GOOD.test(state))
  return [
    ...bad.map(({ name, state }) =>
      contradicts(`The power supply ${named([name])} reports ${named([state])}.`, bmc, 'sensors'),
    ),
    ...(silent.length === 0
      ? []
      : [
          unclear(
            `The management controller’s state of ${named(silent.map(({ name }) => name))} is not known to this catalog.`,
            bmc,
            'sensors',
          ),
        ]),
    ...(bad.length + silent.length === 0
      ? [
          supports(
            `${count(supplies.length, 'power supply', 'power supplies')} present and without a fault.`,
            bmc,
            'sensors',
          ),
        ]
      : []),
  ]
}

export const redundancySubject = defineSubject({
  id: 'redundancy',
  title: 'Redundant parts',
  probes: [redundancyState, storageDmStatus],
  checks: [availabilityRedundancy],
  data,
})
