import type { Period, RulesSpan } from '../../../schemas/types.ts'
import { generalLimitation } from '../../../schemas/words.ts'
import { of, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  code,
  headedTable,
  heading,
  type Line,
  list,
  monoCell,
  plainCell,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { CHAIN_PATHS } from '../../core/run-chain/notes.ts'
import { stateCounts } from '../report/controls/tests-of-controls.ts'
import { signerCell } from '../report/cover.ts'
import { brief, moment, shortName, when } from '../report/parts/wording.ts'
import { dayOf, type FactRows, factBlock, typed } from '../report/scope/boundary.ts'
import { DAY_STATES, dayStateWords } from './day-states.ts'
import { MOST_ROWS, nodeCount, PERIOD_TITLES, type PeriodReportInput, restBlock, seePart } from './lists.ts'

const IS =
  'A report on the runs of one fleet over a period, derived from the run chain, in which every run, schedule and missed run has a signed entry, and from the run trace that each run sealed. Anyone who holds the pack can reproduce this report.'
const IS_NOT =
  'It is not an opinion, an attestation or legal advice. An independent practitioner concludes whether controls were suitably designed and operated effectively, with additional evidence. Not tested: operation between runs, and matters that cannot be tested on servers. Deviations that no run observed are not included.'

/** Page 1: period, fleet, coverage, what was concluded, signer, nature of the report and exclusions. */
export function periodCover(input: PeriodReportInput): Section {
  const { period, demo } = input
  return {
    id: 'cover',
    title: PERIOD_TITLES.cover,
    blocks: [
      {
        kind: 'title',
        over: 'Period report',
        text: plain(period.fleet, 80),
        under: `${dayOf(period.from)} to ${dayOf(period.to)}, UTC days, both included`,
      },
      ...(demo ? [DEMO] : []),
      ...loud(period),
      factBlock(facts(input)),
      heading(3, 'Nature of this report'),
      text(IS),
      heading(3, 'Exclusions'),
      text(IS_NOT),
    ],
  }
}

/** The sections with their pages, on one page. */
export const periodContents = (): Section => ({
  id: 'contents',
  title: PERIOD_TITLES.contents,
  blocks: [{ kind: 'contents' }],
})

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'Runs of this period were produced from the built-in demo fleet. They do not describe any real server and must not be used as evidence.',
}

/** Unexplained missed runs, stated before anything else. */
function loud({ calendar }: Period): readonly Block[] {
  const { unrecorded, planned } = calendar.counts
  return unrecorded === 0
    ? []
    : [
        {
          kind: 'banner',
          title: 'Unexplained missed runs',
          text: `${of(unrecorded, planned)} scheduled runs did not take place and ${unrecorded === 1 ? 'has' : 'have'} no missed-run entry in the run chain. For the days, see ${seePart('gaps')}.`,
        },
      ]
}

function facts(input: PeriodReportInput): FactRows {
  const { period, signer } = input
  const { engagement } = period
  const { counts } = period.calendar
  const keys = [...new Set(period.runs.map((run) => run.signer))]
  return [
    ...(engagement === null
      ? []
      : [
          { label: 'Entity', value: typed(engagement.entity, 300) },
          { label: 'Purpose', value: typed(engagement.purpose, 1000) },
          { label: 'Audience', value: typed(engagement.audience, 500) },
          { label: 'Declared', value: declaredCell(input) },
        ]),
    {
      label: 'Fleet',
      value: plainCell(`${plain(period.fleet, 200)}; ${plural(nodeCount(input), 'node')} declared in the period`),
    },
    {
      label: 'Scheduled runs',
      value:
        counts.planned === 0
          ? plainCell(`None was due; ${plural(counts.unplanned, 'unscheduled run')} took place`)
          : [
              { text: `${of(counts.completed, counts.planned)} took place, ${counts.late} of them late` },
              {
                text: `${of(counts.recorded, counts.planned)} missed, explained; ${of(counts.unrecorded, counts.planned)} missed, unexplained`,
              },
            ],
    },
    {
      label: 'Days',
      value: plainCell(`${of(counts.daysWith, counts.days)}\u00a0days with at least one node collected`),
    },
    { label: 'Controls', value: controlCell(input) },
    { label: 'Deviations', value: deviationCell(period) },
    { label: 'Evaluated as of', value: plainCell(when(period.asOf)) },
    { label: 'Runs sealed by', value: keyCell(keys) },
    { label: 'Produced by', value: plainCell(plain(input.producer)) },
    {
      label: 'Run chain',
      value: [
        { text: `${plural(period.chain.size, 'entry', 'entries')}, root` },
        { text: period.chain.root, style: 'mono' },
      ],
    },
    { label: 'Evidence pack', value: plainCell(plain(input.packName)) },
    { label: 'Evidence digest', value: monoCell(input.evidenceDigest) },
    {
      label: 'Signer',
      value: signerCell(signer),
    },
  ]
}

