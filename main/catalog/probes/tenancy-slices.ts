import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listingIsComplete } from '../isolation/listing.ts'
import { lines } from '../read-text.ts'

export interface Slices {
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
