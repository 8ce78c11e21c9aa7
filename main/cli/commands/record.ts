import { basename } from 'node:path'
import type { Command } from 'commander'
import { EVIDENCE_LEVELS, type EvidenceLevel, levelWords } from '../../../schemas/conclusion-words.ts'
import type { AttachmentDraft } from '../../../schemas/ipc-packs.ts'
import type { Attachment, Explanation } from '../../../schemas/types.ts'
import { type AttachedTo, attachedToNamed, needNamed, requestNamed, rowNamed } from '../../app/register/named.ts'
import type { Catalog } from '../../core/catalog.ts'
import { REQUESTS } from '../../core/conclusion/documents.ts'
import type { EvidenceRequest } from '../../core/conclusion/requests.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain, quote } from '../../core/plain-text.ts'
import { addAttachment, LARGEST_ATTACHMENT } from '../../core/register/attachments.ts'
import { explain, explanationsOf } from '../../core/register/explanations.ts'
import { needsIn, setRequest } from '../../core/register/requests.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { change, declaredFor, momentOf, type RegisterOptions, withFleet, withRegister } from '../register-changes.ts'
import { say } from '../terminal.ts'

const CONCLUSIONS = ['supports', 'does-not-support'] as const
type Conclusion = (typeof CONCLUSIONS)[number]

/** `record add|ask|explain`: documents that answer evidence requests, and explanations of readings. */
export function recordCommand(context: Context): void {
  const command = context.program
    .command('record')
    .description('attach documents to evidence requests, assign owners and due dates, explain readings')
  addCommand(context, command)
  askCommand(context, command)
  explainCommand(context, command)
}

type AddOptions = RegisterOptions &
  InspectionOptions &
  AnswerOptions & {
    readonly file: string
    readonly request?: readonly string[]
    readonly for?: readonly string[]
    readonly need?: string
    readonly shows: string
    readonly saidBy: string
    readonly owner: string
    readonly until?: string
  }
interface InspectionOptions {
  readonly level: string
  readonly inspectedBy?: string
  readonly inspectedOn?: string
  readonly lookedAt?: string
  readonly conclusion?: string
}
interface AnswerOptions {
  readonly answers?: readonly string[]
  readonly answersOn?: readonly string[]
}

function addCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('add')))
    .description('attach a file to evidence requests or rows; it is stored by its digest and never run')
    .requiredOption('--file <file>', 'read this file, at most 100 MiB')
    .option('--request <ids...>', 'attach it to these evidence requests, such as ER-18 (see “catalog requests”)')
    .option('--for <rows...>', 'attach it to the evidence requests of these rows, such as hipaa:164.308(b)(1)')
    .option('--need <words>', 'with --for: name the document that the row needs; a part of its words is enough')
    .requiredOption('--shows <words>', 'state what it shows')
    .requiredOption('--said-by <name>', 'name who provided it')
    .requiredOption(
      '--level <word>',
      EVIDENCE_LEVELS.map((level) => `${level} (${levelWords[level].meaning})`).join(', '),
    )
    .option('--inspected-by <name>', 'name who inspected it; needed from level inspected on')
    .option('--inspected-on <day>', 'give the day of the inspection, UTC, such as 2026-11-03; today without it')
    .option('--looked-at <words>', 'state what was inspected: population, sample, what it was compared with')
    .option('--conclusion <word>', `record the conclusion: ${CONCLUSIONS.join(' or ')}`)
    .option('--answers <checks...>', 'name the checks whose results it answers, as alternative evidence')
    .option('--answers-on <nodes...>', 'name the nodes on which it answers them')
    .requiredOption('--owner <name>', 'name who keeps it current')
    .option('--until <day>', 'give the last day on which it is valid, UTC; without it, it counts for 366 days')
    .action(async (options: AddOptions) => {
      const added = await add(context, options)
      if (!added.ok) return endWith(context, added.error)
      const { entry, to } = added.value
      const places = entry.controls.map(({ framework, control }) => (framework === REQUESTS ? control : quote(control)))
      say(`Attached: ${plain(entry.name)}, SHA-256 ${entry.sha256}, to ${places.join(', ')}.`)
      for (const note of notesOn(entry, to)) say(`  ${note}`)
    })
}

