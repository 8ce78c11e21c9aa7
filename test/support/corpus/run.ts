import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SIGNALS } from '../../../main/catalog/single-tenancy/isolation/signals.ts'
import { type Assessed, assessCase } from './assess.ts'
import { countSignals, countsText } from './counts.ts'
import { defaultCorpus, joinedCases, readCorpus } from './labels.ts'
import { acceptanceOf, matrixText, metalText, reasonsText, totalsOf, wrongOnes } from './matrix.ts'
import { peersText } from './peers.ts'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const USAGE = 'usage: npm run corpus -- [--dir DIR] [--labels FILE] [--json] [--peers] [--counts] [--undecided]'

const EXIT = { fine: 0, usage: 2, wrong: 3 } as const

interface Options {
  readonly dir: string
  readonly labels: string | null
  readonly json: boolean
  readonly peers: boolean
  readonly counts: boolean
  readonly undecided: boolean
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      dir: { type: 'string' },
      labels: { type: 'string' },
      json: { type: 'boolean' },
      peers: { type: 'boolean' },
      counts: { type: 'boolean' },
      undecided: { type: 'boolean' },
    },
  })
  return {
    dir: values.dir ?? defaultCorpus(REPOSITORY),
    labels: values.labels ?? null,
    json: values.json ?? false,
    peers: values.peers ?? false,
    counts: values.counts ?? false,
    undecided: values.undecided ?? false,
  }
}

function jsonOf(assessed: readonly Assessed[], missing: readonly string[]): string {
  return JSON.stringify({
    totals: totalsOf(assessed),
    acceptance: acceptanceOf(assessed),
    missing,
    cases: assessed.map((one) => ({
      name: one.name,
      truth: one.truth,
      scope: one.scope,
      label: one.platform,
      environment: one.environment,
      platform: one.named,
      wrong: one.judgement === 'wrong',
      undecided: one.environment === 'undetermined',
      rule: one.argument.rule.id,
      concealed: one.argument.concealed,
      probesRead: one.read,
    })),
  })
}

/** Assesses a corpus and prints what came of it; the exit status shows whether an answer was wrong. */
function main(args: readonly string[]): number {
  let options: Options
  let corpus: ReturnType<typeof readCorpus>
  try {
    options = readOptions(args)
    corpus = readCorpus(options.dir, options.labels)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return EXIT.usage
  }
  const failed: string[] = []
  const assessAll = (cases: typeof corpus.cases): readonly Assessed[] =>
    cases.flatMap((one) => {
      try {
        return [assessCase(one)]
      } catch (error) {
        failed.push(one.name)
        console.error(`${one.name} could not be assessed: ${error instanceof Error ? error.message : String(error)}`)
        return []
      }
    })
  const assessed = assessAll(corpus.cases)
  const joined = assessAll(joinedCases(corpus.cases))
  const wrong = wrongOnes([...assessed, ...joined])
  if (options.json) console.log(jsonOf([...assessed, ...joined], [...corpus.missing, ...failed]))
  else {
    const { cases, judged, right, undecided } = totalsOf(assessed)
    console.log(matrixText(assessed))
    console.log(`\n${cases} cases, ${judged} judged: ${right} right, ${undecided} undecided, ${wrong.length} wrong.`)
    for (const { text, holds } of acceptanceOf(assessed)) console.log(`${holds ? 'holds' : 'FAILS'}: ${text}`)
    console.log(metalText(assessed, joined))
    if (corpus.missing.length > 0) console.log(`without a folder: ${corpus.missing.join(' ')}`)
    if (joined.length > 0) console.log(`\n${matrixText(joined)}`)
    for (const one of wrong) console.log(`\n${reasonsText(one)}`)
    if (options.undecided)
      for (const one of assessed.filter(({ judgement }) => judgement === 'undecided'))
        console.log(`\n${reasonsText(one)}`)
  }
  if (options.peers) console.log(`\n${peersText(assessed)}`)
  if (options.counts) console.log(`\n${countsText(countSignals(assessed, SIGNALS))}`)
  return wrong.length > 0 || failed.length > 0 ? EXIT.wrong : EXIT.fine
}

process.exitCode = main(process.argv.slice(2))
