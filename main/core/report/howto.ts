import { plain } from '../plain-text.ts'
import type { EmbeddedForm } from './embedded.ts'
import type { Matter } from './input.ts'
import { type Block, heading, type Section, text } from './model.ts'
import { titles } from './titles.ts'

/** How a stranger checks this file and its pack with tools that are not ours. Commands: PAdES (ETSI EN 319 142-1), RFC 5652, RFC 3161. */
export function howtoSection({ signer, evidenceDigest, packName, embeds = 'whole' }: Matter): Section {
  const archive = `'${plain(packName, 200).replaceAll("'", "'\\''")}'`
  const blocks: Block[] = [
    text(
      'None of these steps needs Barewitness, an account or a network. They use openssl 3, unzip, sha256sum, xxd and ordinary shell tools; step 1 uses certutil (NSS) and pdfsig, step 5 pdfdetach (both poppler). Put this report as report.pdf, the pack and root.pem, the root certificate that you decided to trust, into one folder, and give the commands there in this order. For the whole pack, verify.sh in it does this in one command; VERIFY.txt beside it says how.',
    ),
    { kind: 'code', lines: [`unzip -q ${archive} -d unpacked`] },
  ]
  if (signer !== null)
    blocks.push(
      heading(3, '1. The signature in this PDF, with a PDF tool'),
      text('Every signature must be reported as valid, and the last one must cover the whole document.'),
      {
        kind: 'code',
        lines: [
          'mkdir nss && certutil -N -d sql:nss --empty-password',
          'certutil -A -d sql:nss -n root -t ",C," -i root.pem',
          'pdfsig -no-ocsp -nssdir sql:nss report.pdf',
        ],
      },
      heading(3, '2. The signature in this PDF, with openssl alone'),
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
      heading(3, '3. Whose key it is'),
      text(
        'Get the fingerprint of the signing certificate from the signer by another way, such as a call or an earlier audit. It must equal the one here and the one on page 1. Step 2 left the certificate that signed as signer.pem. openssl prints the same digits with colons and in capitals.',
      ),
      {
        kind: 'code',
        lines: ['openssl x509 -in signer.pem -noout -fingerprint -sha256', `# expected: ${signer.fingerprint}`],
      },
    )
  else blocks.push(text('This copy carries no signature. Only the digests below tie it to its pack.'))
  blocks.push(
    heading(3, '4. That this report and the pack belong together'),
    text(
      'The second command must print the evidence digest below. The others check every file of the pack, and print nothing where all fit.',
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
    heading(3, '5. The results inside this PDF'),
    ...EMBEDDED[embeds],
    heading(3, '6. One answer of one node'),
    text(
      'Take a digest from the evidence index. Put it in the place of DIGEST. The file of that name in the pack holds the exact bytes the node answered. Its SHA-256 must be its name, and the reader can judge its content.',
    ),
    { kind: 'code', lines: ['find . -path "*/sha256/*" -name "DIGEST" -exec sha256sum {} +'] },
    heading(3, '7. The verdicts'),
    text(
      'With Barewitness, on a computer without a network, every verdict can be evaluated again from the raw answers and compared:',
    ),
    { kind: 'code', lines: [`cd ../.. && barewitness verify ${archive} --trust root.pem`] },
  )
  return { id: 'howto', title: titles.howto, blocks }
}

/** What the embedded file is compared with, in the folder of the pack. */
const EMBEDDED: Readonly<Record<EmbeddedForm, readonly Block[]>> = {
  whole: [
    text(
      'The embedded assessment.json holds every result. In the pack each node’s results are a file of their own; the loop must name every one of them.',
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
      'The embedded file is the index of results: states of controls, and each node with the SHA-256 of its own file in the pack. It is the same as data/assessment.json there, so the second command must print nothing. The loop must name the results of every node.',
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
