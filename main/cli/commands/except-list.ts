import type { Command } from 'commander'
import { standingWords, verdictWords } from '../../../schemas/words.ts'
import { type ListedResult, listRegister, type RegisterList } from '../../app/register/list.ts'
import { catalog } from '../../catalog/index.ts'
import { assess } from '../../core/assess.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { loadAll } from '../../core/recording.ts'
import { explanationText } from '../../core/register/explanations.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT, worst } from '../exit-codes.ts'
import { instant } from '../options.ts'
import { type RegisterOptions, withFleet, withRegister } from '../register-changes.ts'
import { scopeFor } from '../scope.ts'
import { emit, say } from '../terminal.ts'

type ListOptions = RegisterOptions & {
  readonly asOf?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `acceptance list`: every request, acceptance, decision and explanation with its status and signatures. */
export function exceptListCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('list')))
    .description('List requests, acceptances and decisions')
    .argument('[recordings...]', 'Folders of recordings, to compare each acceptance with current verdicts')
    .option('--as-of <time>', 'Evaluation date (UTC, ISO 8601); default now')
    .option('--json', 'Print the list as JSON')
    .option('--deviations-exit-zero', 'Exit with 0 instead of 3 if expired entries are the only problem')
    .action(async (folders: string[], options: ListOptions) => {
      const list = await read(context, folders, options)
      if (!list.ok) return endWith(context, list.error)
      if (options.json === true) emit(list.value)
      for (const line of lines(list.value)) say(line)
      context.exit(
        worst([
          list.value.broken ? EXIT.notVerified : EXIT.done,
          list.value.gaps && options.deviationsExitZero !== true ? EXIT.gaps : EXIT.done,
        ]),
      )
    })
}

async function read(
  { ports }: Context,
  folders: readonly string[],
  options: ListOptions,
): Promise<Outcome<RegisterList>> {
  const asOf = instant('--as-of', options.asOf, ports.clock)
  if (!asOf.ok) return asOf
  const register = await ports.readRegister(options.register)
  if (!register.ok) return register
  if (register.value === null) return fail('input.not-found', `register ${options.register} does not exist`)
  const recordings = await ports.readRecordings(folders)
  if (!recordings.ok) return recordings
  const scope = await scopeFor(ports, options, recordings.value)
  if (!scope.ok) return scope
  const loaded = await loadAll(recordings.value)
  if (!loaded.ok) return loaded
  const judged = { catalog, scope: scope.value.scope, recordings: loaded.value, asOf: asOf.value }
  const assessment = folders.length === 0 ? null : assess(judged)
  return ok(await listRegister(ports.sealing.reader, register.value, { asOf: asOf.value, assessment }))
}

const PENDING_WORDS = {
  open: 'Pending approval, no effect',
  lapsed: 'Never approved, expired',
  approved: 'Approved, see the risk acceptance with the same ID',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn before approval',
} as const

function lines({
  riskAcceptances,
  acceptanceRequests,
  decisions,
  explanations,
  problems,
  asOf,
}: RegisterList): readonly string[] {
  return [
    `As of ${asOf}: ${plural(riskAcceptances.length, 'risk acceptance')}, ${plural(acceptanceRequests.length, 'request')}, ${plural(decisions.length, 'decision')}, ${plural(explanations.length, 'explanation')}.`,
    ...problems.map((problem) => `The register is inconsistent: ${plain(problem, 500)}`),
    ...riskAcceptances.flatMap((entry) => [
      `${standingWords[entry.standing]}  ${entry.id}  ${plain(entry.check)} on ${nodes(entry.nodes)}, until ${entry.expiresAt.slice(0, 10)}`,
      `  ${oneLine(entry.reason, 300)}  Compensating control: ${oneLine(entry.compensatingControl, 300)}`,
      `  Requested by ${oneLine(entry.requestedBy)}, approved by ${oneLine(entry.approvedBy)}${entry.approverRole === undefined ? '' : ` (${oneLine(entry.approverRole)})`}; owner ${oneLine(entry.owner)}.`,
      ...behind(entry),
      ...entry.results.flatMap(findingLines),
    ]),
    ...acceptanceRequests.flatMap((entry) => [
      `${PENDING_WORDS[entry.standing]}  ${entry.id}  ${plain(entry.check)} on ${nodes(entry.nodes)}, until ${entry.expiresAt.slice(0, 10)}`,
      `  Requested by ${oneLine(entry.requestedBy)}: ${oneLine(entry.reason, 300)}`,
      ...(entry.standing === 'approved' ? [] : [...behind(entry), ...entry.results.flatMap(findingLines)]),
    ]),
    ...decisions.flatMap((entry) => [
      `${standingWords[entry.standing]}  ${entry.id}  ${plain(entry.control)}: ${entry.decision}, until ${entry.expiresAt.slice(0, 10)}`,
      `  ${oneLine(entry.reason, 300)}  Approved by ${oneLine(entry.approvedBy)} (${oneLine(entry.approverRole)}).`,
      ...behind(entry),
    ]),
    ...explanations.flatMap((entry) => [
      `${standingWords[entry.standing]}  ${entry.id}  ${plain(entry.signal)} on ${nodes(entry.nodes)}`,
      `  ${explanationText(entry)}`,
    ]),
  ]
}

const nodes = (names: readonly string[]): string =>
  names.length <= 5 ? names.map((name) => plain(name)).join(', ') : `${names.length} nodes`

type Behind = Pick<RegisterList['decisions'][number], 'onePerson' | 'oneKey' | 'signatures' | 'problems'>

function behind({ onePerson, oneKey, signatures, problems }: Behind): readonly string[] {
  const signed = signatures
    .filter((one) => one.problems.length === 0)
    .map(({ role, subject, fingerprint }) => `${role} ${plain(subject ?? '')}, key ${fingerprint}`)
  return [
    ...(onePerson
      ? [
          `  No segregation of duties: requester and approver are the same person${oneKey ? ' and use the same key' : ''}.`,
        ]
      : []),
    signatures.length === 0
      ? '  Not digitally signed.'
      : `  Signed: ${signed.length === 0 ? 'no valid signature' : signed.join('; ')}.`,
    ...problems.map((problem) => `  ${plain(problem, 500)}`),
  ]
}

const findingLines = ({ node, verdict, accepts }: ListedResult): readonly string[] =>
  verdict === null || accepts === null
    ? []
    : [`  ${plain(node)}: ${verdictWords[verdict].label}${accepts ? '' : '. No deviation to accept'}.`]