const rank = (level: EvidenceLevel): number => EVIDENCE_LEVELS.indexOf(level)

/** What the document does not do yet. */
function notesOn({ level = 'received', inspection, answers }: Attachment, { requests }: AttachedTo): readonly string[] {
  const below = requests.filter(({ minimum }) => rank(level) < rank(minimum))
  const isInspected = rank(level) > rank('received')
  return [
    ...(isInspected ? [] : [`Level ${level}: it supports no row before a named person inspects it.`]),
    ...(isInspected && below.length > 0
      ? [`Level ${level}: ${below.map(({ id, minimum }) => `${id} needs level ${minimum}`).join('; ')}.`]
      : []),
    ...(inspection?.conclusion === 'does-not-support'
      ? ['It was inspected and does not support: every row that needs it has a deviation in its documents.']
      : []),
    ...(answers !== undefined && (below.length === requests.length || inspection?.conclusion !== 'supports')
      ? ['It answers no result of a check before it is inspected at the minimum level and supports.']
      : []),
  ]
}

interface Added {
  readonly entry: Attachment
  readonly to: AttachedTo
}

async function add(context: Context, options: AddOptions): Promise<Outcome<Added>> {
  const { world } = context
  const moment = momentOf(world)
  const declared = await declaredFor(world, options)
  if (!declared.ok) return declared
  const { catalog, scope } = declared.value
  const { request, for: rows, need } = options
  const to = attachedToNamed(catalog, { request, rows, need })
  if (!to.ok) return to
  const examined = examinedAs(options, moment.now)
  if (!examined.ok) return examined
  const answers = answersOf(options, to.value.requests, scope?.population ?? null)
  if (!answers.ok) return answers
  const read = await world.files.read(options.file, LARGEST_ATTACHMENT)
  if (!read.ok) return read
  const { until = null, shows, saidBy, owner } = options
  const draft: AttachmentDraft = {
    controls: to.value.controls,
    need: to.value.need,
    shows,
    saidBy,
    ...examined.value,
    answers: answers.value,
    owner,
    validUntil: until,
  }
  const file = { name: basename(options.file), bytes: read.value }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => addAttachment(register, draft, file, { ...moment, needsOf: needsIn(catalog) }),
    bytes: read.value,
  })
  if (!changed.ok) return changed
  const entry = changed.value.attachments.find(({ id }) => id === moment.id)
  return entry === undefined ? fail('bug', 'what was attached is not in the register') : ok({ entry, to: to.value })
}

/** The level with its inspection. An inspection is given in full or not at all, and only from “inspected” on. */
function examinedAs(options: InspectionOptions, now: string): Outcome<Pick<AttachmentDraft, 'level' | 'inspection'>> {
  const level = EVIDENCE_LEVELS.find((word) => word === options.level)
  if (level === undefined) return fail('input.refused', `--level must be one of ${EVIDENCE_LEVELS.join(', ')}`)
  const { inspectedBy: by, inspectedOn, lookedAt, conclusion: word } = options
  const given = [by, inspectedOn, lookedAt, word].some((one) => one !== undefined)
  const isInspected = rank(level) > rank('received')
  if (!isInspected)
    return given
      ? fail('input.refused', `level ${level} has no inspection; use level inspected or reperformed to record one`)
      : ok({ level, inspection: null })
  if (by === undefined || lookedAt === undefined || word === undefined)
    return fail('input.refused', `level ${level} needs --inspected-by, --looked-at and --conclusion`)
  const conclusion = CONCLUSIONS.find((one): one is Conclusion => one === word)
  if (conclusion === undefined) return fail('input.refused', `--conclusion must be one of ${CONCLUSIONS.join(', ')}`)
  return ok({ level, inspection: { by, on: inspectedOn ?? now.slice(0, 10), lookedAt, conclusion } })
}

