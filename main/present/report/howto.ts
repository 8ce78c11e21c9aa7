import type { EmbeddedForm } from '../../core/embedded.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, heading, type Section, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { titles } from './titles.ts'

/** Independent verification of this file and its pack with third-party tools: PAdES (ETSI EN 319 142-1), RFC 5652, RFC 3161. */
export function howtoSection({ signer, evidenceDigest, packName, embeds = 'whole' }: Matter): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  const blocks: Block[] = [
    text(
      'Steps 1 to 6 require neither Barewitness nor an account nor a network. They use openssl 3, unzip, sha256sum, xxd and standard shell tools; step 1 uses certutil (NSS) and pdfsig, step 5 uses pdfdetach (both poppler). Place this report as report.pdf, the pack, and root.pem (the root certificate that you trust) in one folder and run the commands there in this order. To verify the whole pack in one command, use verify.sh in the pack; see VERIFY.txt.',
    ),
    { kind: 'code', lines: [`unzip -q ${archive} -d unpacked`] },
  ]
  if (signer !== null)
    blocks.push(
      heading(3, '1. The signature in this PDF, with a PDF tool'),
      text('Every signature must be reported as valid, and the last must cover the whole document.'),
      {
        kind: 'code',
        lines: [
          'mkdir nss && certutil -N -d sql:nss --empty-password',
          'certutil -A -d sql:nss -n root -t ",C," -i root.pem',
          'pdfsig -no-ocsp -nssdir sql:nss report.pdf',
        ],
      },
      heading(3, '2. The signature in this PDF, with openssl only'),
      {
        kind: 'code',
        lines: [
          "set -- $(grep -aoE '/ByteRange *\\[[0-9 ]+\\]' report.pdf | head -1 | grep -oE '[0-9]+')",
          '{ head -c $2 report.pdf; tail -c +$(($3+1)) report.pdf | head -c $4; } > signed.bin',
          "head -c $3 report.pdf | tail -c +$(($2+1)) | tr -d '<>' | xxd -r -p > sig.der",
          'openssl cms -verify -cades -binary -inform DER -in sig.der -content signed.bin \\',
          '  -CAfile root.pem -purpose any -signer signer.pem -out /dev/null',
        ],
      },
      heading(3, '3. The signer’s identity'),
      text(
        'Obtain the fingerprint of the signing certificate from the signer directly, for example by telephone or from an earlier audit. It must match the fingerprint here and on page 1. Step 2 wrote the signing certificate to signer.pem. openssl prints the same digits with colons and in capitals.',
      ),
      {
        kind: 'code',
        lines: ['openssl x509 -in signer.pem -noout -fingerprint -sha256', `# expected: ${signer.fingerprint}`],
      },
    )
  else blocks.push(text('This copy is not signed. Only the digests below link it to its pack.'))
  blocks.push(
    heading(3, '4. This report belongs to the pack'),
    text(
      'The second command must print the evidence digest below. The others check every file of the pack and print nothing if all files match.',
    ),
    {
      kind: 'code',
      lines: [
        'cd unpacked/pack',
        "grep -v ' data/report' manifest-sha256.txt | sha256sum",
        `# expected: ${evidenceDigest}`,
        'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
        'sha256sum --strict --quiet -c manifest-sha256.txt',
      ],
    },
    heading(3, '5. The results embedded in this PDF'),
    ...EMBEDDED[embeds],
    heading(3, '6. One capture of one node'),
    text(
      'Replace DIGEST with a digest from the evidence index. The file of that name in the pack contains the exact output of the node, with secrets masked. Its SHA-256 must equal its name. Its content can then be inspected.',
    ),
    { kind: 'code', lines: ['find . -path "*/sha256/*" -name "DIGEST" -exec sha256sum {} +'] },
    heading(3, '7. The verdicts'),
    text(
      'With Barewitness, on a computer without a network, every verdict can be re-evaluated from the captures and compared:',
    ),
    { kind: 'code', lines: [`cd ../.. && barewitness verify ${archive} --trust root.pem`] },
  )
  return { id: 'howto', title: titles.howto, blocks }
}

/** What the embedded file is compared with in the unpacked pack, by form. */
const EMBEDDED: Readonly<Record<EmbeddedForm, readonly Block[]>> = {
  whole: [
    text(
      'The embedded assessment.json contains every result. In the pack, the results of each node are a separate file; the loop must list every one of them.',
    ),
    {
      kind: 'code',
      lines: [
        'pdfdetach -save 1 -o ../../assessment.json ../../report.pdf',
        'for part in data/nodes/*/assessment.json; do',
        '  grep -qF -f "$part" ../../assessment.json && echo "in it: $part"',
        'done',
      ],
    },
  ],
  index: [
    text(
      'The embedded file is the index of results: the state of each control, and each node with the SHA-256 of its results in the pack. It is identical to data/assessment.json in the pack, so the second command must print nothing. The loop must list the results of every node.',
    ),
    {
      kind: 'code',
      lines: [
        'pdfdetach -save 1 -o ../../assessment-index.json ../../report.pdf',
        'cmp data/assessment.json ../../assessment-index.json',
        'for part in data/nodes/*/assessment.json; do',
        '  grep -qF "$(sha256sum <"$part" | cut -c 1-64)" ../../assessment-index.json && echo "in it: $part"',
        'done',
      ],
    },
  ],
}
