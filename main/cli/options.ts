import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { fail, type Outcome } from '../core/failure.ts'
import type { Clock } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { EXIT } from './exit-codes.ts'
import { printFailure } from './terminal.ts'

/** For commands that otherwise print text. */
export const JSON_OUTPUT = ['--json', 'Print JSON'] as const

/** Off by default, because live tests load the node. */
export const LIVE_TESTS = [
  '--live-tests',
  'Also run live tests: bounded measurements that use one processor of each node for less than a minute',
] as const

/** For schedulers that must not stop on deviations. */
export const DEVIATIONS_EXIT_ZERO = [
  '--deviations-exit-zero',
  'Exit with 0 instead of 3 if deviations are the only problem',
] as const

/** The option that selects frameworks. */
export const FRAMEWORKS = [
  '--framework <list>',
  'Comma-separated frameworks: hipaa, soc2, nprm, nist-800-53, csf-2, iso-27001, pci-dss-4 and mappings of the fleet file; default hipaa,soc2 and those mappings',
] as const

/** "hipaa,soc2" as names; undefined without the option. Unknown names are refused later, once the mappings are read. */
export const frameworkList = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')

/** The time of an option as UTC with milliseconds; now without the option. Fails with input.refused. */
export function instant(option: string, text: string | undefined, clock: Clock): Outcome<string> {
  if (text === undefined) return ok(clock.now())
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = iso ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text) : Number.NaN
  if (Number.isNaN(time))
    return fail('input.refused', `${option}: “${text}” is not a UTC time. Enter a time such as 2026-11-21T09:00:00Z`)
  return ok(new Date(time).toISOString())
}

/** For a command that creates a file: fails with input.refused if the path exists or its parent is not a folder. */
export function newFile(path: string): Outcome<null> {
  const parent = dirname(path)
  if (kindOf(parent) === 'other')
    return fail('input.refused', `${path} cannot be created: ${parent} is not a folder; nothing was written`)
  return isThere(path) ? fail('input.refused', `${path} already exists; nothing was written`) : ok(null)
}

/** As newFile(), but the folder must exist: a mistyped path must not create folders for a key. */
export function newFileInFolder(path: string): Outcome<null> {
  const fresh = newFile(path)
  return fresh.ok && kindOf(dirname(path)) === 'missing'
    ? fail('input.refused', `the folder ${dirname(path)} does not exist; nothing was written`)
    : fresh
}

/** True for a dangling link, too. A path that cannot be inspected counts as absent: writing it fails with the reason. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** The kind of a path. A path that continues below a file is not a folder. */
function kindOf(path: string): 'folder' | 'missing' | 'other' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'other'
  } catch (problem) {
    return problem instanceof Error && 'code' in problem && problem.code === 'ENOTDIR' ? 'other' : 'missing'
  }
}

/** A whole number from 1. Fails with input.refused. */
export const countedNumber = (option: string, text: string): Outcome<number> =>
  /^[1-9]\d{0,8}$/.test(text)
    ? ok(Number(text))
    : fail('input.refused', `${option}: “${text}” is not a whole number of at least 1`)

/** Ends a command with input.refused before it starts if --identity-folder or --chain names something other than a folder. */
export const withFoldersChecked = (command: Command): Command =>
  command.hook('preAction', (_, acting) => {
    const { identityFolder, chain } = acting.opts<{ identityFolder?: unknown; chain?: unknown }>()
    for (const folder of [identityFolder, chain]) {
      if (typeof folder !== 'string' || kindOf(folder) !== 'other') continue
      const detail = `${folder} is not a folder; nothing was written`
      printFailure({ code: 'input.refused', detail })
      throw new CommanderError(EXIT.usage, 'input.refused', detail)
    }
  })
