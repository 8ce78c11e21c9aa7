import { describe, expect, test } from 'vitest'
import { firmwareFwupd } from '../../main/catalog/hardware/firmware/index.ts'
import { readMemoryErrors } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { integrityEccMemory, memoryEdac } from '../../main/catalog/hardware/memory-errors/index.ts'
import table from '../../main/catalog/operations/end-of-life/end-of-life.json' with { type: 'json' }
import { driverBranch, END_OF_LIFE_AS_OF, endOf, vulnEol } from '../../main/catalog/operations/end-of-life/index.ts'
import { integrityFim, integrityMalwareProtection } from '../../main/catalog/operations/integrity-monitoring/index.ts'
import {
  integrityAgents,
  integrityMarks,
  integritySchedules,
  kernelIma,
} from '../../main/catalog/operations/integrity-monitoring/probes.ts'
import type { Distribution } from '../../main/catalog/operations/packages/probes.ts'
import { vulnPatchLevel } from '../../main/catalog/operations/packages/updates.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { type Check, type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'

const AS_OF = '2026-11-20T09:12:00.000Z'
const context = (asOf = AS_OF): Context => ({
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'a', sudo: false },
  asOf,
  observedAt: asOf,
  thresholds: BASELINE,
})
const on = (check: Check, facts: Readonly<Record<string, unknown>>, asOf?: string): Conclusion =>
  conclude(
    check,
    new Map(Object.entries(facts).map(([id, one]): [string, Parsed<unknown>] => [id, known(one)])),
    context(asOf),
  )
const texts = ({ observations }: Conclusion): readonly string[] =>
  observations.map(({ direction, text }) => `${direction}: ${text}`)

