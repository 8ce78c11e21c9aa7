import type {
  AddressDatabase,
  DeclaredLocation,
  ResidencyPolicy,
  SiteList,
  VantageRecord,
} from '../../../schemas/types.ts'
import { plain } from '../plain-text.ts'
import { dayOf, daysSince } from './declared.ts'
import { placeText } from './location-dossier.ts'
import { type Block, type Cell, heading, plainCell } from './model.ts'
import { between, of, plural } from './wording.ts'

/** Older databases of addresses say less: networks move. */
const OLD_DAYS = 60

/** What was brought from outside the nodes to judge where they are: whose word it is, its date and its digest. */
export function broughtBlocks(
  { vantages = [], sites, databases = [], residency = [] }: DeclaredLocation,
  asOf: string,
): readonly Block[] {
  return [
    ...table('Records of round trips from other places', VANTAGE_COLUMNS, vantages.map(vantageRow)),
    ...table(
      'Databases of addresses',
      DATABASE_COLUMNS,
      databases.map((one) => databaseRow(one, asOf)),
    ),
    ...table('List of sites', SITE_COLUMNS, sites === undefined ? [] : [siteRow(sites)]),
    ...table('Where nodes have to be', POLICY_COLUMNS, residency.map(policyRow)),
  ]
}

type Columns = Extract<Block, { kind: 'table' }>['columns']

const table = (title: string, columns: Columns, rows: readonly (readonly Cell[])[]): readonly Block[] =>
  rows.length === 0 ? [] : [heading(4, title), { kind: 'table', rowHeaders: true, columns, rows }]

const VANTAGE_COLUMNS: Columns = [
  { title: 'Record', width: 18 },
  { title: 'From, as declared', width: 30 },
  { title: 'Measured', width: 24 },
  { title: 'Key of the signer', width: 28 },
]

const vantageRow = ({
  id,
  vantage,
  startedAt,
  endedAt,
  demo,
  measurements,
  signature,
}: VantageRecord): readonly Cell[] => [
  [{ text: plain(id, 100) }, ...(demo ? [{ text: 'Demo data', style: 'quiet' } as const] : [])],
  [{ text: placeText(vantage) }, { text: `Declared by ${plain(vantage.declaredBy, 100)}`, style: 'quiet' }],
  [
    { text: between(startedAt, endedAt) },
    { text: `${of(measurements.filter(({ echo }) => echo !== null).length, measurements.length)} nodes were timed` },
  ],
  [{ text: signature.fingerprint, style: 'mono' }],
]

const DATABASE_COLUMNS: Columns = [
  { title: 'File', width: 22 },
  { title: 'Type, whose data', width: 24 },
  { title: 'Date', width: 22 },
  { title: 'SHA-256', width: 32 },
]

function databaseRow(
  { file, format, type, provenance, builtOn, answers }: AddressDatabase,
  asOf: string,
): readonly Cell[] {
  const days = builtOn === null ? null : daysSince(builtOn, asOf)
  const age =
    days === null
      ? 'It has no date, so its age is not known.'
      : days < 0
        ? 'It is dated after the day of judging.'
        : days > OLD_DAYS
          ? `${days} days old: more than ${OLD_DAYS}.`
          : null
  return [
    [
      { text: plain(file.name, 255) },
      { text: `${plural(answers.length, 'address', 'addresses')} asked for`, style: 'quiet' },
    ],
    [{ text: `${plain(type, 200)}, ${format}` }, { text: plain(provenance, 200), style: 'quiet' }],
    [
      { text: builtOn === null ? 'None' : dayOf(builtOn) },
      ...(age === null ? [] : [{ text: age, mark: 'diamond-question' } as const]),
    ],
    [{ text: file.sha256, style: 'mono' }],
  ]
}

const SITE_COLUMNS: Columns = [
  { title: 'File', width: 24 },
  { title: 'Whose list', width: 24 },
  { title: 'Rows', width: 10 },
  { title: 'SHA-256, signer', width: 42 },
]

const siteRow = ({ source, on, declaredBy, file, rows, signature, signer }: SiteList): readonly Cell[] => [
  plainCell(plain(file.name, 255)),
  [{ text: plain(source, 200) }, { text: `${dayOf(on)}, brought by ${plain(declaredBy, 100)}`, style: 'quiet' }],
  plainCell(`${rows.length}`),
  [
    { text: file.sha256, style: 'mono' },
    signature === undefined
      ? { text: 'Nobody signed it.', style: 'quiet' }
      : {
          text: `Signed as ${plain(signature.subject, 200)}, certificate ${signature.fingerprint}: ${
            signer === signature.fingerprint
              ? `the signer’s, as ${plain(declaredBy, 100)} was told`
              : 'a key that nobody named'
          }`,
          style: 'quiet',
        },
  ],
]

const POLICY_COLUMNS: Columns = [
  { title: 'Policy', width: 30 },
  { title: 'Region', width: 40 },
  { title: 'For', width: 30 },
]

const policyRow = ({ name, nodes, region, country, polygon }: ResidencyPolicy): readonly Cell[] => [
  plainCell(name === undefined ? 'Without a name' : plain(name, 200)),
  plainCell(
    polygon !== undefined
      ? `Area with ${polygon.length} corners: ${polygon
          .slice(0, 12)
          .map(([latitude, longitude]) => `${latitude}, ${longitude}`)
          .join('; ')}${polygon.length > 12 ? ' and more' : ''}`
      : plain((region === undefined ? (country ?? []) : [region]).join(', '), 1000),
  ),
  plainCell(nodes === undefined ? 'All nodes' : plural(nodes.length, 'node')),
]
