import { discloseCopy, revealedCopy, revealFile } from '../../app/disclose.ts'
import { catalog } from '../../catalog/index.ts'
import { WITHHOLDABLE } from '../../core/disclosure/classes.ts'
import { isDisclosure, readDisclosure } from '../../core/disclosure/read.ts'
import { unitText, withheldPlaces } from '../../core/disclosure/render.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { PackContent } from '../../core/pack-files.ts'
import { ok } from '../../core/result.ts'
import type { OpenPack } from '../../core/world.ts'
import { type Context, endWith } from '../context.ts'
import { countedNumber, newFile } from '../options.ts'
import { emit, emitText, say } from '../terminal.ts'

/** `disclosure create|show|reveal|apply`: copies of a sealed pack with parts withheld, under the same seal. */
export function disclosureCommand(context: Context): void {
  const command = context.program.command('disclosure').description('copies of a sealed pack with parts withheld')
  const done = (outcome: Outcome<unknown>): void => {
    if (!outcome.ok) endWith(context, outcome.error)
  }
  command
    .command('create <pack>')
    .description('a copy in which what you name is replaced by salted commitments; the seal stays valid')
    .requiredOption('--out <file>', 'the copy, an archive')
    .requiredOption('--who <words>', 'who withholds')
    .requiredOption('--why <words>', 'why')
    .option('--withhold <classes...>', WITHHOLDABLE.join(', '), [])
    .option('--withhold-node <names...>', 'the answers and the name of these nodes; what is stated of them stays', [])
    .option('--withhold-file <paths...>', 'these files of the pack as a whole', [])
    .option('--preview', 'only say how many verdicts could no longer be evaluated again, and write nothing')
    .option('--json', 'print what was written as JSON')
    .action(async (path: string, options: CreateOptions) => done(await create(context, path, options)))
  command
    .command('show <copy>')
    .description('what a copy discloses, withheld parts numbered')
    .option('--unit <number>', 'only this file of the copy')
    .option('--json', 'print it as JSON, with what is disclosed of each file under “text” where --unit names one')
    .action(async (path: string, options: ShowOptions) => done(await show(context, path, options)))
  command
    .command('reveal <pack> <copy>')
    .description('open one withheld part for who has the copy')
    .requiredOption('--unit <number>', 'the file, as “show” numbers it')
    .requiredOption('--part <number>', 'the part, as “show” numbers it')
    .option('--of-name', 'the part is in the file’s name, not in its content')
    .requiredOption('--out <file>', 'the reveal, to be sent')
    .option('--json', 'print what was written as JSON')
    .action(async (pack: string, copy: string, options: RevealOptions) =>
      done(await reveal(context, pack, copy, options)),
    )
  command
    .command('apply <copy> <reveal>')
    .description('put a reveal into a copy, if it is the part that was withheld')
    .requiredOption('--out <file>', 'the new copy')
    .option('--json', 'print what was written as JSON')
    .action(async (copy: string, file: string, { out, json }: { out: string; json?: true }) => {
      const applied = await apply(context, copy, file, out)
      if (applied.ok && json === true) emit({ copy: out, reveal: file })
      done(applied)
    })
}

interface CreateOptions {
  readonly out: string
  readonly who: string
  readonly why: string
  readonly withhold: string[]
  readonly withholdNode: string[]
  readonly withholdFile: string[]
  readonly preview?: true
  readonly json?: true
}

/** Opens a pack or copy for one piece of work, and closes it whatever comes of it. */
async function opened<T>(
  { world }: Context,
  path: string,
  work: (pack: OpenPack) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const pack = await world.packs.open(path)
  if (!pack.ok) return pack
  try {
    return await work(pack.value)
  } finally {
    await pack.value.close()
  }
}

