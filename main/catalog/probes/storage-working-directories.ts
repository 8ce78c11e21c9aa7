import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'

export interface WorkingDirectories {
  /** Directories by name that hold scratch, cache, checkpoint or container data by convention, or by a container engine's settings. */
  readonly paths: readonly string[]
  /** Every name in the root directory that does not begin with a dot, sorted. */
  readonly top: readonly string[]
}

/**
 * Words that name a data root: of Docker's JSON anywhere in a line, of the TOML files and cachefilesd.conf(5) at its start. Nothing else of
 * these files is read, because they may hold registry passwords.
 */
const ROOTS =
  '"(data-root|graph)"[[:space:]]*:[[:space:]]*"[^"]*"|^[[:space:]]*(graphroot|root|rootless_storage_path)[[:space:]]*=[[:space:]]*("[^"]*"|\'[^\']*\')|^dir[[:space:]]+/[^[:space:]]*'

/** Listing a parent directory only reads names: asking about a path itself can hang on a dead network mount. */
export const workingDirectories = defineProbe({
  id: 'storage.working-directories',
  title: 'Scratch, cache and container directories',
  why: 'Jobs and containers leave copies of data there.',
  commands: {
    names: run(['ls', '-1', '/', '/var', '/var/lib']),
    engines: run([
      'grep',
      '-sHoE',
      ROOTS,
      '/etc/docker/daemon.json',
      '/etc/containerd/config.toml',
      '/etc/containers/storage.conf',
      '/etc/cachefilesd.conf',
    ]),
  },
  parse: ({ names, engines }) => parseWorkingDirectories(names.text, engines.text),
})

const SCRATCH = /^(scratch|local[-_]?(scratch|ssd|nvme)|cache|checkpoints?|ckpts?|tmp|temp)[-_]?\w{0,16}$/i
const ENGINES = new Set([
  'docker',
  'containerd',
  'containers',
  'kubelet',
  'rancher',
  'k0s',
  'microk8s',
  'enroot',
  'lxc',
  'lxd',
  'incus',
])

/** Reads `ls -1` of several directories (a `dir:` heading, then names) and the engines' data-root lines. */
export function parseWorkingDirectories(names: string, engines: string): Parsed<WorkingDirectories> {
  const paths = new Set<string>()
  const seen = new Set<string>()
  const top = new Set<string>()
  let folder: string | null = null
  for (const line of names.split('\n')) {
    const heading = /^(\/|\/var|\/var\/lib):$/.exec(line)?.[1]
    if (heading !== undefined) {
      folder = heading
      seen.add(heading)
      continue
    }
    if (folder === '/' && line !== '') top.add(line)
    if (folder === '/var/lib' ? ENGINES.has(line) : SCRATCH.test(line)) {
      if (folder !== null) paths.add(folder === '/' ? `/${line}` : `${folder}/${line}`)
    }
  }
  if (!seen.has('/') || !seen.has('/var/lib')) return unknown('the directories were not listed')
  for (const line of [...sysfsLines(engines).values()].flatMap((found) => found.split('\n'))) {
    const root = /(?:[:=]\s*["']|^dir\s+)(\/[^"'\s]*)["']?\s*$/.exec(line)?.[1]
    if (root !== undefined) paths.add(root)
  }
  return known({ paths: [...paths].sort(), top: [...top].sort() })
}
