import type { Declarations } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { SealReader } from '../../core/ports.ts'
import { openAddressDatabase } from './address-database.ts'
import { readEngagement } from './engagement-file.ts'
import { readInventoryTable } from './inventory-file.ts'
import { readMapping } from './mapping-file.ts'
import { readProvider } from './provider-file.ts'
import { readSites } from './sites-file.ts'
import { readVantage } from './vantage-file.ts'

/** Ids that declarations may name. */
export type Known = Pick<Catalog, 'checks' | 'frameworks' | 'claimTests' | 'providers' | 'offNodeChecks'>

/**
 * Reads declarations. A name that the catalog does not have is reported with its line, never ignored. Vantage records
 * are read by `seal`.
 */
export const createDeclarations = (known: Known, seal: SealReader): Declarations => ({
  engagement: (file, beside, mappings) =>
    readEngagement(file, beside, { ...known, frameworks: [...known.frameworks, ...mappings] }),
  inventory: readInventoryTable,
  provider: (idOrFile, beside) => readProvider(idOrFile, beside, known),
  mapping: (file, beside) => readMapping(file, beside, known),
  vantage: (file, beside) => readVantage(seal, file, beside),
  sites: readSites,
  addressDatabase: openAddressDatabase,
})
