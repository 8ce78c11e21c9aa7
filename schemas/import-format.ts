import type { ImportKind } from './ipc-views.ts'

/** Headings of a table that name an address, as the importer accepts them. */
const ADDRESS = /(^|[,;\t])\s*"?(address|host|hostname|ip|ip ?address|fqdn|ipv4|public ?ip)"?\s*($|[,;\t])/i

/** The format of a list of servers, where its text shows it; null where it does not. The preview lists what was read in either case. */
export function formatOf(text: string): ImportKind | null {
  // “Host name;IP address” is a line of headings.
  if (/^\s*Host(Name)?\s+[^\s,;][^,;\r\n]*$/im.test(text)) return 'ssh-config'
  if (/\bansible_(host|port|user)\b/.test(text) || /^\[[^\]]+\]\s*$/m.test(text)) return 'ansible'
  const first = text.split(/\r?\n/).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''
  return /[,;\t]/.test(first) && (ADDRESS.test(first) || first.split(/[,;\t]/).length > 2) ? 'csv' : null
}
