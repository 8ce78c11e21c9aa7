import {
  CONTROL_ROLES,
  checkSourceWords,
  DOCUMENT_STATES,
  documentStateWords,
  EVIDENCE_LEVELS,
  levelWords,
  ROW_STATES,
  roleWords,
  rowStateWords,
  SERVER_STATES,
  serverStateWords,
} from '../../../../schemas/conclusion-words.ts'
import type { Assessment } from '../../../../schemas/types.ts'
import {
  generalLimitation,
  PROPERTIES,
  propertyWords,
  VERDICTS,
  verdictWords,
  type Word,
} from '../../../../schemas/words.ts'
import { plain } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  code,
  headedTable,
  heading,
  list,
  type MarkName,
  plainCell,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import type { EmbeddedForm } from '../../../core/pack/embedded.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type Catalog, offNodeChecksOf } from '../../../core/rules/catalog.ts'
import type { Check } from '../../../core/rules/check.ts'
import type { Matter } from '../parts/input.ts'
import { chosenFrameworks, see, titles, verdictMark } from '../parts/wording.ts'

const TERMS: readonly (readonly [term: string, means: string])[] = [
  ['Node', 'One server that runs one operating system.'],
  ['Fleet', 'The nodes of one fleet file.'],
  ['Population', 'All nodes meant to be covered. Counts of results use the nodes tested as denominator.'],
  ['Engagement', 'Entity, purpose, boundary, responsibilities and population of one audit, as declared.'],
  ['Probe', 'Fixed read-only commands or measurements, with the parser of their output.'],
  ['Capture', 'The exact output of one command on one node, stored under its SHA-256.'],
  ['Recording', 'All captures of one node in one run, with its host key and the privilege used.'],
  ['Check', 'One expected condition of a node, evaluated from captures by a fixed rule.'],
  ['Result', 'The verdict of one check on one node, with its observations.'],
  ['Finding', 'All deviations of one check, with their evidence.'],
  ['Signal', 'One characteristic that differs between hardware and a guest; the isolation analysis combines many.'],
  ['Isolation analysis', 'The full argument about the execution environment of one node, with its evidence.'],
  [
    'Evidence grade',
    'Strength of the isolation evidence: B, actively tested; C, passively observed; D, insufficient. Grade A, evidence rooted in a hardware key, is not attainable with the evidence collected.',
  ],
  ['Provider claim', 'A public or contractual statement of a provider about its servers.'],
  ['Threshold profile', 'A named set of thresholds, the values with which checks compare.'],
  ['Control', 'One requirement of a framework, summarized by this tool, with mapped checks and documents.'],
  ['Server part', 'The conclusion from the server tests of a control, printed next to the document part.'],
  ['Document part', 'The conclusion from the documents that a control requires.'],
  [
    'Evidence request',
    'One required document, with owner and due date. One document satisfies it for every control that requires it.',
  ],
  [
    'Alternative evidence',
    'An inspected document that addresses the result of a check. The result remains as observed.',
  ],
  [
    'Observation',
    'A statement about evidence that cites its captures. At a control: a supporting check that is not satisfied; it does not change the conclusion.',
  ],
  ['Risk acceptance', 'A decision by a named person to accept a deviation until a date. The verdict does not change.'],
  ['Control decision', 'A documented decision on an addressable specification or on non-applicability.'],
  ['Deviation', 'One node that does not meet the expected condition of one check.'],
  ['Carve-out', 'A method that excludes the controls of a subservice organization and lists them as required.'],
  ['Complementary user entity control', 'A control that a provider’s report expects its customers to operate.'],
  ['ePHI', 'Electronic protected health information (45 CFR 160.103).'],
  ['Evidence pack', 'The signed archive of recordings, results, catalog, documents and this report.'],
  ['Seal', 'The signature over every file of the pack, with its time-stamps, if any.'],
  ['Evaluation date', 'The time at which ages, expiries and states are computed (“as of”).'],
]

