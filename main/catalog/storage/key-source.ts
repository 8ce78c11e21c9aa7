import type { Crypttab, CrypttabEntry } from '../probes/crypttab.ts'

/**
 * Where crypttab(5) states a key comes from. `attended`: a person is needed; null where crypttab cannot show. `file`: a path of this node;
 * `elsewhere`: a path on a device that is named apart, or the device itself; `empty`: an empty passphrase is tried.
 */
export type KeySource =
  | { readonly kind: 'file'; readonly path: string; readonly attended: false; readonly says: string }
  | { readonly kind: 'elsewhere'; readonly device: string; readonly attended: false; readonly says: string }
  | { readonly kind: 'script'; readonly attended: null; readonly says: string }
  | { readonly kind: 'empty'; readonly attended: false; readonly says: string }
  | { readonly kind: 'random' | 'hardware' | 'prompt'; readonly attended: boolean | null; readonly says: string }

/** `found`: the key files that lie where systemd looks on its own (storage-key-files.ts). */
export function keySource({ name, keyFile, options }: CrypttabEntry, found: readonly string[] = []): KeySource {
  const option = (wanted: string): string | undefined =>
    options.find((one) => one === wanted || one.startsWith(`${wanted}=`))?.slice(wanted.length + 1)
  const isOn = (wanted: string): boolean => /^(|yes|true|1|on)$/.test(option(wanted) ?? 'no')
  const script = option('keyscript')
  if (script !== undefined) return scripted(script)
  if (keyFile !== null && /^\/dev\/(u|hw)?random$/.test(keyFile)) {
    return { kind: 'random', attended: false, says: 'a new random key at every start, not stored' }
  }
  if (isOn('try-empty-password')) return { kind: 'empty', attended: false, says: 'an empty passphrase is tried first' }
  if (option('tpm2-device') !== undefined) {
    return isOn('tpm2-pin')
      ? { kind: 'hardware', attended: true, says: 'the key is sealed to the node’s TPM and a PIN that a person types' }
      : { kind: 'hardware', attended: false, says: 'the key is sealed to the node’s TPM' }
  }
  if (option('fido2-device') !== undefined) return { kind: 'hardware', attended: true, says: 'a FIDO2 token' }
  if (option('pkcs11-uri') !== undefined) return { kind: 'hardware', attended: null, says: 'a PKCS #11 token' }
  if (keyFile === null) return withoutKeyFile(name, options, found)
  return named(keyFile)
}

/** Scripts that Debian ships (cryptsetup's README.Debian, "keyscripts"); any other may take the key from anywhere. */
function scripted(script: string): KeySource {
  if (/(^|\/)decrypt_(opensc|gnupg-sc)$/.test(script))
    return { kind: 'hardware', attended: true, says: 'a smart card and its PIN' }
  if (/(^|\/)(askpass|decrypt_keyctl)$/.test(script))
    return { kind: 'prompt', attended: true, says: 'a passphrase that a person types at start' }
  return { kind: 'script', attended: null, says: 'a script on the node supplies the key' }
}

function withoutKeyFile(name: string, options: readonly string[], found: readonly string[]): KeySource {
  const path = found.find((one) => one.endsWith(`-keys.d/${name}.key`))
  if (path !== undefined) return { kind: 'file', path, attended: false, says: 'a key file in a default location' }
  const late = options.includes('_netdev') ? ' once the network is up' : ''
  return {
    kind: 'prompt',
    attended: null,
    says: `no key file; a passphrase is requested at start${late}, supplied by a person, a token in the volume’s header or a network unlock service`,
  }
}

/** The third field: a path, a path followed by a colon and the device that holds it, a device, or another form. */
function named(keyFile: string): KeySource {
  if (keyFile.startsWith('/dev/'))
    return { kind: 'elsewhere', device: keyFile, attended: false, says: 'a device that stores the key in clear text' }
  const colon = keyFile.indexOf(':')
  if (keyFile.startsWith('/') && colon > 0)
    return {
      kind: 'elsewhere',
      device: keyFile.slice(colon + 1),
      attended: false,
      says: 'a key file on a separate device',
    }
  return keyFile.startsWith('/')
    ? { kind: 'file', path: keyFile, attended: false, says: 'a key file on the node' }
    : { kind: 'script', attended: null, says: 'a source in crypttab in a form not known here' }
}

/** Open volumes that crypttab has no line for: opened by hand, by the start-up image, or by another program. */
export function unlistedVolumes(open: readonly { readonly name: string }[], crypttab: Crypttab): readonly string[] {
  const listed = new Set(crypttab.entries.map(({ name }) => name))
  return open
    .map(({ name }) => name)
    .filter((name) => !listed.has(name))
    .sort()
}
