import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TeamConfig, TeamObjects } from '../../../schemas/types.ts'
import { builtFiles } from '../../adapters/built-files.ts'
import type { OpenDatabase } from '../../adapters/database/index.ts'
import { ipcProblems } from '../../adapters/ipc-validator.ts'
import { openFileQueue } from '../../adapters/jobs/file-queue.ts'
import { openIncoming } from '../../adapters/jobs/incoming.ts'
import { schemaProblems } from '../../adapters/schema-validator.ts'
import { remoteSigning } from '../../adapters/seal/remote-signing.ts'
import { newServerFolder } from '../../adapters/server-folder.ts'
import {
  type DatabaseSecrets,
  type ObjectSecrets,
  readObjectSecrets,
  readTeamConfig,
  readTeamSecrets,
  readTls,
} from '../../adapters/team-config.ts'
import { digestOf } from '../../app/collect/collect-node.ts'
import { createEngine } from '../../app/engine.ts'
import { zipFolder } from '../../app/export/output-files.ts'
import { USUAL_YEARS } from '../../app/history/retention.ts'
import type { CopyPorts } from '../../app/objects/copy.ts'
import type { SendDeps } from '../../app/outbox/send.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { folderIn, SCHEDULE_FILE } from '../../core/base/layout.ts'
import type { ObjectStore } from '../../core/objects.ts'
import { recordedHeads } from '../../server/audit-heads.ts'
import { AUDIT_LOGS, placeOf } from '../../server/audit-parts.ts'
import { completeLines, linesInOrder } from '../../server/edge/log-lines.ts'
import { serve } from '../../server/edge/serve.ts'
import { compareAuditLog } from '../../server/edge/services/audit-copies.ts'
import { readAuditLog, readRecord } from '../../server/edge/services/audit-file.ts'
import { secureOptions } from '../../server/edge/services/certificate.ts'
import type { Copying } from '../../server/edge/services/copies.ts'
import type { PageFile } from '../../server/edge/services/parts.ts'
import type { Sending } from '../../server/edge/services/senders.ts'
import { originOf, problemsOf } from '../../server/settings.ts'
import { type Context, EXIT, emitText, endWith, printLine } from './options.ts'
import { waitFor, whenAskedToEnd } from './waiting.ts'

/** The valid configuration of a file, with absolute paths. Fails as its reading does, and with input.refused for what the schema cannot express. */
export async function teamConfigIn(file: string): Promise<Outcome<TeamConfig>> {
  const read = await readTeamConfig(file)
  if (!read.ok) return read
  const problems = problemsOf(read.value.value)
  return problems.length === 0 ? ok(read.value.value) : read.value.refuse(problems)
}

export { checkIntegrations } from '../../app/schedules/schedules.ts'

/** Checks the files with secrets, certificates and keys that a configuration names, without connecting. Fails as their reading does. */
export function checkFiles(config: TeamConfig): Outcome<null> {
  const secrets = readTeamSecrets(config)
  if (!secrets.ok) return secrets
  const { tls } = secrets.value
  const usable = tls === null ? ok(null) : secureOptions(tls)
  return usable.ok ? ok(null) : usable
}

