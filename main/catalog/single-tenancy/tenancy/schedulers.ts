import { type Answer, defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listingIsComplete } from '../../base/read-listing.ts'
import { isAbsent, lines } from '../../base/read-text.ts'

interface RaySessions {
  /** Sessions since the folder was last emptied, running or not. */
  readonly sessions: readonly string[]
}

/** Ray documentation, "Configuring logging": each start makes a folder named after its time and process. */
export const tenancyRay = defineProbe({
  id: 'tenancy.ray',
  title: 'Sessions of Ray clusters',
  why: 'Shows how often a Ray cluster was started here. Names only; no log is opened.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: () => null,
  },
  commands: { sessions: run(['ls', '-1', '/tmp/ray']) },
  parse({ sessions }) {
    if (isAbsent(sessions)) return known<RaySessions>({ sessions: [] })
    if (sessions.exitCode !== 0) return unknown('the sessions of Ray could not be listed')
    return known<RaySessions>({
      sessions: lines(sessions.text).filter((name) => /^session_[0-9][0-9_-]{10,60}$/.test(name)),
    })
  },
})

interface Slices {
  /** Numbers of the accounts that have a session or services of their own right now. */
  readonly userIds: readonly number[]
  /** Units of containers and guests that the system’s manager keeps. */
  readonly machines: readonly string[]
  /** Slurm jobs that have a control group here; the account's number is in the older form only. */
  readonly jobs: readonly { readonly id: number; readonly uid: number | null }[]
}

/** systemd.slice(5), systemd-logind(8), Slurm cgroup.conf(5): folders of control groups, by name. */
export const tenancySlices = defineProbe({
  id: 'tenancy.slices',
  title: 'Shares of the system that users, guests and jobs have',
  why: 'Every session, guest and batch job has a folder of its own in the kernel’s tree of control groups. Names only.',
  ignoredInDrift: {
    why: 'Sessions, guests and jobs start and end. Not detected: one started manually.',
    normalize: () => null,
  },
  commands: {
    folders: run([
      'ls',
      '-1d',
      glob('/sys/fs/cgroup/user.slice/user-*.slice'),
      glob('/sys/fs/cgroup/systemd/user.slice/user-*.slice'),
      glob('/run/user/*'),
      glob('/sys/fs/cgroup/machine.slice/*'),
      glob('/sys/fs/cgroup/systemd/machine.slice/*'),
      glob('/sys/fs/cgroup/system.slice/*slurmstepd.scope/job_*'),
      glob('/sys/fs/cgroup/memory/slurm*/uid_*/job_*'),
    ]),
  },
  parse({ folders }) {
    if (!listingIsComplete(folders)) return unknown('the folders of the control groups could not be listed')
    const paths = lines(folders.text)
    const numbers = (pattern: RegExp): readonly number[] =>
      paths.flatMap((path) => {
        const digits = pattern.exec(path)?.[1]
        return digits === undefined ? [] : [Number(digits)]
      })
    const users = [...numbers(/\/user-(\d{1,10})\.slice$/), ...numbers(/^\/run\/user\/(\d{1,10})$/)]
    const jobs = new Map(
      paths.flatMap((path) => {
        const [, uid, id] = /(?:\/uid_(\d{1,10}))?\/job_(\d{1,10})$/.exec(path) ?? []
        return id === undefined ? [] : [[Number(id), uid === undefined ? null : Number(uid)] as const]
      }),
    )
    return known<Slices>({
      userIds: [...new Set(users)].sort((a, b) => a - b),
      machines: [
        ...new Set(
          paths.flatMap((path) => /\/machine\.slice\/([^/]{1,255}\.(?:scope|service|slice))$/.exec(path)?.[1] ?? []),
        ),
      ],
      jobs: [...jobs].map(([id, uid]) => ({ id, uid })).sort((a, b) => a.id - b.id),
    })
  },
})

interface SlurmJob {
  readonly id: string
  readonly user: string
  readonly account: string
  readonly state: string
}

interface SlurmJobs {
  readonly jobs: readonly SlurmJob[]
}

/**
 * squeue(1): the node name "localhost" represents this server, so that jobs of other servers stay out of the record. The node's own client
 * asks the scheduler it belongs to; on a server without Slurm the tool is absent. Partitions that are hidden from users count too (-a); a
 * scheduler can still keep others' jobs from an ordinary login (slurm.conf(5), PrivateData).
 */
