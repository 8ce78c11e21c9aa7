import type { Command } from 'commander'
import type { AcceptanceRequestDraft, DecisionDraft } from '../../../schemas/ipc-register.ts'
import type { Register } from '../../../schemas/types.ts'
import { statusWords, verdictWords } from '../../../schemas/words.ts'
import { idNamed, type ListedResult, listRegister, type RegisterList, rowNamed } from '../../app/register/named.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { oneLine, plain, plural } from '../../core/base/plain-text.ts'
import {
  acceptanceRequestsOf,
  approveRequest,
  DECISIONS,
  decide,
  decisionsOf,
  levelsIn,
  requestAcceptance,
  resolveRequest,
  withdrawDecision,
} from '../../core/register/decisions.ts'
import { explanationsOf, explanationText, withdrawExplanation } from '../../core/register/explanations.ts'
import { withdrawAcceptance } from '../../core/register/register.ts'
import { entryOf } from '../../core/register/signatures.ts'
import { AS_OF, type Context, emit, endWith, instant, printLine, worstOf } from '../parts/options.ts'
import {
  change,
  declaredFor,
  momentOf,
  printStatus,
  type RegisterOptions,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../parts/register-changes.ts'
import { assessFolders } from '../parts/scope.ts'

/** `acceptance request|approve|reject|withdraw|sign|list` and `decision add`: risk acceptances and control decisions. Verdicts never change. */
export function exceptCommand(context: Context): void {
  const command = context.program.command('acceptance').description('Manage risk acceptances; verdicts never change')
  askCommands(context, command)
  resolveCommands(context, command)
  decideCommand(context)
  exceptListCommand(context, command)
}

type RequestOptions = SignedOptions &
  Omit<AcceptanceRequestDraft, 'nodes' | 'compensatingControl' | 'until'> & {
    readonly node: readonly string[]
    readonly compensatingControl: string
    readonly expires: string
  }
type ApproveOptions = SignedOptions & { readonly approvedBy: string; readonly role: string }

function askCommands(context: Context, command: Command): void {
  const { ports } = context
  withKey(withFleet(withRegister(command.command('request'))))
    .description('Request acceptance of a deviation until a date')
    .requiredOption('--check <id>', 'Check (see “catalog checks”)')
    .requiredOption('--node <names...>', 'Nodes with the deviation')
    .requiredOption('--reason <text>', 'Reason for accepting the risk')
    .requiredOption('--compensating-control <text>', 'Control that reduces the risk')
    .requiredOption('--owner <name>', 'Owner of the risk')
    .requiredOption('--requested-by <name>', 'Requester')
    .requiredOption('--expires <date>', 'Last day (UTC), such as 2027-03-01; at most 366 days ahead')
    .action(async (options: RequestOptions) => {
      const declared = await declaredFor(ports, options)
      if (!declared.ok) return endWith(context, declared.error)
      const { catalog, scope } = declared.value
      const { check, node, compensatingControl, expires: until } = options
      const draft = { ...options, nodes: node, compensatingControl: compensatingControl, until }
      const facts = {
        ...momentOf(ports),
        hasCheck: (id: string) => catalog.checks.some((one) => one.id === id),
        hasNode: (name: string) => scope === null || scope.population.includes(name),
      }
      const changed = await change(context, options, {
        begin: true,
        next: async (register) => {
          const asked = requestAcceptance(register, draft, facts)
          return asked.ok ? await signedWith(context, options, asked.value, { id: facts.id, role: 'requester' }) : asked
        },
      })
      if (!changed.ok) return endWith(context, changed.error)
      printLine(
        `Requested: ${facts.id}, ${check} on ${node.length === 1 ? 'one node' : `${node.length} nodes`}, until the end of ${until} UTC.`,
      )
      printStatus(changed.value, facts.id, options)
      printLine('  No effect until approved. Next: barewitness acceptance approve')
    })
  withKey(withRegister(command.command('approve').argument('<id>', 'ID of the entry, or its first characters')))
    .description('Approve a request as submitted')
    .requiredOption('--approved-by <name>', 'Approver')
    .requiredOption('--role <text>', 'Role of the approver, such as security officer')
    .action(async (text: string, options: ApproveOptions) => {
      const { approvedBy, role: approverRole } = options
      const done = await onEntry(context, options, text, async (register, id) => {
        const approved = approveRequest(register, { id, approvedBy, approverRole }, ports.clock.now())
        return approved.ok ? await signedWith(context, options, approved.value, { id, role: 'approver' }) : approved
      })
      if (!done.ok) return endWith(context, done.error)
      const { id, register } = done.value
      const entry = register.riskAcceptances.find((one) => one.id === id)
      printLine(
        `Approved: risk acceptance ${id}, until the end of ${entry?.expiresAt.slice(0, 10)} UTC. The verdict does not change.`,
      )
      printStatus(register, id, options)
    })
  withKey(withRegister(command.command('sign').argument('<id>', 'ID of the entry, or its first characters')))
    .description('Add a digital signature to an entry')
    .requiredOption('--as <role>', 'Role of the signer: requester or approver')
    .action(async (text: string, options: SignedOptions & { readonly as: string }) => {
      const { as: role, identity } = options
      if (role !== 'requester' && role !== 'approver')
        return endWith(context, { code: 'input.refused', detail: '--as must be requester or approver' })
      if (identity === undefined)
        return endWith(context, { code: 'input.refused', detail: '--identity is required to sign' })
      const done = await onEntry(context, options, text, (register, id) =>
        signedWith(context, options, register, { id, role }),
      )
      if (!done.ok) return endWith(context, done.error)
      printLine(`Signed as ${role}: ${done.value.id}.`)
      printStatus(done.value.register, done.value.id, options)
    })
}

type ResolveOptions = RegisterOptions & { readonly by: string; readonly reason: string }

function resolveCommands(context: Context, command: Command): void {
  const { ports } = context
  const resolving = (name: string, description: string): Command =>
    withRegister(command.command(name).argument('<id>', 'ID of the entry, or its first characters'))
      .description(description)
      .requiredOption('--by <name>', 'Person who decides')
      .requiredOption('--reason <text>', 'Reason')
  resolving('reject', 'Reject a request').action(async (text: string, { by, reason, ...options }: ResolveOptions) => {
    const done = await onEntry(context, options, text, (register, id) =>
      resolveRequest(register, { id, by, reason, as: 'rejected' }, ports.clock.now()),
    )
    if (!done.ok) return endWith(context, done.error)
    printLine(`Rejected: request ${done.value.id}. It remains in the register.`)
  })
  resolving('withdraw', 'Withdraw a request, acceptance, decision or explanation').action(
    async (text: string, { by, reason, ...options }: ResolveOptions) => {
      const done = await onEntry(context, options, text, (register, id) =>
        withdraw(register, { id, by, reason }, ports.clock.now()),
      )
      if (!done.ok) return endWith(context, done.error)
      printLine(`Withdrawn: ${done.value.id}. It remains in the register.`)
    },
  )
}

function withdraw(
  register: Register,
  draft: { readonly id: string; readonly by: string; readonly reason: string },
  now: string,
): Outcome<Register> {
  if (explanationsOf(register).some(({ id }) => id === draft.id)) return withdrawExplanation(register, draft, now)
  const entry = entryOf(register, draft.id)
  if (entry !== null && 'acceptedAt' in entry) return withdrawAcceptance(register, draft, now)
  if (entry !== null && 'decidedAt' in entry) return withdrawDecision(register, draft, now)
  return resolveRequest(register, { ...draft, as: 'withdrawn' }, now)
}

/** Changes one entry, identified by its ID or the first characters of it. Fails with input.refused for none or several. */
async function onEntry(
  context: Context,
  options: RegisterOptions,
  text: string,
  next: (register: Register, id: string) => Outcome<Register> | Promise<Outcome<Register>>,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  let id = ''
  const changed = await change(context, options, {
    begin: false,
    next: async (register) => {
      const { riskAcceptances } = register
      const named = idNamed(
        [
          ...riskAcceptances,
          ...acceptanceRequestsOf(register),
          ...decisionsOf(register),
          ...explanationsOf(register),
        ].map((one) => one.id),
        text,
      )
      if (!named.ok) return named
      id = named.value
      return await next(register, id)
    },
  })
  return changed.ok ? ok({ id, register: changed.value }) : changed
}

type DecideOptions = SignedOptions &
  Pick<DecisionDraft, 'reason' | 'owner' | 'requestedBy' | 'approvedBy'> & {
    readonly control: string
    readonly expires: string
    readonly decision: string
    readonly role: string
    readonly factors?: string
    readonly alternative?: string
    readonly riskAnalysis?: string
  }

/** `decision add`: a decision on a control (45 CFR 164.306(d)(3)). */
function decideCommand(context: Context): void {
  const command = context.program.command('decision').description('Manage control decisions')
  withKey(withFleet(withRegister(command.command('add'))))
    .description('Document a decision on an addressable specification or a non-applicable control')
    .requiredOption('--control <id>', 'Control, such as hipaa:164.312(a)(2)(iv)')
    .requiredOption('--decision <word>', `Decision: ${DECISIONS.join(', ')}`)
    .requiredOption('--reason <text>', 'Reason')
    .requiredOption('--owner <name>', 'Owner of the decision')
    .requiredOption('--requested-by <name>', 'Requester')
    .requiredOption('--approved-by <name>', 'Approver')
    .requiredOption('--role <text>', 'Role of the approver, such as security officer')
    .requiredOption('--expires <date>', 'Last day (UTC), at most 366 days ahead; then a new decision is due')
    .option(
      '--factors <text>',
      'Factors considered (45 CFR 164.306(b)(2)): size, infrastructure, cost, probability of harm',
    )
    .option('--alternative <text>', 'Equivalent alternative measure')
    .option('--risk-analysis <text>', 'Reference to the risk analysis')
    .action(async (options: DecideOptions) => {
      const decided = await decideRow(context, options)
      if (!decided.ok) return endWith(context, decided.error)
      const { id, register } = decided.value
      printLine(
        `Decision recorded: ${id}, ${options.decision} for ${options.control}, until the end of ${options.expires} UTC.`,
      )
      printStatus(register, id, options)
    })
}

async function decideRow(
  context: Context,
  options: DecideOptions,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  const { factors = null, alternative = null, riskAnalysis = null, role: approverRole } = options
  const decision = DECISIONS.find((word) => word === options.decision)
  if (decision === undefined) return fail('input.refused', `--decision must be one of ${DECISIONS.join(', ')}`)
  const declared = await declaredFor(context.ports, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const row = rowNamed(catalog, options.control)
  if (!row.ok) return row
  const draft: DecisionDraft = {
    ...options,
    until: options.expires,
    framework: row.value.framework,
    control: row.value.control.key,
    decision,
    approverRole,
    factors,
    alternativeMeasure: alternative,
    riskAnalysis,
  }
  const moment = momentOf(context.ports)
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const next = decide(register, draft, { ...moment, levelOf: levelsIn(catalog.frameworks) })
      return next.ok ? await signedWith(context, options, next.value, { id: moment.id, role: 'approver' }) : next
    },
  })
  return changed.ok ? ok({ id: moment.id, register: changed.value }) : changed
}

