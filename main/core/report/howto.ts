import type { Matter } from './input.ts'
import { type Block, heading, type Section, text } from './model.ts'

/** How a stranger checks this file and its pack with tools that are not ours. Commands: PAdES (ETSI EN 319 142-1), RFC 5652, RFC 3161. */
export function howtoSection({ signer, evidenceDigest, packName }: Matter): Section {
  const blocks: Block[] = [
    text(
      'None of these steps needs Barewitness, an account or a network. They use pdfsig and pdfdetach (poppler), openssl, sha256sum and ordinary shell tools. For the whole pack, verify.sh in it does this in one command; VERIFY.txt beside it says how.',
    ),
  ]
  if (signer !== null)
    blocks.push(
      heading(3, '1. Whose key it is'),
      text(
        'Get the fingerprint of the signing certificate from the signer by another way, such as a call or an earlier audit. It must equal the one here and the one on page 1. Step 3 leaves the certificate that signed as signer.pem. openssl prints the same digits with colons and in capitals.',
      ),
      {
        kind: 'code',
        lines: ['openssl x509 -in signer.pem -noout -fingerprint -sha256', `# expected: ${signer.fingerprint}`],
      },
      heading(3, '2. The signature in this PDF, with a PDF tool'),
      text(
        'root.pem is the root certificate you decided to trust. Every signature must be reported as valid, and the last one must cover the whole document.',
      ),
      {
        kind: 'code',
        lines: [
          'certutil -N -d sql:nss --empty-password',
          'certutil -A -d sql:nss -n root -t ",C," -i root.pem',
          'pdfsig -no-ocsp -nssdir sql:nss report.pdf',
        ],
      },
      heading(3, '3. The signature in this PDF, with openssl alone'),
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
    )
  else blocks.push(text('This copy carries no signature. Only the digests below tie it to its pack.'))
  blocks.push(
    heading(3, '4. That this report and the pack belong together'),
    text(
      `In the unpacked pack ${packName}, the first command must print the evidence digest below. The others check every file.`,
    ),
    {
      kind: 'code',
      lines: [
        "grep -v '  data/report' manifest-sha256.txt | sha256sum",
        `# expected: ${evidenceDigest}`,
        'sha256sum --strict --quiet -c tagmanifest-sha256.txt',
        'sha256sum --strict --quiet -c manifest-sha256.txt',
      ],
    },
    heading(3, '5. The results inside this PDF'),
    text(
      'The embedded assessment.json holds every result. In the pack each node’s results are a file of their own; the last command must find the text of each in the embedded file.',
    ),
    {
      kind: 'code',
      lines: [
        'pdfdetach -save 1 -o assessment.json report.pdf',
        'for part in data/nodes/*/assessment.json; do grep -qF -f "$part" assessment.json && echo "in it: $part"; done',
      ],
    },
    heading(3, '6. One answer of one node'),
    text(
      'Take a digest from the evidence index. The file of that name in the pack holds the exact bytes the node answered. Its SHA-256 must be its name, and the reader can judge its content.',
    ),
    { kind: 'code', lines: ['find . -path "*/sha256/*" -name "DIGEST" -exec sha256sum {} +'] },
    heading(3, '7. The verdicts'),
    text(
      'With Barewitness, on a computer without a network, every verdict can be evaluated again from the raw answers and compared:',
    ),
    { kind: 'code', lines: ['barewitness verify PACK --trust root.pem'] },
  )
  return { id: 'howto', title: 'How to check this yourself', blocks }
}