export const tenancySlurm = defineProbe({
  id: 'tenancy.slurm',
  title: 'Batch jobs on this server',
  why: 'Shows whose jobs the scheduler has placed on this server. Names of jobs and command lines are not read.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: () => null,
  },
  commands: { jobs: run(['squeue', '-a', '-h', '-w', 'localhost', '-o', '%A|%u|%a|%T'], { timeoutSeconds: 15 }) },
  parse({ jobs }) {
    if (jobs.exitCode !== 0) return unknown('the scheduler did not list its jobs')
    const rows = lines(jobs.text).map((line) =>
      /^\s*(\d{1,10})\|([^|]{1,64})\|([^|]{0,128})\|([A-Z_]{1,20})\s*$/.exec(line),
    )
    if (rows.includes(null)) return unknown('the list of jobs has an unexpected format')
    return known<SlurmJobs>({
      jobs: rows.map((row) => ({
        id: row?.[1] ?? '',
        user: row?.[2]?.trim() ?? '',
        account: row?.[3]?.trim() ?? '',
        state: row?.[4] ?? '',
      })),
    })
  },
})

export interface KubernetesCredentials {
  /** Files on this server that hold an administrator's credential of a cluster, and who may read them. */
  readonly files: readonly {
    readonly path: string
    readonly owner: string
    readonly group: string
    readonly mode: number
  }[]
}

const PLACES = [
  '/etc/kubernetes/admin.conf',
  '/etc/kubernetes/super-admin.conf',
  '/etc/rancher/k3s/k3s.yaml',
  '/etc/rancher/rke2/rke2.yaml',
  '/var/lib/k0s/pki/admin.conf',
  '/var/snap/microk8s/current/credentials/client.config',
  '/root/.kube/config',
] as const

/**
 * Where kubeadm, k3s, RKE2, k0s and MicroK8s store the credential of a cluster administrator; whoever reads it
 * administers the cluster. Only entries are listed, no file is opened. kubectl is not run: it writes a cache into the
 * home folder, can start other programs, and contacts other hosts.
 */
export const clusterKubernetes = defineProbe({
  id: 'cluster.kubernetes',
  title: 'Credentials of Kubernetes administrators on this server',
  why: 'A user who can read such a file controls every container of the cluster. Names, owners and modes only.',
  commands: {
    credentials: runAsRoot(['stat', '-c', '%a:%U:%G:%n', ...PLACES]),
  },
  parse({ credentials }) {
    const complaints = lines(credentials.errorText)
    const absent = complaints.filter((line) => /(No such file or directory|Not a directory)$/.test(line)).length
    const rows = lines(credentials.text).map((line) =>
      /^([0-7]{1,5}):([^:]{1,64}):([^:]{1,64}):(\/\S{1,128})$/.exec(line),
    )
    if (complaints.length > absent || rows.includes(null) || rows.length + absent !== PLACES.length)
      return unknown('the places of such credentials could not be looked at')
    return known<KubernetesCredentials>({
      files: rows.map((row) => ({
        path: row?.[4] ?? '',
        owner: row?.[2] ?? '',
        group: row?.[3] ?? '',
        mode: Number.parseInt(row?.[1] ?? '0', 8),
      })),
    })
  },
})

interface SlurmAdministrators {
  readonly administrators: readonly string[]
  readonly operators: readonly string[]
}

/**
 * sacctmgr(1), read-only: users of the batch system with a level of administration, and no others. Like squeue, the node's own client
 * asks the accounting service that the node belongs to; on a server without Slurm the tool is absent.
 */
export const clusterSlurm = defineProbe({
  id: 'cluster.slurm',
  title: 'Administrators of the batch system',
  why: 'An administrator of the scheduler can run work on this server as any user.',
  commands: {
    administrators: run(listing('Administrator'), { timeoutSeconds: 15 }),
    operators: run(listing('Operator'), { timeoutSeconds: 15 }),
  },
  parse({ administrators, operators }) {
    const [first, second] = [usersIn(administrators), usersIn(operators)]
    if (first === null || second === null) return unknown('the accounting service did not list its administrators')
    return known<SlurmAdministrators>({ administrators: first, operators: second })
  },
})

function listing(level: 'Administrator' | 'Operator'): readonly [string, ...string[]] {
  return ['sacctmgr', '-r', '-n', '-P', 'show', 'user', 'where', `adminlevel=${level}`, 'format=User,AdminLevel']
}

function usersIn({ exitCode, text }: Answer): readonly string[] | null {
  const rows = lines(text).map((line) => /^([^|]{1,64})\|(?:Administrator|Operator)$/.exec(line)?.[1])
  return exitCode !== 0 || rows.includes(undefined) ? null : rows.filter((user) => user !== undefined)
}
