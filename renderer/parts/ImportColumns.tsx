import { IMPORT_FIELDS, type ImportColumn, type ImportField } from '../../schemas/ipc-views.ts'
import { visible } from '../text.ts'
import { Select } from '../ui/Select.tsx'

const TITLES: Readonly<Record<ImportField, string>> = {
  name: 'Name of the node',
  address: 'Address (required)',
  port: 'SSH port',
  user: 'Account',
  hostKey: 'Fingerprint of the host key',
  knownHosts: 'known_hosts file',
  identityFile: 'Private key',
  sudo: 'Privileged probes with sudo',
  agent: 'SSH agent',
  jump: 'Jump hosts',
  jumpOnly: 'Only connected through',
  transport: 'SSH client',
  role: 'Role',
  site: 'Name of the place',
  country: 'Country of the place',
  latitude: 'Latitude',
  longitude: 'Longitude',
  radiusKm: 'Radius of the place in km',
  declaredBy: 'Place declared by',
}
const NONE = ''
const OPTIONS = [
  { id: NONE, title: 'Not imported' },
  ...IMPORT_FIELDS.map((id): { readonly id: string; readonly title: string } => ({ id, title: TITLES[id] })),
]

export interface ImportColumnsProps {
  readonly columns: readonly ImportColumn[]
  readonly isDisabled: boolean
  readonly onAssign: (fields: readonly (ImportField | null)[]) => void
}

/** What each column of a table is. A field that is assigned to another column is taken from the first. */
export function ImportColumns({ columns, isDisabled, onAssign }: ImportColumnsProps) {
  const assign = (at: number, chosen: string): void => {
    const field = IMPORT_FIELDS.find((one) => one === chosen) ?? null
    onAssign(columns.map((column, index) => (index === at ? field : column.field === field ? null : column.field)))
  }
  return (
    <section aria-labelledby="import-columns">
      <h3 id="import-columns">Columns</h3>
      <p className="quiet">Guessed from the headings. Assign a column to a field to import it.</p>
      <div className="import-columns">
        {columns.map(({ heading, sample, field }, at) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity except their position
            key={at}
            label={visible(heading === '' ? `Column ${at + 1}` : heading)}
            description={sample === '' ? 'No value in the first line.' : `For example ${visible(sample.slice(0, 60))}`}
            isDisabled={isDisabled}
            options={OPTIONS}
            value={field ?? NONE}
            onChange={(chosen) => assign(at, chosen)}
          />
        ))}
      </div>
    </section>
  )
}
