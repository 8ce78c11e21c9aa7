/**
 * Reads `grep -sH ''` output: `path:line`, by path. A file with several lines gives them joined by newlines. Only for paths without a
 * colon, which holds for every path requested in this folder; whatever else a line states belongs to its value.
 */
export function sysfsLines(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const line of text.split('\n')) {
    const split = /^(\/[^:\n]*):(.*)$/.exec(line)
    const path = split?.[1]
    if (path === undefined) continue
    const before = files.get(path)
    files.set(path, before === undefined ? (split?.[2] ?? '') : `${before}\n${split?.[2] ?? ''}`)
  }
  return files
}
