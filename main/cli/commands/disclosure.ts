import { discloseCopy, revealedCopy, revealFile } from '../../app/export/excerpt.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { OpenPack } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { PackContent } from '../../core/pack/pack-files.ts'
import { REDACTABLE } from '../../verify/disclosure/cuts/classes.ts'
import { redactedPlaces, unitText } from '../../verify/disclosure/disclose.ts'
import { isDisclosure, readDisclosure } from '../../verify/disclosure/read.ts'
import { type Context, countedNumber, emit, emitText, endWith, newFile, newPack, printLine } from '../parts/options.ts'

/** `redact create|show|reveal|apply`: redacted copies of a sealed pack, under the same seal. */
export function disclosureCommand(context: Context): void {
  const command = context.program.command('redact').description('Create redacted copies')
  const done = (outcome: Outcome<unknown>): void => {
    if (!outcome.ok) endWith(context, outcome.error)
  }
  command
    .command('create')
    .description('Create a redacted copy under the same seal')
    .argument('<pack>', 'Sealed pack')
    .requiredOption('--out <file>', 'Redacted copy to write')
    .requiredOption('--redacted-by <text>', 'Person who redacts')
    .requiredOption('--reason <text>', 'Reason for the redaction')
    .option('--redact <classes...>', `Redact values of these classes: ${REDACTABLE.join(', ')}`, [])
    .option('--redact-node <names...>', 'Redact the captures and names of these nodes; their results remain', [])
    .option('--redact-file <paths...>', 'Redact these files of the pack completely', [])
    .option('--preview', 'Count the verdicts that a recipient could not re-evaluate, and write nothing')
    .option('--json', 'Print the result as JSON')
    .action(async (path: string, options: CreateOptions) => done(await create(context, path, options)))
  command
    .command('show')
    .description('List redacted parts')
    .argument('<copy>', 'Redacted copy')
    .option('--file-number <number>', 'Show this file of the copy only, with its text')
    .option('--json', 'Print JSON; with --file-number, “text” contains the text of the file')
    .action(async (path: string, options: ShowOptions) => done(await show(context, path, options)))
  command
    .command('reveal')
    .description('Export one redacted part for a recipient')
    .argument('<pack>', 'Sealed pack')
    .argument('<copy>', 'Redacted copy')
    .requiredOption('--file-number <number>', 'Number of the file, as printed by “redact show”')
    .requiredOption('--part-number <number>', 'Number of the part, as printed by “redact show”')
    .option('--in-filename', 'The part is in the name of the file, not in its content')
    .requiredOption('--out <file>', 'File for the recipient')
    .option('--json', 'Print the result as JSON')
    .action(async (pack: string, copy: string, options: RevealOptions) =>
      done(await reveal(context, pack, copy, options)),
    )
  command
    .command('apply')
    .description('Restore a revealed part in a copy')
    .argument('<copy>', 'Redacted copy')
    .argument('<reveal>', 'File written by “redact reveal”')
    .requiredOption('--out <file>', 'New copy')
    .option('--json', 'Print the result as JSON')
    .action(async (copy: string, file: string, { out, json }: { out: string; json?: true }) => {
      const applied = await apply(context, copy, file, out)
      if (applied.ok && json === true) emit({ copy: out, reveal: file })
      done(applied)
    })
}

interface CreateOptions {
  readonly out: string
  readonly redactedBy: string
  readonly reason: string
  readonly redact: string[]
  readonly redactNode: string[]
  readonly redactFile: string[]
  readonly preview?: true
  readonly json?: true
}

/** Opens a pack or copy, does the work, and closes it in every case. */
async function opened<T>(
  { ports }: Context,
  path: string,
  work: (pack: OpenPack) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const pack = await ports.packs.open(path)
  if (!pack.ok) return pack
  try {
    return await work(pack.value)
  } finally {
    await pack.value.close()
  }
}

/** As opened(), for a redacted copy. Fails with input.refused for a full pack. */
const openedCopy = <T>(
  context: Context,
  path: string,
  work: (copy: OpenPack) => Promise<Outcome<T>>,
): Promise<Outcome<T>> =>
  opened(context, path, async (copy) =>
    isDisclosure(copy) ? await work(copy) : fail('input.refused', `${path} is a full pack, not a redacted copy`),
  )

