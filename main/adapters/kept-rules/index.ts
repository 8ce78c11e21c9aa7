import { isAscii } from 'node:buffer'
import { createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { CatalogReference } from '../../../schemas/types.ts'
import { sha256 } from '../../core/base/digest.ts'
import type { Assessor, KeptRules, PackAssessor } from '../../core/conclusion/assessor.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import list from './list.json' with { type: 'json' }
import { recordingMessages } from './recording-message.ts'

/** Globals that rules may use in addition to `node:crypto` and those of the language. */
export const GLOBALS = ['Buffer', 'TextDecoder', 'TextEncoder', 'atob', 'btoa']

/**
 * Location of the modules: next to the built program (out/rules, seen from out/main or its chunks), or in the source
 * tree.
 */
const PLACES = ['../rules/kept/', '../../rules/kept/', './modules/']
/** The module of this program's own rules, as built; none in the source tree. */
const OWN = ['../rules/rules.mjs', '../../rules/rules.mjs']
const WORKERS = ['../rules/worker.mjs', '../../rules/worker.mjs', './worker.mjs']

/** A module that a program should have: its digest, the path of its text, and its entry in the list. */
interface ModuleAtHand {
  readonly module: string
  readonly path: string
  readonly entry: KeptEntry | undefined
}

type OwnRules = Pick<Catalog, 'version' | 'module'>
type OpenRules = KeptRules & { readonly begin: () => void; readonly close: () => void }

/**
 * The rules of this program, `own`, and the earlier rules that it keeps. Each module has a thread of its own from its first use until close().
 * `own` is null where the rules of the program are called in another way. `begin` starts the thread of `own`, which then loads while its first
 * question is prepared; results do not change. `close` does not wait for the threads. A thread that ends waits for tasks of V8; if one of them
 * waits for a garbage collection in that thread, neither ends (nodejs/node, issue 54918).
 */
export function openKeptRules(
  own: OwnRules | null,
  kept: KeptList = KEPT,
  folder: string | null = firstOf(PLACES),
  ownModule: string | null = firstOf(OWN),
): OpenRules {
  const running = new Map<string, KeptModule | null>()
  const refused = new Set<string>()
  const atHand = (version: string): ModuleAtHand | null => {
    const entry = kept.rules.find((one) => one.version === version)
    if (version === own?.version) return ownModule === null ? null : { module: own.module, path: ownModule, entry }
    return entry === undefined || folder === null
      ? null
      : { module: entry.module, path: `${folder}${entry.version}.mjs`, entry }
  }
  /** A listed module is refused where it is not the module of the list, or, once there is a release key, where that did not sign it. */
  const isRefused = ({ module, entry }: ModuleAtHand, { digest }: ModuleText): boolean =>
    entry !== undefined &&
    (digest !== entry.module ||
      module !== entry.module ||
      (kept.releaseKey !== null && !isSigned(entry, kept.releaseKey)))
  const start = (version: string): KeptModule | 'refused' | null => {
    const found = atHand(version)
    const text = found === null ? null : moduleText(found.path)
    if (found === null || text === null) return null
    if (isRefused(found, text)) return 'refused'
    return text.digest === found.module ? startModule(text.code, found.module) : null
  }
  return {
    begin: () => {
      if (own === null || running.has(own.version)) return
      const started = start(own.version)
      if (started !== null && started !== 'refused') running.set(own.version, started)
    },
    of: async (version) => {
      const known = running.get(version)
      if (known !== undefined) return known?.assess ?? null
      const started = start(version)
      if (started === 'refused') refused.add(version)
      running.set(version, started === 'refused' ? null : started)
      return started === 'refused' ? null : (started?.assess ?? null)
    },
    refused: () => [...refused],
    close: () => {
      for (const one of running.values()) one?.end()
      running.clear()
    },
  }
}

/** Rules that were started ahead of their first use, and the version that they are for. */
let ahead: { readonly own: OwnRules; readonly rules: OpenRules } | null = null

/**
 * Starts the rules of this program, which load while the caller loads the code that uses them. Their thread keeps the process running: where
 * begunRules() may not be called, the caller ends them with endAhead().
 */
export function beginAhead(own: OwnRules): OpenRules {
  const rules = openKeptRules(own)
  rules.begin()
  ahead = { own, rules }
  return rules
}

/** The rules that were started ahead, at the first call; otherwise those of openKeptRules(). */
export function begunRules(own: OwnRules): OpenRules {
  const begun = ahead
  ahead = null
  return begun?.own.version === own.version && begun.own.module === own.module ? begun.rules : openKeptRules(own)
}

/** Ends the thread of rules that were started ahead and never used. */
export function endAhead(): void {
  ahead?.rules.close()
  ahead = null
}

const firstOf = (places: readonly string[]): string | null =>
  places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place)) ?? null

