import { PATHS } from '../../core/pack/pack-files.ts'
import type { SchemaValidator, SealReader } from '../../core/ports/ports.ts'
import { type Catalog, catalogFor, catalogSnapshot } from '../../core/rules/catalog.ts'
import { declaredProblems } from '../steps/engagement.ts'
import { vantagesOfScope } from '../steps/location.ts'
import type { PackedCatalog } from '../steps/pack-catalog.ts'
import { scopeProblems } from '../steps/read.ts'
import { enclosedRegisterProblems } from '../steps/register.ts'
import type { Trust } from '../steps/trust.ts'
import { type DisclosedContent, isWithoutGap } from './rebuild.ts'

interface DeclaredAsked {
  readonly seal: SealReader
  readonly trust: Pick<Trust, 'lists'>
  readonly validator: SchemaValidator
  /** The rules of this program. */
  readonly catalog: Catalog
}

/**
 * Inconsistencies of the declarations and the register of a redacted copy, as in a pack: what is disclosed completely must have its form, name what is
 * in the catalog, and match its signatures. Documents and lists are compared with nothing, since a copy can redact them. Never throws, whatever it contains.
 */
export async function declaredInCopy(
  { scope, register, rules }: Pick<DisclosedContent, 'scope' | 'register' | 'rules'>,
  { seal, trust: { lists }, validator, catalog }: DeclaredAsked,
): Promise<readonly string[]> {
  const whole = scope !== null && isWithoutGap(scope) ? scope : null
  const misformed = [
    ...(whole === null ? [] : scopeProblems(whole, validator).map((problem) => `${PATHS.scope}: ${problem}.`)),
    ...(register === null
      ? []
      : validator.problems('register', register).map((problem) => `${PATHS.register}: ${problem}.`)),
  ]
  if (misformed.length > 0) return misformed.slice(0, 1)
  const isOurs = rules?.catalog.version === catalog.version && rules.catalog.module === catalog.module
  const packed: PackedCatalog | null =
    isOurs && whole !== null
      ? { value: catalogSnapshot(catalogFor(catalog, whole)), isCanonical: true, isOurs: true }
      : null
  const asked = { seal, lists, scope: whole ?? NOTHING_DECLARED, packed }
  return [
    ...(whole === null ? [] : declaredProblems(whole, packed, catalog)),
    ...(whole === null ? [] : (await vantagesOfScope(whole, seal, { signers: [], authorities: [], lists })).problems),
    ...(register === null ? [] : await enclosedRegisterProblems(register, asked)),
  ]
}

/** Without a catalog, the nodes that a register names are compared with nothing. */
const NOTHING_DECLARED = { fleet: '', population: [], frameworks: [] }
