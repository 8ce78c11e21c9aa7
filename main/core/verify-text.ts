import { sha256 } from './digest.ts'
import { PATHS } from './pack-files.ts'
import { plain } from './plain-text.ts'
import { VERIFY_SH } from './verify-sh.ts'

export interface VerifyTextInput {
  readonly packName: string
  readonly fingerprint: string
  readonly rootFingerprint: string
  readonly subject: string
  readonly evidenceDigest: string
  readonly demo: boolean
  readonly revocationLists: readonly string[]
  /** Time-stamp authority of the seal; null without one. */
  readonly timestamp: { readonly authority: string } | null
  /** Further ways to inspect the pack, printed at the end. No test runs their lines, so they have no COMMAND_INDENT. */
  readonly recipes?: readonly Recipe[]
  /** The folder of nodes; default `data/nodes`. */
  readonly nodes?: string
}

export interface Recipe {
  readonly title: string
  readonly lines: readonly string[]
}

/** Only command lines begin with this indent. A test runs exactly those lines. */
export const COMMAND_INDENT = '    '

/** VERIFY.txt: independent verification of a pack without Barewitness. The checks are those of verify.sh. */
export function verifyText(input: VerifyTextInput): string {
  const { timestamp, nodes = 'data/nodes' } = input
  const stamped = timestamp !== null
  return `${[
    'VERIFY THIS EVIDENCE PACK WITHOUT BAREWITNESS',
    '',
    ...(input.demo ? DEMO_NOTE : []),
    'Requirements, obtained independently of this pack',
    '',
    ' 1. From the signer, the root certificate, as a file root.pem. Its SHA-256 fingerprint should be',
    `   ${input.rootFingerprint}`,
    '   A root certificate taken from the pack confirms nothing: a forged pack would contain the forger’s own.',
    ` 2. From the signer, the fingerprint of the signing certificate of ${plain(input.subject)}. This pack states`,
    `   ${input.fingerprint}`,
    ...(timestamp === null ? [] : tsaNeed(timestamp.authority)),
    ` ${stamped ? 4 : 3}. verify.sh, the same file in every pack of one version. In the version that produced this pack, its SHA-256 is`,
    `   ${sha256(VERIFY_SH)}`,
    '   The copy in the pack is for convenience: compare its digest with one from another source, and read it.',
    '   It requires sh, unzip (Info-ZIP), awk, GNU tools, and openssl 3.0 or later; no network, no account. It unpacks into its own',
    '   folder below TMPDIR, or /tmp, and removes that folder afterwards.',
    '',
    `Place the archive${stamped ? ', root.pem and tsa-root.pem' : ' and root.pem'} in one folder and run the commands there. The first two extract verify.sh from the pack.`,
    'In the last command, replace the fingerprint stated by this pack with the one you received from the signer.',
    '',
    ...commands(input).map((line) => `${COMMAND_INDENT}${line}`),
    '',
    'If the last line printed is ALL CHECKS PASSED, the following was verified:',
    '  - The archive can be unpacked without harm.',
    '  - Every file matches the list; no file is missing, added or renamed.',
    '  - The list was sealed with the key whose fingerprint you supplied, issued under your root certificate.',
    ...(stamped
      ? [
          '  - It was sealed no later than the printed time, according to the time-stamp authority whose root you supplied.',
          '   The certificates were evaluated at that time; they may have expired since.',
        ]
      : []),
    ...(input.revocationLists.length > 0
      ? ['  - The revocation list in the pack, signed by the root, does not list that key, or only from a later date.']
      : ['  - Nothing about revocation: the pack contains no revocation list.']),
    '',
    'Not verified:',
    stamped
      ? '  - Times before the sealing. Times in the evidence come from the signer and the servers.'
      : '  - The time of sealing. There was no time-stamp when this file was written; all times in the pack are the signer’s.',
    '  - Whether the key has been revoked since. Ask the signer.',
    '  - Whether the servers reported truthfully, or the results follow from the captures. For the latter, run:',
    '   barewitness verify PACK --trust root.pem',
    '   It re-evaluates the captures on your computer and compares every result.',
    '  - Other points that the script lists under “Not verified”.',
    '',
    'Further manual checks, in the unpacked pack',
    '  - The report belongs to this evidence: the digest printed on its first page is',
    `   ${input.evidenceDigest}`,
    "   and is computed by:  grep -v '  data/report' manifest-sha256.txt | sha256sum",
    `  - A capture: the files ${nodes}/NODE/sha256/DIGEST contain the exact output of a command, named by digest;`,
    `   ${nodes}/NODE/captures.jsonl states the command of each.`,
    `  - A complete recording:  cat ${nodes}/NODE/recording.json ${nodes}/NODE/captures.jsonl | sha256sum`,
    '   prints the digest that statement.json states for the node.',
    ...(input.recipes ?? []).flatMap(recipe),
  ].join('\n')}\n`
}

const DEMO_NOTE = [
  'DEMO DATA. The data is synthetic or replayed. It is not evidence about any server, whatever key sealed it, and must not be trusted.',
  'To try out the commands, they extract the root certificates from the pack itself. Never do this with a real pack.',
  '',
]

const tsaNeed = (authority: string): readonly string[] => [
  ` 3. From the time-stamp authority ${plain(authority)}, its root certificate, as a file tsa-root.pem.`,
  '   If you have none, omit it from the command: all other checks run, and no time is confirmed.',
]

function commands({ packName, fingerprint, demo, timestamp }: VerifyTextInput): readonly string[] {
  const pack = shellQuote(packName)
  const root = demo ? 'demo-root.pem' : 'root.pem'
  const tsaRoot = demo ? 'demo-tsa-root.pem' : 'tsa-root.pem'
  return [
    `unzip -p ${pack} pack/${PATHS.verifyScript} > verify.sh`,
    'sha256sum verify.sh',
    ...(demo ? [lastCertificate(pack, PATHS.chain, root)] : []),
    ...(demo && timestamp !== null ? [lastCertificate(pack, PATHS.tsaChain, tsaRoot)] : []),
    `sh verify.sh ${pack} ${root} ${fingerprint}${timestamp === null ? '' : ` ${tsaRoot}`}`,
  ]
}

const lastCertificate = (pack: string, chain: string, file: string): string =>
  `unzip -p ${pack} pack/${chain} | awk '/BEGIN/ { last = "" } { last = last $0 "\\n" } END { printf "%s", last }' > ${file}`

/** Quotes any string as one POSIX sh word. */
const shellQuote = (word: string): string =>
  /^[A-Za-z0-9._-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", `'\\''`)}'`

const recipe = ({ title, lines }: Recipe): readonly string[] => [
  '',
  title,
  ...lines.map((line) => `   ${line.trimStart()}`),
]
