import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml'
import type { FleetNode } from '../../../schemas/types.ts'
import type { ImportLine } from '../../core/all-ports.ts'
import { stated } from '../../core/base/optional.ts'
import { createPreview, jumpNames, LARGEST_IMPORT, nodeName, type Preview } from './csv.ts'

interface InventoryHost {
  readonly name: string
  readonly line: number
  readonly group: string
  readonly vars: ReadonlyMap<string, string>
}

interface Note {
  readonly line: number
  readonly outcome: ImportLine['outcome']
  readonly why: string
}

/** The content of an inventory file, before hosts inherit variables from groups. */
interface Inventory {
  readonly hosts: readonly InventoryHost[]
  readonly notes: readonly Note[]
  readonly groupVars: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly children: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Hosts of a static Ansible inventory, INI or YAML. A host named in several groups is one node; its variables override
 * its groups’, a child group’s those of its parent. Scripts, plugins and vaults are refused with the reason: their
 * content is not in the file.
 */
export function importAnsible(text: string, existing: readonly FleetNode[] = []): Preview {
  const preview = createPreview(text, existing)
  if (text.length > LARGEST_IMPORT) return preview.refuse('the file is larger than 8 MiB')
  if (text.startsWith('#!'))
    return preview.refuse('this is a script that generates an inventory: import what ansible-inventory lists as YAML')
  if (text.startsWith('$ANSIBLE_VAULT')) return preview.refuse('the whole file is encrypted by a vault')
  const inventory = looksLikeYaml(text) ? readYaml(text) : readIni(text)
  if (typeof inventory === 'string') return preview.refuse(inventory)
  for (const { line, outcome, why } of inventory.notes) preview.report(line, outcome, why)
  const merged = mergeHosts(inventory)
  const names = new Set(merged.map(({ name }) => name))
  const known = (host: string): string | null => (names.has(host) ? nodeName(host) : null)
  // A host that others jump through comes before them, so that it is not treated as unknown.
  for (const host of [...merged].sort((a, b) => Number(jumpOf(a.vars) !== null) - Number(jumpOf(b.vars) !== null))) {
    for (const line of host.lines.slice(1))
      preview.report(line, 'skipped', `“${host.name}” is the host of line ${host.lines[0]}`)
    const line = host.lines[0] ?? 1
    const refusal = whyNot(host)
    if (refusal !== null) {
      preview.report(line, refusal.outcome, refusal.why)
      continue
    }
    const chain = jumpOf(host.vars)
    const jump = chain === null ? [] : jumpNames(preview, line, chain, known)
    if (jump === null) preview.report(line, 'problem', `the jump host of “${host.name}” could not be read`)
    else preview.add(line, nodeOf(host, jump), noteOn(host.vars))
  }
  return preview.done(() => 'part of the inventory’s structure')
}

/** INI starts with a section or bare host words; YAML with a key that ends its line in a colon, or a document mark. */
function looksLikeYaml(text: string): boolean {
  const first = text.split(/\r?\n/).find((line) => line.trim() !== '' && !/^\s*[#;]/.test(line)) ?? ''
  return /^(---|\{)/.test(first) || /^["']?[\w.-]+["']?:(\s|$)/.test(first)
}

interface MergedHost {
  readonly name: string
  readonly lines: readonly number[]
  readonly groups: readonly string[]
  readonly vars: ReadonlyMap<string, string>
}

function mergeHosts({ hosts, groupVars, children }: Inventory): readonly MergedHost[] {
  const byName = new Map<string, InventoryHost[]>()
  for (const host of hosts) byName.set(host.name, [...(byName.get(host.name) ?? []), host])
  const parentsOf = (group: string): readonly string[] =>
    [...children].filter(([, members]) => members.has(group)).map(([parent]) => parent)
  /** Outermost group first, each once. */
  const chain = (group: string, seen: ReadonlySet<string>): readonly string[] =>
    seen.has(group) ? [] : [...parentsOf(group).flatMap((parent) => chain(parent, new Set([...seen, group]))), group]
  return [...byName].map(([name, places]) => {
    const groups = [...new Set(['all', ...places.flatMap(({ group }) => chain(group, new Set()))])]
    const vars = new Map([
      ...groups.flatMap((group) => [...(groupVars.get(group) ?? [])]),
      ...places.flatMap((place) => [...place.vars]),
    ])
    return {
      name,
      vars,
      lines: [...new Set(places.map(({ line }) => line))],
      groups: [...new Set(places.map(({ group }) => group))],
    }
  })
}

const first = (vars: ReadonlyMap<string, string>, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => vars.get(key)).find((value) => value !== undefined && value !== '')

/** Relevant variables that cannot be read from the file. */
const USED = [
  'ansible_host',
  'ansible_ssh_host',
  'ansible_port',
  'ansible_ssh_port',
  'ansible_user',
  'ansible_ssh_user',
  'ansible_ssh_private_key_file',
  'ansible_private_key_file',
]

function whyNot({ name, vars }: MergedHost): { readonly outcome: 'skipped' | 'problem'; readonly why: string } | null {
  const connection = first(vars, 'ansible_connection') ?? 'ssh'
  if (!['ssh', 'smart', 'paramiko', 'paramiko_ssh', 'openssh'].includes(connection))
    return { outcome: 'skipped', why: `“${name}” is reached by ${connection}, not by SSH` }
  const template = USED.find((key) => vars.get(key)?.includes('{{') === true)
  if (template !== undefined)
    return { outcome: 'problem', why: `${template} of “${name}” is a template, which only Ansible can expand` }
  const port = first(vars, 'ansible_port', 'ansible_ssh_port')
  return port !== undefined && !/^\d{1,5}$/.test(port)
    ? { outcome: 'problem', why: `ansible_port of “${name}” must be a whole number` }
    : null
}

function nodeOf({ name, vars, groups }: MergedHost, jump: readonly string[]): FleetNode {
  const [, host = name, inlinePort] = /^([^:]+):(\d+)$/.exec(name) ?? []
  const port = Number(first(vars, 'ansible_port', 'ansible_ssh_port') ?? inlinePort ?? 22)
  const user = first(vars, 'ansible_user', 'ansible_ssh_user')
  const identityFile = first(vars, 'ansible_ssh_private_key_file', 'ansible_private_key_file')
  const role = groups.find((group) => group !== 'all' && group !== 'ungrouped')
  return {
    name: nodeName(host),
    address: first(vars, 'ansible_host', 'ansible_ssh_host') ?? host,
    ...(port === 22 ? {} : { port }),
    ...stated({
      user,
      identityFile,
      sudo: /^(yes|true|1|on)$/i.test(first(vars, 'ansible_become') ?? '') || undefined,
      role: role?.slice(0, 100),
    }),
    ...(jump.length === 0 ? {} : { jump }),
  }
}

const sshArguments = (vars: ReadonlyMap<string, string>): string =>
  ['ansible_ssh_common_args', 'ansible_ssh_extra_args'].map((key) => vars.get(key) ?? '').join(' ')

/** `-J hosts` or `-o ProxyJump=hosts` of the extra ssh arguments. */
function jumpOf(vars: ReadonlyMap<string, string>): string | null {
  const found = /(?:^|\s)(?:-J\s*|-o\s*["']?ProxyJump[ =]\s*)([^\s"']+)/i.exec(sshArguments(vars))
  return found?.[1] ?? null
}

const noteOn = (vars: ReadonlyMap<string, string>): string =>
  /ProxyCommand/i.test(sshArguments(vars))
    ? 'its ProxyCommand was not imported; it applies once it is in your SSH configuration and the node uses the installed OpenSSH client'
    : ''

const DEEPEST = 30

/** A YAML inventory of Ansible: groups with `hosts`, `children` and `vars`. Returns a text if it cannot be read. */
function readYaml(text: string): Inventory | string {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' })
  const syntax = document.errors[0]
  if (syntax !== undefined) return `line ${counter.linePos(syntax.pos[0]).line}: ${syntax.message}`
  if (!isMap(document.contents)) return 'the file has no groups'
  if (document.contents.has('plugin')) return 'this configures an inventory plugin, whose hosts are not in the file'
  if (document.contents.has('_meta'))
    return 'this is the output of a dynamic inventory: import what ansible-inventory lists as YAML'
  const hosts: InventoryHost[] = []
  const notes: Note[] = []
  const groupVars = new Map<string, Map<string, string>>()
  const children = new Map<string, Set<string>>()

  const lineOf = (pair: Pair): number =>
    isScalar(pair.key) && pair.key.range ? counter.linePos(pair.key.range[0]).line : 1
  const nameOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : '')
  const entries = (value: unknown): readonly Pair[] => (isMap(value) ? (value as YAMLMap).items : [])

  const variables = (value: unknown, of: string): Map<string, string> => {
    const vars = new Map<string, string>()
    for (const pair of entries(value)) {
      const node = pair.value
      if (isScalar(node) && node.tag === '!vault')
        notes.push({ line: lineOf(pair), outcome: 'problem', why: `“${nameOf(pair)}” is encrypted by a vault` })
      else if (isScalar(node)) {
        vars.set(nameOf(pair), String(node.value))
        notes.push({ line: lineOf(pair), outcome: 'skipped', why: `variable of ${of}` })
      }
    }
    return vars
  }

  const walk = (group: string, value: unknown, depth: number): void => {
    if (depth > DEEPEST) return
    for (const part of entries(value)) {
      const kind = nameOf(part)
      if (kind === 'vars')
        groupVars.set(group, new Map([...(groupVars.get(group) ?? []), ...variables(part.value, `group “${group}”`)]))
      else if (kind === 'children')
        for (const child of entries(part.value)) {
          children.set(group, (children.get(group) ?? new Set()).add(nameOf(child)))
          notes.push({ line: lineOf(child), outcome: 'skipped', why: `group “${nameOf(child)}”` })
          walk(nameOf(child), child.value, depth + 1)
        }
      else if (kind === 'hosts')
        for (const host of entries(part.value)) {
          const names = expandRange(nameOf(host))
          if (names === null)
            notes.push({
              line: lineOf(host),
              outcome: 'problem',
              why: `the range in “${nameOf(host)}” could not be read`,
            })
          const vars = variables(host.value, `“${nameOf(host)}”`)
          for (const name of names ?? []) hosts.push({ name, line: lineOf(host), group, vars })
        }
      else
        notes.push({ line: lineOf(part), outcome: 'problem', why: `“${kind}” is not one of hosts, children and vars` })
    }
  }
  for (const top of document.contents.items as readonly Pair[]) {
    notes.push({ line: lineOf(top), outcome: 'skipped', why: `group “${nameOf(top)}”` })
    walk(nameOf(top), top.value, 0)
  }
  return { hosts, notes, groupVars, children }
}

const MOST_PER_RANGE = 2000

/** An INI inventory of Ansible: groups, `[group:children]`, `[group:vars]`, hosts with ranges and `key=value` variables. */
function readIni(text: string): Inventory {
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
