import type { SearchEntry, SearchPlace } from '../../../../schemas/ipc-views.ts'
import type { Assessment, EvidenceDocument } from '../../../../schemas/types.ts'
import { ok } from '../../../core/base/failure.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { type Catalog, catalogFor } from '../../../core/rules/catalog.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { viewSource } from './assessment-methods.ts'
import { presented } from './presented.ts'

/** The index of the search: items of the shown run or the open pack, found by reference or words. */
export function searchMethods(context: EngineContext) {
  return methods({
    'search.index': async ({ of }) => {
      const found = await viewSource(context, of)
      if (!found.ok) return found
      const { value: source } = found
      if (source === null) return ok([])
      const { assessment, register } = source
      const catalog = catalogFor(context.catalog, assessment.scope)
      const { findings, informational } = presented(context, source)
      const placeOf = placesIn(catalog, assessment)
      return ok([
        ...[...findings, ...informational].flatMap(findingEntry),
        ...catalog.checks.flatMap(({ id, expected }) => placed('Checks', id, expected, placeOf(id))),
        ...catalog.frameworks
          .filter(({ id }) => assessment.scope.frameworks.includes(id))
          .flatMap(({ id: framework, title: name, controls }) =>
            controls.map(
              ({ key, id, title }): SearchEntry => ({
                group: 'Controls',
                reference: id,
                title: `${title} (${name})`,
                to: { is: 'control', framework, key },
              }),
            ),
          ),
        ...catalog.requests.map(
          ({ id, title }): SearchEntry => ({
            group: 'Evidence requests',
            reference: id,
            title,
            to: { is: 'documents', find: title },
          }),
        ),
        ...register.documents.flatMap(documentEntry),
      ])
    },
  })
}

/**
 * Where the result of a check is shown: on the first node that deviates, otherwise on the first node with a result;
 * null without one.
 */
function placesIn({ checks }: Pick<Catalog, 'checks'>, { nodes }: Assessment): (check: string) => SearchPlace | null {
  const properties = new Map(checks.map(({ id, property }) => [id, property]))
  const found = new Map<string, { readonly node: string; readonly deviates: boolean }>()
  for (const { node, results } of nodes)
    for (const { check, verdict } of results) {
      const deviates = verdict === 'not-satisfied'
      const before = found.get(check)
      if (before === undefined || (deviates && !before.deviates)) found.set(check, { node, deviates })
    }
  return (check) => {
    const property = properties.get(check)
    const node = found.get(check)?.node
    return property === undefined || node === undefined ? null : { is: 'result', node, property, check }
  }
}

const findingEntry = ({ reference, title, what }: Finding): readonly SearchEntry[] =>
  placed('Findings', reference, title, what === 'inventory' ? { is: 'population' } : { is: 'finding', reference })

const placed = (
  group: SearchEntry['group'],
  reference: string,
  title: string,
  to: SearchPlace | null,
): readonly SearchEntry[] => (to === null ? [] : [{ group, reference, title, to }])

const documentEntry = ({ name, summary, need, withdrawn }: EvidenceDocument): readonly SearchEntry[] =>
  withdrawn === null ? placed('Documents', name, summary, { is: 'documents', find: need ?? name }) : []