/** Checks the audit log, its signed heads and those in the record of a sealer, and prints what was found. */
export async function verifyAudit(context: Context, config: TeamConfig, record: string | null): Promise<void> {
  const { auditLog, sealers = [] } = config
  const read = await readAuditLog(auditLog)
  if (!read.ok) return endWith(context, read.error)
  const recorded = record === null ? ok(null) : await readRecord(record)
  if (!recorded.ok) return endWith(context, recorded.error)
  const { check: checked, heads: inLog } = read.value
  if (!checked.intact) {
    printLine(`${auditLog}: line ${checked.line} does not continue the line before it.`)
    return context.exit(EXIT.notVerified)
  }
  const { size, digest } = checked.head
  printLine(`${auditLog}: ${size} entries, each continues the one before it; the last has the digest ${digest}.`)
  const heads = inLog.signed().map((head) => ({
    ...head,
    signer: remoteSigning.textSigner(head.text, Buffer.from(head.cms, 'base64')),
  }))
  const isKnown = (signer: string | null): boolean => sealers.some(({ certificate }) => certificate === signer)
  const wrong = heads.filter(({ isInLog, signer }) => !isInLog || !isKnown(signer))
  for (const { line, isInLog } of wrong)
    printLine(
      `${auditLog}: the signed head in line ${line} ${isInLog ? 'is not signed by a sealer of the configuration' : 'is not that of the lines before it'}.`,
    )
  const last = heads.filter((head) => !wrong.includes(head)).at(-1)
  if (last?.statement == null) printLine('No entry is covered by a signature of a sealer.')
  else
    printLine(
      `The first ${last.statement.size} entries were signed on ${last.statement.at}, by the clock of the sealer, with the certificate ${last.signer}.`,
    )
  const missing = recorded.value === null ? [] : recordedHeads(recorded.value, inLog)
  const lost = missing.filter(({ isInLog }) => !isInLog)
  for (const { line, statement } of lost)
    printLine(
      `${record} line ${line}: on ${statement.at}, the log had ${statement.size} entries with the digest ${statement.digest}; it no longer has this head.`,
    )
  if (recorded.value !== null)
    printLine(`${record}: ${missing.length - lost.length} of ${missing.length} recorded heads are in the log.`)
  else
    printLine(
      'Not shown: that no entries were removed from the end. Compare with the record of a sealer (--record), or keep size and digest elsewhere.',
    )
  const agrees = await agreesWithStore(config)
  if (wrong.length > 0 || lost.length > 0) return context.exit(EXIT.notVerified)
  if (!agrees.ok) return endWith(context, agrees.error)
  if (!agrees.value) return context.exit(EXIT.notVerified)
}

/** Compares the audit log with its copies where a configuration names an object store, prints the result, and gives whether they agree. */
async function agreesWithStore(config: TeamConfig): Promise<Outcome<boolean>> {
  const { auditLog, objects, listen } = config
  if (objects === undefined) return ok(true)
  const secrets = readObjectSecrets(objects)
  const store = secrets.ok ? await openStoreOf(objects, secrets.value, AUDIT_LOGS) : secrets
  const place = placeOf(originOf(config, listen.port))
  const lines = linesInOrder(completeLines(auditLog))
  const compared = store.ok ? await compareAuditLog(store.value, place, lines).finally(lines.close) : store
  if (!compared.ok) return compared
  const { kept, problems, others } = compared.value
  for (const problem of problems) printLine(`${auditLog}: ${problem}.`)
  if (problems.length === 0)
    printLine(
      kept === 0
        ? `The object store keeps no entry of this log (${place}).`
        : `The object store keeps the first ${kept} entries of this log (${place}), as they are here.`,
    )
  for (const other of others)
    printLine(`The object store also keeps the log ${other.place}, with ${other.entries} entries; it was not compared.`)
  return ok(problems.length === 0 && kept > 0)
}

/** How long a run waits for a silent collector, whose recording is stored even if it arrives later, and an export for its signer. */
const PATIENCE_MS = 10 * 60_000