/** As opened(), for a copy with parts withheld. A whole pack withholds nothing, and nothing in it is numbered. */
const openedCopy = <T>(
  context: Context,
  path: string,
  work: (copy: OpenPack) => Promise<Outcome<T>>,
): Promise<Outcome<T>> =>
  opened(context, path, async (copy) =>
    isDisclosure(copy)
      ? await work(copy)
      : fail('input.refused', `${path} is a whole pack, not a copy with parts withheld`),
  )

const create = (context: Context, path: string, options: CreateOptions): Promise<Outcome<null>> =>
  opened(context, path, async (source) => {
    const { world } = context
    if (isDisclosure(source))
      return fail('input.refused', `${path} is itself a copy with parts withheld; copies are made from the whole pack`)
    const fresh = newFile(options.out)
    if (!fresh.ok) return fresh
    const copy = await discloseCopy({
      source,
      catalog,
      classes: options.withhold.flatMap((text) => text.split(',')),
      nodes: options.withholdNode,
      paths: options.withholdFile,
      who: options.who,
      why: options.why,
      when: world.clock.now(),
    })
    if (!copy.ok) return copy
    const { underivable } = copy.value.notes
    // Said before anything is written: a copy from which little can be evaluated again may not be worth sending.
    say(`${underivable.verdicts.length} verdicts can no longer be evaluated again from such a copy; it names each.`)
    if (options.preview === true) {
      if (options.json === true) emit({ copy: null, underivable })
      say('Nothing was written: --preview.')
      return ok(null)
    }
    const written = await world.packs.write(options.out, copy.value.files)
    if (!written.ok) return written
    if (options.json === true) emit({ copy: options.out, underivable })
    say(`Wrote ${options.out}, under the seal of the pack.`)
    return ok(null)
  })

interface ShowOptions {
  readonly unit?: string
  readonly json?: true
}

const show = (context: Context, path: string, { unit, json }: ShowOptions): Promise<Outcome<null>> =>
  openedCopy(context, path, async (source) => {
    const only = unit === undefined ? ok(null) : countedNumber('--unit', unit)
    if (!only.ok) return only
    const { units, counts, problems } = await readDisclosure(source)
    if (only.value !== null && only.value > units.length)
      return fail('input.refused', `--unit: the copy has ${units.length} files, and no number ${only.value}`)
    const shown = units
      .map((one, index) => ({ number: index + 1, lines: unitText(one).split('\n'), withheld: withheldPlaces(one) }))
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
  readonly unit: string
  readonly part: string
  readonly ofName?: true
  readonly out: string
  readonly json?: true
}

const reveal = (context: Context, pack: string, copy: string, options: RevealOptions): Promise<Outcome<null>> =>
  opened(context, pack, (full) =>
    openedCopy(context, copy, async (source) => {
      const unit = countedNumber('--unit', options.unit)
      if (!unit.ok) return unit
      const part = countedNumber('--part', options.part)
      if (!part.ok) return part
      const fresh = newFile(options.out)
      if (!fresh.ok) return fresh
      const of = options.ofName === true ? ('path' as const) : ('content' as const)
      const place = { unit: unit.value, of, part: part.value }
      const file = await revealFile(full, source, place)
      if (!file.ok) return file
      const written = await context.world.files.write(options.out, file.value)
      if (!written.ok) return written
      if (options.json === true) emit({ reveal: options.out, ...place })
      say(`Wrote ${options.out}. It opens this one part, in copies of this one pack.`)
      return ok(null)
    }),
  )

const apply = (context: Context, copy: string, file: string, out: string): Promise<Outcome<null>> =>
  openedCopy(context, copy, async (source) => {
    const fresh = newFile(out)
    if (!fresh.ok) return fresh
    const bytes = await context.world.files.read(file)
    if (!bytes.ok) return bytes
    const files = await revealedCopy(source, bytes.value, catalog)
    if (!files.ok) return files
    const kept = source.paths.map((path) => [path, source.stored(path)] as const)
    const written = await context.world.packs.write(out, new Map<string, PackContent>([...kept, ...files.value]))
    if (written.ok) say(`Wrote ${out}: the part is the one that was withheld.`)
    return written
  })