const create = (context: Context, path: string, options: CreateOptions): Promise<Outcome<null>> =>
  opened(context, path, async (source) => {
    const { ports } = context
    if (isDisclosure(source))
      return fail('input.refused', `${path} is already a redacted copy; create copies from the full pack`)
    const fresh = await newPack(ports, options.out)
    if (!fresh.ok) return fresh
    const copy = await discloseCopy({
      source,
      catalog,
      classes: options.redact.flatMap((text) => text.split(',')),
      nodes: options.redactNode,
      paths: options.redactFile,
      who: options.redactedBy,
      why: options.reason,
      when: ports.clock.now(),
    })
    if (!copy.ok) return copy
    const { underivable } = copy.value.notes
    // Printed before writing: a copy that a recipient can hardly re-evaluate may not be worth sending.
    printLine(
      `A recipient cannot re-evaluate ${underivable.verdicts.length} verdicts from this copy; the copy lists them.`,
    )
    if (options.preview === true) {
      if (options.json === true) emit({ copy: null, underivable })
      printLine('Preview only: nothing was written.')
      return ok(null)
    }
    const written = await ports.packs.write(options.out, copy.value.files)
    if (!written.ok) return written
    if (options.json === true) emit({ copy: options.out, underivable })
    printLine(`Wrote ${options.out}, under the seal of the pack.`)
    return ok(null)
  })

interface ShowOptions {
  readonly fileNumber?: string
  readonly json?: true
}

const show = (context: Context, path: string, { fileNumber: unit, json }: ShowOptions): Promise<Outcome<null>> =>
  openedCopy(context, path, async (source) => {
    const only = unit === undefined ? ok(null) : countedNumber('--file-number', unit)
    if (!only.ok) return only
    const { units, counts, problems } = await readDisclosure(source)
    if (only.value !== null && only.value > units.length)
      return fail('input.refused', `--file-number: the copy has ${units.length} files; ${only.value} does not exist`)
    const shown = units
      .map((one, index) => ({ number: index + 1, lines: unitText(one).split('\n'), withheld: redactedPlaces(one) }))
      .filter(({ number }) => only.value === null || only.value === number)
    if (json === true) {
      const files = shown.map(({ number, lines: [name = '', ...text], withheld }) => ({
        unit: number,
        path: name,
        withheld,
        ...(unit === undefined ? {} : { text: text.join('\n') }),
      }))
      emit({ copy: path, counts, problems, files })
      return ok(null)
    }
    for (const { number, lines, withheld } of shown) {
      emitText(`${number}: ${unit === undefined ? lines[0] : lines.join('\n')}\n`)
      for (const { of, part, what } of withheld)
        emitText(`   ${of === 'path' ? 'part of its name' : 'part'} ${part}: ${what}\n`)
    }
    return ok(null)
  })

interface RevealOptions {
  readonly fileNumber: string
  readonly partNumber: string
  readonly inFilename?: true
  readonly out: string
  readonly json?: true
}

const reveal = (context: Context, pack: string, copy: string, options: RevealOptions): Promise<Outcome<null>> =>
  opened(context, pack, (full) =>
    openedCopy(context, copy, async (source) => {
      const unit = countedNumber('--file-number', options.fileNumber)
      if (!unit.ok) return unit
      const part = countedNumber('--part-number', options.partNumber)
      if (!part.ok) return part
      const fresh = newFile(options.out)
      if (!fresh.ok) return fresh
      const of = options.inFilename === true ? ('path' as const) : ('content' as const)
      const place = { unit: unit.value, of, part: part.value }
      const file = await revealFile(full, source, place)
      if (!file.ok) return file
      const written = await context.ports.files.write(options.out, file.value)
      if (!written.ok) return written
      if (options.json === true) emit({ reveal: options.out, ...place })
      printLine(`Wrote ${options.out}. It reveals this part only, in copies of this pack only.`)
      return ok(null)
    }),
  )

const apply = (context: Context, copy: string, file: string, out: string): Promise<Outcome<null>> =>
  openedCopy(context, copy, async (source) => {
    const fresh = await newPack(context.ports, out)
    if (!fresh.ok) return fresh
    const bytes = await context.ports.files.read(file)
    if (!bytes.ok) return bytes
    const files = await revealedCopy(source, bytes.value, catalog)
    if (!files.ok) return files
    const kept = source.paths.map((path) => [path, source.stored(path)] as const)
    const written = await context.ports.packs.write(out, new Map<string, PackContent>([...kept, ...files.value]))
    if (written.ok) printLine(`Wrote ${out}: the revealed part matches the redacted one.`)
    return written
  })
