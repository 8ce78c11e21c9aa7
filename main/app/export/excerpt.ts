import type { Period } from '../../../schemas/types.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { jsonBytes } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { isSafeName, packIn } from '../../core/base/layout.ts'
import { quote } from '../../core/base/plain-text.ts'
import type { PackContent } from '../../core/pack/pack-files.ts'
import { below, EXCERPT_PATH, isPeriodPack, PERIOD_PATH, partialPaths, runFolder } from '../../core/period/pack.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { isPartClass, type PartClass, REDACTABLE, type RedactableClass } from '../../verify/disclosure/cuts/classes.ts'
import { type DisclosedCopy, disclose } from '../../verify/disclosure/disclose.ts'
import { readDisclosure } from '../../verify/disclosure/read.ts'
import { applyReveal, type Place, readReveal, revealBytes, revealSpan } from '../../verify/disclosure/reveal.ts'
import type { Excerpt } from '../../verify/excerpt.ts'
import { canonical, textOf } from '../../verify/steps/read.ts'
import { withPack } from '../common/pack-shelf.ts'

interface WrittenExcerpt {
  readonly path: string
  readonly run: string
  readonly node: string
}

/**
 * Writes each sampled item of a period report whose raw captures are enclosed as a separate pack:
 * `sample-NN-RUN-NODE.barewitness.zip`, under the seal of its run. Fails with input.refused for another kind of pack
 * and for an existing file; otherwise as the disk does.
 */
export async function writeExcerpts(
  ports: Pick<Ports, 'files' | 'packs' | 'validator'>,
  { pack: path, folder }: { readonly pack: string; readonly folder: string },
): Promise<Outcome<readonly WrittenExcerpt[]>> {
  return await withPack(ports, path, async (pack) => {
    const found = canonical(await textOf(pack, PERIOD_PATH))
    return isPeriodPack(pack) && found !== null && ports.validator.problems('period', found.value).length === 0
      ? await written(ports, pack, found.value as Period, folder)
      : fail('input.refused', `${path} is not a period report`)
  })
}

async function written(
  ports: Pick<Ports, 'files' | 'packs'>,
  pack: OpenPack,
  period: Period,
  folder: string,
): Promise<Outcome<readonly WrittenExcerpt[]>> {
  const made: WrittenExcerpt[] = []
  let count = 0
  for (const { population, seed, sampled } of period.samples)
    for (const { place, key, run, node } of sampled) {
      count += 1
      if (run === null || node === null || !isSafeName(run) || !isSafeName(node)) continue
      const why = `Sampled from ${population} by the seed ${seed}: position ${place}, ${key}.`.slice(0, 1000)
      const files = excerptFiles(pack, { schema: 'barewitness.excerpt/1', run, nodes: [node], why })
      const path = packIn(folder, `sample-${String(count).padStart(2, '0')}-${run}-${node}`)
      if (!(await ports.packs.isFree(path))) return fail('input.refused', `${path} already exists`)
      const archive = await ports.packs.write(path, files)
      if (!archive.ok) return archive
      made.push({ path, run, node })
    }
  return ok(made)
}

function excerptFiles(pack: OpenPack, excerpt: Excerpt): ReadonlyMap<string, PackContent> {
  const root = runFolder(excerpt.run)
  const paths = partialPaths(below(pack, root).paths, excerpt.nodes)
  return new Map<string, PackContent>([
    ...paths.map((path) => [path, pack.stored(`${root}/${path}`)] as const),
    [EXCERPT_PATH, jsonBytes(excerpt)],
  ])
}

interface DiscloseRequest {
  readonly source: PackSource
  readonly catalog: Catalog
  /** As typed: names of classes, nodes, and paths in the pack. */
  readonly classes: readonly string[]
  readonly nodes: readonly string[]
  readonly paths: readonly string[]
  readonly who: string
  readonly why: string
  /** UTC, ISO 8601. */
  readonly when: string
}

/**
 * The files of a redacted copy. Fails with input.refused for unknown names, and without the reason and the name of
 * the person who redacts.
 */
export async function discloseCopy(request: DiscloseRequest): Promise<Outcome<DisclosedCopy>> {
  const { classes, nodes, paths, who, why, ...rest } = request
  const unknown = classes.find((one) => !isRedactable(one))
  if (unknown !== undefined)
    return fail('input.refused', `${quote(unknown)} cannot be redacted; choose from ${REDACTABLE.join(', ')}`)
  if (who.trim() === '' || why.trim() === '')
    return fail('input.refused', 'a redacted copy must name the person who redacted it and the reason; enter both')
  const policy = { classes: classes.filter(isRedactable), nodes, paths }
  return await disclose({ ...rest, policy, who: who.trim(), why: why.trim() })
}

const isRedactable = (one: string): one is RedactableClass =>
  isPartClass(one) && REDACTABLE.some((known: PartClass) => known === one)

/** The file that reveals one redacted part of a copy, created from the complete pack. Fails as revealSpan() does. */
export async function revealFile(pack: PackSource, copy: PackSource, place: Place): Promise<Outcome<Uint8Array>> {
  const reveal = await revealSpan(pack, await readDisclosure(copy), place)
  return reveal.ok ? ok(revealBytes(reveal.value)) : reveal
}

/** The files of a copy with a reveal applied; the rest of the copy is unchanged. */
export async function revealedCopy(
  copy: PackSource,
  reveal: Uint8Array,
  catalog: Catalog,
): Promise<Outcome<ReadonlyMap<string, Uint8Array>>> {
  const read = readReveal(reveal)
  if (read === null) return fail('input.refused', 'this file is not a reveal')
  return applyReveal(await readDisclosure(copy), read, catalog)
}
