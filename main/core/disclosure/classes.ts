/** What a part of a file holds. `text` is everything between the others; `file` is a whole file that is not cut. */
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

/** What an owner may choose to withhold. Plain text goes only with its whole file, and a whole file with anything else. */
export type WithholdableClass = Exclude<PartClass, 'text' | 'file'>

export const WITHHOLDABLE = PART_CLASSES.filter((one): one is WithholdableClass => one !== 'text' && one !== 'file')

export const isPartClass = (value: unknown): value is PartClass => PART_CLASSES.some((one) => one === value)

/** Each class as people are told of it. */
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