/** Controls of each framework by state, over the whole period. */
function controlCell({ period: { conclusions }, frameworks }: PeriodReportInput): Cell {
  if (conclusions === null) return plainCell('Not concluded: the evidence of no run is available')
  const lines = frameworks
    .filter(({ proposed }) => !proposed)
    .map(({ id }) => {
      const found = conclusions.controls.map(({ conclusion }) => conclusion).filter(({ framework }) => framework === id)
      const inScope = found.filter(({ state }) => state !== 'out-of-scope')
      return { text: `${shortName(id)}: ${inScope.length} in scope, ${stateCounts(inScope)}` }
    })
  return lines.length === 0 ? plainCell('The last run chose no framework') : lines
}

function deviationCell({ deviations, runs }: Period): Cell {
  if (deviations.length === 0)
    return plainCell(
      runs.some(({ answered }) => answered > 0)
        ? 'None noted on the nodes tested in any run'
        : 'No node was tested in any run',
    )
  const open = deviations.filter((one) => one.open).length
  return plainCell(
    `${plural(deviations.length, 'deviation')}: ${deviations.length - open} remediated, ${open} open at period end`,
  )
}

const MOST_KEYS = 6

/** Keys that sealed the runs: more than one is permitted, but worth inquiry. */
function keyCell(keys: readonly string[]): Cell {
  if (keys.length === 0) return plainCell('No runs in the period.')
  const shown = keys.slice(0, MOST_KEYS).map((key): Line => ({ text: key, style: 'mono' }))
  const left = keys.length - shown.length
  return [
    { text: `${plural(keys.length, 'key')}, certificate SHA-256` },
    ...shown,
    ...(left > 0 ? [{ text: `and ${left} more, in the list of runs`, style: 'quiet' } as const] : []),
  ]
}

/** The period declared in the engagement, compared with that of this report. */
function declaredCell({ period }: PeriodReportInput): Cell {
  const { engagement } = period
  if (engagement === null) return plainCell('None.')
  const { reportingBasis, status } = engagement
  const asDeclared =
    reportingBasis.kind === 'date'
      ? `as of ${dayOf(reportingBasis.date)}`
      : `${dayOf(reportingBasis.from)} to ${dayOf(reportingBasis.to)}`
  const same =
    reportingBasis.kind === 'period' && reportingBasis.from === period.from && reportingBasis.to === period.to
  return [
    { text: `${asDeclared}, ${status === 'draft' ? 'draft' : 'final'}` },
    ...(same ? [] : [{ text: 'This report covers different days from those declared.', style: 'strong' } as const]),
  ]
}

const LIMITS: readonly string[] = [
  'Between runs. Not tested: operation between runs. Two daily runs with the same result do not show the state in between.',
  'Absence of deviations. No deviations noted means that these checks, at these times, on these nodes, found none. It does not show that none existed.',
  'Population. A server not declared in any run is in no count and no file.',
  'Time. Schedules, runs and missed runs have the time of the computer that created them. The run chain fixes the order of entries; only time-stamped seals provide an independent time.',
  'End of the run chain. Later entries, or a parallel run chain, cannot be detected from it. A reader who kept a checkpoint from an earlier pack can verify that this run chain extends it.',
  'Schedules. A schedule states the owner’s intention. Whether its frequency is sufficient was not evaluated.',
  'Run traces. Verdicts come from the run trace that each run sealed. Captures are enclosed only for sampled nodes, whose verdicts can be re-evaluated here; the other captures are in the packs of the runs.',
  'Self-reported data. A party that controls a node’s kernel or firmware can falsify its output in every run of a period.',
  'Documents. Policies, reviews, training and approvals cannot be tested on a server. They count as sealed by the last run; whether they cover the whole period was not tested.',
]

