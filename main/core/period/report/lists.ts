import type { Period, PeriodSample } from '../../../../schemas/types.ts'
import { plain } from '../../plain-text.ts'
import { type Block, heading, monoCell, plainCell, quiet, type Section, text } from '../../report/model.ts'
import { of } from '../../report/wording.ts'
import { entryWords, PERIOD_TITLES, type PeriodReportInput, populationOf } from './input.ts'

const MOST_DRAWN = 60

/** Whole populations as files, with what is asked of information that an entity produced; and the samples that were drawn from them. */
export function listSection(input: PeriodReportInput): Section {
  const { populations, samples } = input.period
  return {
    id: 'lists',
    title: PERIOD_TITLES.lists,
    blocks: [
      text(
        'Each population is a file in the pack and holds every row; nothing was left out by choice. Whoever has the pack makes the same files again, byte for byte, from the chain and the traces. Whether a list is complete beyond that, such as a server that nobody declared, these files cannot show.',
      ),
      ...populations.flatMap(populationBlocks),
      heading(3, 'Samples', true),
      ...(samples.length === 0
        ? [
            text(
              'No sample was drawn when this pack was made. One can be drawn from the files at any time, by the rule below.',
            ),
          ]
        : [
            text(
              'The number of rows and the seed were given by whoever asked for the pack. The raw evidence of the drawn nodes is in the pack, under data/runs, each below the seal of its own run.',
            ),
          ]),
      ...samples.flatMap((sample, index) => sampleBlocks(input, sample, index + 1)),
      heading(3, 'Drawing again by hand'),
      text(
        'For each row of the file, hash the seed, a line feed and the row’s key, which is its first column. Sort by digest: the rows with the smallest digests are the sample, smallest first. Nothing but the key takes part, so no result can steer the draw. For one row:',
      ),
      { kind: 'code', lines: ['printf \'%s\\n%s\' "$seed" "$key" | sha256sum'] },
      text(
        'A sampler who wants rows that nobody could foresee names the seed after the pack is sealed, and draws from the files.',
      ),
    ],
  }
}

function populationBlocks({
  name,
  path,
  rows,
  sha256,
  unit,
  source,
  how,
}: Period['populations'][number]): readonly Block[] {
  return [
    heading(3, NAMES[name], true),
    {
      kind: 'facts',
      rows: [
        { label: 'One row is', value: plainCell(plain(unit)) },
        { label: 'Rows', value: plainCell(String(rows)) },
        { label: 'Source', value: plainCell(plain(source, 1000)) },
        { label: 'Parameters', value: plainCell(plain(how, 2000)) },
        { label: 'File', value: [{ text: plain(path), style: 'mono' }] },
        { label: 'SHA-256', value: monoCell(sha256) },
      ],
    },
  ]
}

const NAMES: Readonly<Record<Period['populations'][number]['name'], string>> = {
  runs: 'Population: runs',
  nodes: 'Population: nodes',
  'node-runs': 'Population: nodes in runs',
  accounts: 'Population: accounts',
  keys: 'Population: keys that open accounts',
  changes: 'Population: changes',
}

function sampleBlocks({ period }: PeriodReportInput, sample: PeriodSample, number: number): readonly Block[] {
  const { population, seed, of: rows, drawn } = sample
  const path = populationOf(period, population)?.path ?? population
  const left = drawn.length - MOST_DRAWN
  return [
    heading(4, `Sample ${number}, of ${NAMES[population].replace('Population: ', '')}`, true),
    {
      kind: 'facts',
      rows: [
        {
          label: 'Drawn',
          value: plainCell(`${of(drawn.length, rows)} rows of ${plain(path)}; ${sample.size} asked for`),
        },
        { label: 'Seed', value: monoCell(plain(seed)) },
      ],
    },
    {
      kind: 'table',
      columns: [
        { title: 'Row', width: 8 },
        { title: 'Key', width: 40 },
        { title: 'Raw evidence: run', width: 32 },
        { title: 'Node', width: 20 },
      ],
      rows: drawn
        .slice(0, MOST_DRAWN)
        .map(({ place, key, run, node }) => [
          plainCell(String(place)),
          monoCell(plain(key, 300)),
          run === null ? [{ text: 'not at hand', style: 'strong' }] : monoCell(plain(run, 100)),
          plainCell(node === null ? 'the run as a whole' : plain(node, 80)),
        ]),
    },
    quiet('Row counts the rows of the file from 1, its first line with the names of columns left out.'),
    ...(left > 0 ? [quiet(`And ${left} more, in data/period.json in the pack, under “samples”.`)] : []),
  ]
}

/** What a chain says of a period besides: runs sealed twice, evidence that was taken away. */
export function noteBlocks({ period }: PeriodReportInput): readonly Block[] {
  const { notes = [] } = period
  if (notes.length === 0) return []
  const left = notes.length - MOST_DRAWN
  return [
    heading(3, 'What the chain says besides', true),
    text(`Places are those in ${entryWords(0).replace('line 0 of ', '')}, counted from 1.`),
    { kind: 'list', items: notes.slice(0, MOST_DRAWN).map((note) => ({ text: plain(note, 2000) })) },
    ...(left > 0 ? [quiet(`And ${left} more, in data/period.json in the pack, under “notes”.`)] : []),
  ]
}
