import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TeamConfig } from '../../schemas/types.ts'
import type { OpenDatabase } from '../adapters/database/index.ts'
import { builtFiles } from '../adapters/files.ts'
import { ipcValidator } from '../adapters/ipc-validator.ts'
import { openFileQueue } from '../adapters/jobs/file-queue.ts'
import { openIncoming } from '../adapters/jobs/incoming.ts'
import { createSchemaValidator, placeName } from '../adapters/schema-validator.ts'
import { remoteSigning } from '../adapters/seal/remote-signing.ts'
import { type DatabaseSecrets, readTeamConfig, readTeamSecrets } from '../adapters/team-config.ts'
import { digestOf } from '../app/collect-node.ts'
import { createEngine } from '../app/engine.ts'
import { zipFolder } from '../app/output-files.ts'
import { catalog } from '../catalog/index.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import { folderIn } from '../core/layout.ts'
import { checkAuditFile } from '../server/edge/audit-file.ts'
import type { PageFile } from '../server/edge/parts.ts'
import { serve } from '../server/edge/serve.ts'
import { problemsOf } from '../server/settings.ts'
import { type Context, EXIT, emitText, endWith, printLine } from './options.ts'

/** The valid configuration of a file, with absolute paths. Fails as its reading does, and with input.refused for what the schema cannot express. */
export async function teamConfigIn(file: string): Promise<Outcome<TeamConfig>> {
  const read = await readTeamConfig(file)
  if (!read.ok) return read
  const problems = problemsOf(read.value.value)
  return problems.length === 0 ? ok(read.value.value) : read.value.refuse(problems)
}

/** Checks the audit log and prints its head. */
export async function verifyAudit(context: Context, { auditLog }: TeamConfig): Promise<void> {
  const checked = await checkAuditFile(auditLog)
  if (!checked.ok) return endWith(context, checked.error)
  if (!checked.value.intact) {
    printLine(`${auditLog}: line ${checked.value.line} does not continue the line before it.`)
    return context.exit(EXIT.notVerified)
  }
  const { size, digest } = checked.value.head
  printLine(`${auditLog}: ${size} entries, each continues the one before it; the last has the digest ${digest}.`)
  printLine(
    'Not shown: that no entries were removed from the end. Keep size and digest elsewhere and compare them later.',
  )
}

/** How long a run waits for a collector that gives no sign, whose recording is stored when it arrives later, and an export for its signer. */
const PATIENCE_MS = 10 * 60_000

/** Serves until the process is asked to end. */
export async function runServer(context: Context, config: TeamConfig): Promise<void> {
  const { ports } = context
  const pages = builtPages()
  if (!pages.ok) return endWith(context, pages.error)
  const secrets = readTeamSecrets(config)
  if (!secrets.ok) return endWith(context, secrets.error)
  const asked = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  })
  const { database: databaseSecrets, ...files } = secrets.value
  const newId = (): string => Buffer.from(ports.entropy.bytes(16)).toString('hex')
  const database = await databaseOf(config, databaseSecrets, newId)
  if (!database.ok) return endWith(context, database.error)
  const shared = database.value
  const started = await serve({
    config,
    ...files,
    database: shared,
    pages: pages.value,
    problems: ipcValidator(),
    now: () => Date.now(),
    log: (line) => emitText(`${JSON.stringify(line)}\n`),
    collecting: {
      catalogDigest: digestOf(catalog),
      problems: (input, value) =>
        createSchemaValidator()
          .placed(input, value)
          .map(({ path, text }) => `${placeName(path)} ${text}`),
      openQueue: (folder, engagement) =>
        shared === null
          ? openFileQueue(folder, { now: () => Number(ports.clock.ticks() / 1_000_000n), newId })
          : shared.openQueue(engagement, folder, config.serves !== 'collectors'),
      openIncoming: (folder, evidence) => openIncoming(folder, evidence, ports.validator),
      patienceMs: PATIENCE_MS,
    },
    sealing: {
      signing: remoteSigning,
      now: () => Date.now(),
      newId: () => Buffer.from(ports.entropy.bytes(16)).toString('hex'),
      patienceMs: PATIENCE_MS,
    },
    zipFolder: (files) => zipFolder(ports, files),
    openEngine: async (folder, desktop, { collection, identities }) =>
      await createEngine({ ...ports, identities: { ...ports.identities, ...identities } }, catalog, {
        folder,
        desktop,
        ...(collection === null ? {} : { remote: collection }),
        // Not the file of this account, which may have schedules of others.
        scheduling: { file: `${folderIn(folder, 'schedules')}/schedules.json` },
      }),
  })
  if (!started.ok) {
    await shared?.close()
    return endWith(context, started.error)
  }
  const { origin, monitoring, close } = started.value
  const whom = config.serves === 'collectors' ? 'collectors of ' : ''
  printLine(`Serving ${whom}${config.engagements.length} engagements at ${origin}/ until this process is ended.`)
  if (monitoring !== null) printLine(`Monitoring: ${monitoring}/healthz, /readyz and /metrics.`)
  await asked
  await close()
  await shared?.close()
}

/** The database of a configuration, or null. Its client is loaded where a configuration names one. Fails as openDatabase(). */
async function databaseOf(
  { database }: TeamConfig,
  secrets: DatabaseSecrets | null,
  newId: () => string,
): Promise<Outcome<OpenDatabase | null>> {
  if (database === undefined || secrets === null) return ok(null)
  const { openDatabase } = await import('../adapters/database/index.ts')
  return await openDatabase(database, secrets, newId)
}

/** Beside the built program, or built in the source tree. */
const PLACES = ['../renderer', '../../renderer', '../../out/renderer'] as const

function builtPages(): Outcome<ReadonlyMap<string, PageFile>> {
  const folder = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(`${path}/index.html`),
  )
  return folder === undefined ? fail('input.not-found', 'the built pages; run: npm run build') : ok(builtFiles(folder))
}
