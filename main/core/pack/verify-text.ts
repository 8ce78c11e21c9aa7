import { sha256 } from '../base/digest.ts'
import { plain } from '../base/plain-text.ts'
import { PATHS } from './pack-files.ts'

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
    '  - The report belongs to this evidence: the evidence digest that it prints is',
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
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9._-]+$/.test(word) ? word : `'${plain(word).replaceAll("'", `'\\''`)}'`

const recipe = ({ title, lines }: Recipe): readonly string[] => [
  '',
  title,
  ...lines.map((line) => `   ${line.trimStart()}`),
]

/**
 * verify.sh: a second verifier that shares no code with Barewitness. POSIX sh with openssl, unzip and GNU tools, the same bytes in every
 * pack, independent of the pack. Kept below 160 lines, so that an auditor can read it before running it.
 *
 * Reasons for its approach:
 * - The time of a time-stamp is read from the token only: the status text around it is unsigned and may contain line ends. The token
 *   is then verified at that time, so a time counts only if its authority was able to sign at that time.
 * - openssl cannot report "revoked, but after sealing": with -attime a later list is "not yet valid". The lists are therefore
 *   checked without a time, and the dates of the entry are compared, the earliest of revocation and invalidity (RFC 5280 §5.3.2).
 * - A time-stamp authority’s key revoked for a reason other than those of RFC 3161 §4 (1) has no valid time-stamps.
 * - The limits of an archive are those of the reader of Barewitness, so that both read the same packs: see main/adapters/pack/limits.ts.
 * - Serial numbers are compared as text: awk would treat 1E2 and 100 as the same number.
 * - openssl crl -verify always exits with 0; only its output shows the result.
 * - openssl cms -verify accepts a seal without signed attributes (and then ignores the signing certificate) and SHA-1 digests, so the
 *   form of the seal is read from the output of openssl. A name in it cannot imitate a line, because openssl escapes line ends.
 */
export const VERIFY_SH = String.raw`#!/bin/sh
# verify.sh checks a Barewitness evidence pack without Barewitness, a network or an account. Read it before you run it.
#   sh verify.sh PACK.zip ROOT.pem FINGERPRINT [TSA_ROOT.pem]
# ROOT.pem: root certificate of the signer. FINGERPRINT: SHA-256 of the signing certificate. TSA_ROOT.pem: root certificates of
# the time-stamp authorities; without it no time is confirmed. Obtain them from their owners: copies in the pack confirm nothing.
# Requires openssl 3.0 or later, unzip (Info-ZIP), awk, sed, grep, and the GNU tools. Leaves no files. It does not test:
# - whether the servers reported truthfully, or results and all other files follow from the captures (the latter: "barewitness verify")
# - zip files that two readers interpret differently, beyond those that unzip warns of; the form of an ECDSA signature
# - whether this script is genuine: a forged pack can contain a forged script. All packs of a version contain the same script,
#   so obtain this file, or its SHA-256, from another source.
set -eu; umask 077
unset UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT; export LC_ALL=C SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null
why='The script could not start.' so='Do not rely on this pack.' dir='' gaps='' shown=''
say() { printf '%s\n' "$*"; }
step() { why="Failed at: $1."; say "$1"; }
stop() { why=$1; exit 1; }
gap() { gaps="$gaps$(printf '\n  - %s' "$*")"; }
utc() { date -u -d "@$1" '+%Y-%m-%d %H:%M:%S UTC'; }
ssl() { how=$1; shift; openssl "$how" -no-CApath -no-CAstore "$@"; }
finish() {
  code=$?; test -z "$dir" || { cd /; rm -rf "$dir"; }
  test "$code" = 0 || say "STOPPED: $why $so"; exit "$code"
}
trap finish EXIT; trap 'exit 130' HUP INT TERM
# Use the tools in PATH, even in a shell with built-in versions.
for tool in awk cat comm cut date find grep ln mktemp openssl rm sed sha256sum sort tr uniq unzip wc; do
  found=$(set -f; IFS=:; for d in $PATH; do test ! -x "$d/$tool" || { say "$d/$tool"; break; }; done)
  test "$found" || stop "$tool is not installed."
  eval "at_$tool=\$found; $tool() { \"\$at_$tool\" \"\$@\"; }"
