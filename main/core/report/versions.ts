import { canonicalJson } from '../canonical-json.ts'
import { sha256 } from '../digest.ts'
import type { Framework } from '../framework.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { dayOf, declaredBy, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { type Block, type Cell, heading, type Line, monoCell, plainCell, type Section, text } from './model.ts'
import { profileCell } from './profile.ts'
import { see, titles } from './titles.ts'
import { of } from './wording.ts'

/** What made this report and what it was read against, each with its version, date and digest. */
export function versionSection(matter: Matter): Section {
  const { assessment, catalog } = matter
  return {
    id: 'versions',
    title: titles.versions,
    blocks: [
      text(
        'The same recordings give the same results only under the same versions. The pack’s data/catalog.json holds the catalog; its SHA-256 is the catalog’s digest.',
      ),
      heading(3, 'Tool and rules', true),
      factBlock([
        { label: 'Report made by', value: plainCell(matter.producer) },
        { label: 'Rules engine', value: plainCell(plain(assessment.engine, 40)) },
        {
          label: 'Catalog',
          value: [
            { text: `Version ${plain(assessment.catalog.version, 40)}, SHA-256` },
            { text: assessment.catalog.digest, style: 'mono' },
            { text: 'Module of these rules, SHA-256' },
            { text: assessment.catalog.module, style: 'mono' },
          ],
        },
        { label: 'Collected by', value: collectors(matter) },
        {
          label: 'Thresholds',
          value: [...profileCell(matter), { text: `Each number stands in ${see('compared')}.`, style: 'quiet' }],
        },
      ]),
      heading(3, 'Frameworks', true),
      frameworkTable(matter),
      heading(3, 'Reference lists', true),
      ...references(catalog.references ?? []),
      heading(3, 'What was declared', true),
      factBlock([
        { label: 'Engagement', value: engagementCell(matter) },
        { label: 'Provider profile', value: providerCell(matter) },
      ]),
      text('These digests are SHA-256 over canonical JSON (RFC 8785) of what the pack’s data/scope.json holds.'),
    ],
  }
}

/** Versions that made the recordings, and whether they asked by the same catalog that judges. */
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
    ? plainCell('There is no recording.')
    : lines.map(([words, count]) => ({ text: `${of(count, recordings.length)} recordings: ${words}` }))
}

const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In force',
  'in-use': 'In use',
  'proposed-not-in-force': 'Proposed, not in force',
}

/** How a framework stands, in words. */
export const statusOf = ({ status }: Pick<Framework, 'status'>): string => STATUS[status] ?? plain(status, 60)

function frameworkTable(matter: Matter): Block {
  const { current, overlays } = chosenFrameworks(matter)
  const own = new Set((matter.assessment.scope.mappings ?? []).map(({ id }) => id))
  const chosen = [...current, ...overlays]
  if (chosen.length === 0) return text('No framework was chosen.')
  return {
    kind: 'table',
    columns: [
      { title: 'Framework', width: 34 },
      { title: 'Version and status', width: 32 },
      { title: 'Whose mapping, SHA-256', width: 34 },
    ],
    rows: chosen.map((framework) => [
      [
        { text: plain(framework.title), style: 'strong' },
        { text: plain(framework.id, 40), style: 'quiet' },
      ],
      [{ text: plain(framework.version, 300) }, { text: `${statusOf(framework)}.` }],
      [
        { text: own.has(framework.id) ? 'The customer’s own, in data/scope.json' : 'Ours, in data/catalog.json' },
        digestLine(framework),
      ],
    ]),
  }
}

/** SHA-256 over canonical JSON (RFC 8785): what a stranger gets from the same value in the pack. */
const digestLine = (value: unknown): Line => ({ text: sha256(canonicalJson(value)), style: 'mono' })

const references = (lists: NonNullable<Matter['catalog']['references']>): readonly Block[] =>
  lists.length === 0
    ? [text('This catalog compares against no dated list.')]
    : [
        text('Compared with their sources on the day given. What changed later is not in them.'),
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
    ? plainCell('None was declared.')
    : [{ text: `${declaredBy(engagement)}, SHA-256` }, digestLine(engagement)]
}

function providerCell({ assessment: { scope } }: Matter): Cell {
  const { provider } = scope
  return provider === undefined
    ? plainCell('None was compared.')
    : [
        { text: `${plain(provider.name)} (${plain(provider.id, 40)}), as of ${dayOf(provider.asOf)}, SHA-256` },
        digestLine(provider),
      ]
}
