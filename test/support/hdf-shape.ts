import { Ajv } from 'ajv'

/**
 * What the published schema of the Heimdall Data Format requires of a document, stated anew so that the test needs no copy of it: required members
 * and types of `exec-json.json` in MITRE heimdall2 (https://github.com/mitre/heimdall2, libs/inspecjs/schemas/exec-json.json, read at commit
 * 051e0a9b8a8fb6a7d194672dcf1bd22b0309d1a1). Members that Barewitness writes must be among those that the schema describes.
 */

type Shape = Readonly<Record<string, unknown>>

const text: Shape = { type: 'string' }
const textOrNull: Shape = { type: ['string', 'null'] }
const list = (items: Shape): Shape => ({ type: 'array', items })

/** An object whose members are all described; the first ones are required. */
const object = (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
})

const result = object(
  { code_desc: text, start_time: text },
  {
    status: { enum: ['passed', 'failed', 'skipped', 'error', 'pending', 'not_applicable', null] },
    run_time: { type: ['number', 'null'] },
    resource: textOrNull,
    message: textOrNull,
    skip_message: textOrNull,
    exception: textOrNull,
  },
)

const control = object(
  {
    id: text,
    impact: { type: 'number', minimum: 0, maximum: 1 },
    refs: list(object({}, { ref: text, url: text, uri: text })),
    tags: { type: 'object' },
    source_location: object({}, { ref: textOrNull, line: { type: ['number', 'null'] } }),
    results: list(result),
  },
  {
    title: textOrNull,
    desc: textOrNull,
    descriptions: { type: ['array', 'null'], items: object({ label: text, data: text }) },
    code: textOrNull,
  },
)

const profile = object(
  {
    name: text,
    sha256: text,
    supports: list({ type: 'object' }),
    attributes: list({ type: 'object' }),
    groups: list(object({ id: text, controls: list(text) }, { title: textOrNull })),
    controls: list(control),
  },
  Object.fromEntries(
    [
      'title',
      'maintainer',
      'copyright',
      'copyright_email',
      'license',
      'summary',
      'version',
      'description',
      'status',
      'status_message',
    ].map((name) => [name, textOrNull]),
  ),
)

const document = object({
  platform: object({ name: text, release: text }, { target_id: textOrNull }),
  profiles: list(profile),
  statistics: object({}, { duration: { type: ['number', 'null'] } }),
  version: text,
})

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(document)

/** Where a document does not have the published shape; none where it does. */
export function hdfProblems(value: unknown): readonly string[] {
  // What is written is JSON: members that are undefined are not.
  return validate(JSON.parse(JSON.stringify(value)))
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
