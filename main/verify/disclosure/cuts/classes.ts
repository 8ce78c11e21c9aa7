/** Content class of a part. `text` is everything between the others; `file` is a complete file that is not divided. */
export const PART_CLASSES = [
  'text',
  'ipv4',
  'ipv6',
  'mac',
  'uuid',
  'serial',
  'email',
  'user',
  'node',
  'host',
  'ssh-key',
  'digest',
  'file',
] as const
export type PartClass = (typeof PART_CLASSES)[number]

/** Classes that an owner can redact. Plain text is redacted only with its complete file. */
export type RedactableClass = Exclude<PartClass, 'text' | 'file'>

export const REDACTABLE = PART_CLASSES.filter((one): one is RedactableClass => one !== 'text' && one !== 'file')

export const isPartClass = (value: unknown): value is PartClass => PART_CLASSES.some((one) => one === value)

/** Labels of the classes. */
export const partClassWords: Readonly<Record<PartClass, string>> = {
  text: 'text',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  mac: 'hardware address',
  uuid: 'UUID',
  serial: 'serial number',
  email: 'e-mail address',
  user: 'user name',
  node: 'node name or address',
  host: 'host name',
  'ssh-key': 'SSH key or fingerprint',
  digest: 'digest',
  file: 'whole file',
}
