import { plain } from '../../core/plain-text.ts'
import { type Block, heading, type Section, text } from '../../core/report-document.ts'
import { CHAIN_PATHS } from '../../core/run-chain/files.ts'
import { PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

const LIMITS: readonly string[] = [
  'Between runs. Not tested: operation between runs. Two daily runs with the same result do not show the state in between.',
  'Absence of deviations. No deviations noted means that these checks, at these times, on these nodes, found none. It does not show that none existed.',
  'Population. A server not declared in any run is in no count and no file.',
  'Time. Schedules, runs and missed runs have the time of the computer that created them. The run chain fixes the order of entries; only time-stamped seals provide an independent time.',
  'End of the run chain. Later entries, or a parallel run chain, cannot be detected from it. A reader who kept a checkpoint from an earlier pack can verify that this run chain extends it.',
  'Schedules. A schedule states the owner’s intention. Whether its frequency is sufficient was not evaluated.',
  'Run traces. Verdicts come from the run trace that each run sealed. Captures are enclosed only for sampled nodes, whose verdicts can be re-evaluated here; the other captures are in the packs of the runs.',
  'Self-reported data. A party that controls a node’s kernel or firmware can falsify its output in every run of a period.',
  'Documents. Policies, reviews, training and approvals cannot be tested on a server. They count as sealed by the last run; whether they cover the whole period was not tested.',
]

export const periodLimits = (): Section => ({
  id: 'limits',
  title: PERIOD_TITLES.limits,
  blocks: [{ kind: 'list', items: LIMITS.map((words) => ({ text: words })) }],
})

/** Independent verification of the period report with openssl, sha256sum and standard shell tools. RFC 5652, RFC 9162 §2.1.1. */
export function periodHowto({ packName, evidenceDigest, signer, period }: PeriodReportInput): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  return {
    id: 'howto',
    title: PERIOD_TITLES.howto,
    blocks: [
      text(
        'Only the last step requires Barewitness; no step requires an account or a network. The steps use openssl 3, unzip and standard shell tools. Place the pack and root.pem (the root certificate that you trust) in one folder and run the commands there in this order. A step that prints anything not described here has failed.',
      ),
      ...step('1. The seal over the period', 'openssl must report that the verification was successful.', [
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
        : step('2. The signer’s identity', 'Compare with the fingerprint obtained from the signer directly.', [
            'openssl x509 -in ../signer.pem -noout -fingerprint -sha256',
            `# expected: ${signer.fingerprint}`,
          ])),
      ...step(
        '3. Every file matches the list, and this report belongs to it',
        'The first two print nothing; the third prints the evidence digest of page 1.',
        [
          'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
          'sha256sum --strict --quiet -c manifest-sha256.txt',
          "grep -v '  data/report' manifest-sha256.txt | sha256sum",
          `# expected: ${evidenceDigest}`,
        ],
      ),
      ...step(
        '4. The run chain',
        'This hashes every entry and compares the result with the list of leaves. It prints nothing if all match. RFC 9162, section 2.1.1, defines how the leaves give the root on page 1.',
        [
          `sed 's/^{"entry":\\(.*\\),"signature":[^}]*}$/\\1/' ${CHAIN_PATHS.entries} |`,
          '  while read -r entry; do { printf \'\\000\'; printf %s "$entry"; } | sha256sum | cut -c1-64; done |',
          `  cmp - ${CHAIN_PATHS.leaves}`,
        ],
      ),
      ...step(
        '5. Every run has a valid seal and is in the run chain',
        `For each of the ${period.runs.length} runs, openssl must report that the verification was successful. Files of a run that are not enclosed are skipped; all enclosed files must match. A printed name is a run that is not in the run chain.`,
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
      ...step('6. The populations', 'The digests must match those under “Populations and samples”.', [
        'sha256sum data/populations/*.csv',
      ]),
      heading(3, '7. The period report'),
      text(
        `With Barewitness, on a computer without a network, the data of this report can be reproduced from the run chain and the run traces, and the verdicts of sampled nodes from their captures. For limitations, see ${seePart('limits')}.`,
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
