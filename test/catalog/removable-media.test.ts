import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Disk, type Disks, inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { usbDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { usbGuardPolicy, usbStorageRules } from '../../main/catalog/hardware/removable-media/index.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const ID = 'access.removable-media'

interface Node {
  /** Lines of /etc/modprobe.d/local.conf. */
  readonly rules?: readonly string[]
  readonly words?: string
  readonly loaded?: readonly string[]
  readonly guard?: readonly [load: string, active: string, file: string]
}

const answersOf = ({ rules = [], words = '', loaded = [], guard = ['not-found', 'inactive', ''] }: Node) => ({
  rules: answer(
    `${rules.map((line) => `/etc/modprobe.d/local.conf:${line}\n`).join('')}/proc/sys/kernel/ostype:Linux\n`,
    {
      exitCode: 2,
      errorText: 'grep: /run/modprobe.d/*.conf: No such file or directory\n',
    },
  ),
  words: answer(words, { exitCode: words === '' ? 1 : 0 }),
  loaded: answer(['/proc', ...loaded.map((driver) => `/sys/module/${driver}`), ''].join('\n'), {
    exitCode: loaded.length === 2 ? 0 : 2,
    errorText: loaded.length === 2 ? '' : "ls: cannot access '/sys/module/uas': No such file or directory\n",
  }),
  guard: answer(`Id=usbguard.service\nLoadState=${guard[0]}\nActiveState=${guard[1]}\nUnitFileState=${guard[2]}\n`),
})
const rules = (node: Node) => [usbStorageRules, usbStorageRules.parse(answersOf(node))] as const
const policy = (...settings: readonly string[]) =>
  [usbGuardPolicy, usbGuardPolicy.parse({ policy: answer(settings.map((one) => `${one}\n`).join('')) })] as const
const drive = (vendor: string, model: string) =>
  changed(inventoryDisks, ({ disks }: Disks) => ({
    disks: [
      ...disks,
      {
        ...(disks[0] as Disk),
        name: 'sdx',
        path: '../devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host9/target9:0:0/9:0:0:0/block/sdx',
        vendor,
        model,
      },
    ],
  }))

const BOTH = ['blacklist usb-storage', 'blacklist uas']
const RUNS = ['loaded', 'active', 'enabled'] as const

describe('rules for the drivers', () => {
  test.each<[Node, string]>([
    [{ rules: ['install usb-storage /bin/false'] }, 'satisfied'],
    [{ rules: ['install usb_storage /usr/bin/true'] }, 'satisfied'],
    [{ rules: ['  install  usb-storage  /bin/false  '] }, 'satisfied'],
    [{ rules: ['install usb-storage /sbin/modprobe --ignore-install usb-storage'] }, 'inconclusive'],
    [{ rules: ['install uas /bin/false'] }, 'inconclusive'],
    [{ rules: BOTH }, 'satisfied'],
    [{ rules: ['blacklist usb-storage'] }, 'inconclusive'],
    [{ rules: ['blacklist uas'], words: 'module_blacklist=nouveau,usb_storage\n' }, 'satisfied'],
    [{ words: 'modprobe.blacklist=usb-storage,uas\n' }, 'satisfied'],
    [{}, 'inconclusive'],
    [{ loaded: ['usb_storage'] }, 'inconclusive'],
    [{ rules: ['install usb-storage /bin/false'], loaded: ['usb_storage'] }, 'not-satisfied'],
    [{ rules: BOTH, loaded: ['usb_storage', 'uas'] }, 'not-satisfied'],
  ])('%j: %s', (node, verdict) => expect(over(ID, rules(node)).verdict).toBe(verdict))
})

describe('USBGuard', () => {
  const running = rules({ guard: RUNS })
  test.each([
    [
      'blocks what no rule names',
      [running, policy('ImplicitPolicyTarget=block', 'InsertedDevicePolicy=apply-policy')],
      'satisfied',
    ],
    ['rejects it', [running, policy('ImplicitPolicyTarget=reject')], 'satisfied'],
    ['has no line of its own', [running, policy()], 'satisfied'],
    ['admits it', [running, policy('ImplicitPolicyTarget=allow')], 'not-satisfied'],
    ['admits what is plugged in', [running, policy('InsertedDevicePolicy=allow')], 'not-satisfied'],
    ['has settings out of reach', [running, [usbGuardPolicy, { ok: false, reason: 'not collected' }]], 'inconclusive'],
    ['is enabled and does not run', [rules({ guard: ['loaded', 'inactive', 'enabled'] })], 'not-satisfied'],
    ['is off', [rules({ guard: ['loaded', 'inactive', 'disabled'] })], 'inconclusive'],
    ['runs beside half a rule', [rules({ guard: RUNS, rules: ['blacklist uas'] }), policy()], 'satisfied'],
  ] as const)('%s', (_name, readings, verdict) => expect(over(ID, ...readings).verdict).toBe(verdict))
})

describe('drives that are attached', () => {
  const stick = drive('SanDisk', 'Ultra')
  test.each([
    ['which no rule forbids', [stick, rules({ loaded: ['usb_storage'] })], 'inconclusive'],
    ['although the drivers may not load', [stick, rules({ rules: BOTH, loaded: ['usb_storage'] })], 'not-satisfied'],
    ['by a policy of USBGuard', [stick, rules({ guard: RUNS, loaded: ['usb_storage'] }), policy()], 'satisfied'],
    [
      'by the management controller',
      [drive('ATEN', 'Virtual CDROM'), rules({ loaded: ['usb_storage'] })],
      'inconclusive',
    ],
  ] as const)('%s', (_name, readings, verdict) => expect(over(ID, ...readings).verdict).toBe(verdict))

  test('virtual media is named apart', () => {
    const text = stepText(over(ID, drive('ATEN', 'Virtual CDROM'), rules({ rules: BOTH, loaded: ['usb_storage'] })))
    expect(text).toContain(
      'supports: By its words virtual media of the management controller: “sdx (ATEN Virtual CDROM)”.',
    )
    expect(text).not.toContain('Attached over USB')
  })

  test('without a USB controller no drive can be attached', () =>
    expect(over(ID, [usbDevices, known({ devices: [] })], rules({})).verdict).toBe('not-applicable'))
})

describe('what is not read', () => {
  const whole = answersOf({})
  test.each([
    [
      'a file out of reach',
      { rules: answer('', { exitCode: 2, errorText: 'grep: /etc/modprobe.d/x.conf: Permission denied\n' }) },
      'rules for modules',
    ],
    ['the command line', { words: answer('', { exitCode: 2 }) }, 'command line'],
    ['the drivers', { loaded: answer('/proc\n', { exitCode: 2, errorText: 'ls: Permission denied\n' }) }, 'loaded'],
    ['the service manager', { guard: answer('', { exitCode: 1 }) }, 'service manager'],
  ])('%s', (_name, part, words) => {
    const reading = usbStorageRules.parse({ ...whole, ...part })
    expect(reason(reading)).toContain(words)
    expect(over(ID, [usbStorageRules, reading]).verdict).toBe('inconclusive')
  })

  test('the last line wins, of each module', () => {
    const node = {
      rules: ['install usb-storage /bin/false', 'install usb-storage /sbin/insmod x', 'install uas /bin/true'],
    }
    expect(fact(usbStorageRules.parse(answersOf(node))).install).toBe('/sbin/insmod x')
  })

  test('any bytes are read or refused', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 255 }), (one, two, exitCode) => {
        const any = answer(one, { exitCode, errorText: two })
        expect(typeof usbStorageRules.parse({ rules: any, words: any, loaded: any, guard: any }).ok).toBe('boolean')
        expect(typeof usbGuardPolicy.parse({ policy: any }).ok).toBe('boolean')
      }),
    ))
})
