import type {
  AddressDatabase,
  DeclaredLocation,
  ResidencyPolicy,
  SiteList,
  VantageRecord,
} from '../../../schemas/types.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, plainCell } from '../../core/report-document.ts'
import { dayOf, daysSince } from './declared.ts'
import { placeText } from './location-dossier.ts'
import { between } from './wording.ts'

/** Older address databases are less reliable, because networks move. */
const OLD_DAYS = 60

/** Location evidence from outside the nodes: source, date and digest. */
export function broughtBlocks(
  { vantages = [], sites, databases = [], residency = [] }: DeclaredLocation,
  asOf: string,
): readonly Block[] {
  return [
    ...table('Round-trip measurements from other vantage points', VANTAGE_COLUMNS, vantages.map(vantageRow)),
    ...table(
      'Address databases',
      DATABASE_COLUMNS,
      databases.map((one) => databaseRow(one, asOf)),
    ),
    ...table('Site list', SITE_COLUMNS, sites === undefined ? [] : [siteRow(sites)]),
    ...table('Residency rules', POLICY_COLUMNS, residency.map(policyRow)),
  ]
}

type Columns = Extract<Block, { kind: 'table' }>['columns']

const table = (title: string, columns: Columns, rows: readonly (readonly Cell[])[]): readonly Block[] =>
  rows.length === 0 ? [] : [heading(4, title), { kind: 'table', rowHeaders: true, columns, rows }]

const VANTAGE_COLUMNS: Columns = [
  { title: 'Measurement', width: 18 },
  { title: 'Vantage point, as declared', width: 30 },
  { title: 'Measured', width: 24 },
  { title: 'Signing key', width: 28 },
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
    { text: `${of(measurements.filter(({ echo }) => echo !== null).length, measurements.length)} nodes measured` },
  ],
  [{ text: signature.fingerprint, style: 'mono' }],
]

const DATABASE_COLUMNS: Columns = [
  { title: 'File', width: 22 },
  { title: 'Type and publisher', width: 24 },
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
      ? 'No date; age unknown.'
      : days < 0
        ? 'Dated after the evaluation date.'
        : days > OLD_DAYS
          ? `${days} days old: more than ${OLD_DAYS}.`
          : null
  return [
    [
      { text: plain(file.name, 255) },
      { text: `${plural(answers.length, 'address', 'addresses')} queried`, style: 'quiet' },
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
  { title: 'Source', width: 24 },
  { title: 'Rows', width: 10 },
  { title: 'SHA-256, signer', width: 42 },
]

const siteRow = ({ source, on, declaredBy, file, rows, signature, signer }: SiteList): readonly Cell[] => [
  plainCell(plain(file.name, 255)),
  [{ text: plain(source, 200) }, { text: `${dayOf(on)}, supplied by ${plain(declaredBy, 100)}`, style: 'quiet' }],
  plainCell(`${rows.length}`),
  [
    { text: file.sha256, style: 'mono' },
    signature === undefined
      ? { text: 'Not signed.', style: 'quiet' }
      : {
          text: `Signed as ${plain(signature.subject, 200)}, certificate ${signature.fingerprint}: ${
            signer === signature.fingerprint
              ? `the expected signer according to ${plain(declaredBy, 100)}`
              : 'not an expected signer'
          }`,
          style: 'quiet',
        },
  ],
]

const POLICY_COLUMNS: Columns = [
  { title: 'Residency rule', width: 30 },
  { title: 'Area', width: 40 },
  { title: 'Nodes', width: 30 },
]

const policyRow = ({ name, nodes, region, country, polygon }: ResidencyPolicy): readonly Cell[] => [
  plainCell(name === undefined ? 'Unnamed' : plain(name, 200)),
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
