import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, type Probe, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import {
  ALWAYS_PATH,
  foundLines,
  grepIsComplete,
  lines,
  OF_ALWAYS_PATH,
  readUnits,
  showUnits,
  type UnitState,
} from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { isNetworkMount, mountTree } from '../mounts/kinds.ts'
import { type Mount, type Mounts, storageMounts } from '../mounts/probes.ts'
import { mayCrossNetwork } from '../mounts/remote.ts'
import data from './checks.json' with { type: 'json' }
import { coredumpSettings } from './coredump.ts'
import {
  type CoreDumps,
  coreDumpPattern,
  encryptionAtRestCrashDumps,
  type Kdump,
  kernelDumps,
  kernelDumpTarget,
  withoutKernelDumps,
} from './dumps.ts'

/** Programs that send crash reports to others: Ubuntu’s whoopsie, and ABRT. */
interface CrashReporters {
  /** Units of these programs that run, or that the next start runs. */
  readonly active: readonly string[]
  /** Whether apport marks every report to be sent without asking a person (apport-autoreport.path). */
  readonly marksAll: boolean
  /** AutoreportingEnabled of abrt.conf(5); null where it is not set, which means no. */
  readonly abrtSends: string | null
}

const UNITS = ['whoopsie.service', 'whoopsie.path', 'abrtd.service'] as const
const AUTOREPORT = '/var/lib/apport/autoreport'
const ABRT = '/etc/abrt/abrt.conf'

export const crashReporters = defineProbe({
  id: 'memory.crash-reporters',
  title: 'Services that send crash reports',
  why: 'A crash report can contain the memory of the program that crashed; some systems send reports to their vendor.',
  commands: {
    units: showUnits('Id,LoadState,ActiveState,UnitFileState', UNITS),
    marks: run(['ls', '-d', AUTOREPORT, ALWAYS_PATH], OF_ALWAYS_PATH),
    abrt: run(['grep', '-HE', '^[[:space:]]*AutoreportingEnabled[[:space:]]*=', ABRT]),
  },
  parse({ units, marks, abrt }): Parsed<CrashReporters> {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    const marksAll = lines(marks.text).includes(AUTOREPORT)
    if (!marksAll && !marks.errorText.includes('No such file or directory'))
      return unknown('whether apport sends every report could not be read')
    if (!grepIsComplete(abrt)) return unknown(`${ABRT} could not be read`)
    const setting = foundLines(abrt.text).at(-1)?.line
    return known({
      active: UNITS.filter((unit) => runs(states.fact.get(unit) ?? new Map())),
      marksAll,
      abrtSends: setting === undefined ? null : setting.slice(setting.indexOf('=') + 1).trim(),
    })
  },
})

const runs = (unit: UnitState): boolean =>
  /^(active|activating|reloading)$/.test(unit.get('ActiveState') ?? '') ||
  (unit.get('UnitFileState') ?? '').startsWith('enabled')

/** Programs that keep a dump on the node, where distributions install them: systemd-coredump(8), apport, ABRT, and two that drop it. */
const LOCAL_HANDLERS =
  /^(\/usr)?\/(lib\/systemd\/systemd-coredump|libexec\/abrt-hook-ccpp|bin\/(false|true))$|^\/usr\/share\/apport\/apport$/

const networkCrashDumpUpload = defineCheck({
  id: 'network.crash-dump-upload',
  property: 'operations',
  expected:
    'Memory dumps of programs and of the kernel stay on this node: no handler, service or target sends them to another system.',
  limitations:
    'Known by their paths are systemd-coredump, apport and ABRT; a program that was put in their place is not detected, and other programs can send dumps that they take themselves. Dumps that systemd-coredump keeps in the journal leave with a forwarded journal, and copies by backups or by a person are not detected. A mount on the storage of another system counts only where the dump path names it.',
  requires: { core: coreDumpPattern, kdump: kernelDumps, mounts: storageMounts, reporters: crashReporters },
  evaluate: ({ core, kdump, mounts, reporters }) =>
    decide([...programDumps(core, mounts), kernelDumpStep(kdump, mounts), ...reports(reporters)]),
})

