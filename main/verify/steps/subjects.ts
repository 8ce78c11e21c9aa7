import type { Statement } from '../../../schemas/types.ts'
import { sha256 } from '../../core/base/digest.ts'
import { quote } from '../../core/base/plain-text.ts'
import { PATHS } from '../../core/pack/pack.ts'
import type { PackSource } from '../../core/ports/ports.ts'

/** The statement must list the manifest and the principal files, each with its digest, and nothing else. */
export async function statementProblems(
  source: PackSource,
  statement: Pick<Statement, 'subject'> | null,
  manifest: string | null,
  named: readonly string[],
): Promise<readonly string[]> {
  if (statement === null) return []
  const digests = new Map<string, string | null>()
  for (const path of named)
    if (source.paths.includes(path)) digests.set(path, await source.sha256(path).catch(() => null))
  return subjectProblems(statement, manifest, { named, digests })
}

/** Differences between the subjects of a statement and the files; `digests` has the digest of each named file that is present. */
export function subjectProblems(
  statement: Pick<Statement, 'subject'>,
  manifest: string | null,
  { named, digests }: { readonly named: readonly string[]; readonly digests: ReadonlyMap<string, string | null> },
): readonly string[] {
  const subjects = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]))
  const problems = subjects.size === statement.subject.length ? [] : [`${PATHS.statement} names a file twice.`]
  const disagrees = (path: string): string => `${PATHS.statement} and the files disagree about ${quote(path, 400)}.`
  if (manifest === null || subjects.get(PATHS.manifest) !== sha256(manifest)) problems.push(disagrees(PATHS.manifest))
  for (const path of named)
    if (digests.has(path) && subjects.get(path) !== digests.get(path)) problems.push(disagrees(path))
  for (const path of subjects.keys())
    if (path !== PATHS.manifest && !named.includes(path))
      problems.push(`${PATHS.statement} names ${quote(path, 400)}, which does not belong there.`)
  return problems
}
