import type { Period, PeriodSample } from '../../../schemas/types.ts'
import { of } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, heading, monoCell, plainCell, quiet, type Section, text } from '../../core/report-document.ts'
import { entryWords, PERIOD_TITLES, type PeriodReportInput, populationOf } from './input.ts'

const MOST_DRAWN = 60

/** Complete populations as files, with the parameters required for information produced by the entity (IPE), and the samples selected from them. */
export function listSection(input: PeriodReportInput): Section {
  const { populations, samples } = input.period
  return {
    id: 'lists',
    title: PERIOD_TITLES.lists,
    blocks: [
      text(
        'Each population is a file in the pack with every item; no filter was applied. Anyone who holds the pack can reproduce the files, byte for byte, from the run chain and the run traces. The files do not show completeness beyond that, such as servers that were never declared.',
      ),
      ...populations.flatMap(populationBlocks),
      heading(3, 'Samples', true),
      ...(samples.length === 0
        ? [
            text(
              'No sample was selected when this pack was created. Samples can be selected from the files at any time by the rule below.',
            ),
          ]
        : [
            text(
              'Sample size and seed were specified by the requester of the pack. The captures of sampled nodes are in the pack under data/runs, each covered by the seal of its run.',
            ),
          ]),
      ...samples.flatMap((sample, index) => sampleBlocks(input, sample, index + 1)),
      heading(3, 'Re-performing the selection'),
      text(
        'For each row of the file, hash the seed, a line feed and the key (the first column). Sort by digest: the rows with the smallest digests are the sample, smallest first. Only the key is used, so results cannot influence the selection. For one row:',
      ),
      { kind: 'code', lines: ['printf \'%s\\n%s\' "$seed" "$key" | sha256sum'] },
      text('For an unpredictable sample, choose the seed after the pack is sealed and select from the files.'),
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
        { label: 'Item', value: plainCell(plain(unit)) },
        { label: 'Items', value: plainCell(String(rows)) },
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
  keys: 'Population: authorized keys',
  changes: 'Population: changes',
}

function sampleBlocks({ period }: PeriodReportInput, sample: PeriodSample, number: number): readonly Block[] {
  const { population, seed, of: rows, sampled } = sample
  const path = populationOf(period, population)?.path ?? population
  const left = sampled.length - MOST_DRAWN
  return [
    heading(4, `Sample ${number}, of ${NAMES[population].replace('Population: ', '')}`, true),
    {
      kind: 'facts',
      rows: [
        {
          label: 'Selected',
          value: plainCell(`${of(sampled.length, rows)} items of ${plain(path)}; ${sample.size} requested`),
        },
        { label: 'Seed', value: monoCell(plain(seed)) },
      ],
    },
    {
      kind: 'table',
      columns: [
        { title: 'Row', width: 8 },
        { title: 'Key', width: 40 },
        { title: 'Captures: run', width: 32 },
        { title: 'Node', width: 20 },
      ],
      rows: sampled
        .slice(0, MOST_DRAWN)
        .map(({ place, key, run, node }) => [
          plainCell(String(place)),
          monoCell(plain(key, 300)),
          run === null ? [{ text: 'not available', style: 'strong' }] : monoCell(plain(run, 100)),
          plainCell(node === null ? 'entire run' : plain(node, 80)),
        ]),
    },
    quiet('Row numbers the rows of the file from 1, without its header line.'),
    ...(left > 0 ? [quiet(`And ${left} more, in data/period.json in the pack, under “samples”.`)] : []),
  ]
}

/** Further notes from the run chain: runs sealed twice, evidence deleted. */
export function noteBlocks({ period }: PeriodReportInput): readonly Block[] {
  const { notes = [] } = period
  if (notes.length === 0) return []
  const left = notes.length - MOST_DRAWN
  return [
    heading(3, 'Further notes from the run chain', true),
    text(`Entry numbers refer to ${entryWords(0).replace('line 0 of ', '')}, numbered from 1.`),
    { kind: 'list', items: notes.slice(0, MOST_DRAWN).map((note) => ({ text: plain(note, 2000) })) },
    ...(left > 0 ? [quiet(`And ${left} more, in data/period.json in the pack, under “notes”.`)] : []),
  ]
}
