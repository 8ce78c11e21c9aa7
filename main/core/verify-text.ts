import { plain } from './plain-text.ts'

export interface VerifyTextInput {
  readonly packName: string
  readonly fingerprint: string
  readonly rootFingerprint: string
  readonly subject: string
  readonly evidenceDigest: string
  readonly demo: boolean
  readonly revocationLists: readonly string[]
}

/** Lines that begin with this are commands; nothing else does. A test runs exactly them. */
export const COMMAND_INDENT = '    '

/**
 * VERIFY.txt: how a stranger checks a pack without Barewitness. One subshell that stops at the first failure, so that pasting it
 * neither leaves settings behind nor closes the reader's shell. Runs in any POSIX sh (no `!` or `||` before a check: both switch
 * `set -e` off for it). openssl is kept from the system's own list of authorities, which would let in any public certificate.
 */
export function verifyText(input: VerifyTextInput): string {
  const { packName, fingerprint, rootFingerprint, revocationLists } = input
  const commands = [
    ...open(packName, fingerprint),
    ...(input.demo ? DEMO_ROOT : []),
    ...SAFE_ARCHIVE,
    ...FILES,
    ...seal(revocationLists),
    ...END,
  ]
  return `${[
    'HOW TO CHECK THIS PACK WITHOUT BAREWITNESS',
    '',
    ...(input.demo ? DEMO_NOTE : []),
    'You need sh, unzip (Info-ZIP), sha256sum and other GNU tools, and openssl 3.0 or later. No network, no account.',
    '',
    'What you need from the signer, by a way that is not this pack',
    '',
    ` 1. The root certificate, as a file root.pem. Its SHA-256 fingerprint should be`,
    `   ${rootFingerprint}`,
    '   A root certificate taken from the pack shows nothing: whoever forged the pack would have put theirs in.',
    ` 2. The fingerprint of the signing certificate of ${plain(input.subject)}. This pack claims`,
    `   ${fingerprint}`,
    '   Compare it with the one you received, and put yours into the line that begins with PIN=.',
    '',
    'Read the commands before you run them: they came with the pack. The same steps stand in the report.',
    'Put the archive and root.pem into an empty folder, go there, and paste everything between the two lines of dashes.',
    '',
    RULE,
    ...commands.map((line) => `${COMMAND_INDENT}${line}`),
    RULE,
    '',
    'If the last line printed is ALL CHECKS PASSED, this was shown:',
    '  - The archive can be unpacked without harm.',
    '  - Every file is as listed; none is missing, none was added, none has another name.',
    '  - The list was sealed with the key whose fingerprint you put into PIN=, issued by the root you hold.',
    ...(revocationLists.length > 0
      ? ['  - The revocation list in the pack, which the root signed, does not name that key.']
      : ['  - Nothing about revocation: the pack carries no revocation list.']),
    '',
    'This was not shown:',
    '  - When it was sealed. There is no time-stamp by somebody else in this pack; all times in it are the signer’s own.',
    '  - That the key has not been revoked since. Ask the signer.',
    '  - That the servers told the truth, or that the results follow from the answers. For the latter run:',
    '   barewitness verify PACK --trust root.pem',
    '   It evaluates the raw answers again, on your computer, and compares every result.',
    '',
    'What else can be checked by hand, inside unpacked/pack',
    '  - The report belongs to this evidence: the digest printed on its first page is',
    `   ${input.evidenceDigest}`,
    "   and is computed by:  grep -v '  data/report' manifest-sha256.txt | sha256sum",
    '  - A raw answer: the files data/nodes/NODE/sha256/DIGEST hold the exact bytes a node gave, named by their digest;',
    '   data/nodes/NODE/captures.jsonl says which command each belongs to.',
    '  - A recording as a whole:  cat data/nodes/NODE/recording.json data/nodes/NODE/captures.jsonl | sha256sum',
    '   gives the digest that statement.json names for the node.',
  ].join('\n')}\n`
}

const RULE = '-'.repeat(72)

const DEMO_NOTE = [
  'DEMONSTRATION. The data is made up or replayed, and the key was made for this one run and thrown away. Nobody may trust it.',
  'Only for trying out the commands, they take the root certificate from the pack itself. Never do that with a real pack.',
  '',
]

const open = (packName: string, fingerprint: string): readonly string[] => [
  '( set -eu',
  `trap 'test $? -eq 0 || echo "STOPPED: a check failed. Do not rely on this pack."' EXIT`,
  'export LC_ALL=C SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null',
  `Z=$PWD/${shellQuote(packName)}`,
  'ROOT=$PWD/root.pem',
  `PIN=${fingerprint}`,
]

/** One word of POSIX sh, whatever the characters. */
const shellQuote = (word: string): string =>
  /^[A-Za-z0-9._-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", `'\\''`)}'`

const DEMO_ROOT = [
  'unzip -p "$Z" pack/signature/chain.pem | awk \'/BEGIN/ { n += 1 } n == 2\' > demo-root.pem',
  'ROOT=$PWD/demo-root.pem',
]

const SAFE_ARCHIVE = [
  'echo "1. The archive can be unpacked without harm"',
  'test -s "$ROOT"',
  'unzip -Z1 "$Z" > list.txt',
  'test -s list.txt',
  'test "$(grep -cvE "^pack/(VERIFY[.]txt|([a-z0-9][a-z0-9._-]*/)*[a-z0-9][a-z0-9._-]*)$" list.txt)" = 0',
  'test -z "$(tr A-Z a-z < list.txt | sort | uniq -d)"',
  'test "$(unzip -Z "$Z" | grep -c "^l")" = 0',
  'test "$(unzip -Zt "$Z" | sed "s/.* files*, \\([0-9]*\\) bytes uncompressed.*/\\1/")" -le 2147483648',
  'unzip -tqq "$Z"',
  'mkdir unpacked',
  'unzip -q "$Z" -d unpacked',
  'cd unpacked/pack',
]

const FILES = [
  'echo "2. Every file is as listed; none is missing, none was added"',
  'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
  'sha256sum --strict --quiet -c manifest-sha256.txt',
  'find data ! -type d | sort > ../found.txt',
  'cut -c67- manifest-sha256.txt | sort | cmp - ../found.txt',
  'find . ! -type d ! -path "./data/*" ! -path ./tagmanifest-sha256.txt ! -path ./signature/tagmanifest.p7s | cut -c3- | sort > ../found.txt',
  'cut -c67- tagmanifest-sha256.txt | sort | cmp - ../found.txt',
]

const seal = (revocationLists: readonly string[]): readonly string[] => [
  'echo "3. The list is sealed by a key of the root you hold"',
  'openssl cms -verify -cades -binary -inform DER -in signature/tagmanifest.p7s -content tagmanifest-sha256.txt \\',
  '  -CAfile "$ROOT" -purpose any -certfile signature/chain.pem -signer ../signer.pem -out /dev/null',
  ...revocationLists.flatMap((path) => [
    `openssl verify -CAfile "$ROOT" -untrusted signature/chain.pem -CRLfile ${path} -crl_check ../signer.pem`,
  ]),
  'echo "4. The key is the one whose fingerprint you were given"',
  'test "$(openssl x509 -in ../signer.pem -outform DER | sha256sum | cut -c1-64)" = "$PIN"',
]

const END = ['echo "ALL CHECKS PASSED" )']
