import type { Scope } from '../../../schemas/types.ts'
import { parseBounded } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import { type Catalog, catalogDigest, catalogFor, catalogSnapshot } from '../../core/rules/catalog.ts'
import { type PackReading, textOf } from './read.ts'

/** What is known of the catalog in a pack before it is read. */
interface CatalogAsked {
  readonly scope: Pick<Scope, 'mappings'> | null
  readonly catalogDigest?: PackReading['catalogDigest'] | undefined
  /** The catalog of this program; null or absent where it is not compared. */
  readonly catalog?: Catalog | null | undefined
}

/** The catalog in a pack as JSON of another origin; `value` is null where it cannot be read. */
export interface PackedCatalog {
  readonly value: unknown
  /** It has the one form that catalogBytes() writes. */
  readonly isCanonical: boolean
  /** It is the catalog of this program, with the customer’s frameworks that the pack declares. */
  readonly isOurs: boolean
}

/**
 * The catalog in a pack. Where its digest is that of this program’s catalog, its content is known, and it is neither read nor parsed: it is by far
 * the largest document of a small pack.
 */
export async function readPackedCatalog(source: PackSource, asked: CatalogAsked): Promise<PackedCatalog> {
  const { scope, catalogDigest: digest = null, catalog = null } = asked
  const ours = catalog === null || digest === null ? null : catalogFor(catalog, { mappings: scope?.mappings ?? [] })
  if (ours !== null && catalogDigest(ours) === digest)
    return { value: catalogSnapshot(ours), isCanonical: true, isOurs: true }
  const text = await textOf(source, PATHS.catalog)
  const value = parsed(text)
  return { value, isCanonical: text !== null && value !== null && isCanonicalText(value, text), isOurs: false }
}

function parsed(text: string | null): unknown {
  try {
    return parseBounded(text ?? '')
  } catch {
    return null
  }
}

function isCanonicalText(value: unknown, text: string): boolean {
  try {
    return canonicalJson(value) === text
  } catch {
    return false
  }
}
