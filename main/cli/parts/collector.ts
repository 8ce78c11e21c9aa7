import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { CollectorConfig } from '../../../schemas/types.ts'
import { openSpool } from '../../adapters/jobs/spool.ts'
import { createTeamClient } from '../../adapters/jobs/team-client.ts'
import { readCollectorConfig, readProgramSecrets, serverProblems } from '../../adapters/program-config.ts'
import { type CollectorEvent, runCollector } from '../../app/collector/work.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { isZone, tokenDigest } from '../../core/team/jobs.ts'
import { type Context, endWith, printFailure, printLine } from './options.ts'
import { waitFor, whenAskedToEnd } from './waiting.ts'

export { readProgramSecrets }

/** A configuration with its zone. */
type ZonedConfig = CollectorConfig & { readonly zone: string }

/**
 * The valid configuration of a file, with the zone that it or the command line names. Its fleet file is read as well. Fails as reading them
 * does, and with input.refused where neither names a zone, or both name different ones.
 */
export async function collectorConfigIn(
  { ports }: Context,
  file: string,
  wanted: string | null,
): Promise<Outcome<ZonedConfig>> {
  const read = await readCollectorConfig(file)
  if (!read.ok) return read
  const { value, refuse } = read.value
  const zone = value.zone ?? wanted
  if (zone === null) return refuse([{ path: ['zone'], text: 'is missing, and no option --zone is given' }])
  if (wanted !== null && wanted !== zone) return refuse([{ path: ['zone'], text: 'differs from the option --zone' }])
  if (!isZone(zone)) return fail('input.refused', '--zone: use 1 to 61 lower-case letters, digits and hyphens')
  const problems = serverProblems(value)
  if (problems.length > 0) return refuse(problems)
  const fleet = await ports.fleets.read(value.fleet)
  return fleet.ok ? ok({ ...value, zone }) : fleet
}

/** Creates a token in a new file. Prints the entry for the server’s configuration, and the list that it belongs to. */
export function newToken(context: Context, file: string, list: 'collectors' | 'sealers'): void {
  const token = randomBytes(32).toString('base64url')
  try {
    const fd = openSync(file, 'wx', 0o600)
    writeSync(fd, `${token}\n`)
    closeSync(fd)
  } catch {
    endWith(context, { code: 'input.refused', detail: `${file} exists, or cannot be created` })
    return
  }
  printLine(`${file} contains the token. Keep it on this computer.`)
  printLine(`The administrator of the team server adds an entry to “${list}” of its configuration, with this digest:`)
  printLine(`  tokenDigest: "${tokenDigest(token)}"`)
}

const WORDS: Readonly<Record<CollectorEvent['kind'], string>> = {
  leased: 'leased',
  collected: 'collected',
  delivered: 'delivered',
  refused: 'refused',
  'set-aside': 'moved to the folder “refused” of the spool',
  waits: 'waiting',
}
const DEFAULT_CONCURRENCY = 4

/** Collects until the process is asked to end. */
export async function runCollectorUntilStopped(context: Context, config: ZonedConfig): Promise<void> {
  const { ports } = context
  const secrets = readProgramSecrets(config)
  if (!secrets.ok) return endWith(context, secrets.error)
  const spool = await openSpool(config.spool)
  if (!spool.ok) return endWith(context, spool.error)
  const stop = new AbortController()
  whenAskedToEnd(() => stop.abort())
  printLine(`Collecting nodes of zone ${config.zone} for ${config.server} until this process is ended.`)
  await runCollector(
    {
      ports,
      catalog,
      spool: spool.value,
      server: createTeamClient({ server: config.server, ...secrets.value }),
      wait: waitFor,
    },
    {
      zone: config.zone,
      fleet: config.fleet,
      concurrency: config.concurrency ?? DEFAULT_CONCURRENCY,
      signal: stop.signal,
      onEvent: printEvent,
    },
  )
  await spool.value.close()
}

function printEvent(event: CollectorEvent): void {
  if (event.kind === 'waits') {
    printFailure(event.failure)
    return
  }
  const why = 'failure' in event ? `: ${plain(event.failure.detail, 300)}` : ''
  printLine(`${event.node} (run ${event.run}): ${WORDS[event.kind]}${why}`)
}
