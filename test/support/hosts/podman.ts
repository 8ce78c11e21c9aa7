import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { baseRoot, inside } from './base.ts'
import type { Canary } from './canaries.ts'
import type { Lab } from './lab.ts'

/**
 * Debian's packages of Podman and of what it needs beyond the base of this release, downloaded the first time. No one may change the folder.
 * Rejects with apt's words where the archive cannot be reached.
 */
export async function packagesOfPodman(): Promise<string> {
  const base = await baseRoot('trixie')
  const folder = join(dirname(base), `podman-of-${basename(base)}`)
  if (existsSync(folder)) return folder
  const root = `${folder}.unfinished-${process.pid}`
  try {
    execFileSync('cp', ['-a', '--reflink=auto', base, root])
    execFileSync('cp', ['--remove-destination', '/etc/resolv.conf', join(root, 'etc/resolv.conf')])
    inside(
      root,
      `apt-get -qq update
       apt-get -qq --download-only -y --no-install-recommends install podman crun >/dev/null`,
    )
    const archives = join(root, 'var/cache/apt/archives')
    mkdirSync(join(root, 'podman'))
    for (const name of readdirSync(archives).filter((one) => one.endsWith('.deb')))
      renameSync(join(archives, name), join(root, 'podman', name))
    if (!existsSync(folder)) renameSync(join(root, 'podman'), folder)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  return folder
}

/** Inside the control group and network of its host, which gives it neither limits nor settings of the kernel. */
const SETTINGS = `[containers]
default_sysctls = []
pids_limit = 0
netns = "none"
cgroups = "disabled"
[engine]
cgroup_manager = "cgroupfs"`

/** What a container is run with, in sh, by the name of each secret: the value of an option, a variable, an address and a label. */
const SECRETS = [
  ['argument of a container', (x: string) => `--password '${x}'`],
  ['glued argument of a container', (x: string) => `--db-password='${x} two'`],
  ['address in an argument of a container', (x: string) => `https:${'//'}svc:${x}@db.example/`],
] as const
const OPTIONS = [
  ['environment of a container', (x: string) => `--env API_TOKEN='${x}'`],
  [
    'address in the environment of a container',
    (x: string) => `--env DATABASE_URL='https:${'//'}svc:${x}@db.example/'`,
  ],
  ['label of a container', (x: string) => `--label registry-token='${x}'`],
] as const

export const namesOfContainer: readonly string[] = [...OPTIONS, ...SECRETS].map(([name]) => name)

/**
 * Installs Podman in a booted host of trixie and runs a container there with secrets in all that it was given. Gives back what Podman and ps
 * say about it, as anyone would see it who asks.
 */
export async function runContainer(
  lab: Lab,
  host: string,
  canaries: readonly Canary[],
): Promise<{ readonly id: string; readonly said: string }> {
  const words = (of: readonly (readonly [string, (secret: string) => string])[]): string =>
    of.map(([name, write]) => write(canaries.find((canary) => canary.name === name)?.secret ?? '')).join(' ')
  cpSync(await packagesOfPodman(), join(lab.folder, host, 'root/podman'), { recursive: true })
  const run = async (script: string): Promise<string> => {
    const { status, stdout, stderr } = await lab.asRoot(host, script)
    if (status !== 0) throw new Error(`${stdout}${stderr}`.slice(-2000))
    return stdout
  }
  await run(`DEBIAN_FRONTEND=noninteractive dpkg -i /root/podman/*.deb
    rm -r /root/podman
    mkdir -p /etc/containers /srv/container/bin /srv/container/lib64 /srv/container/lib/x86_64-linux-gnu
    cd /srv/container
    mkdir proc sys dev etc
    cp /usr/bin/dash bin/sh
    cp /usr/bin/sleep bin
    cp /lib64/ld-linux-x86-64.so.2 lib64
    cp /usr/lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu
    cat >/etc/containers/containers.conf <<'SETTINGS'
${SETTINGS}
SETTINGS`)
  const id = await run(
    `podman run --detach --name canary ${words(OPTIONS)} --rootfs /srv/container /bin/sh -c 'sleep infinity; :' tool ${words(SECRETS)}`,
  )
  return {
    id: id.trim(),
    said: await run('podman inspect canary; podman ps --no-trunc; ps -eww -o args; ps -eww -o args e'),
  }
}
