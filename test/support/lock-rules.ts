import { writeFileSync } from 'node:fs'
import { CATALOG_VERSION } from '../../main/catalog/definition/version.ts'
import { buildRules, LOCK, type RulesLock, readLock } from './rules-module.ts'

/**
 * `npm run rules:lock`: writes which module the rules of this version are. The rules of a version stay what they are: where the lock has another
 * module under the same version, the version has to be raised first. `--unsealed` is for the author of a version that nothing was sealed with.
 */
async function lockRules(unsealed: boolean): Promise<string> {
  const { sha256 } = await buildRules()
  const before = readLock()
  if (before.version === CATALOG_VERSION && before.sha256 === sha256)
    return `Version ${CATALOG_VERSION} is locked as it is.`
  if (before.version === CATALOG_VERSION && !unsealed) {
    process.exitCode = 1
    return `The rules differ from those locked as version ${CATALOG_VERSION}: raise it in main/catalog/definition/version.ts, or give --unsealed where no pack was sealed with it.`
  }
  const lock: RulesLock = { version: CATALOG_VERSION, sha256 }
  writeFileSync(LOCK, `${JSON.stringify(lock)}\n`)
  return `Locked version ${CATALOG_VERSION} as ${sha256}.`
}

lockRules(process.argv.includes('--unsealed')).then(
  (line) => process.stdout.write(`${line}\n`),
  (problem: unknown) => {
    process.exitCode = 1
    process.stderr.write(`${String(problem)}\n`)
  },
)