/** Results that the document answers: only checks that a named request may answer, on named nodes. */
function answersOf(
  { answers, answersOn }: AnswerOptions,
  requests: readonly EvidenceRequest[],
  population: readonly string[] | null,
): Outcome<AttachmentDraft['answers']> {
  if (answers === undefined && answersOn === undefined) return ok(null)
  if (answers === undefined || answersOn === undefined)
    return fail('input.refused', 'name checks with --answers and nodes with --answers-on, both or neither')
  const may = [...new Set(requests.flatMap(({ mayAnswer }) => mayAnswer.map(({ check }) => check)))]
  const wrong = answers.find((check) => !may.includes(check))
  if (wrong !== undefined)
    return fail(
      'input.refused',
      `${quote(wrong)} cannot be answered by this document; ${may.length === 0 ? 'it may answer no check' : `it may answer ${may.join(', ')}`}`,
    )
  const strange = population === null ? undefined : answersOn.find((node) => !population.includes(node))
  if (strange !== undefined) return fail('input.refused', `there is no node ${quote(strange)}`)
  return ok({ checks: [...new Set(answers)], nodes: [...new Set(answersOn)] })
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
    .description('explain one unexpected reading of the isolation argument on named nodes; no verdict changes')
    .requiredOption('--signal <id>', 'the reading (see “catalog signals”, and contradictions in the report)')
    .requiredOption('--node <names...>', 'the nodes on which it is explained')
    .requiredOption('--because <words>', 'the explanation, such as which cores are switched off and why')
    .requiredOption('--document <file>', 'the document that shows it; its digest is kept, its bytes are not')
    .requiredOption('--by <name>', 'who explains it')
    .requiredOption('--role <words>', 'their role')
    .requiredOption('--until <day>', 'the last day, UTC, such as 2027-03-01; at most 366 days ahead')
    .action(async (options: ExplainOptions) => {
      const explained = await explainReading(context, options)
      if (!explained.ok) return endWith(context, explained.error)
      const { id, signal, document } = explained.value
      say(`Explained: ${signal}, entry ${id}. Document ${plain(document.name)}, SHA-256 ${document.sha256}.`)
      say(
        '  It is shown beside the answer and changes no verdict. Attach the document with “record add” to include it.',
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
  readonly request?: string
  readonly for?: string
  readonly need?: string
  readonly owner: string
  readonly due: string
}

function askCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('ask')))
    .description('assign an evidence request, or a document of one row, to an owner with a due date')
    .option('--request <id>', 'assign this evidence request in every row that needs it, such as ER-18')
    .option('--for <row>', 'assign a document of this row alone, such as hipaa:164.308(b)(1)')
    .option('--need <words>', 'with --for: name the document that the row needs; a part of its words is enough')
    .requiredOption('--owner <name>', 'name who provides it')
    .requiredOption('--due <day>', 'give the due date, UTC, such as 2027-03-01; a later entry replaces this one')
    .action(async (options: AskOptions) => {
      const asked = await ask(context, options)
      if (!asked.ok) return endWith(context, asked.error)
      say(`Requested: ${plain(options.owner)} provides ${quote(asked.value, 500)} by the end of ${options.due}, UTC.`)
    })
}

async function ask(context: Context, options: AskOptions): Promise<Outcome<string>> {
  const declared = await declaredFor(context.world, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const needsOf = needsIn(catalog)
  const asked = askedFor(catalog, options)
  if (!asked.ok) return asked
  const draft = { ...asked.value, owner: options.owner, due: options.due }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => setRequest(register, draft, { now: context.world.clock.now(), needsOf }),
  })
  return changed.ok ? ok(draft.need) : changed
}

/** What is assigned: an evidence request by its title, or one document of one row. */
function askedFor(
  catalog: Catalog,
  { request, for: text, need: words }: AskOptions,
): Outcome<{ readonly framework: string; readonly control: string; readonly need: string }> {
  if (request !== undefined) {
    if (text !== undefined || words !== undefined)
      return fail('input.refused', 'name either --request, or --for with --need')
    const named = requestNamed(catalog, request)
    return named.ok ? ok({ framework: REQUESTS, control: named.value.id, need: named.value.title }) : named
  }
  if (text === undefined || words === undefined)
    return fail(
      'input.refused',
      'name an evidence request with --request, or a document of a row with --for and --need',
    )
  const row = rowNamed(catalog, text)
  if (!row.ok) return row
  const { framework, control } = row.value
  const own = needNamed(control.needsAlso, words)
  const need = own.ok ? own : needNamed(needsIn(catalog)(framework, control.key) ?? [], words)
  return need.ok ? ok({ framework, control: control.key, need: need.value }) : need
}
