import type { Crypttab, CrypttabEntry } from '../probes/crypttab.ts'

/** Where crypttab(5) says a key comes from. `attended`: a person is needed; null where crypttab cannot tell. */
export type KeySource =
  | { readonly kind: 'file'; readonly path: string; readonly attended: false; readonly says: string }
  | { readonly kind: 'script'; readonly attended: null; readonly says: string }
  | { readonly kind: 'random' | 'hardware' | 'prompt'; readonly attended: boolean | null; readonly says: string }

export function keySource({ keyFile, options }: CrypttabEntry): KeySource {
  const option = (name: string): string | undefined =>
    options.find((found) => found === name || found.startsWith(`${name}=`))?.slice(name.length + 1)
  if (option('keyscript') !== undefined)
    return { kind: 'script', attended: null, says: 'a script on the node gives the key' }
  if (keyFile !== null && /^\/dev\/(u|hw)?random$/.test(keyFile)) {
    return { kind: 'random', attended: false, says: 'a new random key at every start, kept nowhere' }
  }
  if (option('tpm2-device') !== undefined) {
    const pin = /^(yes|true|1|on)$/.test(option('tpm2-pin') ?? '')
    return pin
      ? { kind: 'hardware', attended: true, says: 'the key is sealed to the node’s TPM and a PIN that a person types' }
      : {
          kind: 'hardware',
          attended: false,
          says: 'the key is sealed to the node’s TPM',
        }
  }
  if (option('fido2-device') !== undefined) return { kind: 'hardware', attended: true, says: 'a FIDO2 token' }
  if (option('pkcs11-uri') !== undefined) return { kind: 'hardware', attended: null, says: 'a PKCS #11 token' }
  if (keyFile === null) {
    return {
      kind: 'prompt',
      attended: null,
      says: 'no key file; a passphrase is asked for at start, which a person or a network unlock service answers',
    }
  }
  // crypttab allows a path followed by a colon and the device that holds it.
  const [path = keyFile] = keyFile.split(':')
  return path.startsWith('/')
    ? { kind: 'file', path, attended: false, says: 'a key file on the node' }
    : { kind: 'script', attended: null, says: 'a source that crypttab names in a form not known here' }
}

/** Open volumes that crypttab has no line for: opened by hand, by the start-up image, or by another program. */
export function unlistedVolumes(open: readonly { readonly name: string }[], crypttab: Crypttab): readonly string[] {
  const listed = new Set(crypttab.entries.map(({ name }) => name))
  return open
    .map(({ name }) => name)
    .filter((name) => !listed.has(name))
    .sort()
}
