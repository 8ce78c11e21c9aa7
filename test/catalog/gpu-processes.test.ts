import { describe, expect, test } from 'vitest'
import { type Process, tenancyKfd, tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { processSteps } from '../../main/catalog/hardware/gpu/index.ts'
import { gpuNvidia, parseNvidiaSmi } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { isNvidiaGpu, type PciDevice, pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { fact } from '../support/answers.ts'
import { changed, over, overDeclared, stepText, texts, verdict } from '../support/concluded.ts'
import { type GpuForm, gpuXml, pci } from './gpu-forms.ts'

const ID = 'tenancy.gpu-processes'
const process = (pid: number, user: string, command = 'python3'): Process => ({ pid, user, command, cgroup: '0::/' })
const JOB = (pid: number): string =>
  `<process_info><pid>${pid}</pid><type>C</type><used_memory>1 MiB</used_memory></process_info>`

describe('accounts of processes on GPUs', () => {
  const roster = new Set(['kim', 'root'])
  const list = [
    process(1, 'root', 'systemd'),
    process(10, 'kim'),
    process(11, 'stranger', 'xmrig'),
    process(12, '1005'),
    // A pod whose image sets runAsUser: 65532, as ps prints a number without an account here.
    {
      ...process(13, '65532', 'tritonserver'),
      cgroup: '0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b0a.slice/cri-containerd-'.concat(
        `${'a'.repeat(64)}.scope`,
      ),
    },
  ]
  const judged = (ids: readonly number[], isComplete = true, declared: ReadonlySet<string> | null = roster) =>
    processSteps(ids, { processes: list, isComplete }, declared, gpuNvidia).map(({ direction }) => direction)

  test.each([
    ['none, and every process in view', [], true, roster, ['supports']],
    ['none, and not every process in view', [], false, roster, ['unclear']],
    ['none, and no roster', [], true, null, ['supports']],
    ['of a declared account', [10], true, roster, ['supports']],
    ['of a declared account, in part of the list', [10], false, roster, ['supports']],
    ['of another account', [10, 11], true, roster, ['contradicts']],
    ['of an account without a name', [12], true, roster, ['contradicts']],
    ['of a number without an account, in a container', [13], true, roster, ['unclear']],
    ['the same, with one of a declared account', [10, 13], true, roster, ['unclear', 'supports']],
    ['the same, with one of another account', [11, 13], true, roster, ['unclear', 'contradicts']],
    ['that the list lacks', [99], true, roster, ['unclear']],
    ['that the list lacks, beside one of a declared account', [10, 99], true, roster, ['unclear', 'supports']],
    ['that the list lacks, beside one of another account', [11, 99], true, roster, ['unclear', 'contradicts']],
    ['without a roster', [10], true, null, ['unclear']],
  ] as const)('%s', (_, ids, isComplete, declared, expected) =>
    expect(judged(ids, isComplete, declared)).toEqual(expected),
  )
})

/** The model node with one NVIDIA GPU of this form. */
const withGpu = (form: GpuForm, ...more: Parameters<typeof over>[1][]) =>
  over(
    ID,
    [pciDevices, known({ devices: [pci('0000:01:00.0', '10de:2331')] })],
    [gpuNvidia, parseNvidiaSmi(gpuXml(form))],
    [
      tenancyProcesses,
      known({ processes: [process(1, 'root'), process(10, 'mortiz'), process(11, 'acme')], isComplete: true }),
    ],
    ...more,
  )

describe('processes on the GPUs', () => {
  test('on recorded nodes: of declared accounts, of another tenant, none, no GPU', () => {
    expect(texts('demo-gpu-01', ID)).toEqual([
      'supports: 8 GPU processes run under accounts on the declared roster: “mortiz”.',
    ])
    expect(texts('demo-shared-05', ID)).toEqual([
      'contradicts: GPU processes run under accounts not on the declared roster: “acme-train”, as “python3”.',
    ])
    expect(verdict('demo-shared-05', 'tenancy.gpu-exclusive')).toBe('satisfied')
    expect(texts('demo-metal-04', ID)).toEqual(['supports: No process uses a GPU.'])
    expect(verdict('demo-guest-03', ID)).toBe('not-applicable')
  })

  // RTX 4090, RTX A6000 and RTX 6000 Ada are VGA controllers (PCI class 0300), without a screen too.
  test('cards by NVIDIA that are display adapters are GPUs', () => {
    const displays = changed(pciDevices, ({ devices }) => ({
      devices: devices.map((device) => (isNvidiaGpu(device) ? { ...device, class: '030000' } : device)),
    }))
    for (const id of [ID, 'tenancy.gpu-exclusive'] as const) {
      expect(over(id, displays).verdict).toBe('satisfied')
      expect(over(id, displays, [gpuNvidia, unknown('the GPU driver did not respond')]).verdict).toBe('inconclusive')
    }
    const chip = { ...pci('0000:02:00.0', '1a03:2000'), class: '030000' }
    expect(over(ID, [pciDevices, known({ devices: [chip] })]).verdict).toBe('not-applicable')
  })

  test('a roster is asked for where there is a process, and only there', () => {
    expect(verdict('demo-gpu-01', ID, { roster: undefined })).toBe('inconclusive')
    expect(texts('demo-gpu-01', ID, { roster: undefined }).join()).toContain(
      'Declare the accounts that may use this node',
    )
    expect(verdict('demo-metal-04', ID, { roster: undefined })).toBe('satisfied')
    const accounts = [{ account: 'mortiz', kind: 'person' as const }]
    expect(overDeclared({ roster: undefined, accounts }, ID).verdict).toBe('satisfied')
  })

  test.each([
    ['', 'satisfied'],
    ['None', 'satisfied'],
    [JOB(10), 'satisfied'],
    [JOB(11), 'not-satisfied'],
    [JOB(12), 'inconclusive'],
    ['N/A', 'inconclusive'],
    ['Insufficient Permissions', 'inconclusive'],
  ])('the driver prints %j: %s', (processes, expected) => expect(withGpu({ processes }).verdict).toBe(expected))

  // nvidia-smi of a server with a desktop and no session: Xorg of root, and GNOME’s login screen.
  test('the picture of a login screen is no work of an account', () => {
    const drawn = (pid: number, type: string): string =>
      `<process_info><pid>${pid}</pid><type>${type}</type><used_memory>9 MiB</used_memory></process_info>`
    const screen = (type: string, user: string, isComplete = true, xorg = drawn(1, 'G')) =>
      withGpu({ processes: `${xorg}${drawn(20, type)}` }, [
        tenancyProcesses,
        known({ processes: [process(1, 'root'), process(20, user, 'gnome-shell')], isComplete }),
      ])
    expect(screen('G', 'gdm', true, '').verdict).toBe('satisfied')
    expect(screen('G', 'gdm', false, '').verdict).toBe('inconclusive')
    for (const user of ['gdm', 'Debian-gdm', 'sddm', 'lightdm']) {
      expect([screen('G', user).verdict, stepText(screen('G', user))]).toEqual([
        'satisfied',
        expect.stringContaining(`The login screen draws on a GPU: “${user}”`),
      ])
      expect(screen('C', user).verdict).toBe('not-satisfied')
      expect(screen('C+G', user).verdict).toBe('not-satisfied')
    }
    expect(screen('G', 'acme').verdict).toBe('not-satisfied')
  })

  test('a driver that prints no list of processes', () => {
    const text = gpuXml({}).replace(/<processes>[\s\S]*<\/processes>/, '')
    expect(fact(parseNvidiaSmi(text)).gpus.map(({ hasProcessList }) => hasProcessList)).toEqual([false])
    expect(withGpu({}, [gpuNvidia, parseNvidiaSmi(text)]).verdict).toBe('inconclusive')
  })

  test('memory that no listed process holds, a GPU without answer, no answer at all', () => {
    const used = gpuXml({}).replace('<used>1 MiB</used>', '<used>40000 MiB</used>')
    expect(stepText(withGpu({}, [gpuNvidia, parseNvidiaSmi(used)]))).toContain('unclear: Memory is in use on GPUs')
    const two: readonly PciDevice[] = [pci('0000:01:00.0', '10de:2331'), pci('0000:02:00.0', '10de:2331')]
    expect(withGpu({}, [pciDevices, known({ devices: two })]).verdict).toBe('inconclusive')
    expect(over(ID, [gpuNvidia, unknown('not read')]).verdict).toBe('inconclusive')
    expect(over(ID, [pciDevices, known({ devices: [] })]).verdict).toBe('inconclusive')
  })

  test('in a container no process on a GPU means little', () =>
    expect(
      withGpu(
        {},
        changed(tenancyProcesses, (list) => ({ ...list, isComplete: false })),
      ).verdict,
    ).toBe('inconclusive'))

  test('processes that compute on AMD GPUs', () => {
    const amd = [pciDevices, known({ devices: [pci('0000:03:00.0', '1002:74a1')] })] as const
    const none = [gpuNvidia, unknown('not collected: tool absent')] as const
    const on = (...ids: number[]) => [tenancyKfd, known({ ids })] as const
    // A process of mortiz’s on the model node.
    const job = 48_120
    expect(over(ID, amd, none, on()).verdict).toBe('satisfied')
    expect(over(ID, amd, none, on(job)).verdict).toBe('satisfied')
    expect(over(ID, amd, none, on(999_999)).verdict).toBe('inconclusive')
    expect(over(ID, amd, none, [tenancyKfd, unknown('not read')]).verdict).toBe('inconclusive')
  })
})
