import type { FleetSection, NodeSection, SectionName } from '../../schemas/ipc-declarations.ts'
import { EVERY_NODE, ephi, type Field, KNOWN_HOSTS, PLACE, people, services, THIS_NODE } from './declaration-fields.ts'

interface SectionForm {
  readonly title: string
  readonly meaning: string
  readonly fields: readonly Field[]
}

/** The form of every section, in the order of the screen. */
export const FLEET_FORMS: Readonly<Record<FleetSection, SectionForm>> = {
  fleet: {
    title: 'Fleet',
    meaning:
      'The name is printed in every report. Each name has its own run chain, so a new name starts a new history.',
    fields: [
      { name: 'name', label: 'Name', edit: { kind: 'text' } },
      {
        name: 'frameworks',
        label: 'Frameworks to report on',
        help: 'If none is selected: HIPAA, SOC 2 and your own frameworks.',
        edit: { kind: 'frameworks' },
      },
      {
        name: 'concurrency',
        label: 'Nodes collected at the same time by scheduled runs',
        help: '1 to 256. If empty: 64. Collections from this window use the number under Settings.',
        isOptional: true,
        edit: { kind: 'number' },
      },
    ],
  },
  residency: {
    title: 'Residency rules',
    meaning: 'Areas in which nodes must be. Each rule names one area: a region, countries, or a polygon.',
    fields: [
      {
        name: 'residency',
        label: 'Rules',
        edit: {
          kind: 'list',
          word: 'rule',
          none: 'No residency rule declared.',
          fields: [
            { name: 'name', label: 'Name', isOptional: true, edit: { kind: 'text' } },
            {
              name: 'region',
              label: 'Region',
              help: 'A country code, or a group of countries: EU, EEA.',
              isOptional: true,
              edit: { kind: 'text', mono: true },
            },
            {
              name: 'country',
              label: 'Countries',
              help: 'Country codes of two capital letters, one per line.',
              isOptional: true,
              edit: { kind: 'lines', mono: true },
            },
            {
              name: 'polygon',
              label: 'Polygon',
              help: 'At least three corners, one per line: latitude, longitude.',
              isOptional: true,
              edit: { kind: 'corners' },
            },
            {
              name: 'nodes',
              label: 'Nodes',
              help: 'Nodes that the rule applies to, one per line. If empty: all.',
              isOptional: true,
              edit: { kind: 'lines', mono: true },
            },
          ],
        },
      },
    ],
  },
  'location-sources': {
    title: 'Location sources',
    meaning: 'Evidence of where nodes are. Without a vantage point, no round-trip times are evaluated.',
    fields: [
      {
        name: 'vantage',
        label: 'Vantage point',
        help: 'The place of the collecting computer.',
        edit: { kind: 'group', word: 'vantage point', fields: PLACE, presets: 'places' },
      },
      {
        name: 'locationSpreadSeconds',
        label: 'Seconds over which round trips are spread',
        help: '0 to 3,600. If empty: 60.',
        isOptional: true,
        edit: { kind: 'number' },
      },
      {
        name: 'vantages',
        label: 'Measurements from other vantage points',
        help: 'Signed records that another computer made.',
        edit: { kind: 'files' },
      },
      {
        name: 'sites',
        label: 'Site record of the provider',
        help: 'States where machines are: a CSV file, or a Redfish Chassis resource in JSON.',
        edit: {
          kind: 'group',
          word: 'site record',
          fields: [
            { name: 'file', label: 'Record', edit: { kind: 'file' } },
            { name: 'source', label: 'Source', help: 'Who supplied it, and from where.', edit: { kind: 'text' } },
            { name: 'on', label: 'Supplied on', edit: { kind: 'day' } },
            { name: 'declaredBy', label: 'Declared by', edit: { kind: 'text' } },
            {
              name: 'signature',
              label: 'Signature',
              help: 'A detached CMS signature over the record.',
              isOptional: true,
              edit: { kind: 'file' },
            },
            {
              name: 'signer',
              label: 'Fingerprint of the signer',
              help: 'SHA-256 fingerprint of the provider’s certificate, obtained from the provider. Without it, the signature shows only that the record is unchanged.',
              isOptional: true,
              edit: { kind: 'text', mono: true },
            },
          ],
        },
      },
      {
        name: 'addressDatabases',
        label: 'Address databases',
        edit: {
          kind: 'list',
          word: 'address database',
          none: 'No address database declared.',
          fields: [
            { name: 'file', label: 'Database', help: 'MMDB or CSV.', edit: { kind: 'file' } },
            {
              name: 'provenance',
              label: 'Origin of its data',
              help: 'Two databases are separate sources only if this differs.',
              isOptional: true,
              edit: { kind: 'text' },
            },
            {
              name: 'builtOn',
              label: 'Built on',
              help: 'If the database does not state it.',
              isOptional: true,
              edit: { kind: 'day' },
            },
          ],
        },
      },
      {
        name: 'askMetadata',
        label: 'Request the region from the provider’s metadata service, from the node',
        help: 'A request that leaves the node. The signed identity document is then part of the pack; some systems accept it as a login.',
        edit: { kind: 'yes' },
      },
    ],
  },
  people: {
    title: 'People and accounts of all nodes',
    meaning: 'Accounts that may exist on every node. Those of a single node are added to them.',
    fields: people(EVERY_NODE),
  },
  services: {
    title: 'Services of all nodes',
    meaning: 'Services of every node. Those of a single node are added to them.',
    fields: services(EVERY_NODE),
  },
  ephi: {
    title: 'ePHI on all nodes',
    meaning: 'Where ePHI is stored and transmitted on every node. What a single node declares is added.',
    fields: ephi(EVERY_NODE),
  },
  thresholds: {
    title: 'Threshold profile',
    meaning: 'The values that checks compare with. Every report prints thresholds that differ from the profile.',
    fields: [
      {
        name: 'profile',
        label: 'Profile',
        edit: {
          kind: 'choice',
          blank: 'Baseline (default)',
          options: [
            { id: 'baseline', title: 'Baseline' },
            { id: 'cis', title: 'CIS' },
            { id: 'stig', title: 'STIG' },
          ],
        },
      },
      {
        name: 'thresholds',
        label: 'Thresholds that differ from the profile',
        edit: {
          kind: 'list',
          word: 'threshold',
          none: 'No threshold differs from the profile.',
          fields: [
            { name: 'threshold', label: 'Threshold', edit: { kind: 'threshold' } },
            { name: 'value', label: 'Value', edit: { kind: 'number' } },
            { name: 'reason', label: 'Reason', edit: { kind: 'text', rows: 2 } },
          ],
        },
      },
    ],
  },
  'host-keys': {
    title: 'Host keys',
    meaning: 'Without a file, the known_hosts files of this user and of this computer are read.',
    fields: [
      { name: 'knownHosts', label: 'known_hosts file', help: KNOWN_HOSTS, isOptional: true, edit: { kind: 'file' } },
    ],
  },
  'time-stamping': {
    title: 'Time-stamp authority of scheduled runs',
    meaning: 'Queried when a scheduled run is sealed. Exports from this window use the authority under Settings.',
    fields: [
      {
        name: 'timestampAuthority',
        label: 'Address',
        help: 'URL of an RFC 3161 time-stamp authority.',
        isOptional: true,
        edit: { kind: 'text', mono: true },
      },
    ],
  },
}

