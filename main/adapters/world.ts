import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Entropy } from '../core/ports.ts'
import type { Probe } from '../core/probe.ts'
import type { Identities, World } from '../core/world.ts'
import { csvOf } from './csv-file.ts'
import { createFiles } from './files.ts'
import { createFleets } from './fleet-file.ts'
import { packs } from './pack/index.ts'
import { readRecordingFolders, writeRecordingFolder } from './recording-folder.ts'
import { readRegister } from './register-file.ts'
import { openRunChain } from './run-chain.ts'
import { createSchemaValidator } from './schema-validator.ts'
import { createHostKeys } from './ssh/host-keys.ts'
import { createTransport } from './ssh/transport.ts'
import { openEvidenceStore } from './store/evidence-store.ts'
import { createTimestamps } from './timestamps.ts'

/** Where identities are kept unless told otherwise: per user, by the XDG base directory convention. */
const identitiesFolder = (): string =>
  join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'barewitness', 'identities')

// Loaded when first needed: a command that only reads a file should not wait for PDF and certificate code.
const seal = () => import('./seal/index.ts')

/** The real world: every port with its adapter. The probes are those the demo servers can answer. */
export function createWorld(probes: readonly Probe<unknown>[]): World {
  const clock: Clock = { now: () => new Date().toISOString(), ticks: () => process.hrtime.bigint() }
  const entropy: Entropy = { bytes: (count) => new Uint8Array(randomBytes(count)) }
  const validator = createSchemaValidator()
  return {
    clock,
    entropy,
    // A pause alone keeps no program running: it is raced against something that does.
    pause: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
    validator,
    transport: createTransport(),
    fleets: createFleets(),
    hostKeys: createHostKeys(),
    importers: {
      preview: async (...input) => (await import('./importers/index.ts')).createImporters().preview(...input),
    },
    files: createFiles(),
    readRegister,
    csv: csvOf,
    openStore: (folder) => openEvidenceStore(folder, validator),
    writeRecording: writeRecordingFolder,
    readRecordings: (folders) => readRecordingFolders(folders, validator),
    sealing: {
      signDetached: async (...input) => (await seal()).createSealing(clock, entropy).signDetached(...input),
      signPdf: async (...input) => (await seal()).createSealing(clock, entropy).signPdf(...input),
      nextPdfStamp: async (...input) => (await seal()).createSealing(clock, entropy).nextPdfStamp(...input),
      reader: {
        read: async (...input) => (await seal()).createSealing(clock, entropy).reader.read(...input),
        readPdf: async (...input) => (await seal()).createSealing(clock, entropy).reader.readPdf(...input),
      },
      demoSigner: async () => (await seal()).createSealing(clock, entropy).demoSigner(),
    },
    identities: identitiesOf(clock, entropy),
    timestamps: createTimestamps(clock, entropy, (milliseconds) => sleep(milliseconds)),
    packs,
    openRunChain: (folder, beginning) => openRunChain(folder, beginning),
    reports: { render: async (...input) => (await import('./pdf/index.ts')).renderReport(...input) },
    demo: { start: async () => (await import('./demo/demo-fleet.ts')).startDemoFleet(probes) },
  }
}

/** Loaded when first used, as above. */
function identitiesOf(clock: Clock, entropy: Entropy): Identities {
  const defaultFolder = identitiesFolder()
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
