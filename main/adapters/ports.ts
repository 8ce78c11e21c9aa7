import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Ports } from '../core/all-ports.ts'
import { SCHEDULE_FILE } from '../core/base/layout.ts'
import type { Integrations } from '../core/outbox/delivery.ts'
import type { Identities } from '../core/ports/identities.ts'
import type { Clock, Entropy, SealReader, Transport } from '../core/ports/ports.ts'
import type { Catalog } from '../core/rules/catalog.ts'
import type { ZoneOffset, Zones } from '../core/run-chain/cadence.ts'
import { compression } from './compression.ts'
import type { Known } from './declarations/engagement-file.ts'
import { createDeclarations } from './declarations/index.ts'
import { createFiles } from './files.ts'
import { createFleets } from './fleet-file.ts'
import { begunRules, rulesState } from './kept-rules/index.ts'
import { createNotify } from './notify/index.ts'
import { operator } from './operator.ts'
import { packs } from './pack/index.ts'
import { readRecordingFolders, writeRecordingFolder } from './recording-folder.ts'
import { openRunChain } from './run-chain.ts'
import { createScheduleStore, hostTimers } from './schedules/index.ts'
import { createSchemaValidator } from './schema-validator.ts'
import { openEvidenceStore } from './store/evidence-store.ts'
import { openHistoryStore } from './store/history-store.ts'
import { csvOf, csvPieces, readRegister } from './stored-file.ts'
import { createTimestamps } from './timestamps.ts'

/** Default location of identities and schedules: per user, by the XDG base directory convention. */
const configFolder = (): string => join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'barewitness')

// Loaded when first needed: a command that only reads a file should not load the code for SSH, PDF and certificates.
const hostKeys = async () => (await import('./ssh/host-keys.ts')).createHostKeys()

/**
 * The real ports, each with its adapter. The catalog defines what the demo servers can replay, what declarations may
 * name, and the module of its rules.
 */
export function createPorts(catalog: Known & Pick<Catalog, 'module' | 'probes' | 'version'>): Ports {
  keepOutOfCoreFiles()
  const clock: Clock = { now: () => new Date().toISOString(), ticks: () => process.hrtime.bigint() }
  const entropy: Entropy = { bytes: (count) => new Uint8Array(randomBytes(count)) }
  const validator = createSchemaValidator()
  const sealing = async () => (await import('./seal/index.ts')).createSealing(clock, entropy)
  const reader: SealReader = {
    read: async (...input) => (await sealing()).reader.read(...input),
    readPdf: async (...input) => (await sealing()).reader.readPdf(...input),
  }
  return {
    clock,
    entropy,
    zones,
    // A pause alone does not keep the program running; callers wait for other work at the same time.
    pause: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
    tidyMemory,
    compression,
    validator,
    operator,
    transport: pacedTransport(),
    fleets: createFleets(),
    hostKeys: {
      scan: async (...input) => (await hostKeys()).scan(...input),
      decide: async (...input) => (await hostKeys()).decide(...input),
      record: async (...input) => (await hostKeys()).record(...input),
    },
    importers: {
      preview: async (...input) => (await import('./importers/index.ts')).createImporters().preview(...input),
    },
    files: createFiles(),
    readRegister,
    csv: csvOf,
    csvPieces,
    xlsx: async (sheets, print) => (await import('./xlsx-file.ts')).xlsxOf(sheets, print),
    readTable: async (path) => (await import('./table/read.ts')).readTable(path),
    declarations: createDeclarations(catalog, reader),
    openStore: (folder) => openEvidenceStore(folder, validator),
    openHistory: (folder) => openHistoryStore(folder, validator),
    schedules: createScheduleStore(join(configFolder(), SCHEDULE_FILE), validator),
    timers: hostTimers(configFolder()),
    writeRecording: writeRecordingFolder,
    readRecordings: (folders) => readRecordingFolders(folders, validator),
    sealing: {
      signDetached: async (...input) => (await sealing()).signDetached(...input),
      signPdf: async (...input) => (await sealing()).signPdf(...input),
      nextPdfStamp: async (...input) => (await sealing()).nextPdfStamp(...input),
      reader,
      comparePages: async (...input) => (await sealing()).comparePages(...input),
      demoSigner: async () => (await sealing()).demoSigner(),
    },
    identities: identitiesOf(clock, entropy),
    timestamps: createTimestamps(clock, entropy, (milliseconds) => sleep(milliseconds)),
    packs,
    openRunChain: (folder, beginning) => openRunChain(folder, beginning),
    keptRules: () => begunRules(catalog),
    rulesState: rulesState(catalog),
    reports: { render: async (...input) => (await import('./pdf/index.ts')).renderReport(...input) },
    notify: createNotify({ clock, pause: (milliseconds) => sleep(milliseconds) }),
    integrations: integrationsOf(clock),
    demo: { start: async () => (await import('./demo/demo-fleet.ts')).startDemoFleet(catalog.probes, clock) },
  }
}