export const NODE_FORMS: Readonly<Record<NodeSection, SectionForm>> = {
  'node-place': {
    title: 'Place',
    meaning: 'Where the node is declared to be. The evidence is compared with it; it is no evidence itself.',
    fields: [
      {
        name: 'location',
        label: 'Declared place',
        edit: { kind: 'group', word: 'place', fields: PLACE, presets: 'places' },
      },
      { name: 'role', label: 'Role', help: 'What the node is used for.', isOptional: true, edit: { kind: 'text' } },
    ],
  },
  'node-people': {
    title: 'People and accounts',
    meaning: 'In addition to those of all nodes.',
    fields: people(THIS_NODE),
  },
  'node-services': { title: 'Services', meaning: 'In addition to those of all nodes.', fields: services(THIS_NODE) },
  'node-ephi': { title: 'ePHI', meaning: 'In addition to what all nodes declare.', fields: ephi(THIS_NODE) },
  'node-login': {
    title: 'Login',
    meaning: 'How the collection logs in.',
    fields: [
      {
        name: 'user',
        label: 'Account',
        help: 'If empty: bwaudit.',
        isOptional: true,
        edit: { kind: 'text', mono: true },
      },
      {
        name: 'identityFile',
        label: 'Private key',
        help: 'The file of the SSH key to log in with.',
        isOptional: true,
        edit: { kind: 'file' },
      },
      {
        name: 'agent',
        label: 'SSH agent',
        edit: { kind: 'yes-no', blank: 'Used if no private key is declared (default)' },
      },
      {
        name: 'sudo',
        label: 'Run privileged probes with sudo',
        help: 'Without it, checks that need root are not tested.',
        edit: { kind: 'yes' },
      },
    ],
  },
  'node-connection': {
    title: 'Connection',
    meaning: 'How the node is reached.',
    fields: [
      { name: 'address', label: 'Address', help: 'Host name or IP address.', edit: { kind: 'text', mono: true } },
      { name: 'port', label: 'Port', help: 'If empty: 22.', isOptional: true, edit: { kind: 'number' } },
      {
        name: 'hostKey',
        label: 'Fingerprint of the host key',
        help: 'SHA256: and 43 characters. A node that presents another key is refused before the login.',
        isOptional: true,
        edit: { kind: 'text', mono: true },
      },
      {
        name: 'knownHosts',
        label: 'known_hosts file',
        help: `${KNOWN_HOSTS} In place of that of the fleet.`,
        isOptional: true,
        edit: { kind: 'file' },
      },
      {
        name: 'jump',
        label: 'Jump hosts',
        help: 'Names of nodes to connect through, outermost first, one per line.',
        isOptional: true,
        edit: { kind: 'lines', mono: true },
      },
      {
        name: 'jumpOnly',
        label: 'Only connected through',
        help: 'The node is not collected and not part of the population.',
        edit: { kind: 'yes' },
      },
      {
        name: 'transport',
        label: 'SSH client',
        edit: {
          kind: 'choice',
          blank: 'The one that suits the node (default)',
          options: [
            { id: 'auto', title: 'The one that suits the node' },
            { id: 'ssh2', title: 'Built-in client' },
            { id: 'openssh', title: 'Installed OpenSSH client' },
          ],
        },
      },
      {
        name: 'zone',
        label: 'Network zone',
        help: 'On a team server, a collector of this zone collects the node. Elsewhere it has no effect.',
        isOptional: true,
        edit: { kind: 'text', mono: true },
      },
    ],
  },
}

