/** Why an algorithm is or isn't accepted. `unknown` is never taken for good. */
export type AlgorithmReading =
  | { readonly kind: 'accepted'; readonly postQuantum: boolean }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' }

export type AlgorithmUse = 'ciphers' | 'macs' | 'kexalgorithms' | 'hostkeyalgorithms'

const ACCEPTED: Readonly<Record<AlgorithmUse, RegExp>> = {
  ciphers: /^(aes(128|192|256)-ctr|aes(128|256)-gcm@openssh\.com|chacha20-poly1305@openssh\.com)$/,
  macs: /^(hmac-sha2-(256|512)(-etm@openssh\.com)?|umac-128(-etm)?@openssh\.com)$/,
  kexalgorithms:
    /^(curve25519-sha256(@libssh\.org)?|ecdh-sha2-nistp(256|384|521)|diffie-hellman-group-exchange-sha256|diffie-hellman-group14-sha256|diffie-hellman-group1[5678]-sha512|sntrup761x25519-sha512(@openssh\.com)?|mlkem768x25519-sha256|mlkem768nistp256-sha256|mlkem1024nistp384-sha384|gss-(group14-sha256|group16-sha512|nistp256-sha256|curve25519-sha256)-[\w+/=-]*)$/,
  hostkeyalgorithms:
    /^((sk-)?ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|sk-ecdsa-sha2-nistp256|rsa-sha2-(256|512)|webauthn-sk-ecdsa-sha2-nistp256)(-cert-v01)?(@openssh\.com)?$/,
}

/**
 * The lists that OpenSSH 10 and RFC 9142 discourage; thresholds as in the CIS Debian 12 and RHEL 9 benchmarks. The first that fits uses.
 */
const REFUSED: Readonly<Record<AlgorithmUse, readonly (readonly [RegExp, string])[]>> = {
  ciphers: [
    [/^none$/, 'no encryption'],
    [/^3des|^des/, 'DES blocks of 64 bits'],
    [/^arcfour|^rc4/, 'RC4, whose output is biased'],
    [/^(blowfish|cast128|idea)/, 'blocks of 64 bits'],
    [/-cbc/, 'CBC mode, open to plaintext recovery'],
  ],
  macs: [
    [/^none$/, 'no integrity protection'],
    [/md5/, 'MD5'],
    [/-96/, 'a tag cut to 96 bits'],
    [/ripemd/, 'RIPEMD-160'],
    [/^umac-64/, 'a tag of 64 bits'],
    [/^hmac-sha1/, 'SHA-1'],
  ],
  kexalgorithms: [
    [/group1-/, 'a group of 1024 bits'],
    [/sha1$|sha1-/, 'SHA-1'],
    [/^rsa1024/, 'a key of 1024 bits'],
  ],
  hostkeyalgorithms: [
    [/^ssh-dss/, 'DSA'],
    [/^ssh-rsa(-cert|$)/, 'signatures over SHA-1'],
  ],
}

const MARKERS = /^(kex-strict-[sc]-v00@openssh\.com|ext-info-[sc])$/

/** Grades one algorithm name of SSH (RFC 4253, RFC 9142, openssh PROTOCOL files). */
export function gradeSshAlgorithm(use: AlgorithmUse, name: string): AlgorithmReading {
  const why = REFUSED[use].find(([pattern]) => pattern.test(name))?.[1]
  if (why !== undefined) return { kind: 'refused', why }
  if (ACCEPTED[use].test(name) || (use === 'kexalgorithms' && MARKERS.test(name))) {
    return { kind: 'accepted', postQuantum: /^(mlkem|sntrup)/.test(name) }
  }
  return { kind: 'unknown' }
}

/** OpenSSH’s PROTOCOL §1.10: with it on both sides, nothing can be slipped into or out of the key exchange (CVE-2023-48795, “Terrapin”). */
export const STRICT_KEX = 'kex-strict-s-v00@openssh.com'

/** Whether a key exchange without the strict marker can be cut at its beginning unnoticed: with ChaCha20, or CBC and an encrypt-then-MAC tag. */
export const isCuttable = (cipher: string, macs: readonly string[]): boolean =>
  cipher.startsWith('chacha20-poly1305') || (/-cbc/.test(cipher) && macs.some((mac) => /-etm@/.test(mac)))

/** Ciphers that carry their own integrity tag, so that no MAC from the list is used with them. */
export const hasOwnTag = (cipher: string): boolean => /-gcm@|^chacha20-poly1305@/.test(cipher)
