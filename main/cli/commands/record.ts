import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Attachment, Explanation } from '../../../schemas/types.ts'
import { methodWords } from '../../../schemas/words.ts'
import { type NamedRow, needNamed, rowNamed } from '../../app/register/named.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain, quote } from '../../core/plain-text.ts'
import { addAttachment, LARGEST_ATTACHMENT } from '../../core/register/attachments.ts'
import { explain, explanationsOf } from '../../core/register/explanations.ts'
import { type NeedsOf, needsIn, setRequest } from '../../core/register/requests.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { change, declaredFor, momentOf, type RegisterOptions, withFleet, withRegister } from '../register-changes.ts'
import { say } from '../terminal.ts'

const METHODS: readonly Attachment['method'][] = ['examined', 'asked', 'received']

/** `record add|ask|explain`: records that no server can show. */
export function recordCommand(context: Context): void {
  const command = context.program
    .command('record')
    .description('records that no server can show: agreements, reports of the provider, certificates of disposal')
  addCommand(context, command)
  askCommand(context, command)
  explainCommand(context, command)
}

type AddOptions = RegisterOptions & {
  readonly file: string
  readonly for: readonly string[]
  readonly need?: string
  readonly shows: string
  readonly saidBy: string
  readonly method: string
  readonly owner: string
  readonly until?: string
}

function addCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('add')))
    .description('attach a file to rows; its bytes are kept by their digest and never run')
    .requiredOption('--file <file>', 'the record, at most 100 MiB')
    .requiredOption('--for <rows...>', 'the rows it is for, such as hipaa:164.308(b)(1)')
    .option('--need <words>', 'which of the records that the row needs it is; a part of the words is enough')
    .requiredOption('--shows <words>', 'what it shows')
    .requiredOption('--said-by <name>', 'who says so')
    .requiredOption('--method <word>', METHODS.map((method) => `${method} (${methodWords[method]})`).join(', '))
    .requiredOption('--owner <name>', 'who keeps it up to date')
    .option('--until <day>', 'the last day on which it holds, UTC; without one it counts for 366 days')
    .action(async (options: AddOptions) => {
      const added = await add(context, options)
      if (!added.ok) return endWith(context, added.error)
      const { name, sha256, need, method } = added.value
      say(`Attached: ${plain(name)}, SHA-256 ${sha256}${need === null ? '' : `, for ${quote(need)}`}.`)
      if (method === 'received')
        say(
          '  It was only received. A record counts for a row once somebody examined it, or asked the people concerned.',
        )
    })
}

async function add(context: Context, options: AddOptions): Promise<Outcome<Attachment>> {
  const { world } = context
  const method = METHODS.find((word) => word === options.method)
  if (method === undefined) return fail('input.refused', `--method must be one of ${METHODS.join(', ')}`)
  const named = await rowsFor(context, options)
  if (!named.ok) return named
  const { rows, needsOf } = named.value
  const needs = rows.flatMap(({ framework, control }) => needsOf(framework, control.key) ?? [])
  const need = options.need === undefined ? ok(null) : needNamed([...new Set(needs)], options.need)
  if (!need.ok) return need
  const read = await world.files.read(options.file, LARGEST_ATTACHMENT)
  if (!read.ok) return read
  const { until = null, shows, saidBy, owner } = options
  const controls = rows.map(({ framework, control }) => ({ framework, control: control.key }))
  const draft = { controls, need: need.value, shows, saidBy, method, owner, validUntil: until }
  const file = { name: basename(options.file), bytes: read.value }
  const moment = momentOf(world)
  const changed = await change(context, options, {
    begin: true,
    next: (register) => addAttachment(register, draft, file, { ...moment, needsOf }),
    bytes: read.value,
  })
  if (!changed.ok) return changed
  const attached = changed.value.attachments.find(({ id }) => id === moment.id)
  return attached === undefined ? fail('bug', 'what was attached is not in the register') : ok(attached)
}

type ExplainOptions = RegisterOptions & {
  readonly signal: string
  readonly node: readonly string[]
  readonly because: string
  readonly document: string
  readonly by: string
  readonly role: string
  readonly until: string
}

function explainCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('explain')))
    .description('say why one reading of the isolation argument is odd on some nodes; no verdict follows it')
    .requiredOption('--signal <id>', 'the reading (see “catalog signals”, and contradictions in the report)')
    .requiredOption('--node <names...>', 'the nodes on which it is explained')
    .requiredOption('--because <words>', 'the explanation, such as which cores are switched off and why')
    .requiredOption('--document <file>', 'the document that says so; its digest is kept, its bytes are not')
    .requiredOption('--by <name>', 'who explains it')
    .requiredOption('--role <words>', 'their role')
    .requiredOption('--until <day>', 'the last day, UTC, such as 2027-03-01; at most 366 days ahead')
    .action(async (options: ExplainOptions) => {
      const explained = await explainReading(context, options)
      if (!explained.ok) return endWith(context, explained.error)
      const { id, signal, document } = explained.value
      say(`Explained: ${signal}, entry ${id}. Document ${plain(document.name)}, SHA-256 ${document.sha256}.`)
      say(
        '  It is shown beside the answer and changes no verdict. To let the document travel, attach it: “record add”.',
      )
    })
}

async function explainReading(context: Context, options: ExplainOptions): Promise<Outcome<Explanation>> {
  const { world } = context
  const declared = await declaredFor(world, options)
  if (!declared.ok) return declared
  const { catalog, scope } = declared.value
  const read = await world.files.read(options.document, LARGEST_ATTACHMENT)
  if (!read.ok) return read
  const { signal, node: nodes, because: text, by: explainedBy, role, until } = options
  const facts = {
    ...momentOf(world),
    hasSignal: (id: string) => catalog.signals.some((one) => one.id === id),
    hasNode: (name: string) => scope === null || scope.population.includes(name),
  }
  const document = { name: basename(options.document), bytes: read.value }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => explain(register, { signal, nodes, text, explainedBy, role, until }, document, facts),
  })
  if (!changed.ok) return changed
  const made = explanationsOf(changed.value).find(({ id }) => id === facts.id)
  return made === undefined ? fail('bug', 'what was explained is not in the register') : ok(made)
}

type AskOptions = RegisterOptions & {
  readonly for: string
  readonly need: string
  readonly owner: string
  readonly due: string
}

function askCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('ask')))
    .description('say who brings a record by when; a later one for the same record takes its place')
    .requiredOption('--for <row>', 'the row that needs it, such as hipaa:164.308(b)(1)')
    .requiredOption('--need <words>', 'which of the records that the row needs; a part of the words is enough')
    .requiredOption('--owner <name>', 'who brings it')
    .requiredOption('--due <day>', 'by when, UTC, such as 2027-03-01')
    .action(async (options: AskOptions) => {
      const asked = await ask(context, options)
      if (!asked.ok) return endWith(context, asked.error)
      say(`Asked: ${plain(options.owner)} brings ${quote(asked.value, 500)} by the end of ${options.due}, UTC.`)
    })
}

async function ask(context: Context, options: AskOptions): Promise<Outcome<string>> {
  const declared = await declaredFor(context.world, options)
  if (!declared.ok) return declared
  const needsOf = needsIn(declared.value.catalog)
  const row = rowNamed(declared.value.catalog, options.for)
  if (!row.ok) return row
  const { framework, control } = row.value
  const need = needNamed(needsOf(framework, control.key) ?? [], options.need)
  if (!need.ok) return need
  const draft = { framework, control: control.key, need: need.value, owner: options.owner, due: options.due }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => setRequest(register, draft, { now: context.world.clock.now(), needsOf }),
  })
  return changed.ok ? need : changed
}

/** The rows that are named, and what each row needs. */
async function rowsFor(
  { world }: Context,
  options: RegisterOptions & { readonly for: readonly string[] },
): Promise<Outcome<{ readonly rows: readonly NamedRow[]; readonly needsOf: NeedsOf }>> {
  const declared = await declaredFor(world, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const rows: NamedRow[] = []
  for (const text of options.for) {
    const row = rowNamed(catalog, text)
    if (!row.ok) return row
    rows.push(row.value)
  }
  return ok({ rows, needsOf: needsIn(catalog) })
}