/** Sections that address one machine and must not be the same for several. */
export const ONE_NODE_ONLY: readonly SectionName[] = ['node-connection']

/**
 * Members of a fleet file that this screen does not edit, with the reason. A test compares the forms with the schema:
 * a new member needs a field or an entry here.
 */
export const NOT_ON_THIS_SCREEN: Readonly<Record<string, string>> = {
  'nodes.name': 'Evidence is stored under the name of a node; it is given when a node is imported.',
  engagement: 'Edited on the Engagement screen, which keeps it; an opened fleet file is read with its engagement.',
  provider: 'Selected on the Provider claims screen.',
  mappings: 'Imported on the Engagement screen, under Custom frameworks.',
}

export const formOf = (section: SectionName): SectionForm =>
  Object.hasOwn(FLEET_FORMS, section) ? FLEET_FORMS[section as FleetSection] : NODE_FORMS[section as NodeSection]

const LABELS: ReadonlyMap<string, string> = new Map(
  [...Object.values(FLEET_FORMS), ...Object.values(NODE_FORMS)].flatMap(({ fields }) =>
    fields.map(({ name, label }) => [name, label] as const),
  ),
)
/** The label of a member of a fleet file; its name where it has no field here. */
export const memberLabel = (member: string): string => LABELS.get(member) ?? member

const CHOICES: ReadonlyMap<string, string> = new Map(
  [...Object.values(FLEET_FORMS), ...Object.values(NODE_FORMS)].flatMap(({ fields }) =>
    fields.flatMap(({ name, edit }) =>
      edit.kind === 'choice' ? edit.options.map(({ id, title }) => [`${name} ${id}`, title] as const) : [],
    ),
  ),
)
/** The value of a member as its field shows it, where it is one of several choices; otherwise as it is stored. */
export const valueText = (member: string, value: string): string => CHOICES.get(`${member} ${value}`) ?? value
