import type { Mapping, MappingFile } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { mappingOf, type OscalRow, oscalRows } from '../../core/mapping.ts'
import { ok } from '../../core/result.ts'
import { placeOf, readDocument, readNamed } from './document.ts'
import type { Known } from './index.ts'

const LARGEST_CATALOG_MIB = 64

/**
 * A customer-defined framework: a mapping in YAML or JSON, and the OSCAL catalog that it names, in the same folder.
 * Fails with input.not-found and input.refused; an unknown check, a control missing on either side, and any invalid
 * value names its line.
 */
export async function readMapping(file: string, beside: string | null, known: Known): Promise<Outcome<Mapping>> {
  const path = placeOf(file, beside)
  const read = await readDocument<MappingFile>('mapping-file', path)
  if (!read.ok) return read
  const { value, refuse } = read.value
  const rows = value.catalog === undefined ? ok(null) : await readCatalog(placeOf(value.catalog, path))
  if (!rows.ok) return refuse([{ path: ['catalog'], text: rows.error.detail }])
  const mapping = mappingOf(value, rows.value, known)
  return mapping.ok ? mapping : refuse(mapping.error)
}

async function readCatalog(path: string): Promise<Outcome<readonly OscalRow[]>> {
  const bytes = await readNamed(path, LARGEST_CATALOG_MIB)
  if (typeof bytes === 'string')
    return fail(bytes.startsWith('could') ? 'input.not-found' : 'input.refused', `names ${path}, which ${bytes}`)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return fail('input.refused', `names ${path}, which is not JSON`)
  }
  const rows = oscalRows(value)
  return rows.ok ? rows : fail('input.refused', `names ${path}, which cannot be used: ${rows.error}`)
}
