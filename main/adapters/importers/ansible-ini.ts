import type { Inventory, InventoryHost, Note } from './ansible.ts'

const MOST_PER_RANGE = 2000

/** An INI inventory of Ansible: groups, `[group:children]`, `[group:vars]`, hosts with ranges and `key=value` variables. */
export function readIni(text: string): Inventory {
  const hosts: InventoryHost[] = []
  const notes: Note[] = []
  const groupVars = new Map<string, Map<string, string>>()
  const children = new Map<string, Set<string>>()
  let group = 'ungrouped'
  let kind = 'hosts'
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const content = raw.trim()
    if (content === '' || /^[#;]/.test(content)) continue
    const section = /^\[([^\]:]+)(?::(children|vars|hosts))?\]\s*(?:[#;].*)?$/.exec(content)
    if (section !== null) {
      group = section[1] ?? ''
      kind = section[2] ?? 'hosts'
      notes.push({
        line,
        outcome: 'skipped',
        why: kind === 'hosts' ? `group “${group}”` : `${kind} of group “${group}”`,
      })
      continue
    }
    if (content.startsWith('[')) notes.push({ line, outcome: 'problem', why: 'is not a section heading' })
    else if (kind === 'children') {
      const name = words(content)[0] ?? ''
      children.set(group, (children.get(group) ?? new Set()).add(name))
      notes.push({ line, outcome: 'skipped', why: `group “${name}” belongs to “${group}”` })
    } else if (kind === 'vars') {
      const [, key, value] = /^([\w.]+)\s*[=:]\s*(.*)$/.exec(content) ?? []
      if (key === undefined || value === undefined) notes.push({ line, outcome: 'problem', why: 'is not a variable' })
      else {
        groupVars.set(
          group,
          (groupVars.get(group) ?? new Map<string, string>()).set(key, unquote(value.replace(/\s+#.*$/, ''))),
        )
        notes.push({ line, outcome: 'skipped', why: `variable of group “${group}”` })
      }
    } else {
      const [pattern = '', ...settings] = words(content)
      const names = expandRange(pattern)
      if (names === null) notes.push({ line, outcome: 'problem', why: `the range in “${pattern}” could not be read` })
      const vars = new Map(
        settings.flatMap((setting) => {
          const at = setting.indexOf('=')
          return at > 0 ? [[setting.slice(0, at), unquote(setting.slice(at + 1))] as const] : []
        }),
      )
      if (settings.some((setting) => !setting.includes('=')))
        notes.push({ line, outcome: 'problem', why: 'has words that are not key=value' })
      for (const name of names ?? []) hosts.push({ name, line, group, vars })
    }
  }
  return { hosts, notes, groupVars, children }
}

/** Words as Ansible splits them: quotes enclose spaces, and `#` after a space starts a comment. */
function words(text: string): readonly string[] {
  const found: string[] = []
  for (const [word] of text.matchAll(/(?:[^\s"'#]|"[^"]*"|'[^']*'|(?<=\S)#)+|#.*/g)) {
    if (word.startsWith('#')) break
    found.push(word)
  }
  return found
}

const unquote = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

/** `web[01:03].example` → web01.example, web02.example, web03.example; also letters and steps (`[a:e:2]`). Null when it cannot be read. */
export function expandRange(pattern: string): readonly string[] | null {
  const found = /^([^[\]]*)\[(\w+):(\w+)(?::(\d+))?\](.*)$/.exec(pattern)
  if (found === null) return /[[\]]/.test(pattern) && !/^\[?[0-9a-fA-F:.]+\]?(:\d+)?$/.test(pattern) ? null : [pattern]
  const [, before = '', from = '', to = '', stepText = '1', after = ''] = found
  const step = Math.max(1, Number(stepText))
  const steps =
    /^\d+$/.test(from) && /^\d+$/.test(to)
      ? numbers(from, to, step)
      : /^[a-z]$/i.test(from) && /^[a-z]$/i.test(to)
        ? letters(from, to, step)
        : null
  const rest = expandRange(after)
  if (steps === null || rest === null || steps.length * rest.length > MOST_PER_RANGE) return null
  return steps.flatMap((value) => rest.map((tail) => `${before}${value}${tail}`))
}

function numbers(from: string, to: string, step: number): readonly string[] | null {
  const [first, last] = [Number(from), Number(to)]
  if (last < first || (last - first) / step > MOST_PER_RANGE) return null
  const width = from.startsWith('0') ? from.length : 0
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) =>
    String(first + at * step).padStart(width, '0'),
  )
}

function letters(from: string, to: string, step: number): readonly string[] | null {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
  if (last < first) return null
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) =>
    String.fromCharCode(first + at * step),
  )
}