/** Loaded when first used. One transport serves all connections of these ports, so that they do not start all at once. */
function pacedTransport(): Transport {
  let made: Promise<Transport> | null = null
  return {
    connect: async (...input) => {
      made ??= import('./ssh/transport.ts').then(({ createTransport }) => createTransport())
      return (await made).connect(...input)
    },
  }
}

/** Loaded when first used, as above. */
function identitiesOf(clock: Clock, entropy: Entropy): Identities {
  const defaultFolder = join(configFolder(), 'identities')
  const keys = async () => (await import('./identity/index.ts')).createIdentities(clock, entropy, defaultFolder)
  return {
    defaultFolder,
    list: async (...input) => (await keys()).list(...input),
    create: async (...input) => (await keys()).create(...input),
    open: async (...input) => (await keys()).open(...input),
    trust: async (...input) => (await keys()).trust(...input),
    backup: async (...input) => (await keys()).backup(...input),
    restore: async (...input) => (await keys()).restore(...input),
    rotate: async (...input) => (await keys()).rotate(...input),
    revoke: async (...input) => (await keys()).revoke(...input),
    takeRootOffline: async (...input) => (await keys()).takeRootOffline(...input),
    importPkcs12: async (...input) => (await keys()).importPkcs12(...input),
    addToken: async (...input) => (await keys()).addToken(...input),
  }
}

/** Loaded when first used: few commands send. */
function integrationsOf(clock: Clock): Integrations {
  const sending = async () => (await import('./outbox/index.ts')).createIntegrations(clock)
  return {
    read: async (...input) => (await sending()).read(...input),
    openTarget: async (...input) => (await sending()).openTarget(...input),
    openOutbox: async (...input) => (await sending()).openOutbox(...input),
    readOutbox: async (...input) => (await sending()).readOutbox(...input),
  }
}

/** Memory is collected after at least so much growth: a collection takes longer the more memory is in use. */
const WORTH = 32 * 1024 * 1024

/**
 * Frees memory that is no longer referenced, where it grew enough since the last time. V8 lets its heap grow to several times its live data
 * before it collects, and further on computers with more memory; between the stages of a large export most of it is garbage. Has no effect
 * where the engine offers no such call.
 */
export function tidyMemory(): void {
  if (taken() < left + WORTH) return
  collect ??= collector()
  collect()
  left = taken()
}

/** Bytes in use after the last collection. */
let left = 0

function taken(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let collect: (() => void) | null = null

function collector(): () => void {
  // Electron may freeze V8's flags, and then ends when one is changed: this was never observed to work there.
  if ('electron' in process.versions) return () => undefined
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : null')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as () => void) : () => undefined
}

/**
 * Excludes the memory of this process from any core file after a crash: it may contain a key or a passphrase.
 * With no bit set in `/proc/self/coredump_filter` (core(5)), no mapping is written, whatever limit or handler the
 * computer has. Processor registers are still written (up to 64 bytes of a copy in progress). Where the file does not
 * exist (outside Linux) or cannot be written, core files depend on the computer.
 */
function keepOutOfCoreFiles(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0\n')
  } catch {
    return
  }
}

/** Time zones from the ICU data of this computer. */
export const zones: Zones = (zone) => {
  try {
    return offsetOf(
      new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
    )
  } catch {
    return null
  }
}

const offsetOf = (format: Intl.DateTimeFormat): ZoneOffset => {
  return (moment) => {
    const whole = Math.floor(moment / 1000) * 1000
    const parts = new Map(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return local - whole
  }
}
