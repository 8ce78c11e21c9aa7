import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whyNoCli } from './built-cli.ts'

/** The last stage of a Dockerfile over the root file system of this computer, made without a container engine or a registry. */
export interface ImageRoot {
  /** Where a path lies that an instruction wrote. */
  readonly at: (path: string) => string
  readonly entrypoint: readonly string[]
  readonly start: (argv: readonly string[], options?: StartOptions) => ChildProcess
  readonly close: () => void
}

/** A folder of this computer, or an empty one in memory. */
export type Mount = { readonly from: string; readonly isReadOnly: boolean } | 'memory'

export interface StartOptions {
  /** Root may write everywhere. For the user of the image, its file system is read-only, and there are no capabilities. Default: user. */
  readonly as?: 'root' | 'user'
  /** By their path in the image. */
  readonly mounts?: Readonly<Record<string, Mount>>
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
}

const TOOLS = ['unshare', 'setpriv', 'chroot', 'mount', 'umount', 'useradd', 'npm'] as const
const TRIAL = `mount -t tmpfs none /mnt; mkdir /mnt/u /mnt/w /mnt/r
  mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r`
const ALONE = ['--mount', '--propagation', 'private', 'sh', '-euc'] as const

/** Why no image can be made here, or null. */
export function whyNoImageRoot(): string | null {
  if (process.getuid?.() !== 0) return 'needs root'
  const absent = TOOLS.filter((program) => spawnSync('which', [program]).status !== 0)
  if (absent.length > 0) return `${absent.join(', ')} absent`
  if (spawnSync('unshare', [...ALONE, TRIAL]).status !== 0) return 'nothing can be laid over the root file system'
  return whyNoCli()
}

/** Arguments: the layer, `ro` or `rw`, the working folder, three for each mount (path, source, kind), `--`, and the program. */
const ENTER = `
layer=$1 access=$2 folder=$3 root=$1/root
shift 3
mount -t overlay none -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  if [ "$3" = memory ]; then mount -t tmpfs -o nosuid,nodev,noexec none "$root$1"; else mount --bind "$2" "$root$1"; fi
  if [ "$3" = ro ]; then mount -o remount,bind,ro "$root$1"; fi
  shift 3
done
shift
if [ "$access" = ro ]; then mount -o remount,ro "$root"; fi
exec chroot "$root" sh -c 'cd "$1"; shift; exec "$@"' sh "$folder" "$@"`

/** What a program of the image is started with: of npm, only how it reaches its registry. */
const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(PATH|HOME|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_(registry|cafile))$/i.test(name),
    ),
  )

/**
 * Carries out the last stage of a Dockerfile, in `folder`. What it copies from an earlier stage is taken from this working tree, where
 * `npm run build` wrote it. Throws on an instruction that is not known here, and with the output of a step that failed.
 */
export async function makeImageRoot(dockerfile: string, folder: string): Promise<ImageRoot> {
  const layer = join(folder, 'layer')
  mkdirSync(layer)
  // In memory: a layer cannot lie in what it is laid over.
  if (spawnSync('mount', ['-t', 'tmpfs', 'none', layer]).status !== 0) throw new Error('no file system in memory')
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(layer, name))
  const at = (path: string): string => join(layer, 'upper', path)
  const [text = ''] = readFileSync(dockerfile, 'utf8')
    .replaceAll('\\\n', ' ')
    .split(/^FROM /m)
    .slice(-1)
  const steps = [...text.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', rest = '']) => ({ name, rest }))
  let [where, user, entrypoint] = ['/', 'root', [] as readonly string[]]
  const start: ImageRoot['start'] = (argv, { as = 'user', mounts = {}, folder: inside = where, env = {} } = {}) => {
    const less =
      as === 'root'
        ? []
        : [
            ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'],
            ...['--bounding-set=-all', '--inh-caps=-all'],
          ]
    const mounted = Object.entries(mounts).flatMap(([path, one]) =>
      one === 'memory' ? [path, '', 'memory'] : [path, one.from, one.isReadOnly ? 'ro' : 'rw'],
    )
    const stdio: StdioOptions = ['pipe', 'pipe', 'pipe']
    return spawn(
      'unshare',
      [...ALONE, ENTER, 'sh', layer, as === 'root' ? 'rw' : 'ro', inside, ...mounted, '--', ...less, ...argv],
      { stdio, env: { ...inherited(), ...env } },
    )
  }
  const close = (): void => void spawnSync('umount', ['-l', layer])
  try {
    for (const { name, rest } of steps) {
      if (name === 'WORKDIR') {
        where = rest
        mkdirSync(at(where), { recursive: true })
      } else if (name === 'COPY') copy(rest, at(where))
      else if (name === 'RUN') {
        const { code, said } = await ended(start(['sh', '-c', rest], { as: 'root' }))
        if (code !== 0) throw new Error(`RUN ${rest}: ${said}`)
      } else if (name === 'USER') user = rest
      else if (name === 'ENTRYPOINT') entrypoint = JSON.parse(rest)
      else throw new Error(`${name} is not known here`)
    }
  } catch (problem) {
    close()
    throw problem
  }
  return { at, entrypoint, start, close }
}

/** COPY [--from=build] [--chmod=MODE] SOURCE... DESTINATION, with folders by their content. */
function copy(rest: string, into: string): void {
  const words = rest.split(/ +/)
  const options = words.filter((word) => word.startsWith('--'))
  const [to = '', ...reversed] = words.filter((word) => !word.startsWith('--')).reverse()
  const mode = options.find((one) => one.startsWith('--chmod='))?.slice('--chmod='.length)
  for (const name of reversed.map((one) => one.replace(/^\/src\//, ''))) {
    const target = statSync(name).isDirectory() ? join(into, to) : join(into, to, name)
    cpSync(resolve(name), target, { recursive: true })
    if (mode !== undefined) chmodSync(target, Number.parseInt(mode, 8))
  }
}

/** How a program ended, and what it printed. */
export const ended = (child: ChildProcess): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((done, fail) => {
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
    child.once('error', fail)
    child.once('close', (code) => done({ code, said }))
  })