done
# revocation SUBJECT CERTIFICATE CHAIN ROOTS FOLDER SECONDS SHOWN: the chain signed every list in FOLDER, and none lists the
# certificate, or only from after SECONDS. SHOWN is empty if SECONDS is only the time of this computer.
revocation() {
  rm -f ../lists.pem
  cat "$4" "$3" > ../authorities.pem
  for list in "$5"/*; do
    test -f "$list" || continue
    ssl crl -in "$list" -verify -CAfile ../authorities.pem >> ../lists.pem 2> ../said || :
    grep -qx 'verify OK' ../said || stop "$list is not signed by an authority of $1."
    ends=$(openssl crl -in "$list" -noout -nextupdate | cut -d= -f2)
    test "$(date -u -d "$ends" +%s)" -ge "$6" || gap "Whether $1 was revoked after $ends, when $list expires."
  done
  ssl verify -no_check_time -crl_check_all -CAfile "$4" -untrusted "$3" -CRLfile ../lists.pem "$2" > ../said 2>&1 && return 0
  grep -q 'certificate revoked$' ../said || { gap "Whether $1 was revoked: no list in the pack covers its chain."; return 0; }
  grep -q 'at 0 depth lookup: certificate revoked$' ../said || stop "An authority of $1 was revoked."
  serial=$(openssl x509 -in "$2" -noout -serial | cut -d= -f2) issuer=$(openssl x509 -in "$2" -noout -issuer_hash)
  for list in "$5"/*; do
    test "$(openssl crl -in "$list" -noout -hash)" != "$issuer" || openssl crl -in "$list" -noout -text
  done | awk -v n="$serial" '/^Certificate / { on = 0 } /Serial Number: / { on = $NF "" == n "" } on' > ../entry
  sed -n -e 's/^.*Date: *//' -e 's/^ *\([A-Z].* GMT\)$/\1/p' ../entry > ../dates
  since=$(date -u -f ../dates +%s | sort -n | sed -n 1p)
  test "$7" && test "$since" -gt "$6" || stop "The certificate of $1 was revoked on $(sed -n 1p ../dates)."
  test "$1" = 'the signer' || grep -qE '(Unspecified|Affiliation Changed|Superseded|Cessation Of Operation) *$' ../entry ||
    stop "The certificate of $1 was revoked for a reason that invalidates its time-stamps."
  say "   revoked later, on $(utc "$since"); seals made before that date remain valid"
}
case $# in 3 | 4) ;; *) stop 'Use: sh verify.sh PACK.zip ROOT.pem FINGERPRINT [TSA_ROOT.pem].' ;; esac
case $(openssl version) in 'OpenSSL '[3-9].*) ;; *) stop 'openssl 3.0 or later is required.' ;; esac
pin=$(say "$3" | tr -d ': ' | tr A-F a-f) when=$(date -u +%s) why='A file named on the command line cannot be read.'
case $1 in /*) zip=$1 ;; *) zip=$PWD/$1 ;; esac
made=$(mktemp -d) || made=''; case $made in '' | /?*) ;; *) made=$PWD/$made ;; esac
test -d "$made" && dir=$made || stop 'mktemp could not create a working folder: set TMPDIR to a writable folder.'
cat < "$2" > "$dir/root.pem"
test $# = 3 || cat < "$4" > "$dir/tsa-root.pem"
cd "$dir"; ln -s "$zip" pack.zip
step '1. The archive can be unpacked without harm'
part='[a-z0-9]([a-z0-9._-]*[a-z0-9_-])?'
unzip -Z1 pack.zip > names && test -s names || stop 'unzip cannot list the archive, or reports a warning.'
test "$(grep -cvE "^pack/(VERIFY[.]txt|($part/)*$part)\$" names)" = 0 || stop 'The archive contains file names that are not allowed in a pack.'
test -z "$(tr A-Z a-z < names | sort | uniq -d)" || stop 'The archive contains a name twice, or names that differ only in case.'
unzip -Zl pack.zip | awk -v names="$(wc -l < names)" -v packed="$(wc -c < pack.zip)" '
  /^-/ && $5 ~ /^[bt]/ { files += 1; total += $4; if ($4 > 1048576 && $4 > 200 * ($6 > 0 ? $6 : 1)) bomb = 1 }
  END { exit files != names || total > 17179869184 || (total > 8388608 && total > 20 * packed) || bomb }' || stop 'The archive contains links or encrypted files, or is a decompression bomb.'
unzip -P none -tqq pack.zip || stop 'unzip reports that the archive is damaged or malformed.'
unzip -P none -qn pack.zip; cd pack
test ! -e disclosed.jsonl || { so='Nothing was verified.'
  stop 'This file states that it is a redacted copy. This script cannot verify redacted copies; use "barewitness verify".'; }
step '2. Every file matches the list; no file is missing or added'
seal=signature/tagmanifest.p7s tokens='' n=2 token=signature/tagmanifest.p7s.tsr
while test -f "$token"; do tokens="$tokens $token" token=$seal.$n.tsr n=$((n + 1)); done
test "$(cat manifest-sha256.txt tagmanifest-sha256.txt | grep -cvE "^[0-9a-f]{64}  (VERIFY[.]txt|($part/)*$part)\$")" = 0 ||
  stop 'A list contains an invalid line.'
{ cut -c67- manifest-sha256.txt tagmanifest-sha256.txt; printf '%s\n' tagmanifest-sha256.txt "$seal" $tokens; } | sort > ../listed
find . -type f | cut -c3- | sort | comm -3 ../listed - > ../odd
test ! -s ../odd || { cat ../odd; stop 'The files above are missing, listed twice, or were added.'; }
sha256sum --strict --quiet -c tagmanifest-sha256.txt manifest-sha256.txt
test "$tokens" || test ! -f signature/tsa/chain.pem || stop 'The time-stamp required by the seal is missing.'
step '3. Time of the seal'
cat "$seal" > ../stamped
for token in $tokens; do
  test $# = 4 || break
  openssl ts -reply -in "$token" -token_out -out ../token 2> ../said || stop "$token contains no time-stamp."
  at=$(openssl ts -reply -in ../token -token_in -token_out -text 2> ../said | sed -n 's/^Time stamp: //p')
  test "$at" && at=$(date -u -d "$at" +%s) && test "$at" -le "$((when + 86400))" || stop "The time in $token is not plausible."
  cat ../tsa-root.pem signature/tsa/chain.pem > ../tsa-chain.pem 2> ../said || :
  openssl ts -verify -token_in -in ../token -data ../stamped -CAfile ../tsa-root.pem -untrusted ../tsa-chain.pem -attime "$at"
  ssl cms -verify -inform DER -in ../token -CAfile ../tsa-root.pem -certfile ../tsa-chain.pem -purpose timestampsign \
    -attime "$at" -signer ../tsa.pem -certsout ../tsa-certs.pem -out ../said
  cat ../tsa-certs.pem >> ../tsa-chain.pem
  say "   no later than $(utc "$at"), according to $(openssl x509 -in ../tsa.pem -noout -subject)"
  cat "$token" >> ../stamped; test -z "$shown" || { gap "Whether the authority of $token was revoked."; continue; }
  shown=$at
  revocation 'the time-stamp authority' ../tsa.pem ../tsa-chain.pem ../tsa-root.pem signature/tsa/crls "$at" "$shown"
done
test -z "$shown" || openssl x509 -in ../tsa.pem -noout -checkend 0 > ../said ||
  gap 'Whether the key of the time-stamp authority was protected after its certificate expired.'
test "$tokens" || gap 'Time: the pack has no time-stamp. Certificates were evaluated at the current time.'
test $# = 4 || gap 'Time: no TSA_ROOT was supplied. Certificates were evaluated at the current time.'
test -z "$shown" || when=$shown
step '4. The list is sealed by a certificate issued under your root certificate'
ssl cms -verify -cades -binary -inform DER -in "$seal" -content tagmanifest-sha256.txt -CAfile ../root.pem -purpose any \
  -certfile signature/chain.pem -attime "$when" -signer ../signer.pem -certsout ../chain.pem -out ../said
say "   by $(openssl x509 -in ../signer.pem -noout -subject)"
test "$(openssl cms -cmsout -inform DER -in "$seal" -outform DER | sha256sum)" = "$(sha256sum < "$seal")" ||
  stop 'The seal is not a single DER value.'
form=$(openssl cms -cmsout -print -noout -inform DER -in "$seal" | awk '
  /^      eContent: <ABSENT>/ { detached += 1 }
  /^    signerInfos:/ { on = 1 }
  !on { next }
  /^        version: / { signers += 1 }
  /^        d.issuerAndSerialNumber:/ { named += 1 }
  /^        digestAlgorithm:/ { getline; hash += $2 == "sha256" }
  /^        signedAttrs:/ { attributes = 1 }
  attributes && /^            object: / { objects += 1 }
  attributes && /^            object: (contentType|messageDigest|id-smime-aa-signingCertificateV2) / { present += 1 }
  /^        signatureAlgorithm:/ { attributes = 0; getline; by += $2 ~ /^(ecdsa-with-SHA256|rsaEncryption|sha256WithRSAEncryption)$/ }
  END {
    if (signers != 1 || named != 1) printf " one signer, named by issuer and serial number;"
    if (detached != 1) printf " no content inside;"
    if (hash != 1 || by != 1) printf " SHA-256;"
    if (objects != 3 || present != 3) printf " the three signed attributes;"
  }')
! grep -qvxFf ../chain.pem ../signer.pem || form="$form its certificate inside;"
test -z "$form" || stop "The seal does not have the form that Barewitness writes. It lacks:$form"
! grep -qvxFf signature/chain.pem ../chain.pem || stop 'The seal contains a certificate that is not in its chain.'
openssl x509 -in ../signer.pem -noout -text | awk '
  /^        Signature Algorithm: / && /[sS][hH][aA]1|[mM][dD]5/ { bad = 1 }
  /^            Public Key Algorithm: / { rsa = $NF == "rsaEncryption" }
  /^                Public-Key: [(]/ { bits = substr($2, 2) + 0 }
  /^            X509v3 Key Usage:/ { getline; if ($0 !~ /Digital Signature|Non Repudiation/) bad = 1 }
  END { exit bad || (rsa && bits < 2048) }' || stop 'The signing certificate is too weak or does not permit signatures.'
step '5. The certificate has the fingerprint you supplied'
test "$(openssl x509 -in ../signer.pem -outform DER | sha256sum | cut -c1-64)" = "$pin" || stop 'The pack is sealed with a different key.'
step '6. The certificate was not revoked before sealing'
cat signature/chain.pem >> ../chain.pem
revocation 'the signer' ../signer.pem ../chain.pem ../root.pem signature/crls "$when" "$shown"
gap 'Whether an ECDSA signature has the form that Barewitness writes, and whether another zip reader finds the same files.'
gap 'Whether the servers reported truthfully, and whether the results and all other files follow from the captures.'
say "Not verified:$gaps"; say 'ALL CHECKS PASSED'
`