export const periodLimits = (): Section => ({
  id: 'limits',
  title: PERIOD_TITLES.limits,
  blocks: [list(LIMITS.map((words) => ({ text: words })))],
})

/** Independent verification of the period report with openssl, sha256sum and standard shell tools. RFC 5652, RFC 9162 §2.1.1. */
export function periodHowto({ packName, evidenceDigest, signer, period }: PeriodReportInput): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  return {
    id: 'howto',
    title: PERIOD_TITLES.howto,
    blocks: [
      text(
        'Only the last step requires Barewitness; no step requires an account or a network. The steps use openssl 3, unzip and standard shell tools. Place the pack and root.pem (the root certificate that you trust) in one folder and run the commands there in this order. A step that prints anything not described here has failed.',
      ),
      ...step('1. The seal over the period', 'openssl must report that the verification was successful.', [
        'root=$PWD/root.pem',
        'unzip -q -d unpacked \\',
        `  ${archive}`,
        'cd unpacked/pack',
        'seal() {',
        '  openssl cms -verify -cades -binary -inform DER -in signature/tagmanifest.p7s \\',
        '    -out /dev/null -content tagmanifest-sha256.txt -purpose any \\',
        '    -certfile signature/chain.pem -CAfile "$root" "$@"',
        '}',
        'seal -signer ../signer.pem',
      ]),
      ...(signer === null
        ? []
        : step('2. The signer’s identity', 'Compare with the fingerprint obtained from the signer directly.', [
            'openssl x509 -in ../signer.pem -noout -fingerprint -sha256',
            `# expected: ${signer.fingerprint}`,
          ])),
      ...step(
        '3. Every file matches the list, and this report belongs to it',
        'The first two print nothing; the third prints the evidence digest of page 1.',
        [
          'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
          'sha256sum --strict --quiet -c manifest-sha256.txt',
          "grep -v '  data/report' manifest-sha256.txt | sha256sum",
          `# expected: ${evidenceDigest}`,
        ],
      ),
      ...step(
        '4. The run chain',
        'This hashes every entry and compares the result with the list of leaves. It prints nothing if all match. RFC 9162, section 2.1.1, defines how the leaves give the root on page 1.',
        [
          `sed 's/^{"entry":\\(.*\\),"signature":[^}]*}$/\\1/' ${CHAIN_PATHS.entries} |`,
          '  while read -r entry; do',
          '    { printf \'\\000\'; printf %s "$entry"; } | sha256sum | cut -c1-64',
          '  done |',
          `  cmp - ${CHAIN_PATHS.leaves}`,
        ],
      ),
      ...step(
        '5. Every run has a valid seal and is in the run chain',
        `For each of the ${period.runs.length} runs, openssl must report that the verification was successful. Files of a run that are not enclosed are skipped; all enclosed files must match. A printed name is a run that is not in the run chain.`,
        [
          'for run in data/runs/*/; do (',
          '  cd "$run" && seal &&',
          '    sha256sum --strict --quiet --ignore-missing -c \\',
          '      tagmanifest-sha256.txt manifest-sha256.txt',
          ') done',
          'for run in data/runs/*/; do',
          '  sealed=$(sha256sum < "$run/tagmanifest-sha256.txt" | cut -c1-64)',
          `  grep -qF "\\"tagManifest\\":\\"$sealed\\"" ${CHAIN_PATHS.entries} || echo "$run"`,
          'done',
        ],
      ),
      ...step('6. The populations', 'The digests must match those under “Populations and samples”.', [
        'sha256sum data/populations/*.csv',
      ]),
      heading(3, '7. The period report'),
      text(
        `With Barewitness, on a computer without a network, the data of this report can be reproduced from the run chain and the run traces, and the verdicts of sampled nodes from their captures. For limitations, see ${seePart('limits')}.`,
      ),
      code(['cd ../..', 'barewitness verify --trust root.pem \\', `  ${archive}`]),
    ],
  }
}