function programDumps(core: CoreDumps, { mounts }: Mounts): readonly DraftObservation[] {
  if (core.kind === 'handler')
    return [
      LOCAL_HANDLERS.test(core.program)
        ? supports(
            `Program dumps are handed to ${quote(core.program)}, which keeps or drops them on the node.`,
            coreDumpPattern,
          )
        : unclear(
            `Program dumps are handed to ${quote(core.program)}; whether it sends them elsewhere is not known.`,
            coreDumpPattern,
          ),
    ]
  if (core.pattern.startsWith('/'))
    return [
      writtenTo(
        `Program dumps are written to ${quote(core.pattern)}`,
        core.pattern.split('%')[0],
        coreDumpPattern,
        mounts,
      ),
    ]
  // A relative pattern lands in the working directory of the program that crashed, which can be on any mount.
  const remote = mounts.filter(mayCrossNetwork).map(({ point }) => point)
  return remote.length === 0
    ? [
        supports(
          'Program dumps are written to the working directory of the program, and every mount is local.',
          storageMounts,
        ),
      ]
    : [
        unclear(
          `Program dumps are written to the working directory of the program, which can be on another system: ${named(remote)}.`,
          storageMounts,
        ),
      ]
}

/** A dump that is written below a path: on this node, on another system, or on storage that is not known. */
function writtenTo(
  text: string,
  path: string | undefined,
  probe: Probe<unknown>,
  mounts: readonly Mount[],
): DraftObservation {
  const mount = mountTree(mounts)(path ?? '/')
  if (mount === undefined) return unclear(`${text}; what is mounted there is not known.`, probe)
  if (!mayCrossNetwork(mount)) return supports(`${text} on this node.`, probe)
  const where = `${text}, on a mount of type ${quote(mount.fsType)}`
  return isNetworkMount(mount)
    ? contradicts(`${where}: storage of another system.`, storageMounts)
    : unclear(`${where}, whose storage is not known.`, storageMounts)
}

function kernelDumpStep(kdump: Kdump, { mounts }: Mounts): DraftObservation {
  const none = withoutKernelDumps(kdump, mountTree(mounts)('/sys/kernel'))
  if (none !== null) return none
  const { kind, at } = kernelDumpTarget(kdump)
  if (kind === 'remote')
    return contradicts(
      `A crash kernel is loaded and sends a dump of all memory to another system (${quote(at)}).`,
      kernelDumps,
    )
  if (!kdump.configured) return unclear('A crash kernel is loaded; where it writes was not found.', kernelDumps)
  const text = `A crash kernel is loaded and writes its dump to ${quote(at)}`
  return kind === 'device' ? supports(`${text}.`, kernelDumps) : writtenTo(text, at, kernelDumps, mounts)
}

function reports({ active, marksAll, abrtSends }: CrashReporters): readonly DraftObservation[] {
  const whoopsie = active.filter((unit) => unit.startsWith('whoopsie.'))
  const abrt = active.includes('abrtd.service')
  const automatic = abrtSends !== null && !/^(no|off|false|0)$/i.test(abrtSends)
  return [
    whoopsie.length === 0
      ? supports('The service that sends reports of apport (whoopsie) is neither running nor enabled.', crashReporters)
      : marksAll
        ? contradicts(
            `${named(whoopsie)} sends every report of apport to its vendor, with the memory that the report contains.`,
            crashReporters,
          )
        : unclear(
            `${named(whoopsie)} is running or enabled: it sends the reports that a person or a program marks.`,
            crashReporters,
          ),
    ...(!abrt
      ? []
      : [
          automatic
            ? contradicts(
                `ABRT reports every crash by itself (AutoreportingEnabled is ${quote(abrtSends)}).`,
                crashReporters,
              )
            : supports('ABRT is running and sends no report by itself.', crashReporters),
        ]),
  ]
}

export const dumpsSubject = defineSubject({
  id: 'dumps',
  title: 'Memory dumps',
  probes: [coreDumpPattern, kernelDumps, crashReporters, coredumpSettings],
  checks: [encryptionAtRestCrashDumps, networkCrashDumpUpload],
  data,
})
