import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const FOLDER = new URL('../../docs/changes/', import.meta.url)
const PLACE = new URL('../../docs/changelog.md', import.meta.url)
/** In the order in which the changelog has them. */
export const KINDS = ['Feature', 'Change', 'Fix', 'Security'] as const
type Kind = (typeof KINDS)[number]
const HEADINGS: Readonly<Record<Kind, string>> = {
  Feature: 'New',
  Change: 'Changed',
  Fix: 'Fixed',
  Security: 'Security',
}

export interface Fragment {
  readonly place: string
  readonly kind: Kind
  readonly title: string
  readonly text: string
}

/** Reads a fragment; throws with its place where it has not the form of docs/changes/README.md. */
export function readFragment(place: string, source: string): Fragment {
  const [, kind, title = '', text = ''] = /^(\w+): (.{1,72})\n\n([\s\S]+)\n$/.exec(source) ?? []
  const known = KINDS.find((one) => one === kind)
  if (known === undefined || title.endsWith('.'))
    throw new Error(`${place} is not “Kind: Title”, an empty line, and text`)
  return { place, kind: known, title, text: text.trim() }
}

const namesIn = (folder: URL): readonly string[] => readdirSync(folder).sort()

/** Folders of changes, the unreleased ones first, then the latest release first. */
export const releases = (): readonly { readonly heading: string; readonly fragments: readonly Fragment[] }[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((a, b) => (a === 'unreleased' ? -1 : b === 'unreleased' ? 1 : b.localeCompare(a, 'en', { numeric: true })))
    .map((name) => ({
      heading: headingOf(name),
      fragments: namesIn(new URL(`${name}/`, FOLDER)).map((file) =>
        readFragment(`docs/changes/${name}/${file}`, readFileSync(new URL(`${name}/${file}`, FOLDER), 'utf8')),
      ),
    }))

function headingOf(folder: string): string {
  if (folder === 'unreleased') return 'Unreleased'
  const [, version, day] = /^(\d+\.\d+\.\d+)_(\d{4}-\d{2}-\d{2})$/.exec(folder) ?? []
  if (version === undefined) throw new Error(`docs/changes/${folder} is neither “unreleased” nor VERSION_DAY`)
  return `${version} (${day})`
}

/** The text of docs/changelog.md. */
export const changelog = (): string =>
  `${[
    '<!-- Assembled from docs/changes/ by `npx tsx test/support/assemble-changelog.ts`. Do not edit. -->',
    '# Changelog',
    ...releases().flatMap(({ heading, fragments }) => [
      `## ${heading}`,
      ...KINDS.flatMap((kind) => {
        const own = fragments.filter((one) => one.kind === kind)
        return own.length === 0
          ? []
          : [`### ${HEADINGS[kind]}`, ...own.map(({ title, text }) => `**${title}.** ${text}`)]
      }),
    ]),
  ].join('\n\n')}\n`

if (process.argv[1]?.endsWith('assemble-changelog.ts') === true) writeFileSync(PLACE, changelog())
