import { type BlockDevice, labelOf, type Outcome, rank, type Walked } from '../data-protection/disk-encryption/graph.ts'
import { cryptDevices, type Root, type Storage } from '../data-protection/disk-encryption/roots.ts'

/** One layer on the way from what holds data down to its drives. Equal siblings stand together, under all their names. */
export interface Layer {
  readonly names: readonly string[]
  readonly kind: string
  readonly encrypts: boolean
  /** Words in place of what was not followed: no two of them are known to be the same thing. */
  readonly isOpen?: true
}

/** The way of one thing that holds data, or of several alike: the place first, then every layer below it. */
export interface Way {
  readonly outcome: Outcome
  readonly layers: readonly Layer[]
  /** How many things that hold data stand here together. */
  readonly places: number
}

/** This many equal items are drawn as one. */
const ALIKE = 3

/** The ways of all roots that reach a drive or may, worst first; those that differ only in names stand together. */
export function waysOf(storage: Storage, roots: readonly Root[]): readonly Way[] {
  const view = viewOf(storage)
  const all = roots
    .filter(({ walked }) => walked.outcome !== 'volatile')
    .sort((a, b) => rank(b.walked) - rank(a.walked))
    .map((root) => ({ ...wayOf(view, root), why: root.walked.why }))
  const groups = new Map<string, (Way & { readonly why: string })[]>()
  for (const way of all) {
    const key = JSON.stringify([way.outcome, way.why, kindsOf(way.layers)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [way])
    else group.push(way)
  }
  return [...groups.values()].flatMap((group): readonly Way[] => {
    const [first] = group
    if (first === undefined || group.length < ALIKE) return group
    return [{ outcome: first.outcome, layers: together(group.map(({ layers }) => layers)), places: group.length }]
  })
}

interface View {
  readonly storage: Storage
  readonly byLabel: ReadonlyMap<string, BlockDevice>
  readonly encrypting: ReadonlySet<string>
  /**
   * The layers below a device, computed once; null while in progress, because layers of a broken answer can refer to
   * each other.
   */
  readonly below: Map<string, readonly Layer[] | null>
}

const viewOf = (storage: Storage): View => ({
  storage,
  byLabel: new Map([...storage.graph.devices.values()].map((device) => [labelOf(device), device])),
  encrypting: new Set(cryptDevices(storage).map(({ number }) => number)),
  below: new Map(),
})

const kindsOf = (layers: readonly Layer[]): readonly string[] => layers.map(({ kind }) => kind)

/** Ways of the same kinds, one on the other: the names at each step are those of all of them. */
const together = (ways: readonly (readonly Layer[])[]): readonly Layer[] =>
  (ways[0] ?? []).map((layer, index) => ({
    ...layer,
    names: [...new Set(ways.flatMap((way) => way[index]?.names ?? []))],
    encrypts: ways.every((way) => way[index]?.encrypts === true),
  }))

/** The label of a mount, "/data (ext4)", as name and kind; a device that is not listed has no kind. */
function mountLayer(label: string): Layer {
  const [, name = label, kind = ''] = /^(.*) \(([^()]*)\)$/s.exec(label) ?? []
  return { names: [name], kind, encrypts: false }
}

/** Roots name themselves for sentences: “/data”, swap “/dev/dm-2”, declared ePHI path “/data/ephi”. */
function wayOf(view: View, { name, walked }: Root): Way {
  const [, what = '', own = name] = /^(.*?) ?“(.*)”$/s.exec(name) ?? []
  const top = walked.path[0]
  const isMount = what === '' && top !== undefined
  const onMount = / (path|in)$/.test(what) && top !== undefined
  const place: Layer = isMount
    ? mountLayer(top)
    : {
        names: [own],
        kind: onMount
          ? `${what.replace(/^(declared|program) /, '').replace(/ in$/, '')}, on ${mountLayer(top).names[0]}`
          : what,
        encrypts: false,
      }
  const layers = layersOf(view, isMount || onMount ? walked.path.slice(1) : walked.path)
  // A file system that encrypts by itself has no separate encryption layer.
  const encrypts = walked.outcome.startsWith('encrypted') && !layers.some((layer) => layer.encrypts)
  return { outcome: walked.outcome, layers: [{ ...place, encrypts }, ...layers, ...endOf(view, walked)], places: 1 }
}

/** The end of a path that was not followed down to a drive. */
function endOf({ byLabel }: View, { outcome, path }: Walked): readonly Layer[] {
  if (outcome === 'external-unverified') return [openEnd('not on this node', 'another system')]
  if (outcome === 'unknown') return [openEnd('not followed', 'further down')]
  const last = path.at(-1) ?? ''
  return byLabel.has(last.replace(ONE_OF, '')) ? [] : [openEnd('its drives', 'not followed')]
}

const openEnd = (name: string, kind: string): Layer => ({ names: [name], kind, encrypts: false, isOpen: true })

const ONE_OF = /^one of \d+: /

function layersOf(view: View, path: readonly string[]): readonly Layer[] {
  const layers: Layer[] = []
  for (const [index, label] of path.entries()) {
    const above = ONE_OF.test(label) ? view.byLabel.get(path[index - 1]?.replace(ONE_OF, '') ?? '') : undefined
    const siblings = above === undefined ? null : below(view, above)
    if (siblings !== null) return [...layers, ...siblings]
    layers.push(layerOf(view, label.replace(ONE_OF, '')))
  }
  return layers
}

/**
 * Below a device composed of several: all of them together where they are equal, otherwise the worst, named as such.
 */
function below(view: View, device: BlockDevice): readonly Layer[] | null {
  const found = view.below.get(device.number)
  if (found !== undefined) return found
  view.below.set(device.number, null)
  const walks = device.below.map((number) => view.storage.device(number))
  const ways = walks.map((walked) => ({ walked, layers: layersOf(view, walked.path) }))
  const worst = ways.reduce((a, b) => (rank(b.walked) > rank(a.walked) ? b : a), ways[0] ?? NOTHING)
  const shape = JSON.stringify(kindsOf(worst.layers))
  const alike = ways.every(
    ({ walked, layers }) => walked.outcome === worst.walked.outcome && JSON.stringify(kindsOf(layers)) === shape,
  )
  const [first, ...rest] = worst.layers
  const named = first === undefined ? [] : [{ ...first, kind: `the worst of ${ways.length}` }, ...rest]
  const layers = alike ? together(ways.map((way) => way.layers)) : named
  view.below.set(device.number, layers)
  return layers
}

const NOTHING = { walked: { outcome: 'unknown' as Outcome, path: [], why: '', remote: false }, layers: [] }

const KINDS: Readonly<Record<string, string>> = {
  crypt: 'dm-crypt',
  lvm: 'LVM',
  part: 'partition',
  disk: 'drive',
  mpath: 'multipath',
  loop: 'loop device',
}

function layerOf({ byLabel, encrypting }: View, label: string): Layer {
  const device = byLabel.get(label)
  if (device === undefined)
    return label === 'swap' ? { names: ['swap'], kind: 'areas', encrypts: false } : mountLayer(label)
  const { isDm, name, kernelName, number } = device
  const encrypts = encrypting.has(number)
  return { names: [isDm ? name : kernelName], kind: encrypts ? 'dm-crypt' : kindOf(device), encrypts }
}

/** As lsblk names it; where it was not read, what the kernel's name states. */
const kindOf = ({ type, kernelName }: BlockDevice): string =>
  KINDS[type] ?? (type !== '' ? type.replace(/^raid/, 'RAID ') : /^md\d/.test(kernelName) ? 'RAID' : 'device')
