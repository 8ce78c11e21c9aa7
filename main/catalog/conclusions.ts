import type { ConclusionSettings } from '../core/catalog.ts'

/** What conclusions read from the catalog in addition to roles (conclusion model, sections 3 and 7). */
export const CONCLUSIONS: ConclusionSettings = {
  periodChecks: ['lifecycle.disk-swap-detection'],
  ephiChecks: ['encryption.at-rest.ephi-paths', 'encryption.in-transit.ephi-flows'],
  dataMap: 'ER-12',
}
