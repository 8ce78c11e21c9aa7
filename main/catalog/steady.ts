import { canonicalJson } from '../core/canonical-json.ts'
import { compare } from '../core/recording.ts'
import { plainJson } from '../core/trace.ts'

/** What probes use to show a reading without what changes on its own (`Probe.ignoredInDrift`). */

const keyOf = (item: unknown): string => canonicalJson(plainJson(item))

/** A list whose order carries no meaning, in one order; what is in it twice stays twice. */
export const inOrder = <T>(items: Iterable<T>): readonly T[] =>
  [...items]
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item)

/** The same, each item once: for lists in which the number of equal items changes on its own. */
export const kindsOf = <T>(items: Iterable<T>): readonly T[] => [
  ...new Map(inOrder(items).map((item) => [keyOf(item), item])).values(),
]

/** A counter as far as it shows a state: whether it counted anything at all. Null stays null. */
export const whether = (count: number | null): boolean | null => (count === null ? null : count > 0)

/** Memory in whole GiB: the kernel keeps some pages more or fewer for itself at each start. */
export const gibibytes = (kib: number): number => Math.round(kib / 1024 ** 2)

/** Ends of containers and pods on the host's network: made and taken away with them, under names drawn by chance. */
export const isContainerEnd = (device: string): boolean =>
  /^(veth|cali|lxc|cilium_tmp|eni|azv)[0-9a-z_@]*\d/.test(device)

/** Folders that logins, containers and services mount for themselves while they last. */
export const isPassingMount = (point: string): boolean =>
  /^\/(run\/(user\/\d|credentials\/|netns\/|docker\/|containerd\/|k3s\/|snapd\/ns)|var\/lib\/(docker\/|containers\/|containerd\/|kubelet\/))/.test(
    point,
  )

/** From here up, ports are drawn by chance on most systems (net.ipv4.ip_local_port_range, 32768 to 60999). */
export const FIRST_DRAWN_PORT = 32768

/** A log without the number or day that rotation gives its older copies. */
export const withoutRotation = (path: string): string =>
  path
    .replace(/@[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{16}(?=\.journal)/, '')
    .replace(/([.-]\d{1,10})?(\.(gz|xz|bz2|zst))?$/, '')

/** Settings of the network by path, without those of ends of containers. */
export const lastingSettings = (values: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  inOrder([...values].filter(([path]) => !isContainerEnd(/^ipv[46]\/(?:conf|neigh)\/([^/]+)\//.exec(path)?.[1] ?? '')))