/** Serves until the process is asked to end. `reread` gives the configuration as it is now, for SIGHUP. */
export async function runServer(
  context: Context,
  config: TeamConfig,
  reread: () => Promise<Outcome<TeamConfig>>,
): Promise<void> {
  const { ports } = context
  const pages = builtPages()
  if (!pages.ok) return endWith(context, pages.error)
  const secrets = readTeamSecrets(config)
  if (!secrets.ok) return endWith(context, secrets.error)
  const asked = new Promise<void>((resolve) => whenAskedToEnd(resolve))
  const { database: databaseSecrets, objects: objectSecrets, ...files } = secrets.value
  const newId = (): string => Buffer.from(ports.entropy.bytes(16)).toString('hex')
  const database = await databaseOf(config, databaseSecrets, newId)
  if (!database.ok) return endWith(context, database.error)
  const shared = database.value
  const started = await serve({
    config,
    ...files,
    database: shared,
    pages: pages.value,
    problems: ipcProblems,
    now: () => Date.now(),
    log: (line) => emitText(`${JSON.stringify(line)}\n`),
    collecting: {
      catalogDigest: digestOf(catalog),
      problems: schemaProblems,
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
      newId,
      patienceMs: PATIENCE_MS,
    },
    zipFolder: (files) => zipFolder(ports, files),
    newFolder: newServerFolder,
    copying: copyingOf(config, objectSecrets, ports),
    sending: sendingOf(ports),
    starting: { everyMs: START_LOOK_MS },
    openEngine: async (folder, desktop, { collection, identities, requests, integrations }) =>
      await createEngine({ ...ports, identities: { ...ports.identities, ...identities } }, catalog, {
        folder,
        desktop,
        signing: identities === null ? 'no-sealer' : 'sealers',
        keepsSealed: true,
        requestsOfAuditors: requests,
        integrations,
        ...(collection === null ? {} : { remote: collection }),
        // The file of this account is not used, because it may contain other schedules.
        scheduling: { file: `${folderIn(folder, 'schedules')}/${SCHEDULE_FILE}`, server: { wait: waitFor } },
      }),
  })
  if (!started.ok) {
    await shared?.close()
    return endWith(context, started.error)
  }
  const { origin, monitoring, reload, close } = started.value
  let last: Promise<void> = Promise.resolve()
  process.on('SIGHUP', () => {
    last = last.then(async () => {
      const read = await reread()
      const tls = read.ok ? readTls(read.value) : read
      const done = read.ok && tls.ok ? await reload(read.value, tls.value) : tls
      const failure = done.ok ? {} : { code: done.error.code, detail: done.error.detail }
      emitText(`${JSON.stringify({ at: new Date().toISOString(), kind: 'reload', ok: done.ok, ...failure })}\n`)
    })
  })
  const whom = config.serves === 'collectors' ? 'collectors of ' : ''
  printLine(`Serving ${whom}${config.engagements.length} engagements at ${origin}/ until this process is ended.`)
  if (monitoring !== null) printLine(`Monitoring: ${monitoring}/healthz, /readyz and /metrics.`)
  await asked
  await close()
  await shared?.close()
}

const MINUTE_MS = 60_000
/** Largest delay of the start of a scheduled run, in ms. */
const START_LOOK_MS = 30_000

/** Copies to the object store of a configuration; null where it names none. The client is loaded when used. */
function copyingOf({ objects }: TeamConfig, secrets: ObjectSecrets | null, ports: CopyPorts): Copying | null {
  if (objects === undefined) return null
  return {
    ports,
    years: objects.years ?? USUAL_YEARS,
    everyMs: 5 * MINUTE_MS,
    auditEveryMs: 10 * MINUTE_MS,
    soonMs: 5000,
    openStore: (name) => openStoreOf(objects, secrets, name),
  }
}

async function openStoreOf(
  objects: TeamObjects,
  secrets: ObjectSecrets | null,
  name: string,
): Promise<Outcome<ObjectStore>> {
  const { openObjects } = await import('../../adapters/objects/index.ts')
  return await openObjects(objects, secrets, name)
}

/** Sends as “send” does, by the configuration that an engagement names. */
const sendingOf = (ports: Context['ports']): Sending => ({
  everyMs: 5 * MINUTE_MS,
  soonMs: 5000,
  endMs: 10_000,
  send: async ({ folder, integrations: file }, planned, signal) => {
    const { sendSealed } = await import('../../app/outbox/sealed-packs.ts')
    const wait = (milliseconds: number): Promise<void> => waitFor(milliseconds, signal)
    const noted: SendDeps['planned'] = ({ run, pack }) => planned({ run, ...pack })
    return await sendSealed({ ports, catalog, wait, planned: noted, signal }, { folder, file })
  },
})

/** The database of a configuration; null where it names none. The client is loaded when used. Fails as openDatabase(). */
async function databaseOf(
  { database }: TeamConfig,
  secrets: DatabaseSecrets | null,
  newId: () => string,
): Promise<Outcome<OpenDatabase | null>> {
  if (database === undefined || secrets === null) return ok(null)
  const { openDatabase } = await import('../../adapters/database/index.ts')
  return await openDatabase(database, secrets, newId)
}

/** Next to the built program, or built in the source tree. */
const PLACES = ['../renderer', '../../renderer', '../../../out/renderer'] as const

function builtPages(): Outcome<ReadonlyMap<string, PageFile>> {
  const folder = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(`${path}/index.html`),
  )
  return folder === undefined ? fail('input.not-found', 'the built pages; run: npm run build') : ok(builtFiles(folder))
}