/** Terms used in this report. */
export function glossarySection(): Section {
  return {
    id: 'glossary',
    title: titles.glossary,
    blocks: [
      terms(TERMS.map(([term, means]) => [[{ text: term, style: 'strong' }], plainCell(means)])),
      heading(3, 'Verdicts of a check on a node'),
      terms(
        VERDICTS.map((verdict) => [
          [{ text: verdictWords[verdict].label, mark: verdictMark(verdict) }],
          plainCell(verdictWords[verdict].meaning),
        ]),
      ),
      heading(3, 'Server part of a control'),
      terms(SERVER_STATES.map((state) => marked(serverStateWords[state]))),
      heading(3, 'Document part of a control'),
      terms(DOCUMENT_STATES.map((state) => marked(documentStateWords[state]))),
      heading(3, 'Combined state, for counts and filters'),
      terms(ROW_STATES.map((state) => marked(rowStateWords[state]))),
      heading(3, 'Roles of checks and levels of documents'),
      terms([
        ...CONTROL_ROLES.map((role) => named(roleWords[role])),
        ...EVIDENCE_LEVELS.map((level) => named(levelWords[level])),
      ]),
    ],
  }
}

const terms = (rows: readonly (readonly Cell[])[]): Block => headedTable({ Term: 30, Meaning: 70 }, rows)

const marked = ({ label, meaning, mark }: Word & { readonly mark: string }): readonly Cell[] => [
  [{ text: label, mark: mark as MarkName }],
  plainCell(meaning),
]

const named = ({ label, meaning }: Word): readonly Cell[] => [[{ text: label, style: 'strong' }], plainCell(meaning)]

/** Independent verification of the report and its pack with third-party tools: PAdES (ETSI EN 319 142-1), RFC 5652, RFC 3161. */
export function howtoSection({ signer, evidenceDigest, packName, embeds = 'whole' }: Matter): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  const blocks: Block[] = [
    text(
      'Steps 1 to 6 require neither Barewitness nor an account nor a network. They use openssl 3, unzip, sha256sum, xxd and standard shell tools; step 1 uses certutil (NSS) and pdfsig, step 5 uses pdfdetach (both poppler). Place the report (not these annexes) as report.pdf, the pack, and root.pem (the root certificate that you trust) in one folder and run the commands there in this order. To verify the whole pack in one command, use verify.sh in the pack; see VERIFY.txt.',
    ),
    code([`unzip -q ${archive} -d unpacked`]),
  ]
  if (signer !== null)
    blocks.push(
      heading(3, '1. The signature in the report, with a PDF tool'),
      text('Every signature must be reported as valid, and the last must cover the whole document.'),
      code([
        'mkdir nss && certutil -N -d sql:nss --empty-password',
        'certutil -A -d sql:nss -n root -t ",C," -i root.pem',
        'pdfsig -no-ocsp -nssdir sql:nss report.pdf',
      ]),
      heading(3, '2. The signature in the report, with openssl only'),
      code([
        "set -- $(grep -aoE '/ByteRange *\\[[0-9 ]+\\]' report.pdf | head -1 | grep -oE '[0-9]+')",
        '{ head -c $2 report.pdf; tail -c +$(($3+1)) report.pdf | head -c $4; } > signed.bin',
        "head -c $3 report.pdf | tail -c +$(($2+1)) | tr -d '<>' | xxd -r -p > sig.der",
        'openssl cms -verify -cades -binary -inform DER -in sig.der -content signed.bin \\',
        '  -CAfile root.pem -purpose any -signer signer.pem -out /dev/null',
      ]),
      heading(3, '3. The signer’s identity'),
      text(
        'Obtain the fingerprint of the signing certificate from the signer directly, for example by telephone or from an earlier audit. It must match the fingerprint here and under “Verification” in the report. Step 2 wrote the signing certificate to signer.pem. openssl prints the same digits with colons and in capitals.',
      ),
      code(['openssl x509 -in signer.pem -noout -fingerprint -sha256', `# expected: ${signer.fingerprint}`]),
    )
  else blocks.push(text('This copy is not signed. Only the digests below link it to its pack.'))
  blocks.push(
    heading(3, '4. The report belongs to the pack'),
    text(
      'The second command must print the evidence digest below. The others check every file of the pack and print nothing if all files match.',
    ),
    code([
      'cd unpacked/pack',
      "grep -v ' data/report' manifest-sha256.txt | sha256sum",
      `# expected: ${evidenceDigest}`,
      'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
      'sha256sum --strict --quiet -c manifest-sha256.txt',
    ]),
    heading(3, '5. The results embedded in the report'),
    ...EMBEDDED[embeds],
    heading(3, '6. One capture of one node'),
    text(
      'Replace DIGEST with a digest from the evidence index. The file of that name in the pack contains the exact output of the node, with secrets masked. Its SHA-256 must equal its name. Its content can then be inspected.',
    ),
    code(['find . -path "*/sha256/*" -name "DIGEST" -exec sha256sum {} +']),
    heading(3, '7. The verdicts'),
    text(
      'With Barewitness, on a computer without a network, every verdict can be re-evaluated from the captures and compared:',
    ),
    code([`cd ../.. && barewitness verify ${archive} --trust root.pem`]),
  )
  return { id: 'howto', title: titles.howto, blocks }
}

