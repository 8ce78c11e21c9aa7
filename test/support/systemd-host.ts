import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A systemd that is process 1 of namespaces of its own: settings, state and units of the computer below stay as they are. */
export interface SystemdHost {
  /** Runs a program among its processes. */
  readonly run: (
    argv: readonly string[],
    env?: NodeJS.ProcessEnv,
  ) => { readonly status: number | null; readonly stdout: string; readonly stderr: string }
  readonly stop: () => Promise<void>
}

const SYSTEMD = '/lib/systemd/systemd'
// The first hierarchy of cgroup v1 that systemd uses, where there is one; otherwise cgroup v2.
const LEGACY = '/sys/fs/cgroup/systemd'
const isLegacy = existsSync(LEGACY)
const GROUPS = isLegacy ? LEGACY : '/sys/fs/cgroup'

/** What every unit waits for, here alone: with the services of the computer below, it would set that up anew and clear its /tmp. */
const TARGETS = ['bare', 'sysinit', 'basic', 'timers', 'network-online', 'network', 'time-sync', 'shutdown']

const SETUP = `set -eu
mount -t proc proc /proc
mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys
umount -R /sys/fs/cgroup
if [ "$1" = legacy ]; then
  mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
else mount -t cgroup2 cgroup2 /sys/fs/cgroup; fi
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib/systemd
mkdir -p /run/etc/upper /run/etc/work /run/etc/system
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc
mount --bind /run/etc/system /etc/systemd/system
for target in ${TARGETS.join(' ')}; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > "/etc/systemd/system/$target.target"
done
exec env -i container=test SYSTEMD_UNIT_PATH=/etc/systemd/system SYSTEMD_GENERATOR_PATH=/run/none PATH="$PATH" ${SYSTEMD} --system --unit=bare.target --log-target=console`

/** Why no systemd can be started here, or null. For the name of a skipped test. */
export function whyNoSystemd(): string | null {
  if (process.getuid?.() !== 0) return 'needs root'
  const absent = [SYSTEMD, '/usr/bin/systemctl', '/usr/bin/nsenter', '/usr/bin/pgrep'].filter(
    (path) => !existsSync(path),
  )
  if (absent.length > 0) return `${absent.join(' and ')} absent`
  try {
    accessSync(GROUPS, constants.W_OK)
  } catch {
    return `${GROUPS} is not writable`
  }
  const made = spawnSync('unshare', ['-m', '-p', '-f', '-u', '-i', '-C', '--propagation', 'private', 'true'])
  return made.status === 0 ? null : 'no namespaces can be made'
}

export async function startSystemd(): Promise<SystemdHost> {
  const group = join(GROUPS, `systemd-host-${process.pid}`)
  mkdirSync(group)
  const argv = ['-m', '-p', '-f', '-u', '-i', '-C', '--kill-child', '--propagation', 'private', 'sh', '-c', SETUP]
  // It enters the group before its namespaces begin, so that the group is all that it sees.
  const child = spawn(
    'sh',
    ['-c', 'echo $$ > "$0/cgroup.procs" && exec unshare "$@"', group, ...argv, 'sh', isLegacy ? 'legacy' : 'unified'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk)
    })
  const run: SystemdHost['run'] = (command, env = process.env) =>
    spawnSync('nsenter', ['-t', String(first(child)), '-m', '-p', '-u', '-i', '-C', '--', ...command], {
      encoding: 'utf8',
      env,
      maxBuffer: 1e9,
    })
  const stop = async (): Promise<void> => {
    const closed = new Promise((done) => child.once('close', done))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await closed
    }
    for (let left = 50; left > 0 && readFileSync(join(group, 'cgroup.procs'), 'utf8') !== ''; left -= 1)
      await sleep(100)
    await removeGroups(group)
  }
  for (let left = 100; left > 0; left -= 1) {
    await sleep(100)
    if (first(child) !== null && run(['systemctl', 'is-active', 'bare.target']).stdout.trim() === 'active')
      return { run, stop }
  }
  await stop()
  throw new Error(`systemd did not start: ${said.slice(-2000)}`)
}

/** The process that is number 1 in there; null while there is none. */
function first({ pid }: ChildProcess): number | null {
  const found = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout.trim()
  return found === '' ? null : Number(found)
}

/** A group stays busy for a moment after its last process has gone (cgroups(7)). */
async function removeGroups(group: string): Promise<void> {
  const below = execFileSync('find', [group, '-mindepth', '1', '-depth', '-type', 'd'], { encoding: 'utf8' })
  for (const one of [...below.split('\n').filter(Boolean), group])
    for (let left = 100; ; left -= 1)
      try {
        rmdirSync(one)
        break
      } catch (problem) {
        if (left === 0) throw problem
        await sleep(100)
      }
}
