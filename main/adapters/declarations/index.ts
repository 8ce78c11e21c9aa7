import type { Mapping, MappingFile, ProviderProfile, VantageRecord } from '../../../schemas/types.ts'
import type { Declarations } from '../../core/all-ports.ts'
import { jsonOrNull } from '../../core/base/bounded-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { decodeUtf8, quote } from '../../core/base/plain-text.ts'
import type { SealReader } from '../../core/ports/ports.ts'
import { mappingOf, type OscalRow, oscalRows } from '../../core/rules/mapping.ts'
import { problemsIn } from '../../core/rules/provider.ts'
import { vantageIsSigned } from '../../verify/steps/location.ts'
import { placedProblems, placeName } from '../schema-validator.ts'
import { readNamed, unread } from '../stored-file.ts'
import { openAddressDatabase } from './address-database.ts'
import { type Known, placeOf, readDocument, readEngagement } from './engagement-file.ts'
import { inventoryColumns, readInventoryTable } from './inventory-file.ts'
import { readSites } from './sites-file.ts'

/**
 * Reads declarations. A name that the catalog does not have is reported with its line, never ignored. Vantage records
 * are read by `seal`.
 */
export const createDeclarations = (known: Known, seal: SealReader): Declarations => ({
  engagement: (file, beside, mappings) =>
    readEngagement(file, beside, { ...known, frameworks: [...known.frameworks, ...mappings] }),
  inventory: readInventoryTable,
  inventoryColumns,
  provider: (idOrFile, beside) => readProvider(idOrFile, beside, known),
  mapping: (file, beside) => readMapping(file, beside, known),
  vantage: (file, beside) => readVantage(seal, file, beside),
  sites: readSites,
  addressDatabase: openAddressDatabase,
})

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
  if (typeof bytes === 'string') return unread(`names ${path}, which`, bytes)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return fail('input.refused', `names ${path}, which is not JSON`)
  }
  const rows = oscalRows(value)
  return rows.ok ? rows : fail('input.refused', `names ${path}, which cannot be used: ${rows.error}`)
}

/**
 * A built-in profile, by its id, or a customer's own file in YAML or JSON. Fails with input.not-found and
 * input.refused; an unknown check, fact, value or source, and a claim without a test, names its line.
 */
export async function readProvider(
  idOrFile: string,
  beside: string | null,
  known: Known,
): Promise<Outcome<ProviderProfile>> {
  const shipped = known.providers.find(({ id }) => id === idOrFile)
  if (shipped !== undefined) return ok(shipped)
  const read = await readDocument<ProviderProfile>('provider', placeOf(idOrFile, beside))
  if (!read.ok)
    return read.error.code === 'input.not-found' && /^[a-z0-9-]+$/.test(idOrFile)
      ? fail(
          'input.not-found',
          `${idOrFile} is neither a readable file nor a built-in profile: ${known.providers.map(({ id }) => id).join(', ')}`,
        )
      : read
  const { value, refuse } = read.value
  const problems = [
    ...(known.providers.some(({ id }) => id === value.id)
      ? [{ path: ['id'], text: `is ${quote(value.id)}, the id of a built-in profile` }]
      : []),
    ...problemsIn(value, known),
  ]
  return problems.length > 0 ? refuse(problems) : ok(value)
}

/** The record of the largest possible fleet, with all our measurements of each node, takes three quarters of this. */
const LARGEST_MIB = 64

/**
 * A vantage record, as `vantage measure` wrote it, with a valid signature. The holder of the key is not checked. Fails with input.not-found
 * where it cannot be read, and with input.refused where it is not such a record, or was changed after signing.
 */
async function readVantage(seal: SealReader, file: string, beside: string | null): Promise<Outcome<VantageRecord>> {
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string') return unread(path, bytes)
  const value = jsonOrNull(decodeUtf8(bytes) ?? '')
  if (value === null) return fail('input.refused', `${path} is not JSON in UTF-8`)
  const [misfit] = placedProblems('vantage', value)
  if (misfit !== undefined)
    return fail('input.refused', `${path} is not a vantage record: ${placeName(misfit.path)} ${misfit.text}`)
  const record = value as VantageRecord
  const [problem] = (await vantageIsSigned(seal, record)).problems
  return problem === undefined
    ? ok(record)
    : fail('input.refused', `${path}: the vantage record of ${quote(record.vantage.name)} cannot be used. ${problem}`)
}