/** How the embedded file is compared with the unpacked pack, by form. */
const EMBEDDED: Readonly<Record<EmbeddedForm, readonly Block[]>> = {
  whole: [
    text(
      'The embedded assessment.json contains every result. In the pack, the results of each node are a separate file; the loop must list every one of them.',
    ),
    code([
      'pdfdetach -save 1 -o ../../assessment.json ../../report.pdf',
      'for part in data/nodes/*/assessment.json; do',
      '  grep -qF -f "$part" ../../assessment.json && echo "in it: $part"',
      'done',
    ]),
  ],
  index: [
    text(
      'The embedded file is the index of results: the state of each control, and each node with the SHA-256 of its results in the pack. It is identical to data/assessment.json in the pack, so the second command must print nothing. The loop must list the results of every node.',
    ),
    code([
      'pdfdetach -save 1 -o ../../assessment-index.json ../../report.pdf',
      'cmp data/assessment.json ../../assessment-index.json',
      'for part in data/nodes/*/assessment.json; do',
      '  grep -qF "$(sha256sum <"$part" | cut -c 1-64)" ../../assessment-index.json && echo "in it: $part"',
      'done',
    ]),
  ],
}

/** Limits of every report, whatever it shows. */
export const GENERAL_LIMITS: readonly string[] = [
  'Point in time. Each capture describes the node at the time of collection. Not tested: operation before, after or between collections.',
  `Self-reported data. Captures come from the node’s own operating system. A party that controls the kernel, the firmware or a lower layer can falsify them. A provider with root access to the system image needs neither a hypervisor nor special skill to do so: ${see('isolation')} lists that adversary first.`,
  `Collector. User, computer and program that collected are what the collecting computer states; nothing verifies them. ${see('verification')} names them, and states where they are part of what is tested.`,
  'Privilege. Without administrator rights, probes that need root do not run; the checks that require them are inconclusive.',
  `Population. A server missing from every list is not covered. ${see('population')} states which lists were available and how they reconcile; a server omitted from all of them cannot be detected.`,
  `Location. Only round trips timed by the collecting computer or a vantage point bound the position of the SSH responder. They identify no building and do not show that the responder is the audited machine. Borders come from a public atlas at 1:10,000,000 and cover land only, at the accuracy of that scale. All other location evidence is a statement by a party; ${see('location')} names that party.`,
  `Thresholds. Where a check compares with a threshold, its verdict depends on that value. ${see('compared')} lists each threshold with its source.`,
  'Mappings. Roles and mappings are this tool’s interpretation and are not endorsed by HHS or AICPA. A mapping does not show that a control is satisfied.',
  `Documents. Policies, contracts, training, reviews and physical access cannot be tested on a server. ${see('records')} lists which documents are on file, who inspected them, and which are outstanding.`,
  'Seal. A valid signature shows that the file is unchanged since signing, and which key signed it. A self-issued key does not identify its holder. The time of signing is shown only where a time-stamp token is attached.',
  'Secrets. Keys and passwords are never collected. Not tested: their strength and who knows them.',
]

/** General limitations of the report. */
export const limitSection = (): Section => ({
  id: 'limits',
  title: titles.limits,
  flows: true,
  blocks: [text(generalLimitation('pack records')), list(GENERAL_LIMITS.map((words) => ({ text: words })))],
})