interface ModuleText {
  readonly code: string
  /** SHA-256 of its bytes. */
  readonly digest: string
}

/** The text of a module; null where there is none. The build escapes other characters than those of ASCII, which are decoded ten times as fast. */
function moduleText(path: string): ModuleText | null {
  if (!existsSync(path)) return null
  const bytes = readFileSync(path)
  return { code: bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'), digest: sha256(bytes) }
}

interface KeptModule {
  readonly assess: Assessor
  readonly end: () => void
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (problem: Error) => void
}

/** Memory limit of a module, in MiB: one node at a time is evaluated. */
const MOST_MEMORY = 1024
/** Memory for new objects, in MiB; 48 by default, whereas a node and its results take less than 4. */
const YOUNG_MEMORY = 16

function startModule(code: string, digest: string): KeptModule {
  const worker = new Worker(firstOf(WORKERS) ?? '', {
    workerData: { code, sha256: digest, globals: GLOBALS },
    env: {},
    // Modules are loaded from text, since their digest is checked on the text.
    execArgv: ['--experimental-vm-modules', '--no-warnings'],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: YOUNG_MEMORY },
  })
  const messageOf = recordingMessages()
  const waiting = new Map<number, Waiting>()
  let [asked, ended] = [0, null as Error | null]
  const fail = (problem: Error): void => {
    ended ??= problem
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread of the rules ended')))
  worker.on('message', ({ id, value, threw }: { id: number; value?: unknown; threw?: string }) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (threw === undefined) one?.resolve(value)
    else one?.reject(new Error(threw))
  })
  const ask = <T>(message: { readonly ask: string; readonly pack?: number; readonly asked: readonly unknown[] }) =>
    new Promise<T>((resolve, reject) => {
      if (ended !== null) return reject(ended)
      const id = asked
      asked += 1
      waiting.set(id, { resolve: (value) => resolve(value as T), reject })
      worker.postMessage({ id, ...message })
    })
  return {
    assess: {
      about: (scope) => ask({ ask: 'about', asked: [scope] }),
      pack: async (of) => packJudge(await ask<number>({ ask: 'pack', asked: [of] }), ask, messageOf),
    },
    end: () => void worker.terminate(),
  }
}

type Ask = <T>(message: {
  readonly ask: string
  readonly pack: number
  readonly asked: readonly unknown[]
}) => Promise<T>

const packJudge = (pack: number, ask: Ask, messageOf: ReturnType<typeof recordingMessages>): PackAssessor => ({
  node: (node, recording, digest) =>
    ask({ ask: 'node', pack, asked: [node, recording === null ? null : messageOf(recording), digest] }),
  whole: (...asked) => ask({ ask: 'whole', pack, asked }),
  trace: (...asked) => ask({ ask: 'trace', pack, asked }),
})

/** The list of kept rules modules: `list.json`, written with the modules by `npm run rules:keep`, and compiled into the program. */
export interface KeptList {
  /** The public key of releases as PEM (Ed25519); null before the first release, when nothing can be signed. */
  readonly releaseKey: string | null
  readonly rules: readonly KeptEntry[]
}

export interface KeptEntry {
  readonly version: string
  /** SHA-256 of the module. */
  readonly module: string
  /** SHA-256 of the catalog without a customer's own frameworks. */
  readonly catalog: string
  /** Over signedText(), in base64; null for a version that was kept before the first release. */
  readonly signature: string | null
}

const KEPT: KeptList = list

/** The text that the signature of a release covers. */
export const signedText = ({ version, module, catalog }: Omit<KeptEntry, 'signature'>): string =>
  `barewitness.rules/1\n${version}\n${module}\n${catalog}\n`

/** Whether the release key signed the entry. False for a signature or key that cannot be read. */
export function isSigned(entry: KeptEntry, releaseKey: string): boolean {
  if (entry.signature === null) return false
  try {
    const key = createPublicKey(releaseKey)
    return (
      key.asymmetricKeyType === 'ed25519' &&
      verify(null, Buffer.from(signedText(entry)), key, Buffer.from(entry.signature, 'base64'))
    )
  } catch {
    return false
  }
}

/**
 * The state of the rules of a program in words for people: signed for release where the release key signed this version with this module,
 * otherwise unsigned development rules.
 */
export const rulesState = (
  { version, module }: Pick<CatalogReference, 'module' | 'version'>,
  { releaseKey, rules }: KeptList = KEPT,
): string =>
  releaseKey !== null &&
  rules.some((one) => one.version === version && one.module === module && isSigned(one, releaseKey))
    ? 'rules signed for release'
    : 'unsigned development rules'
