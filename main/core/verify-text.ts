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
  /** Who stamps the seal; null when nobody does. */
  readonly timestamp: { readonly authority: string } | null
  /** Further ways to look at the pack, printed at the end. No test runs their lines, so they get no COMMAND_INDENT. */
  readonly recipes?: readonly Recipe[]
  /** The folder of nodes, `data/nodes` where not told otherwise. */
  readonly nodes?: string
}

export interface Recipe {
  readonly title: string
  readonly lines: readonly string[]
}

/** Lines that begin with this are commands; nothing else does. A test runs exactly them. */
export const COMMAND_INDENT = '    '

/** VERIFY.txt: how a stranger checks a pack without Barewitness. The checks themselves are those of verify.sh. */
export function verifyText(input: VerifyTextInput): string {
  const { timestamp, nodes = 'data/nodes' } = input
  const stamped = timestamp !== null
  return `${[
    'HOW TO CHECK THIS PACK WITHOUT BAREWITNESS',
    '',
    ...(input.demo ? DEMO_NOTE : []),
    'What you need, by a way that is not this pack',
    '',
    ' 1. From the signer, the root certificate, as a file root.pem. Its SHA-256 fingerprint should be',
    `   ${input.rootFingerprint}`,
    '   A root certificate taken from the pack shows nothing: whoever forged the pack would have put theirs in.',
    ` 2. From the signer, the fingerprint of the signing certificate of ${plain(input.subject)}. This pack claims`,
    `   ${input.fingerprint}`,
    ...(timestamp === null ? [] : tsaNeed(timestamp.authority)),
    ` ${stamped ? 4 : 3}. verify.sh, the same file for every pack of one version. In the version that made this pack, its SHA-256 is`,
    `   ${sha256(VERIFY_SH)}`,
    '   The copy in the pack is for convenience: compare its digest with one from elsewhere, and read it.',
    '   It needs sh, unzip (Info-ZIP), awk, GNU tools, and openssl 3.0 or later. No network, no account. It unpacks into a folder of',
    '   its own below TMPDIR, or /tmp, and removes it.',
    '',
    `Put the archive${stamped ? ', root.pem and tsa-root.pem' : ' and root.pem'} into a folder and go there. The first two commands take verify.sh from the pack.`,
    'In the last one, put the fingerprint that you were given in the place of the one that this pack claims.',
    '',
    ...commands(input).map((line) => `${COMMAND_INDENT}${line}`),
    '',
    'If the last line printed is ALL CHECKS PASSED, this was shown:',
    '  - The archive can be unpacked without harm.',
    '  - Every file is as listed; none is missing, none was added, none has another name.',
    '  - The list was sealed with the key whose fingerprint you gave, issued by the root you hold.',
    ...(stamped
      ? [
          '  - It was sealed no later than the printed time, as the time-stamp authority whose root you gave says.',
          '   The certificates were judged as of that time; they may have ended since.',
        ]
      : []),
    ...(input.revocationLists.length > 0
      ? [
          '  - The revocation list in the pack, which the root signed, does not name that key, or only from a later date on.',
        ]
      : ['  - Nothing about revocation: the pack carries no revocation list.']),
    '',
    'This was not shown:',
    stamped
      ? '  - Times before the sealing. Those in the evidence are the signer’s and the servers’ own.'
      : '  - When it was sealed. There was no time-stamp when this was written; all times in the pack are the signer’s own.',
    '  - That the key has not been revoked since. Ask the signer.',
    '  - That the servers told the truth, or that the results follow from the answers. For the latter run:',
    '   barewitness verify PACK --trust root.pem',
    '   It evaluates the raw answers again, on your computer, and compares every result.',
    '  - What else the script printed below “This was not shown”.',
    '',
    'What else can be checked by hand, in the unpacked pack',
    '  - The report belongs to this evidence: the digest printed on its first page is',
    `   ${input.evidenceDigest}`,
    "   and is computed by:  grep -v '  data/report' manifest-sha256.txt | sha256sum",
    `  - A raw answer: the files ${nodes}/NODE/sha256/DIGEST hold the exact bytes a node gave, named by their digest;`,
    `   ${nodes}/NODE/captures.jsonl says which command each belongs to.`,
    `  - A recording as a whole:  cat ${nodes}/NODE/recording.json ${nodes}/NODE/captures.jsonl | sha256sum`,
    '   gives the digest that statement.json names for the node.',
    ...(input.recipes ?? []).flatMap(recipe),
  ].join('\n')}\n`
}

const DEMO_NOTE = [
  'DEMONSTRATION. The data is made up or replayed: it shows nothing about any server, whatever key has sealed it. Nobody may trust it.',
  'Only for trying out the commands, they take the root certificates from the pack itself. Never do that with a real pack.',
  '',
]

const tsaNeed = (authority: string): readonly string[] => [
  ` 3. From the time-stamp authority ${plain(authority)}, its root certificate, as a file tsa-root.pem.`,
  '   If you have none, leave it out of the command: everything else is checked, and no time is shown.',
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

/** One word of POSIX sh, whatever the characters. */
const shellQuote = (word: string): string =>
  /^[A-Za-z0-9._-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", `'\\''`)}'`

const recipe = ({ title, lines }: Recipe): readonly string[] => [
  '',
  title,
  ...lines.map((line) => `   ${line.trimStart()}`),
]
