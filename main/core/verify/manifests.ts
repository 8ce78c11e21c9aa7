import type { Statement } from '../../../schemas/types.ts'
import { BAG_DECLARATION, PATHS } from '../pack.ts'
import { evidenceDigestOf, isSafePath } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource } from '../ports.ts'
import { compare } from '../recording.ts'
import type { PackTexts } from './read.ts'

/** Files that no list holds: the list that is sealed, and the seal over it. */
const UNLISTED: ReadonlySet<string> = new Set([PATHS.tagManifest, PATHS.seal])

/** What differs between the files and the lists of them, one sentence each; none when every byte is as listed and every list agrees. */
export async function alterations(
  source: PackSource,
  texts: PackTexts,
  statement: Statement | null,
): Promise<readonly string[]> {
  const payload = parseManifest(PATHS.manifest, texts.manifest)
  const tags = parseManifest(PATHS.tagManifest, texts.tagManifest)
  const isPayload = (path: string): boolean => path.startsWith('data/')
  const actual = new Map<string, string>()
  const unreadable: string[] = []
  for (const path of source.paths) {
    try {
      actual.set(path, await source.sha256(path))
    } catch {
      unreadable.push(`${quote(path)} cannot be read.`)
    }
  }
  const listed = new Map([...tags.digests, ...payload.digests])
  const misplaced = [
    ...[...payload.digests.keys()].filter((path) => !isPayload(path)).map((path) => [path, PATHS.manifest] as const),
    ...[...tags.digests.keys()].filter(isPayload).map((path) => [path, PATHS.tagManifest] as const),
  ]
  return [
    ...unreadable,
    ...payload.problems,
    ...tags.problems,
    ...misplaced.map(([path, list]) => `${list} lists ${quote(path)}, which does not belong there.`),
    ...(tags.digests.has(PATHS.manifest) ? [] : [`${PATHS.tagManifest} does not list ${PATHS.manifest}.`]),
    ...differences(actual, listed),
    ...tagProblems(source, texts, actual),
    ...statementProblems(statement, payload.digests),
  ]
}

interface Manifest {
  readonly digests: ReadonlyMap<string, string>
  readonly problems: readonly string[]
}

/** A list as sha256sum writes it (RFC 8493 §2.1.3), read strictly: one form of line, each path once. */
function parseManifest(name: string, text: string | null): Manifest {
  if (text === null) return { digests: new Map(), problems: [`${name} is missing or cannot be read.`] }
  const digests = new Map<string, string>()
  const problems = text.endsWith('\n') ? [] : [`${name} does not end with a line end.`]
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const [, digest, path] = /^([0-9a-f]{64}) {2}([^\n]+)$/.exec(line) ?? []
    if (digest === undefined || path === undefined || !isSafePath(path))
      problems.push(`${name}:${index + 1} is not a line of such a list.`)
    else if (digests.has(path)) problems.push(`${name}:${index + 1} lists ${quote(path)} again.`)
    else digests.set(path, digest)
  }
  return { digests, problems }
}

/** Files against lists, both ways. A file that only changed its name or its place is named as such. */
function differences(actual: ReadonlyMap<string, string>, listed: ReadonlyMap<string, string>): readonly string[] {
  const added = [...actual.keys()].filter((path) => !listed.has(path) && !UNLISTED.has(path)).sort(compare)
  const removed = [...listed.keys()].filter((path) => !actual.has(path)).sort(compare)
  const changed = [...listed.keys()]
    .filter((path) => actual.has(path) && actual.get(path) !== listed.get(path))
    .sort(compare)
  const wasAt = new Map(changed.map((path) => [listed.get(path), path]))
  const nowAt = new Map(added.map((path) => [actual.get(path), path]))
  const renamed = new Map<string, string>()
  for (const path of removed) {
    const now = nowAt.get(listed.get(path))
    if (now === undefined) continue
    renamed.set(path, now)
    nowAt.delete(listed.get(path))
  }
  const newNames = new Set(renamed.values())
  const called = (path: string): string => quote(path, 400)
  return [
    ...changed.map((path) => {
      const from = wasAt.get(actual.get(path))
      return from === undefined
        ? `${called(path)} was altered: its digest is not the listed one.`
        : `${called(path)} was altered: it holds what is listed as ${called(from)}.`
    }),
    ...[...renamed].map(([before, now]) => `${called(before)} was renamed to ${called(now)}.`),
    ...removed.filter((path) => !renamed.has(path)).map((path) => `${called(path)} is missing.`),
    ...added.filter((path) => !newNames.has(path)).map((path) => `${called(path)} was added: no list has it.`),
  ]
}

function tagProblems(source: PackSource, texts: PackTexts, actual: ReadonlyMap<string, string>): readonly string[] {
  const info = new Map(
    (texts.info ?? '').split('\n').map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]),
  )
  const payloadCount = source.paths.filter((path) => path.startsWith('data/')).length
  const stated = info.get('Evidence-Digest')
  const problems: string[] = []
  if (texts.bag !== BAG_DECLARATION) problems.push(`${PATHS.bag} does not declare a BagIt 1.0 bag.`)
  if (stated === undefined || texts.manifest === null || stated !== evidenceDigestOf(texts.manifest))
    problems.push(`${PATHS.info}: the evidence digest is not the one of ${PATHS.manifest}.`)
  if (info.get('Payload-Oxum')?.split('.')[1] !== String(payloadCount))
    problems.push(`${PATHS.info}: the number of payload files is not ${payloadCount}.`)
  for (const path of [PATHS.report, PATHS.assessment, PATHS.catalog, PATHS.scope, PATHS.exceptions, PATHS.help])
    if (!actual.has(path)) problems.push(`The pack has no ${path}.`)
  return problems
}

/** The statement must name every payload file with its digest, and no other. */
function statementProblems(statement: Statement | null, payload: ReadonlyMap<string, string>): readonly string[] {
  if (statement === null) return []
  const subjects = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]))
  const problems = subjects.size === statement.subject.length ? [] : [`${PATHS.statement} names a file twice.`]
  for (const [path, digest] of payload)
    if (subjects.get(path) !== digest)
      problems.push(`${PATHS.statement} and ${PATHS.manifest} disagree about ${quote(path, 400)}.`)
  for (const path of subjects.keys())
    if (!payload.has(path))
      problems.push(`${PATHS.statement} names ${quote(path, 400)}, which is not in ${PATHS.manifest}.`)
  return problems
}
