import { plain } from '../../plain-text.ts'
import { type Block, heading, type Section, text } from '../../report/model.ts'
import { CHAIN_PATHS } from '../../run-chain/files.ts'
import { PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

const LIMITS: readonly string[] = [
  'Between runs. What came and went between two runs left no trace here. A daily run that sees the same twice does not show what lay between.',
  'Absence. A period in which no deviation was found is a period in which these questions, put at these times to these nodes, gave no contradicting answer. It is not a statement that there was none.',
  'The declared list. A server that no run declared is in no count and in no file.',
  'Time. Plans, runs and gaps carry the clock of the computer that made them. The order of entries is fixed by the chain; their times are shown by somebody else only where a seal has a time-stamp.',
  'The end of the chain. Entries that were made after the last one stated here, or a chain that was kept beside this one, cannot be seen in it. A reader who keeps the head of an earlier pack sees whether this chain is its continuation.',
  'Plans. A plan says what its owner set out to do. Whether that is often enough is not judged here.',
  'Traces. Verdicts of runs are taken from the trace that each run sealed. Only for the sampled nodes are the raw answers enclosed, so that their verdicts can be evaluated again here; for the others, the packs of those runs hold them.',
  'The nodes speak for themselves. Whoever controls a node’s kernel or firmware can make it answer falsely, on every day of a period as on one.',
  'People. Policies, reviews, training and approvals leave no trace on a server, and none of these runs looks for them.',
]

export const periodLimits = (): Section => ({
  id: 'limits',
  title: PERIOD_TITLES.limits,
  blocks: [{ kind: 'list', items: LIMITS.map((words) => ({ text: words })) }],
})

/** How a stranger checks the period pack with openssl, sha256sum and ordinary shell tools. RFC 5652, RFC 9162 §2.1.1. */
export function periodHowto({ packName, evidenceDigest, signer, period }: PeriodReportInput): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  return {
    id: 'howto',
    title: PERIOD_TITLES.howto,
    blocks: [
      text(
        'None of these steps but the last needs Barewitness, an account or a network. They use openssl 3, unzip and ordinary shell tools. Put the pack and root.pem, the root certificate that you decided to trust, into one folder, and give the commands there in this order. Where a step prints something that is not said here, it has failed.',
      ),
      ...step('1. The seal over the period', 'openssl must say that the verification was successful.', [
        'root=$PWD/root.pem',
        `unzip -q ${archive} -d unpacked && cd unpacked/pack`,
        'seal() {',
        '  openssl cms -verify -cades -binary -inform DER -in signature/tagmanifest.p7s -out /dev/null \\',
        '    -content tagmanifest-sha256.txt -purpose any -certfile signature/chain.pem -CAfile "$root" "$@"',
        '}',
        'seal -signer ../signer.pem',
      ]),
      ...(signer === null
        ? []
        : step('2. Whose key it is', 'Compare with the fingerprint that the signer gave you by another way.', [
            'openssl x509 -in ../signer.pem -noout -fingerprint -sha256',
            `# expected: ${signer.fingerprint}`,
          ])),
      ...step(
        '3. Every file is as listed, and this report belongs to it',
        'The first two print nothing; the third prints the evidence digest of page 1.',
        [
          'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
          'sha256sum --strict --quiet -c manifest-sha256.txt',
          "grep -v '  data/report' manifest-sha256.txt | sha256sum",
          `# expected: ${evidenceDigest}`,
        ],
      ),
      ...step(
        '4. The chain of runs',
        'Hashes every entry anew and compares the result with the list of leaves. It prints nothing where all fit. How the leaves lead to the root that page 1 names is in RFC 9162, section 2.1.1.',
        [
          `sed 's/^{"entry":\\(.*\\),"signature":[^}]*}$/\\1/' ${CHAIN_PATHS.entries} |`,
          '  while read -r entry; do { printf \'\\000\'; printf %s "$entry"; } | sha256sum | cut -c1-64; done |',
          `  cmp - ${CHAIN_PATHS.leaves}`,
        ],
      ),
      ...step(
        '5. Every run under its own seal, and in the chain',
        `For each of the ${period.runs.length} runs openssl must say that the verification was successful. Files of a run that are not enclosed are passed over; all that are enclosed must fit. A name that is printed is of a run that the chain does not name.`,
        [
          'for run in data/runs/*/; do (',
          '  cd "$run" && seal &&',
          '    sha256sum --strict --quiet --ignore-missing -c tagmanifest-sha256.txt manifest-sha256.txt',
          ') done',
          'for run in data/runs/*/; do',
          '  sealed=$(sha256sum < "$run/tagmanifest-sha256.txt" | cut -c1-64)',
          `  grep -qF "\\"tagManifest\\":\\"$sealed\\"" ${CHAIN_PATHS.entries} || echo "$run"`,
          'done',
        ],
      ),
      ...step('6. The populations', 'The digests must be those under “Populations and samples”.', [
        'sha256sum data/populations/*.csv',
      ]),
      heading(3, '7. The account itself'),
      text(
        `With Barewitness, on a computer without a network, everything in this report’s data is derived again from the chain and the traces, and the verdicts of the sampled nodes from their raw answers. ${seePart('limits')} says what that leaves open.`,
      ),
      { kind: 'code', lines: [`cd ../.. && barewitness verify ${archive} --trust root.pem`] },
    ],
  }
}

const step = (title: string, expect: string, lines: readonly string[]): readonly Block[] => [
  heading(3, title),
  text(expect),
  { kind: 'code', lines },
]
