import type { RemediationVariant } from '../../../schemas/types.ts'
import type { WorkOrder } from '../../core/work-order.ts'

/** Words and parts that every format of a work order prints. */

export const WHO = {
  tenant: 'You (tenant)',
  provider: 'The provider',
  both: 'You, or the provider',
} as const

export const FAMILIES = {
  debian: 'Debian and Ubuntu',
  rhel: 'RHEL, Rocky, AlmaLinux and Fedora',
  suse: 'SLES and openSUSE',
  any: 'any distribution',
} as const

export const familiesOf = ({ families }: Pick<RemediationVariant, 'families'>): string =>
  families.map((family) => FAMILIES[family]).join('; ')

export const familyText = ({ family }: WorkOrder): string =>
  family === null ? 'not known from the evidence; the steps of every family are listed' : FAMILIES[family]

export const HOW_TO_USE =
  'Barewitness runs none of these steps. Read each one, try it on one server, and keep a way back. Run the lines as root, then collect again.'

/** The parts of one way to remedy a deviation, those that it lacks as empty lists. */
export function partsOf(variant: RemediationVariant) {
  const { inputs = [], prepare = [], files = [], commands = [], ask = [] } = variant
  return { ...variant, inputs, prepare, commands, ask, files: files.map((file) => ({ mode: '0644', ...file })) }
}