describe('ends of support', () => {
  const system = (id: string, version: string, rest: Partial<Distribution> = {}): Distribution => ({
    id,
    name: '',
    version,
    supportEnd: null,
    family: 'other',
    ...rest,
  })
  const noGpu = { modules: [], driver: null, gpus: [], dividing: [] }
  const verdict = (distribution: Distribution, asOf?: string, driver: string | null = null): string =>
    on(vulnEol, { 'packages.distribution': distribution, 'gpu.modules': { ...noGpu, driver } }, asOf).verdict

  test('every date of the table is a day, and a subscription lasts longer than what is free', () => {
    const releases = [...table.systems.flatMap(({ releases: list }) => list), ...table.nvidia.branches]
    const days = releases.flatMap((release) =>
      Object.entries(release).flatMap(([key, day]) => (key === 'version' ? [] : [day])),
    )
    expect(
      [...days, table.asOf].filter((day) => new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day),
    ).toEqual([])
    const longer = releases as readonly { until: string; subscriptionUntil?: string; regularUntil?: string }[]
    expect(longer.filter(({ until, subscriptionUntil }) => (subscriptionUntil ?? '9') <= until)).toEqual([])
    expect(longer.filter(({ until, regularUntil }) => (regularUntil ?? '0') >= until)).toEqual([])
    expect(table.systems.filter(({ source, name }) => source === '' || name === '')).toEqual([])
  })

  test.each([
    ['ubuntu', '24.04', '2029-05-31'],
    ['ubuntu', '20.04', '2025-05-29'],
    ['debian', '12', '2028-06-30'],
    ['rhel', '9.4', '2032-05-31'],
    ['rocky', '10.1', '2035-05-31'],
    ['sles', '15.7', '2031-07-31'],
    ['amzn', '2', '2026-06-30'],
    ['amzn', '2023', '2029-06-30'],
  ])('%s %s is supported until %s', (id, version, until) => {
    expect(endOf(system(id, version))?.release.until).toBe(until)
  })

  test('a service pack that the table lacks, a rolling release and CentOS Stream are distinguished', () => {
    expect(endOf(system('sles', '15.9'))).toBeNull()
    expect(endOf(system('debian', ''))).toBeNull()
    expect(endOf(system('centos', '8', { name: 'CentOS Linux' }))?.release.until).toBe('2021-12-31')
    expect(endOf(system('centos', '8', { name: 'CentOS Stream' }))?.release.until).toBe('2024-05-31')
  })

  test('the last day counts, the next does not', () => {
    const amazon = system('amzn', '2')
    expect(['2026-06-30T23:59:59.000Z', '2026-07-01T00:00:00.000Z'].map((asOf) => verdict(amazon, asOf))).toEqual([
      'satisfied',
      'not-satisfied',
    ])
    expect(verdict(system('fedora', '43', { supportEnd: '2026-11-20' }))).toBe('satisfied')
    expect(verdict(system('fedora', '43', { supportEnd: '2026-11-19' }))).toBe('not-satisfied')
    expect(verdict(system('arch', ''))).toBe('inconclusive')
  })

  test('a list is dated beside what it supports, and one older than 90 days supports nothing', () => {
    expect(END_OF_LIFE_AS_OF).toBe('2026-06-30')
    const concludedAt = (asOf: string) =>
      on(vulnEol, { 'packages.distribution': system('rhel', '9.6'), 'gpu.modules': noGpu }, asOf)
    expect(concludedAt('2026-06-29T10:00:00.000Z').verdict).toBe('satisfied')
    expect(concludedAt('2026-09-28T23:59:59.000Z').verdict).toBe('satisfied')
    expect(texts(concludedAt('2026-09-28T23:59:59.000Z')).at(-1)).toBe(
      'supports: The list of ends of support is dated 2026-06-30, 90 days before this assessment.',
    )
    expect(concludedAt('2026-09-29T00:00:00.000Z').verdict).toBe('inconclusive')
    expect(texts(concludedAt('2026-09-29T00:00:00.000Z')).at(-1)).toBe(
      'unclear: The list of ends of support is dated 2026-06-30, 91 days before this assessment. It is relied on for 90 days; a newer one is needed.',
    )
    expect(texts(concludedAt('2026-06-29T10:00:00.000Z')).at(-1)).toContain('after the day of this assessment')
  })

  test('what had ended stays ended in an old list, which is dated there, too', () => {
    const ended = on(
      vulnEol,
      { 'packages.distribution': system('rhel', '7'), 'gpu.modules': noGpu },
      '2027-07-01T00:00:00.000Z',
    )
    expect(ended.verdict).toBe('not-satisfied')
    expect(texts(ended).at(-1)).toContain('is dated 2026-06-30, 366 days before')
  })

  test('where the list is old, what the distribution itself states takes its place, and no more than that', () => {
    const stated = { supportEnd: '2032-05-31' }
    expect(verdict(system('rocky', '9.6', stated), AS_OF)).toBe('satisfied')
    expect(verdict(system('rocky', '9.6'), AS_OF)).toBe('inconclusive')
    expect(verdict(system('rhel', '7', stated), AS_OF)).toBe('not-satisfied')
    expect(verdict(system('rocky', '9.6', { supportEnd: '2026-11-19' }), AS_OF)).toBe('not-satisfied')
    // The driver's branch has no other source.
    expect(verdict(system('rocky', '9.6', stated), AS_OF, '580.126.09')).toBe('inconclusive')
    expect(verdict(system('rocky', '9.6', stated), AS_OF, '570.172.08')).toBe('not-satisfied')
  })

  test('branches of the NVIDIA driver', () => {
    const of = (driver: string): unknown => {
      const branch = driverBranch(driver)
      return branch === null || branch === 'unlisted' ? branch : branch.until
    }
    expect(['470.256.02', '535.288.01', '550.163.01', '570.172.08', '580.126.09', '640.11', 'x', '58'].map(of)).toEqual(
      ['unlisted', '2026-06-30', 'unlisted', 'unlisted', '2028-06-30', null, null, null],
    )
    const rocky = system('rocky', '9.6')
    const early = '2026-09-01T00:00:00.000Z'
    expect(['580.126.09', '570.172.08', '640.11'].map((version) => verdict(rocky, early, version))).toEqual([
      'satisfied',
      'not-satisfied',
      'inconclusive',
    ])
  })

  test('a paid extension is only named', () => {
    const conclusion = on(vulnEol, { 'packages.distribution': system('ubuntu', '20.04'), 'gpu.modules': noGpu })
    expect(conclusion.verdict).toBe('not-satisfied')
    expect(texts(conclusion).join()).toContain('whether it was purchased is not shown here')
  })
})

