import type { Command } from 'commander'
import type { Place, VantageMeasurement, VantageRecord } from '../../../schemas/types.ts'
import { DEFAULT_SPREAD_SECONDS } from '../../app/collect/converse.ts'
import { recordVantage } from '../../app/collect/vantage-nodes.ts'
import { jsonBytes } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { vantagePlaceProblem } from '../../core/fleet/vantage.ts'
import { vantageIsSigned } from '../../verify/steps/location.ts'
import {
  type Context,
  EXIT,
  emit,
  endWith,
  JSON_OUTPUT,
  newFileInFolder,
  printLine,
  progressTo,
} from '../parts/options.ts'
import { targetsNamed } from '../parts/scope.ts'
import { type KeyOptions, keyOptions, openSigner } from '../parts/sealing.ts'
import { askSecret } from '../parts/secret-prompt.ts'

interface PlaceOptions {
  readonly location: string
  readonly declaredBy: string
  readonly country?: string
}

interface RecordOptions extends KeyOptions, PlaceOptions {
  readonly fleet: string
  readonly node?: readonly string[]
  readonly output: string
  readonly json?: true
}

/** `vantage measure|check`: round-trip times to nodes from another machine, signed there. */
export function vantageCommand(context: Context): void {
  const command = context.program.command('vantage').description('Measure from other places')
  recording(context, command)
  command
    .command('check')
    .description('Validate and print a measurement file')
    .argument('<file>', 'Measurement file')
    .option(...JSON_OUTPUT)
    .action(async (file: string, { json }: { readonly json?: true }) => await check(context, file, json === true))
}

function recording(context: Context, command: Command): void {
  keyOptions(
    command
      .command('measure')
      .description('Measure round-trip times to all nodes from this machine and sign them')
      .requiredOption('--fleet <file>', 'Fleet file with the nodes, their host keys and login')
      .requiredOption(
        '--location <text>',
        'Location of this machine: NAME, LATITUDE, LONGITUDE, KM; KM is its uncertainty, at most 50',
      )
      .requiredOption('--declared-by <name>', 'Person who declares the location')
      .option('--country <code>', 'Country of the location, two letters')
      .option('--node <names...>', 'Measure these nodes only')
      .requiredOption('-o, --output <file>', 'Measurement file to write')
      .option('--json', 'Also print the measurement as JSON'),
  ).action(async (options: RecordOptions) => {
    const place = placeOf(options)
    if (!place.ok) return endWith(context, place.error)
    const fresh = newFileInFolder(options.output)
    if (!fresh.ok) return endWith(context, fresh.error)
    const made = await record(context, options, place.value)
    if (!made.ok) return endWith(context, made.error)
    const written = await context.ports.files.write(options.output, jsonBytes(made.value))
    if (!written.ok) return endWith(context, written.error)
    if (options.json === true) emit(made.value)
    for (const line of summaryLines(made.value)) printLine(line)
    printLine(`Wrote ${options.output}. Add it to “vantages” in the fleet file that you evaluate.`)
    context.exit(made.value.measurements.every(({ failure }) => failure === null) ? EXIT.done : EXIT.incomplete)
  })
}

/** "Office, 39.04, -77.49, 2" with its declarer. A name may contain commas. Fails with input.refused. */
function placeOf({ location, declaredBy, country }: PlaceOptions): Outcome<Place> {
  const parts = location.split(',').map((part) => part.trim())
  const [latitude, longitude, radiusKm] = parts.slice(-3).map((part) => (NUMBER.test(part) ? Number(part) : Number.NaN))
  const form = '--location must be NAME, LATITUDE, LONGITUDE, KM, such as “Our office, 39.04, -77.49, 2”'
  if (parts.length < 4 || latitude === undefined || longitude === undefined || radiusKm === undefined)
    return fail('input.refused', form)
  if (![latitude, longitude, radiusKm].every(Number.isFinite)) return fail('input.refused', form)
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    return fail('input.refused', `--country: “${plain(country, 40)}” is not a country code. Enter two capital letters`)
  const name = parts.slice(0, -3).join(', ')
  if (name.length > LONGEST_NAME || declaredBy.length > LONGEST_NAME)
    return fail('input.refused', `the location name and --declared-by can have at most ${LONGEST_NAME} characters`)
  const declared = { name, ...(country === undefined ? {} : { country }), latitude, longitude, radiusKm, declaredBy }
  const problem = vantagePlaceProblem(declared)
  return problem === null ? ok(declared) : fail('input.refused', `the location ${problem}`)
}

const NUMBER = /^-?\d{1,5}(\.\d{1,12})?$/
const LONGEST_NAME = 200

async function record(context: Context, options: RecordOptions, place: Place): Promise<Outcome<VantageRecord>> {
  const { ports } = context
  const read = await ports.fleets.read(options.fleet)
  if (!read.ok) return read
  const { concurrency = 64, locationSpreadSeconds } = read.value.fleet
  const targets = targetsNamed(options.fleet, read.value.targets({ ask: askSecret }), options.node)
  if (!targets.ok) return targets
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await recordVantage(ports, {
      targets: targets.value,
      place,
      spreadSeconds: locationSpreadSeconds ?? DEFAULT_SPREAD_SECONDS,
      concurrency,
      signal: stop.signal,
      onEvent: progressTo(process.stderr, (trips) => `${trips} round trips measured`),
      openSigner: () => openSigner(context, options),
    })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

async function check(context: Context, file: string, json: boolean): Promise<void> {
  const { ports } = context
  const read = await ports.declarations.vantage(file, null)
  if (!read.ok) return endWith(context, read.error)
  const { subject, fingerprint } = await vantageIsSigned(ports.sealing.reader, read.value)
  if (json) emit({ record: read.value, signer: { subject, fingerprint } })
  for (const line of summaryLines(read.value)) printLine(line)
  printLine(`  signed      ${plain(subject ?? '')}, key ${fingerprint}, at ${read.value.signature.at} by its own clock`)
  printLine(
    'The signature is valid. Not shown: that the key belongs to this signer, and that the machine was at this location.',
  )
}

/** A measurement as printed lines, with its limitations. */
function summaryLines({ id, vantage, startedAt, endedAt, demo, measurements }: VantageRecord): readonly string[] {
  const { name, country, latitude, longitude, radiusKm, declaredBy } = vantage
  const timed = measurements.filter(({ echo }) => echo !== null && echo.bursts.length > 0)
  return [
    `${id}${demo ? ' (demo data)' : ''}: ${timed.length} of ${measurements.length} nodes measured`,
    `  from        ${plain(name)}${country === undefined ? '' : `, ${country}`} (${latitude}, ${longitude}, within ${radiusKm} km)`,
    `  declared by ${plain(declaredBy)}; this location is not measured`,
    `  time        ${startedAt} to ${endedAt}`,
    ...measurements.map(measurementLine),
    'Measured: round trips of random bytes to the holder of the session keys. Delays can lengthen them; nothing travels faster than light.',
    'Not shown: that the SSH responder is the server itself, and where its data is.',
  ]
}

function measurementLine({ node, echo, failure }: VantageMeasurement): string {
  const samples = echo?.bursts.flatMap((burst) => burst.samples) ?? []
  const shortest = samples.length === 0 ? null : Math.min(...samples)
  const times = shortest === null ? 'not measured' : `${samples.length} round trips, minimum ${shortest.toFixed(3)} ms`
  return `  ${plain(node)}: ${times}${failure === null ? '' : ` (${failure.code}: ${plain(failure.detail, 300)})`}`
}
