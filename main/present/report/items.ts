import type { Assessment, ControlRef } from '../../../schemas/types.ts'
import type { Catalog } from '../../core/catalog.ts'
import type { Framework } from '../../core/framework.ts'
import { plain } from '../../core/plain-text.ts'
import type { ReportInput } from '../input.ts'

const SHORT: Readonly<Record<string, string>> = {
  hipaa: 'HIPAA',
  soc2: 'SOC 2',
  nprm: 'HIPAA (proposed)',
  'nist-800-53': 'NIST 800-53',
  'csf-2': 'CSF 2.0',
  'iso-27001': 'ISO 27001',
  'pci-dss-4': 'PCI DSS 4',
}

/** Short name of a framework. */
export const shortName = (framework: string): string => SHORT[framework] ?? plain(framework, 40)

/** A control by ID and title, or by key where the catalog does not contain it. */
export function itemName({ frameworks }: Pick<Catalog, 'frameworks'>, { framework, control }: ControlRef): string {
  const found = frameworks.find(({ id }) => id === framework)
  const item = found?.controls.find(({ key }) => key === control)
  const name = item === undefined ? plain(control, 100) : plain(`${item.id} ${item.title}`, 400)
  return `${shortName(framework)} ${name}`
}

/** Frameworks of the report, with proposed rules (overlays) separated. */
export function chosenFrameworks({ catalog, assessment }: Pick<ReportInput, 'catalog' | 'assessment'>): {
  readonly current: readonly Framework[]
  readonly overlays: readonly Framework[]
} {
  const chosen = catalog.frameworks.filter(({ id }) => assessment.scope.frameworks.includes(id))
  return { current: chosen.filter(({ proposed }) => !proposed), overlays: chosen.filter(({ proposed }) => proposed) }
}

/** How the nodes of an assessment are described: a fleet file can contain nodes outside the declared population. */
export const nodeWords = ({ nodes, reconciliation }: Pick<Assessment, 'nodes' | 'reconciliation'>): string =>
  reconciliation === undefined || reconciliation.declared === nodes.length
    ? 'declared nodes'
    : 'declared or fleet-file nodes'
