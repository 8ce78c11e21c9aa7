import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml'
import type { Inventory, InventoryHost, Note } from './ansible.ts'
import { expandRange } from './ansible-ini.ts'

const DEEPEST = 30

/** A YAML inventory of Ansible: groups with `hosts`, `children` and `vars`. Returns a text if it cannot be read. */
export function readYaml(text: string): Inventory | string {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' })
  const syntax = document.errors[0]
  if (syntax !== undefined) return `line ${counter.linePos(syntax.pos[0]).line}: ${syntax.message}`
  if (!isMap(document.contents)) return 'the file has no groups'
  if (document.contents.has('plugin')) return 'this configures an inventory plugin, whose hosts are not in the file'
  if (document.contents.has('_meta'))
    return 'this is the output of a dynamic inventory: save a static inventory with “ansible-inventory --list --yaml”'
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
