import { describe, expect, test } from 'vitest'
import { fabricSubject, infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { encryptionInTransitFabric, rdmaLinks } from '../../main/catalog/hardware/fabric/rdma.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import type { Check } from '../../main/core/rules/check.ts'
import { answer } from '../support/answers.ts'
import { concludeOn } from '../support/evaluated.ts'
import { pci } from './gpu-forms.ts'

interface Port {
  readonly name: string
  readonly keys: readonly string[]
  readonly layer?: string
}

const FULL = '0xffff'
const compute = (number: number, ...keys: readonly string[]): readonly Port[] =>
  Array.from({ length: number }, (_, at) => ({ name: `mlx5_${at}`, keys }))
/** The functions of the ConnectX-7 on an HGX B200 that its fabric manager uses: “found NVSwitch LPF: device=mlx5_8” to mlx5_11. */
const ofBoard: readonly Port[] = [8, 9, 10, 11].map((at) => ({ name: `mlx5_${at}`, keys: [FULL] }))

const MISSING = answer('', {
  exitCode: 2,
  errorText: "ls: cannot access '/sys/class/infiniband': No such file or directory\n",
})

function fabricOf(ports: readonly Port[]): Parsed<unknown> {
  const values = ports.flatMap(({ name, keys, layer = 'InfiniBand' }) => [
    `/sys/class/infiniband/${name}/board_id:NVD0000000054`,
    `/sys/class/infiniband/${name}/fw_ver:28.43.1014`,
    `/sys/class/infiniband/${name}/ports/1/link_layer:${layer}`,
    `/sys/class/infiniband/${name}/ports/1/state:4: ACTIVE`,
    `/sys/class/infiniband/${name}/ports/1/rate:400 Gb/sec (4X NDR)`,
    ...keys.map((key, at) => `/sys/class/infiniband/${name}/ports/1/pkeys/${at}:${key}`),
  ])
  return infiniband.parse({
    adapters: answer(`/sys/class/infiniband:\n${ports.map(({ name }) => name).join('\n')}\n`),
    values: answer(`${values.join('\n')}\n`),
  })
}

function linksOf(ports: readonly Port[]): Parsed<unknown> {
  return rdmaLinks.parse({
    classes: answer(
      `/sys/class:\ninfiniband\nnet\n\n/sys/class/infiniband:\n${ports.map(({ name }) => name).join('\n')}\n`,
    ),
    ports: answer(
      `${ports.flatMap(({ name, layer = 'InfiniBand' }) => [`/sys/class/infiniband/${name}/ports/1/link_layer:${layer}`, `/sys/class/infiniband/${name}/ports/1/state:4: ACTIVE`]).join('\n')}\n`,
    ),
    macsec: MISSING,
  })
}

const gpus = (id: string, number = 8): Parsed<unknown> =>
  known({ devices: Array.from({ length: number }, (_, at) => pci(`000${at}:01:00.0`, id)) })

const concluded = (check: Check, ports: readonly Port[], bus: Parsed<unknown>) => {
  const { verdict, observations } = concludeOn(check, 'demo-gpu-01', [
    [infiniband.id, fabricOf(ports)],
    [rdmaLinks.id, linksOf(ports)],
    [pciDevices.id, bus],
  ])
  return [verdict, observations.map(({ text }) => text).join(' ')] as const
}

const partition = fabricSubject.checks.find(({ id }) => id === 'tenancy.fabric-partition') as Check
const [B200, B300, H100] = ['10de:2901', '10de:3182', '10de:2330']

describe('ports of a baseboard that lead to its NVSwitches', () => {
  test.each([B200, B300])('are no membership of the fabric’s default partition (%s)', (id) => {
    const [verdict, text] = concluded(partition, [...compute(8, '0x7fff', '0x8004'), ...ofBoard], gpus(id))
    expect(verdict).toBe('inconclusive')
    expect(text).toContain('lead to its NVSwitches')
    expect(text).toContain('“0x8004”')
  })
  test('do not cover for ports of the fabric, of which there are more', () => {
    expect(concluded(partition, [...compute(1, FULL), ...ofBoard], gpus(B200))[0]).toBe('not-satisfied')
    expect(concluded(partition, [...compute(8, FULL), ...ofBoard], gpus(B200))[0]).toBe('not-satisfied')
  })
  test('are on no other board', () => {
    expect(concluded(partition, ofBoard, gpus(H100))[0]).toBe('not-satisfied')
    expect(concluded(partition, ofBoard, gpus(B200, 4))[0]).toBe('not-satisfied')
    expect(concluded(partition, compute(4, '0x7fff', '0x8004'), gpus(B200))[0]).toBe('satisfied')
  })

  const roce = compute(8).map((port) => ({ ...port, layer: 'Ethernet' }))
  test('send nothing over a network that would have to be encrypted', () => {
    const [verdict, text] = concluded(encryptionInTransitFabric, ofBoard, gpus(B200))
    expect([verdict, text]).toEqual(['inconclusive', expect.stringContaining('lead to its NVSwitches')])
    expect(concluded(encryptionInTransitFabric, [...compute(8), ...ofBoard], gpus(B200))[0]).toBe('not-satisfied')
    expect(concluded(encryptionInTransitFabric, ofBoard, gpus(H100))[0]).toBe('not-satisfied')
    expect(concluded(encryptionInTransitFabric, roce, gpus(B200))[0]).not.toBe('satisfied')
  })
})
