import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { fail, type Outcome } from '../core/failure.ts'
import type { Clock } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { EXIT } from './exit-codes.ts'
import { sayFailure } from './terminal.ts'

/** Off unless given: live tests load the node. */
export const LIVE_TESTS = [
  '--live-tests',
  'also ask live tests: bounded measurements that keep one processor of each node busy, less than a minute in all',
] as const

/** The option that chooses frameworks. */
export const FRAMEWORKS = [
  '--framework <list>',
  'of hipaa, soc2, nprm, nist-800-53, csf-2, iso-27001, pci-dss-4 and the fleet’s mappings; default hipaa,soc2 and those mappings',
] as const

/** "hipaa,soc2" as names; undefined where none was given. Whether they exist is told where mappings are known. */
export const frameworkList = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')

/** A moment given by a person, as UTC with milliseconds; now when none is given. */
export function instant(option: string, text: string | undefined, clock: Clock): Outcome<string> {
  if (text === undefined) return ok(clock.now())
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = iso ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text) : Number.NaN
  if (Number.isNaN(time))
    return fail('input.refused', `${option}: “${text}” is not a UTC time such as 2026-11-21T09:00:00Z`)
  return ok(new Date(time).toISOString())
}

/** A file that a command makes anew: fails with input.refused where anything of that name is there, or its folder is a file. */
export function newFile(path: string): Outcome<null> {
  const parent = dirname(path)
  if (kindOf(parent) === 'other')
    return fail('input.refused', `${path} cannot be made: ${parent} is not a folder; nothing was written`)
  return isThere(path) ? fail('input.refused', `${path} exists already; nothing was written`) : ok(null)
}

/** As newFile(), in a folder that must be there: a mistyped path must not make folders for a key. */
export function newFileBeside(path: string): Outcome<null> {
  const fresh = newFile(path)
  return fresh.ok && kindOf(dirname(path)) === 'missing'
    ? fail('input.refused', `the folder ${dirname(path)} does not exist; nothing was written`)
    : fresh
}

/** A link that leads nowhere is there too. What cannot be looked at is left for the writing to fail on. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** What a path leads to. A path that goes on below a file is no folder either. */
function kindOf(path: string): 'folder' | 'missing' | 'other' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'other'
  } catch (problem) {
    return problem instanceof Error && 'code' in problem && problem.code === 'ENOTDIR' ? 'other' : 'missing'
  }
}

/** A count from 1, as a person types it. */
export const countedNumber = (option: string, text: string): Outcome<number> =>
  /^[1-9]\d{0,8}$/.test(text)
    ? ok(Number(text))
    : fail('input.refused', `${option}: “${text}” is not a number from 1 on`)

/** Ends a command with input.refused before it begins where --identity-folder or --chain names something that is no folder. */
export const withFoldersChecked = (command: Command): Command =>
  command.hook('preAction', (_, acting) => {
    const { identityFolder, chain } = acting.opts<{ identityFolder?: unknown; chain?: unknown }>()
    for (const folder of [identityFolder, chain]) {
      if (typeof folder !== 'string' || kindOf(folder) !== 'other') continue
      const detail = `${folder} is not a folder; nothing was written`
      sayFailure({ code: 'input.refused', detail })
      throw new CommanderError(EXIT.usage, 'input.refused', detail)
    }
  })