/** The limitations of the checks that decide a control without deviations, and what no server can answer. */
export const ceilingSection = (matter: Matter): Section => ({
  id: 'ceilings',
  title: titles.ceilings,
  blocks: [
    ...ceilings(matter),
    ...notFromNodesTable(matter.catalog, matter.assessment.scope.frameworks),
    ...absentChecks(matter.assessment, matter.catalog),
  ],
})

/** Checks that decide a control without deviations, on the evidence of which its conclusion rests. */
export function checksReliedOn(matter: Pick<Matter, 'assessment' | 'catalog' | 'tally'>): readonly Check[] {
  const current = new Set(chosenFrameworks(matter).current.map(({ id }) => id))
  const relied = new Set(
    matter.assessment.controls
      .filter(({ framework, server }) => current.has(framework) && server.state === 'no-deviations')
      .flatMap(({ checks }) =>
        checks.filter(({ satisfied, decides }) => decides && satisfied > 0).map(({ check }) => check),
      ),
  )
  return PROPERTIES.flatMap((property) => matter.tally.checksOf(property).filter(({ id }) => relied.has(id)))
}

/** Limitations matter most where no deviation was noted, so this lists the checks that decide such controls. */
function ceilings(matter: Matter): readonly Block[] {
  const rows = checksReliedOn(matter).map(({ id, property, expected, limitations }): readonly Cell[] => [
    [{ text: expected }, { text: `${propertyWords[property].label}, ${id}`, style: 'quiet' }],
    plainCell(limitations),
  ])
  return [
    heading(3, 'Limitations of checks for controls without deviations'),
    text(
      `A satisfied check shows its expected condition and nothing more. ${see('checks')} lists the limitations of every check; ${rows.length === 0 ? 'no control has a server part without deviations, so none is repeated here.' : 'those that decide a control without deviations are repeated here.'}`,
    ),
    ...(rows.length === 0 ? [] : [table({ 'Expected condition': 42, Limitations: 58 }, rows)]),
  ]
}

/** Mapped checks missing from this catalog: described once here, listed by ID at each control. */
function absentChecks({ scope }: Assessment, { checks, frameworks, offNodeChecks }: Catalog): readonly Block[] {
  const built = new Set([...checks, ...offNodeChecks].map(({ id }) => id))
  const absent = new Map(
    frameworks
      .filter(({ id }) => scope.frameworks.includes(id))
      .flatMap(({ controls }) => controls.flatMap(({ mappings }) => mappings))
      .filter(({ check }) => !built.has(check))
      .map(({ check, shows }) => [check, shows]),
  )
  if (absent.size === 0) return []
  return [
    heading(3, 'Mapped checks missing from this catalog version'),
    text(
      'The mappings refer to these checks, but this catalog does not contain them. Each counts as not tested on every node.',
    ),
    table(
      { Check: 42, 'Intended evidence': 58 },
      [...absent]
        .sort(([a], [b]) => compare(a, b))
        .map(([check, shows]) => [plainCell(plain(check, 100)), plainCell(plain(shows, 1000))]),
    ),
  ]
}

/** Mapped checks that cannot be tested on servers, each once, with the evidence they require. */
function notFromNodesTable(
  { offNodeChecks, frameworks, requests }: Catalog,
  chosen: readonly string[],
): readonly Block[] {
  const mappings = frameworks
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ controls }) => controls.flatMap((control) => control.mappings))
  const found = offNodeChecksOf({ offNodeChecks }, { mappings })
  if (found.length === 0) return []
  return [
    heading(3, 'Tests requiring evidence outside the servers'),
    text(
      'Controls require these tests. Each is satisfied by a document, the evidence pack, the run chain or the population reconciliation.',
    ),
    table(
      { Check: 24, Reason: 38, 'Evidence required': 38 },
      found.map(({ id, source, why }) => [
        plainCell(id),
        plainCell(why),
        [
          { text: `${checkSourceWords[source]}.` },
          ...requests
            .filter(({ serves }) => source === 'document' && serves.includes(id))
            .map((request) => ({ text: `${request.id} ${request.title}` })),
        ],
      ]),
    ),
  ]
}