describe('pending updates', () => {
  const rhel = { id: 'rocky', name: 'Rocky Linux', version: '9.6', supportEnd: null, family: 'rhel' }
  const dnf = { listsChangedAt: Date.parse(AS_OF) / 1000 - 3 * 86_400, heldAt: null }
  const judge = (distribution: object, updates: object, probe = 'packages.dnf') =>
    on(vulnPatchLevel, { 'packages.distribution': distribution, [probe]: updates })

  test('dnf and zypper cannot be asked without writing, so that fresh lists alone support nothing', () => {
    expect(judge(rhel, dnf).verdict).toBe('inconclusive')
    expect(texts(judge(rhel, dnf)).join()).toMatch(
      /dnf cannot report them without writing on the node\. Attach a dated report of “dnf updateinfo list --security --available”/,
    )
    const suse = judge({ ...rhel, id: 'sles', family: 'suse' }, dnf, 'packages.zypper')
    expect(suse.verdict).toBe('inconclusive')
    expect(texts(suse).join()).toMatch(/Attach a dated report of “zypper list-patches --category security”/)
  })

  test('old or undated lists, CentOS and held releases are reported as well', () => {
    const unclear = (...[distribution, updates]: Parameters<typeof judge>): number =>
      texts(judge(distribution, updates)).filter((text) => text.startsWith('unclear: ')).length
    expect([
      unclear(rhel, dnf),
      unclear(rhel, { ...dnf, listsChangedAt: Date.parse(AS_OF) / 1000 - 15 * 86_400 }),
      unclear(rhel, { ...dnf, listsChangedAt: null }),
      unclear({ ...rhel, id: 'centos' }, dnf),
      unclear(rhel, { ...dnf, heldAt: '9.4' }),
      unclear({ ...rhel, id: 'amzn', version: '2023' }, dnf),
    ]).toEqual([1, 2, 2, 2, 2, 2])
  })
})