const step = (title: string, expect: string, lines: readonly string[]): readonly Block[] => [
  heading(3, title),
  text(expect),
  code(lines),
]

/** Catalog and rules engine in effect, with dates. */
export function rulesSection({ period }: PeriodReportInput): Section {
  const { rules, runs } = period
  const changed = rules.length - 1
  return {
    id: 'rules',
    title: PERIOD_TITLES.rules,
    blocks: [
      text(
        rules.length === 0
          ? 'No run trace is available, so the rules are unknown.'
          : changed === 0
            ? `One set of rules evaluated ${plural(runs.length, 'run')}: all verdicts of the period were derived in the same way.`
            : `The rules changed ${changed === 1 ? 'once' : `${changed} times`}. After a change, verdicts can differ with unchanged evidence, and checks can be added. A deviation that begins or ends with such a change does not by itself indicate a change on the node; ${seePart('changes')} separates the lists.`,
      ),
      ...(rules.length === 0 ? [] : [spanTable(rules)]),
      ...restBlock(rules.length - MOST_ROWS),
      heading(3, 'Meaning of the digests'),
      text(
        'The catalog digest covers all probes, checks and mappings. The rules digest covers the engine version, the catalog and the thresholds. Runs with the same rules digest evaluate the same evidence identically.',
      ),
    ],
  }
}

const spanTable = (rules: readonly RulesSpan[]): Block =>
  table(
    { 'First run (UTC)': 25, 'Last run (UTC)': 25, Runs: 8, Engine: 12, Catalog: 15, Rules: 15 },
    rules
      .slice(0, MOST_ROWS)
      .map(({ from, to, runs, engine, catalog, rules: digest }) => [
        [{ text: moment(from.at) }, { text: plain(from.run, 100), style: 'quiet' }],
        [{ text: moment(to.at) }, { text: plain(to.run, 100), style: 'quiet' }],
        plainCell(String(runs)),
        plainCell(plain(engine, 40)),
        monoCell(brief(catalog)),
        monoCell(brief(digest)),
      ]),
  )

const READING: readonly string[] = [
  'A schedule defines when runs are due. It is an entry of the run chain and applies only to runs after its entry.',
  'A run counts as scheduled where its sealed entry states the schedule and the due time.',
  'A missed run is explained where a signed entry states the reason. A missed run without an entry is unexplained and is listed first.',
  'A deviation is one check not satisfied on one node, from the run that found it to the first run that shows it satisfied or not applicable. An inconclusive run does not end a deviation.',
  'Changes are in three separate lists: evidence, rules and scope.',
]

/** Method and terms, and the kind of report that this information can support. */
export function readingSection(): Section {
  return {
    id: 'reading',
    title: PERIOD_TITLES.reading,
    blocks: [
      text(
        'Each run shows one point in time. Not tested: operation between runs. Every count is printed with its denominator, and days without evidence precede the results.',
      ),
      list(READING.map((words) => ({ text: words }))),
      heading(3, 'Days of the calendar'),
      text('A day with several of these states counts as the first.'),
      headedTable(
        { Letter: 9, State: 26, Meaning: 65 },
        DAY_STATES.map((state) => {
          const { letter, label, meaning } = dayStateWords[state]
          return [[{ text: letter, style: 'strong' }], [{ text: label }], [{ text: meaning }]]
        }),
      ),
      heading(3, 'Type 1 and type 2'),
      text(
        `In a SOC 2® examination, a type 1 report is as of a point in time, and a type 2 report covers a period of time. The report of one run can support a type 1 examination. This report can support a type 2 examination: coverage, deviations, complete populations and reproducible samples. It is information produced by the entity (IPE). The practitioner decides how far to rely on it; ${seePart('lists')} states source, parameters, number of items and digest of each population.`,
      ),
      heading(3, 'Retention'),
      text(
        'HIPAA requires a covered entity or business associate to retain the documentation required by 45 CFR 164.316(b)(1) for six years from its creation or from when it last was in effect, whichever is later (45 CFR 164.316(b)(2)(i)). The owner is responsible for retention and decides whether this pack is part of that documentation.',
      ),
      text(generalLimitation('pack records')),
    ],
  }
}
