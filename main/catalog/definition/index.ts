import type { Catalog } from '../../core/rules/catalog.ts'
import { RULES } from './definition.ts'
import lock from './rules-lock.json' with { type: 'json' }

/** The one catalog, with the digest of the module that its rules are built into. A test builds that module and compares. */
export const catalog: Catalog = { ...RULES, module: lock.sha256 }
