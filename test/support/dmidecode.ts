/** A structure: its type, then its fields. */
export type Structure = readonly [number, ...string[]]

/** Structures as dmidecode 3.x prints them: type, then fields; a field that begins with a tab is an item. */
export const dmidecode = (...structures: readonly Structure[]): string =>
  `# dmidecode 3.4\nGetting SMBIOS data from sysfs.\n\n${structures
    .map(
      ([type, ...fields], index) =>
        `Handle 0x${index.toString(16).padStart(4, '0')}, DMI type ${type}, 40 bytes\nStructure\n${fields.map((field) => `\t${field}\n`).join('')}`,
    )
    .join('\n')}`
