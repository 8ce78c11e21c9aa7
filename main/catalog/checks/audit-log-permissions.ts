import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { auditFiles, type LogEntry, logFiles } from '../probes/log-files.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

/** Accounts that write logs: root, and the services that distributions run for it under names of their own. */
const WRITERS: ReadonlySet<string> = new Set([
  'root',
  'syslog',
  'systemd-journal',
  'systemd-journal-remote',
  'messagebus',
])
/** Groups that may write: utmp keeps the records of logins (utmp(5)), syslog is rsyslog's on Ubuntu, root is root's. */
const WRITING_GROUPS: ReadonlySet<string> = new Set(['root', 'utmp', 'syslog', 'systemd-journal'])

const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

export const auditLogPermissions = defineCheck({
  id: 'audit.log-permissions',
  property: 'audit',
  expected: 'Only root and the log services can change the system’s log files.',
  limitations:
    'Root can always change them. Only owners and permission bits of the usual log files were tested: access lists beyond them, who may read, files of applications, and attributes such as append-only were not.',
  requires: { files: logFiles },
  optional: { audit: auditFiles },
  evaluate({ files }, { audit }) {
    const own = judge(files.entries, logFiles)
    const audited = audit.ok ? judge(audit.fact.entries, auditFiles) : unclearAbout(auditFiles, audit)
    const logs = files.entries.filter(({ path, isFolder }) => !isFolder && !/\/[wb]tmp$|\/lastlog$/.test(path))
    const none =
      logs.length === 0 && (!audit.ok || audit.fact.entries.length === 0)
        ? [unclear('None of the usual log files is there, so there is nothing to evaluate.', logFiles)]
        : []
    const partial = files.isPartial
      ? [unclear('Some of the log files could not be read for lack of privileges.', logFiles)]
      : []
    return decide([...own, ...audited, ...none, ...partial])
  },
})

function judge(entries: readonly LogEntry[], probe: typeof logFiles | typeof auditFiles): readonly DraftObservation[] {
  if (entries.length === 0) return []
  const open = entries.filter(isOpenToAll)
  const shared = entries.filter((entry) => !isOpenToAll(entry) && isOpenToGroup(entry))
  const owned = entries.filter(({ owner }) => !WRITERS.has(owner))
  const steps = [
    ...(open.length === 0 ? [] : [contradicts(`Every account can change ${listed(open)}.`, probe)]),
    ...(shared.length === 0
      ? []
      : [
          contradicts(
            `A group that is not a log service’s can change ${named(shared.map(({ path, group }) => `${path} (${group})`))}.`,
            probe,
          ),
        ]),
    ...(owned.length === 0
      ? []
      : [
          contradicts(
            `An account that is not a log service’s owns ${named(owned.map(({ path, owner }) => `${path} (${owner})`))}.`,
            probe,
          ),
        ]),
  ]
  return steps.length > 0
    ? steps
    : [
        supports(
          `${count(entries.length, 'entry', 'entries')} tested: root or a log service owns each, and no other account can write to it.`,
          probe,
        ),
      ]
}

const listed = (entries: readonly LogEntry[]): string => named(entries.map(({ path }) => path))

// In a folder with the sticky bit others can add files, and not touch those of root.
const isOpenToAll = ({ mode, isFolder }: LogEntry): boolean =>
  (mode & OTHERS_WRITE) !== 0 && !(isFolder && (mode & STICKY) !== 0)
const isOpenToGroup = ({ mode, group }: LogEntry): boolean => (mode & GROUP_WRITES) !== 0 && !WRITING_GROUPS.has(group)
