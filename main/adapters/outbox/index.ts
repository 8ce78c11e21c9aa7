import { join } from 'node:path'
import type { IntegrationsConfig } from '../../../schemas/types.ts'
import { jsonOrNull } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { OUTBOX } from '../../core/base/layout.ts'
import { isLoopbackUrl } from '../../core/base/loopback.ts'
import type { Integrations, Outbox, Target, TargetPlan } from '../../core/outbox/delivery.ts'
import { isOutboxEntry, type Letter, letterAfter, letterName, type OutboxEntry } from '../../core/outbox/journal.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { lockFolder } from '../folder-lock.ts'
import { webhookAddress } from '../notify/index.ts'
import { readIntegrationsConfig } from '../program-config.ts'
import { ownersFile } from '../secret-file.ts'
import { bytesIfThere, guarded, makeFolder, storeFailure, writeWhole } from '../store/durable.ts'
import { appendLine, cutTornLine } from '../stored-file.ts'
import { type Authorization, createReceiver } from './receiver.ts'

/** A problem and the part of the configuration that has it; `text` follows the name of the part. */
interface ConfigProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** The problems of a configuration of integrations that its schema cannot express; none where it can be used. */
function integrationsProblems(config: IntegrationsConfig): readonly ConfigProblem[] {
  const targets = placedTargets(config)
  return targets.flatMap(({ path, name, url }, at) => [
    ...(targets.slice(0, at).some((other) => other.name === name)
      ? [{ path: [...path, 'name'], text: 'is the name of another target' }]
      : []),
    ...(url?.startsWith('http:') === true && !isLoopbackUrl(url)
      ? [{ path: [...path, 'url'], text: 'must begin with https, unless its host is a loopback address' }]
      : []),
  ])
}

/** Every address and name in a configuration with its position in it. */
function placedTargets(
  config: IntegrationsConfig,
): readonly { readonly path: readonly (string | number)[]; readonly name: string; readonly url: string | null }[] {
  const { webhook, slack, teams, jira, serviceNow, cisoAssistant, vanta, drata, openTelemetry, files } = config
  const lists = { webhook, slack, teams, jira, serviceNow, cisoAssistant, vanta, drata, openTelemetry, files }
  return Object.entries(lists).flatMap(([kind, list]) =>
    (list ?? []).map((target, at) => ({
      path: [kind, at],
      name: target.name,
      url: 'url' in target && target.url !== undefined ? target.url : null,
    })),
  )
}

const LARGEST = 512 * 1024 * 1024
const PATIENCE_MS = 10_000

/**
 * Opens the outbox in a folder: one journal, which is read and shortened at opening. Only one process can open it; another one waits, then
 * fails with store.failed. Fails with store.failed also where the journal cannot be read.
 */
export async function openOutbox(folder: string): Promise<Outcome<Outbox>> {
  const path = join(folder, OUTBOX.journal)
  try {
    await makeFolder(folder, 0o700)
    const lock = await lockFolder(folder, PATIENCE_MS)
    if (!lock.ok) return lock
    await cutTornLine(path, LARGEST)
    const read = await lettersIn(path)
    if (!read.ok) {
      await lock.value.release()
      return read
    }
    await writeWhole(path, [...read.value.values()].map((letter) => lineOf({ kind: 'kept', letter })).join(''))
    return ok(outboxOver(path, read.value, lock.value.release))
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** The content of an outbox, without opening it, for a dry run. Fails as openOutbox(), but does not wait and changes nothing. */
export const readOutbox = (folder: string): Promise<Outcome<ReadonlyMap<string, Letter>>> =>
  guarded(() => lettersIn(join(folder, OUTBOX.journal)))

function outboxOver(path: string, letters: Map<string, Letter>, close: () => Promise<void>): Outbox {
  let isBroken = false
  return {
    letters: () => letters,
    record: async (entry) => {
      if (isBroken) return fail('store.failed', `${path} could not be written`)
      try {
        await appendLine(path, lineOf(entry), LARGEST)
      } catch (problem) {
        // Part of a line may be on the disk, which no further line may continue: the journal must be opened again.
        isBroken = true
        return storeFailure(problem)
      }
      apply(letters, entry)
      return ok(null)
    },
    close,
  }
}

const lineOf = (entry: OutboxEntry): string => `${canonicalJson(entry)}\n`

function apply(letters: Map<string, Letter>, entry: OutboxEntry): boolean {
  const about = entry.kind === 'kept' ? entry.letter : entry
  const after = letterAfter(letters.get(letterName(about)), entry)
  if (after !== null) letters.set(letterName(after), after)
  return after !== null
}

async function lettersIn(path: string): Promise<Outcome<Map<string, Letter>>> {
  const letters = new Map<string, Letter>()
  const text = (await bytesIfThere(path, LARGEST))?.toString('utf8') ?? ''
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const entry = jsonOrNull(line)
    if (!isOutboxEntry(entry) || !apply(letters, entry))
      return fail('store.failed', `${path}: line ${index + 1} is not an entry that follows from those before it`)
  }
  return ok(letters)
}

/** Characters that a header and an address can contain: visible ASCII, in one line. */
const SECRET = /^[\x21-\x7e]{1,4096}$/

/** Reads the secrets of a target. Fails with input.not-found or input.refused, and names the file, never its content. */
export function openTarget(plan: TargetPlan, clock: Clock): Outcome<Target> {
  const { address, authorization, ...form } = plan
  const url = address.is === 'open' ? ok(address.url) : secretIn(address.file, 'address')
  if (!url.ok) return url
  const checked = webhookAddress(url.value)
  if (!checked.ok) return checked
  const shown = authorizationOf(authorization)
  if (!shown.ok) return shown
  return ok({ ...form, receiver: createReceiver({ url: url.value, authorization: shown.value, clock }) })
}

function authorizationOf(authorization: TargetPlan['authorization']): Outcome<Authorization> {
  if (authorization.is === 'none') return ok({ is: 'none' })
  const secret = secretIn(authorization.file, authorization.is === 'signature' ? 'key' : 'token')
  if (!secret.ok) return secret
  switch (authorization.is) {
    case 'bearer':
      return ok({ is: 'header', value: `Bearer ${secret.value}` })
    case 'token':
      return ok({ is: 'header', value: `Token ${secret.value}` })
    case 'basic':
      return ok({
        is: 'header',
        value: `Basic ${Buffer.from(`${authorization.user}:${secret.value}`).toString('base64')}`,
      })
    case 'signature':
      return ok({ is: 'signature', key: secret.value })
  }
}

function secretIn(file: string, holds: string): Outcome<string> {
  const read = ownersFile(file, holds)
  if (!read.ok) return read
  return SECRET.test(read.value)
    ? read
    : fail('input.refused', `the first line of ${file} is not one word of visible ASCII characters`)
}

/** Configuration, receivers and journals on this computer. */
export const createIntegrations = (clock: Clock): Integrations => ({
  read: async (file) => {
    const read = await readIntegrationsConfig(file)
    if (!read.ok) return read
    const { value, refuse } = read.value
    const problems = integrationsProblems(value)
    return problems.length > 0 ? refuse(problems) : ok(value)
  },
  openTarget: async (plan) => openTarget(plan, clock),
  openOutbox,
  readOutbox,
})
