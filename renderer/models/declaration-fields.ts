/** How a value is edited. A value that is left empty is not declared. */
export type Kind =
  | { readonly kind: 'text'; readonly mono?: boolean; readonly rows?: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'day' }
  | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly blank?: string }
  /** Checked or not declared. */
  | { readonly kind: 'yes' }
  /** Yes, no, or not declared. */
  | { readonly kind: 'yes-no'; readonly blank: string }
  /** One value per line. */
  | { readonly kind: 'lines'; readonly mono?: boolean }
  /** One corner per line: latitude, longitude. */
  | { readonly kind: 'corners' }
  | { readonly kind: 'file' }
  | { readonly kind: 'files' }
  | { readonly kind: 'frameworks' }
  | { readonly kind: 'threshold' }
  | { readonly kind: 'group'; readonly word: string; readonly fields: readonly Field[]; readonly presets?: 'places' }
  | { readonly kind: 'list'; readonly word: string; readonly none: string; readonly fields: readonly Field[] }
interface Option {
  readonly id: string
  readonly title: string
}

/** One member of a declaration. `name` is that of the fleet file. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly isOptional?: boolean
  readonly edit: Kind
}

export const PLACE: readonly Field[] = [
  { name: 'name', label: 'Name of the place', help: 'For example the site or the city.', edit: { kind: 'text' } },
  {
    name: 'country',
    label: 'Country',
    help: 'Two capital letters of ISO 3166-1, such as US.',
    isOptional: true,
    edit: { kind: 'text', mono: true },
  },
  { name: 'latitude', label: 'Latitude', help: 'Degrees north; negative in the south.', edit: { kind: 'number' } },
  { name: 'longitude', label: 'Longitude', help: 'Degrees east; negative in the west.', edit: { kind: 'number' } },
  { name: 'radiusKm', label: 'Radius in km', help: 'How precise the declared place is.', edit: { kind: 'number' } },
  {
    name: 'declaredBy',
    label: 'Declared by',
    help: 'A person or a document, such as the provider contract.',
    edit: { kind: 'text' },
  },
]

const PORT: readonly Field[] = [
  { name: 'port', label: 'Port', edit: { kind: 'number' } },
  {
    name: 'protocol',
    label: 'Protocol',
    edit: {
      kind: 'choice',
      options: [
        { id: 'tcp', title: 'TCP' },
        { id: 'udp', title: 'UDP' },
      ],
    },
  },
  { name: 'name', label: 'Purpose', edit: { kind: 'text' } },
]

export const people = (where: string): readonly Field[] => [
  {
    name: 'roster',
    label: 'Roster',
    help: `Login names that may have an account on ${where}, one per line.`,
    isOptional: true,
    edit: { kind: 'lines', mono: true },
  },
  {
    name: 'accounts',
    label: 'Authorized accounts',
    edit: {
      kind: 'list',
      word: 'account',
      none: 'No account declared.',
      fields: [
        { name: 'account', label: 'Login name', edit: { kind: 'text', mono: true } },
        {
          name: 'kind',
          label: 'Kind',
          edit: {
            kind: 'choice',
            options: [
              { id: 'person', title: 'Person' },
              { id: 'service', title: 'Service' },
              { id: 'emergency', title: 'Emergency' },
              { id: 'provider', title: 'Provider' },
            ],
          },
        },
        {
          name: 'owner',
          label: 'Owner',
          help: 'The person who is responsible for the account.',
          isOptional: true,
          edit: { kind: 'text' },
        },
        {
          name: 'until',
          label: 'Last day',
          help: 'The last day on which the account may exist.',
          isOptional: true,
          edit: { kind: 'day' },
        },
        { name: 'administrator', label: 'May have the rights of root', edit: { kind: 'yes' } },
      ],
    },
  },
]

export const services = (where: string): readonly Field[] => [
  {
    name: 'services',
    label: `Ports expected to be open on ${where}`,
    edit: { kind: 'list', word: 'service', none: 'No service declared.', fields: PORT },
  },
]

export const ephi = (where: string): readonly Field[] => [
  {
    name: 'ephiPaths',
    label: 'Paths of ePHI',
    help: `Absolute paths at which ePHI is stored on ${where}, one per line.`,
    isOptional: true,
    edit: { kind: 'lines', mono: true },
  },
  {
    name: 'ephiFlows',
    label: `Ports of ${where} on which ePHI is received or sent`,
    edit: { kind: 'list', word: 'ePHI port', none: 'No ePHI port declared.', fields: PORT },
  },
]

export const KNOWN_HOSTS = 'A known_hosts file with the host keys.'
export const EVERY_NODE = 'every node'
export const THIS_NODE = 'this node'
