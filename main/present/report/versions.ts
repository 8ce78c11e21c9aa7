import { canonicalJson } from '../../core/canonical-json.ts'
import { sha256 } from '../../core/digest.ts'
import type { Framework } from '../../core/framework.ts'
import { of } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  monoCell,
  plainCell,
  type Section,
  text,
} from '../../core/report-document.ts'
import { dayOf, declaredBy, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { profileCell } from './profile.ts'
import { see, titles } from './titles.ts'

/** Versions, dates and digests of the software, rules, frameworks and declarations behind this report. */
export function versionSection(matter: Matter): Section {
  const { assessment, catalog } = matter
  return {
    id: 'versions',
    title: titles.versions,
    blocks: [
      text(
        'The same recordings give the same results only with the same versions. The catalog is in the pack as data/catalog.json; its SHA-256 is the catalog digest.',
      ),
      heading(3, 'Tool and rules', true),
      factBlock([
        { label: 'Produced by', value: plainCell(matter.producer) },
        { label: 'Rules engine', value: plainCell(plain(assessment.engine, 40)) },
        {
          label: 'Catalog',
          value: [
            { text: `Version ${plain(assessment.catalog.version, 40)}, SHA-256` },
            { text: assessment.catalog.digest, style: 'mono' },
            { text: 'Rules module, SHA-256' },
            { text: assessment.catalog.module, style: 'mono' },
          ],
        },
        { label: 'Collected by', value: collectors(matter) },
        {
          label: 'Thresholds',
          value: [...profileCell(matter), { text: `For each threshold, see ${see('compared')}.`, style: 'quiet' }],
        },
      ]),
      heading(3, 'Frameworks', true),
      frameworkTable(matter),
      heading(3, 'Reference lists', true),
      ...references(catalog.references ?? []),
      heading(3, 'Declarations', true),
      factBlock([
        { label: 'Engagement', value: engagementCell(matter) },
        { label: 'Provider profile', value: providerCell(matter) },
      ]),
      text(
        'These digests are SHA-256 over the canonical JSON (RFC 8785) of the content of data/scope.json in the pack.',
      ),
    ],
  }
}

/** Collector versions of the recordings, and whether they used the catalog of this evaluation. */
function collectors({ recordings, assessment }: Matter): Cell {
  const counts = new Map<string, number>()
  for (const { recording } of recordings) {
    const { version, catalogVersion, catalogDigest } = recording.collector
    const same = catalogDigest === assessment.catalog.digest ? 'the same catalog' : 'another catalog'
    const words = `collector ${plain(version, 40)}, catalog ${plain(catalogVersion, 40)}, ${same} (${catalogDigest.slice(0, 12)})`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  const lines = [...counts].sort(([a], [b]) => compare(a, b))
  return lines.length === 0
    ? plainCell('No recordings.')
    : lines.map(([words, count]) => ({ text: `${of(count, recordings.length)} recordings: ${words}` }))
}

const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In effect',
  'in-use': 'In use',
  'proposed-not-in-force': 'Proposed, not in effect',
}

/** Status of a framework as printed. */
export const statusOf = ({ status }: Pick<Framework, 'status'>): string => STATUS[status] ?? plain(status, 60)

function frameworkTable(matter: Matter): Block {
  const { current, overlays } = chosenFrameworks(matter)
  const own = new Set((matter.assessment.scope.mappings ?? []).map(({ id }) => id))
  const chosen = [...current, ...overlays]
  if (chosen.length === 0) return text('No framework selected.')
  return {
    kind: 'table',
    columns: [
      { title: 'Framework', width: 34 },
      { title: 'Version and status', width: 32 },
      { title: 'Mapping, SHA-256', width: 34 },
    ],
    rows: chosen.map((framework) => [
      [
        { text: plain(framework.title), style: 'strong' },
        { text: plain(framework.id, 40), style: 'quiet' },
      ],
      [{ text: plain(framework.version, 300) }, { text: `${statusOf(framework)}.` }],
      [
        {
          text: own.has(framework.id)
            ? 'Supplied by the customer, in data/scope.json'
            : 'Built in, in data/catalog.json',
        },
        digestLine(framework),
      ],
    ]),
  }
}

/** SHA-256 over canonical JSON (RFC 8785), so that independent verifiers can recompute it from the pack. */
const digestLine = (value: unknown): Line => ({ text: sha256(canonicalJson(value)), style: 'mono' })

const references = (lists: NonNullable<Matter['catalog']['references']>): readonly Block[] =>
  lists.length === 0
    ? [text('This catalog uses no dated reference list.')]
    : [
        text('Checked against their sources on the date stated. Later changes are not included.'),
        {
          kind: 'table',
          columns: [
            { title: 'List', width: 46 },
            { title: 'As of', width: 18 },
            { title: 'SHA-256', width: 36 },
          ],
          rows: lists.map(({ title, asOf, sha256: digest }) => [
            plainCell(title),
            plainCell(dayOf(asOf)),
            monoCell(digest),
          ]),
        },
      ]

function engagementCell({ assessment: { scope } }: Matter): Cell {
  const { engagement } = scope
  return engagement === undefined
    ? plainCell('None declared.')
    : [{ text: `${declaredBy(engagement)}, SHA-256` }, digestLine(engagement)]
}

function providerCell({ assessment: { scope } }: Matter): Cell {
  const { provider } = scope
  return provider === undefined
    ? plainCell('None.')
    : [
        { text: `${plain(provider.name)} (${plain(provider.id, 40)}), as of ${dayOf(provider.asOf)}, SHA-256` },
        digestLine(provider),
      ]
}