describe('agents and their files', () => {
  const UNITS = (integrityAgents.commands.units as { argv: readonly string[] }).argv.slice(3)
  const blocks = (on: Readonly<Record<string, string>>): string =>
    UNITS.map((unit) => `Id=${unit}\n${on[unit] ?? 'LoadState=not-found\nActiveState=inactive'}\n`).join('\n')
  const agents = (on: Readonly<Record<string, string>>) => fact(integrityAgents.parse({ units: answer(blocks(on)) }))
  const T = Date.parse(AS_OF) / 1000
  const marks = (files: Readonly<Record<string, number>>) =>
    fact(
      integrityMarks.parse({
        files: answer(
          Object.entries(files)
            .map(([path, days]) => `${T - days * 86_400}:${path}\n`)
            .join(''),
          { exitCode: 1, errorText: "stat: cannot statx '/x': No such file or directory\n" },
        ),
      }),
    )
  const none = { tools: new Map<string, readonly string[]>() }
  const judge = (check: Check, units: object, files: object, schedules: object = none, ima?: object): Conclusion =>
    on(check, {
      'integrity.agents': units,
      'integrity.marks': files,
      'integrity.schedules': schedules,
      'tenancy.processes': { processes: [], isComplete: true },
      ...(ima === undefined ? {} : { 'kernel.ima': ima }),
    })

  test('units as systemd prints them: a timer’s last start, a service’s last end', () => {
    const { units } = agents({
      'dailyaidecheck.timer':
        'LastTriggerUSec=Fri 2026-11-20 03:17:41 UTC\nLoadState=loaded\nActiveState=active\nSubState=waiting',
      'aidecheck.service':
        'ExecMainExitTimestamp=Wed 2026-11-18 05:09:33 UTC\nExecMainStatus=5\nLoadState=loaded\nActiveState=failed',
      'clamav-daemon.service':
        'ExecMainExitTimestamp=\nExecMainStatus=0\nLoadState=loaded\nActiveState=active\nSubState=running',
      'aide.timer': 'LastTriggerUSec=n/a\nLoadState=loaded\nActiveState=inactive',
    })
    expect(units.get('dailyaidecheck.timer')).toEqual({
      loaded: true,
      active: true,
      lastDay: '2026-11-20',
      exitStatus: null,
    })
    expect(units.get('aidecheck.service')).toMatchObject({ lastDay: '2026-11-18', exitStatus: 5 })
    expect(units.get('clamav-daemon.service')).toMatchObject({ lastDay: null, exitStatus: null })
    expect(units.get('aide.timer')?.lastDay).toBeNull()
    expect(integrityAgents.parse({ units: answer('Id=x\nLoadState=loaded\n') }).ok).toBe(false)
  })

  test('a file that could not be looked at is no missing file', () => {
    const denied = answer('', {
      exitCode: 1,
      errorText: "stat: cannot statx '/var/lib/aide/aide.db': Permission denied\n",
    })
    expect(integrityMarks.parse({ files: denied }).ok).toBe(false)
  })

  test('AIDE: never initialised, not scheduled, long ago, and well kept', () => {
    const timer = agents({
      'dailyaidecheck.timer': 'LastTriggerUSec=\nLoadState=loaded\nActiveState=active\nSubState=waiting',
    })
    const kept = { '/usr/bin/aide': 99, '/var/lib/aide/aide.db': 30, '/var/log/aide/aide.log': 1 }
    expect(texts(judge(integrityFim, timer, marks({ '/usr/bin/aide': 99 })))).toEqual([
      'contradicts: AIDE is installed and was never initialised: it has no baseline.',
    ])
    expect(judge(integrityFim, agents({}), marks(kept)).verdict).toBe('not-satisfied')
    expect(judge(integrityFim, agents({}), marks(kept), { tools: new Map([['aide', ['/etc/crontab']]]) }).verdict).toBe(
      'satisfied',
    )
    expect(judge(integrityFim, timer, marks(kept)).verdict).toBe('satisfied')
    expect(judge(integrityFim, timer, marks({ ...kept, '/var/log/aide/aide.log': 9 })).verdict).toBe('not-satisfied')
    expect(judge(integrityFim, timer, marks({ ...kept, '/var/log/aide/aide.log': -9 })).verdict).toBe('inconclusive')
    const { '/var/log/aide/aide.log': _, ...unlogged } = kept
    expect(judge(integrityFim, timer, marks(unlogged)).verdict).toBe('inconclusive')
  })

  test('Wazuh with a fresh baseline, one without, and measurements that are never compared', () => {
    const wazuh = agents({ 'wazuh-agent.service': 'LoadState=loaded\nActiveState=active\nSubState=running' })
    expect(judge(integrityFim, wazuh, marks({ '/var/ossec/queue/fim/db/fim.db': 0 })).verdict).toBe('satisfied')
    expect(judge(integrityFim, wazuh, marks({})).verdict).toBe('inconclusive')
    const ima = judge(integrityFim, agents({}), marks({}), none, { measurements: 5000, violations: 0 })
    expect([ima.verdict, texts(ima).length]).toEqual(['not-satisfied', 2])
  })

  test('one tool that is kept well is enough; another that is stopped or half set up is stated and does not count', () => {
    const active = 'LoadState=loaded\nActiveState=active\nSubState=running'
    const stopped = 'LoadState=loaded\nActiveState=inactive\nSubState=dead'
    const timer = {
      'dailyaidecheck.timer': 'LastTriggerUSec=\nLoadState=loaded\nActiveState=active\nSubState=waiting',
    }
    const kept = { '/usr/bin/aide': 99, '/var/lib/aide/aide.db': 30, '/var/log/aide/aide.log': 1 }
    const of = (on: Readonly<Record<string, string>>, files: Readonly<Record<string, number>>) =>
      judge(integrityFim, agents(on), marks(files))
    const one = of({ ...timer, 'samhain.service': stopped }, kept)
    expect([one.verdict, texts(one).at(-1)]).toEqual([
      'satisfied',
      'supports: Another tool does not count: “samhain.service” is installed and not running.',
    ])
    expect(of({ ...timer, 'wazuh-agent.service': active }, kept).verdict).toBe('satisfied')
    expect(of(timer, { ...kept, '/usr/sbin/tripwire': 99 }).verdict).toBe('satisfied')
    const wazuh = { '/var/ossec/queue/fim/db/fim.db': 0 }
    expect(of({ 'wazuh-agent.service': active }, { ...wazuh, '/usr/bin/aide': 99 }).verdict).toBe('satisfied')
    expect(of({ 'wazuh-agent.service': active }, { '/usr/bin/aide': 99 }).verdict).toBe('inconclusive')
    expect(of({ ...timer, 'samhain.service': stopped }, { '/usr/bin/aide': 99 }).verdict).toBe('not-satisfied')
    const scanner = judge(
      integrityMalwareProtection,
      agents({ 'clamav-clamonacc.service': active, 'mdatp.service': stopped }),
      marks({ '/var/lib/clamav/daily.cld': 1 }),
    )
    expect([scanner.verdict, texts(scanner).at(-1)]).toEqual([
      'satisfied',
      'supports: Another tool does not count: Microsoft Defender for Endpoint is installed and not running.',
    ])
  })

  test('malware: an agent of a console, ClamAV on access, a scanner that nothing feeds, nothing', () => {
    const active = 'LoadState=loaded\nActiveState=active\nSubState=running'
    const signatures = marks({ '/var/lib/clamav/daily.cld': 1 })
    const of = (on: Readonly<Record<string, string>>, files = marks({}), schedules = none): string =>
      judge(integrityMalwareProtection, agents(on), files, schedules).verdict
    expect(of({ 'falcon-sensor.service': active })).toBe('satisfied')
    expect(of({ 'falcon-sensor.service': 'LoadState=loaded\nActiveState=failed' })).toBe('not-satisfied')
    expect(of({ 'clamav-clamonacc.service': active }, signatures)).toBe('satisfied')
    expect(of({ 'clamav-clamonacc.service': active }, marks({ '/var/lib/clamav/daily.cvd': 8 }))).toBe('not-satisfied')
    expect(of({ 'clamav-daemon.service': active }, signatures)).toBe('inconclusive')
    expect(of({}, signatures, { tools: new Map([['clamscan', ['/etc/cron.daily/scan']]]) })).toBe('inconclusive')
    expect(of({})).toBe('not-satisfied')
  })

  test('cron: only names of tools come, each with its files', () => {
    const text = '/etc/cron.daily/aide:aide \n/var/spool/cron/root:clamscan\n/etc/cron.d/a:dailyaidecheck;\n'
    const errorText = 'grep: /etc/crontab: No such file or directory\n'
    const read = fact(integritySchedules.parse({ cron: answer(text, { exitCode: 2, errorText }) }))
    expect([...read.tools]).toEqual([
      ['aide', ['/etc/cron.daily/aide', '/etc/cron.d/a']],
      ['clamscan', ['/var/spool/cron/root']],
    ])
    const noPcre = answer('', {
      exitCode: 2,
      errorText: 'grep: support for the -P option is not compiled into this binary\n',
    })
    expect(integritySchedules.parse({ cron: noPcre }).ok).toBe(false)
  })

  test('IMA: absent, and counted', () => {
    const absent = 'grep: /sys/kernel/security/ima/violations: No such file or directory\n'
    expect(fact(kernelIma.parse({ counts: answer('', { exitCode: 2, errorText: absent }) })).measurements).toBeNull()
    const denied = 'grep: /sys/kernel/security/ima/violations: Permission denied\n'
    expect(kernelIma.parse({ counts: answer('', { exitCode: 2, errorText: denied }) }).ok).toBe(false)
  })
})