type ListOptions = RegisterOptions & {
  readonly asOf?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `acceptance list`: every request, acceptance, decision and explanation with its status and signatures. */
function exceptListCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('list')))
    .description('List requests, acceptances and decisions')
    .argument('[recordings...]', 'Folders of recordings, to compare each acceptance with current verdicts')
    .option(...AS_OF)
    .option('--json', 'Print the list as JSON')
    .option('--deviations-exit-zero', 'Exit with 0 instead of 3 if expired entries are the only problem')
    .action(async (folders: string[], options: ListOptions) => {
      const list = await read(context, folders, options)
      if (!list.ok) return endWith(context, list.error)
      if (options.json === true) emit(list.value)
      for (const line of lines(list.value)) printLine(line)
      const { broken, gaps } = list.value
      context.exit(worstOf({ notVerified: broken, gaps: gaps && options.deviationsExitZero !== true }))
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
  const { fleet } = options
  // A fleet file that cannot be used is refused without recordings as well.
  const declared = await declaredFor(ports, options)
  if (!declared.ok) return declared
  const assessed =
    folders.length === 0
      ? ok({ assessment: null })
      : await assessFolders(ports, folders, { ...(fleet === undefined ? {} : { fleet }), asOf: asOf.value })
  if (!assessed.ok) return assessed
  const { assessment } = assessed.value
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
      `${statusWords[entry.status]}  ${entry.id}  ${plain(entry.check)} on ${nodes(entry.nodes)}, until ${entry.expiresAt.slice(0, 10)}`,
      `  ${oneLine(entry.reason, 300)}  Compensating control: ${oneLine(entry.compensatingControl, 300)}`,
      `  Requested by ${oneLine(entry.requestedBy)}, approved by ${oneLine(entry.approvedBy)}${entry.approverRole === undefined ? '' : ` (${oneLine(entry.approverRole)})`}; owner ${oneLine(entry.owner)}.`,
      ...behind(entry),
      ...entry.results.flatMap(findingLines),
    ]),
    ...acceptanceRequests.flatMap((entry) => [
      `${PENDING_WORDS[entry.status]}  ${entry.id}  ${plain(entry.check)} on ${nodes(entry.nodes)}, until ${entry.expiresAt.slice(0, 10)}`,
      `  Requested by ${oneLine(entry.requestedBy)}: ${oneLine(entry.reason, 300)}`,
      ...(entry.status === 'approved' ? [] : [...behind(entry), ...entry.results.flatMap(findingLines)]),
    ]),
    ...decisions.flatMap((entry) => [
      `${statusWords[entry.status]}  ${entry.id}  ${plain(entry.control)}: ${entry.decision}, until ${entry.expiresAt.slice(0, 10)}`,
      `  ${oneLine(entry.reason, 300)}  Approved by ${oneLine(entry.approvedBy)} (${oneLine(entry.approverRole)}).`,
      ...behind(entry),
    ]),
    ...explanations.flatMap((entry) => [
      `${statusWords[entry.status]}  ${entry.id}  ${plain(entry.signal)} on ${nodes(entry.nodes)}`,
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
