import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPorts } from '../../main/adapters/ports.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { codeOf, EXIT } from '../../main/cli/parts/options.ts'
import { pem } from '../../main/core/base/pem.ts'
import { VERIFY_SH } from '../../main/core/pack/verify-text.ts'
import { lackingIn } from '../../main/verify/steps/complete.ts'
import type { VectorSet } from './vectors.ts'

/** What a verifier answers about a vector. */
export interface VectorAnswer {
  /** Exit code of `verify FILE --trust root.pem`. */
  readonly exit: number
  /** The outcomes of the six checks; the code of the failure where the file is not read. */
  readonly checks: Readonly<Record<string, string>> | string
  /** Whether verify.sh ends with ALL CHECKS PASSED. */
  readonly script: 'passes' | 'stops'
}

const ports = createPorts(catalog)

/** Verifies an archive as the command line does, and with verify.sh. `folder` takes both files. */
export async function judgeVector(
  folder: string,
  bytes: Uint8Array,
  { root, pin }: Pick<VectorSet, 'root' | 'pin'>,
): Promise<VectorAnswer> {
  const place = mkdtempSync(join(folder, 'judge-'))
  const path = join(place, 'pack.zip')
  writeFileSync(path, bytes)
  const trust = { signers: [root], authorities: [], lists: [] }
  const reviewed = await reviewFile(ports, catalog, { path, trust, checkpoint: null, keep: false })
  const script = scriptOf(place, { root, pin })
  if (!reviewed.ok) return { exit: codeOf(reviewed.error), checks: reviewed.error.code, script }
  const { report } = reviewed.value
  const lacking = lackingIn(report, { signers: true, authorities: false, checkpoint: false })
  return {
    exit: report.ok ? (lacking.length > 0 ? EXIT.incomplete : EXIT.done) : EXIT.notVerified,
    checks: Object.fromEntries(report.checks.map(({ check, outcome }) => [check, outcome])),
    script,
  }
}

/** Throws where the script neither passes nor stops in its own words. */
function scriptOf(folder: string, { root, pin }: Pick<VectorSet, 'root' | 'pin'>): VectorAnswer['script'] {
  writeFileSync(join(folder, 'verify.sh'), VERIFY_SH)
  writeFileSync(join(folder, 'root.pem'), pem('CERTIFICATE', root))
  const { status, stdout, stderr } = spawnSync('sh', ['verify.sh', 'pack.zip', 'root.pem', pin], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  if (status === 0 && last === 'ALL CHECKS PASSED') return 'passes'
  if (status !== 0 && last.startsWith('STOPPED: ')) return 'stops'
  throw new Error(`verify.sh ended with ${status}: ${stdout}${stderr}`)
}
