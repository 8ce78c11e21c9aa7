import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPorts } from '../../main/adapters/ports.ts'
import type { Desktop, EngineContext, Session, Vault } from '../../main/app/engine/context/context.ts'
import { exportMethods } from '../../main/app/engine/export/export-methods.ts'
import { reviewMethods } from '../../main/app/engine/review/review-methods.ts'
import { trustMethods } from '../../main/app/engine/trust/trust-methods.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { type Outcome, ok } from '../../main/core/base/failure.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Scope } from '../../schemas/types.ts'
import { fakeScheduling } from './fake-timers.ts'
import { AS_OF, sampleCatalog, sampleRecording } from './sample-pack.ts'

/** What a person in front of the window does: answers to questions, in order; null closes the question. */
interface Person {
  readonly asked: string[]
  readonly answers: (string | null)[]
}

export interface SealingKit {
  readonly folder: string
  readonly context: EngineContext
  readonly person: Person
  readonly exports: ReturnType<typeof exportMethods>
  readonly review: ReturnType<typeof reviewMethods>
  readonly trust: ReturnType<typeof trustMethods>
  /** The clock says this from now on. */
  readonly setClock: (at: string) => void
  readonly remove: () => void
}

export interface KitOptions {
  readonly vault?: Vault | null
  /** Null: nothing was collected. */
  readonly recordings?: readonly LoadedRecording[] | null
  readonly population?: readonly string[]
  readonly fleet?: string
  readonly demo?: boolean
  readonly change?: (ports: Ports) => Ports
}

/** Export, review and trust over the real adapters, a folder of their own and a small run, without the rest of the engine. */
export function sealingKit(options: KitOptions = {}): SealingKit {
  const folder = mkdtempSync(join(tmpdir(), 'bw-sealing-'))
  const person: Person = { asked: [], answers: [] }
  let at: string | null = null
  const real = createPorts(sampleCatalog)
  const clock = { ...real.clock, now: () => at ?? real.clock.now() }
  const ports = (options.change ?? ((one) => one))({ ...real, clock })
  const desktop: Desktop = {
    ask: async (question) => {
      person.asked.push(question)
      return person.answers.shift() ?? null
    },
    show: async () => ok(null),
    vault: options.vault ?? null,
  }
  const session = sessionOf(options)
  const context: EngineContext = {
    ports,
    catalog: sampleCatalog,
    folder,
    session,
    desktop,
    scheduling: fakeScheduling(folder),
    remote: null,
    requestsOfAuditors: () => null,
    signing: 'here',
    keepsSealed: false,
    integrations: null,
    notify: () => undefined,
  }
  return {
    folder,
    context,
    person,
    exports: exportMethods(context),
    review: reviewMethods(context),
    trust: trustMethods(context),
    setClock: (moment) => {
      at = moment
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function sessionOf({ recordings, population, fleet, demo = false }: KitOptions): Session {
  const held = recordings ?? [
    sampleRecording('node-a', '', demo),
    sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n', demo),
  ]
  const scope: Scope = {
    fleet: fleet ?? 'sample fleet',
    population: [...(population ?? ['node-a', 'node-b'])] as unknown as Scope['population'],
    frameworks: ['soc2'],
  }
  const assessment = assess({ catalog: sampleCatalog, scope, recordings: held, asOf: AS_OF })
  const run = recordings === null ? null : { run: 'run-1', scope, recordings: held, assessment, unreadable: [] }
  return {
    fleet: null,
    demo,
    run,
    pack: null,
    verifying: null,
    keys: new Map(),
    keyList: null,
    going: null,
    journal: null,
  }
}

/** A vault in memory. */
export function memoryVault(): Vault & { readonly secrets: Map<string, string> } {
  const secrets = new Map<string, string>()
  return {
    secrets,
    described: 'the test vault',
    read: async (name) => secrets.get(name) ?? null,
    write: async (name, secret) => {
      secrets.set(name, secret)
      return ok(null)
    },
  }
}

/** A settings file with an authority. */
export const settingsWith = (authority: string | null): string =>
  JSON.stringify({ concurrency: 64, authority, singleKeys: true, theme: 'system' })

/** A failure in one line. */
export const refusal = (outcome: Outcome<unknown>): string =>
  outcome.ok ? 'it was accepted' : `${outcome.error.code}: ${outcome.error.detail}`

/** Files below a folder whose bytes hold a text. */
export const filesHolding = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