describe('memory errors', () => {
  const BOOT = '/proc/sys/kernel/random/boot_id:6d3c2f0a-11c5-4b1e-9a55-0d8a5f3e7b21\n'
  const EDAC = '/sys/devices/system/edac/mc/'

  test('EDAC: counted, absent, unreadable, partly read', () => {
    const read = (text: string) => memoryEdac.parse({ counts: answer(text, { exitCode: 2 }) })
    const whole = `${EDAC}mc0/ce_count:2\n${EDAC}mc0/ue_count:0\n${EDAC}mc0/seconds_since_reset:172801\n${BOOT}`
    expect(fact(read(whole))).toEqual({ controllers: [{ name: 'mc0', corrected: 2, uncorrected: 0 }], days: 2 })
    expect(fact(read(BOOT))).toEqual({ controllers: [], days: null })
    expect(read('').ok).toBe(false)
    expect(read(`${EDAC}mc0/ce_count:2\n${BOOT}`).ok).toBe(false)
  })

  const section = (tag: string, inner: string): string => `<${tag}>\n${inner}</${tag}>\n`
  const value = (tag: string, text: string): string => `\t<${tag}>${text}</${tag}>\n`

  test('nvidia-smi since driver 545, on Ampere before it, and before Ampere', () => {
    const now = readMemoryErrors(
      section(
        'ecc_errors',
        section(
          'volatile',
          value('sram_uncorrectable_parity', '0') +
            value('sram_uncorrectable_secded', '1') +
            value('dram_uncorrectable', '2'),
        ) + section('aggregate', value('dram_correctable', '7') + value('dram_uncorrectable', '3')),
      ) +
        section(
          'remapped_rows',
          value('remapped_row_unc', '1') + value('remapped_row_pending', 'Yes') + value('remapped_row_failure', 'No'),
        ),
    )
    expect(now).toEqual({
      uncorrectedNow: 3,
      uncorrectedEver: 3,
      correctedEver: 7,
      replaced: 1,
      isPending: true,
      hasFailed: false,
    })
    const old = readMemoryErrors(
      section(
        'ecc_errors',
        section('volatile', section('double_bit', value('device_memory', '0') + value('total', '0'))) +
          section('aggregate', section('double_bit', value('total', '4'))),
      ) +
        section(
          'retired_pages',
          section('double_bit_retirement', value('retired_count', '2')) + value('pending_retirement', 'No'),
        ),
    )
    expect(old).toMatchObject({ uncorrectedNow: 0, uncorrectedEver: 4, replaced: 2, isPending: false })
  })

  test('a GPU without error correction answers N/A', () => {
    const none = readMemoryErrors(section('ecc_errors', section('volatile', value('dram_uncorrectable', 'N/A'))))
    expect(none).toEqual({
      uncorrectedNow: null,
      uncorrectedEver: null,
      correctedEver: null,
      replaced: null,
      isPending: false,
      hasFailed: false,
    })
  })

  test('memory that corrects nothing contradicts; an unread table or a silent GPU leaves it open', () => {
    const controllers = [{ name: 'mc0', corrected: 0, uncorrected: 0 }]
    const judge = (corrections: readonly string[], gpus: readonly object[] = []): string =>
      on(integrityEccMemory, {
        'memory.edac': { controllers, days: null },
        'dmi.table': { corrections },
        'gpu.modules': { modules: gpus.length > 0 ? ['nvidia'] : [], driver: null },
        ...(gpus.length > 0 ? { 'gpu.nvidia': { driver: '580', gpus } } : {}),
      }).verdict
    const errors = {
      uncorrectedNow: 0,
      uncorrectedEver: 0,
      correctedEver: 0,
      replaced: 0,
      isPending: false,
      hasFailed: false,
    }
    const gpu = { address: '0000:01:00.0', ecc: 'Enabled', memoryErrors: errors }
    expect(judge(['Multi-bit ECC', 'Multi-bit ECC'])).toBe('satisfied')
    expect([judge(['None']), judge(['Multi-bit ECC', 'Unknown']), judge([])]).toEqual([
      'not-satisfied',
      'inconclusive',
      'inconclusive',
    ])
    expect(judge(['Multi-bit ECC'], [gpu])).toBe('satisfied')
    expect(judge(['Multi-bit ECC'], [{ ...gpu, ecc: 'Disabled' }])).toBe('not-satisfied')
    expect(judge(['Multi-bit ECC'], [{ ...gpu, ecc: null, memoryErrors: { ...errors, uncorrectedNow: null } }])).toBe(
      'inconclusive',
    )
    // NVML reference, nvmlDeviceGetMemoryErrorCounter: of a divided GPU (MIG) the counts since the driver was loaded are not available; those
    // of its life include them.
    const divided = { ...errors, uncorrectedNow: null }
    expect(judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: divided }])).toBe('satisfied')
    expect(judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: { ...divided, uncorrectedEver: 2 } }])).toBe(
      'inconclusive',
    )
    expect(judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: { ...divided, uncorrectedEver: null } }])).toBe(
      'inconclusive',
    )
    expect(
      judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: { ...errors, uncorrectedNow: 1, uncorrectedEver: 1 } }]),
    ).toBe('not-satisfied')
    // NVML reference, nvmlEccCounterType_t: aggregate counts are those of the life of the device, and nothing resets them.
    expect(judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: { ...errors, uncorrectedEver: 1, replaced: 1 } }])).toBe(
      'inconclusive',
    )
    expect(judge(['Multi-bit ECC'], [{ ...gpu, memoryErrors: { ...errors, hasFailed: true } }])).toBe('not-satisfied')
  })
})

describe('fwupd', () => {
  const read = (text: string, exitCode = 0) => firmwareFwupd.parse({ devices: answer(text, { exitCode }) })

  test('devices with and without a version; a service that does not run; other forms', () => {
    const text =
      '{"type":"aa{sv}","data":[[{"Name":{"type":"s","data":"TPM"},"Vendor":{"type":"s","data":"Nuvoton"},"Version":{"type":"s","data":"7.2.3.1"},"Flags":{"type":"t","data":3},"Serial":{"type":"s","data":"1"}},{"Name":{"type":"s","data":"Hub"}}]]}\n'
    expect(fact(read(text)).devices).toEqual([{ name: 'TPM', vendor: 'Nuvoton', version: '7.2.3.1' }])
    expect(reason(read('', 1))).toBe('fwupd does not run, and is not started for this')
    expect(
      ['', '{"a":1}', '{', '{"type":"aa{sv}","data":[]}', '{"type":"as","data":[[]]}'].map((form) => read(form).ok),
    ).toEqual([false, false, false, false, false])
  })
})
