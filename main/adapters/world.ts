import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Entropy } from '../core/ports.ts'
import type { Probe } from '../core/probe.ts'
import type { World } from '../core/world.ts'
import { csvOf } from './csv-file.ts'
import { createFiles } from './files.ts'
import { createFleets } from './fleet-file.ts'
import { packs } from './pack/index.ts'
import { readRecordingFolders, writeRecordingFolder } from './recording-folder.ts'
import { createSchemaValidator } from './schema-validator.ts'
import { createHostKeys } from './ssh/host-keys.ts'
import { createTransport } from './ssh/transport.ts'
import { openEvidenceStore } from './store/evidence-store.ts'

/** Where identities are kept unless told otherwise: per user, by the XDG base directory convention. */
const identitiesFolder = (): string =>
  join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'barewitness', 'identities')

// Loaded when first needed: a command that only reads a file should not wait for PDF and certificate code.
const seal = () => import('./seal/index.ts')
const identity = () => import('./identity/index.ts')

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
    csv: csvOf,
    openStore: (folder) => openEvidenceStore(folder, validator),
    writeRecording: writeRecordingFolder,
    readRecordings: (folders) => readRecordingFolders(folders, validator),
    sealing: {
      signDetached: async (...input) => (await seal()).createSealing(clock, entropy).signDetached(...input),
      signPdf: async (...input) => (await seal()).createSealing(clock, entropy).signPdf(...input),
      reader: { read: async (...input) => (await seal()).createSealing(clock, entropy).reader.read(...input) },
      demoSigner: async () => (await seal()).createSealing(clock, entropy).demoSigner(),
    },
    identities: {
      defaultFolder: identitiesFolder(),
      list: async (folder) => (await identity()).listIdentities(folder),
      create: async (input) => (await identity()).createIdentity({ ...input, clock, entropy }),
      open: async (...input) => (await identity()).openIdentity(...input),
    },
    packs,
    reports: { render: async (...input) => (await import('./pdf/index.ts')).renderReport(...input) },
    demo: { start: async () => (await import('./demo/demo-fleet.ts')).startDemoFleet(probes) },
  }
}
