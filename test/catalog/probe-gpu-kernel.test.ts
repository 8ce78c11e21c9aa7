import { expect, test } from 'vitest'
import { gpuCards, gpuModules, parseAmdSmi, parseRocmSmi } from '../../main/catalog/hardware/gpu/probes.ts'
import { answer, fact, reason } from '../support/answers.ts'

test('the kernel module of an RTX 3090, and devices that can be divided', () => {
  const cards = `/proc/driver/nvidia/version:NVRM version: NVIDIA UNIX x86_64 Kernel Module  590.48.01  Mon Dec  8 13:05:00 UTC 2025
/proc/driver/nvidia/gpus/0000:01:00.0/information:Model: \t\t NVIDIA GeForce RTX 3090
/proc/driver/nvidia/gpus/0000:01:00.0/information:GPU UUID: \t GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584
/proc/driver/nvidia/gpus/0000:01:00.0/information:Video BIOS: \t ??.??.??.??.??
`
  const read = fact(
    gpuModules.parse({
      modules: answer('/proc/modules:nvidia_vgpu_vfio 69632 0 - Live 0x0000000000000000\n'),
      cards: answer(cards),
      dividing: answer('/sys/class/mdev_bus:\n0000:3b:00.4\n0000:3b:00.5\n'),
    }),
  )
  expect(read).toEqual({
    modules: ['nvidia_vgpu_vfio'],
    driver: '590.48.01',
    gpus: [
      {
        address: '0000:01:00.0',
        model: 'NVIDIA GeForce RTX 3090',
        uuid: 'GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584',
        vbios: null,
      },
    ],
    dividing: ['0000:3b:00.4', '0000:3b:00.5'],
  })
})

test('AMD cards of the graphics layer: a whole one, and a function of it', () => {
  const list = `total 0
lrwxrwxrwx 1 root root 0 Nov 20 09:12 card0 -> ../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/drm/card0
lrwxrwxrwx 1 root root 0 Nov 20 09:12 card0-DP-1 -> ../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/drm/card0/card0-DP-1
lrwxrwxrwx 1 root root 0 Nov 20 09:12 card1 -> ../../devices/pci0000:00/0000:00:01.1/0000:01:02.0/drm/card1
`
  const at = (card: string, file: string, value: string) => `/sys/class/drm/${card}/device/${file}:${value}\n`
  const values = [
    at('card0', 'vendor', '0x1002'),
    at('card0', 'device', '0x74a1'),
    at('card0', 'unique_id', '1a2b3c4d5e6f7a8b'),
    at('card0', 'current_compute_partition', 'SPX'),
    at('card1', 'vendor', '0x1002'),
    at('card1', 'device', '0x74b5'),
    at('card1', 'physfn/uevent', 'DRIVER=amdgpu'),
    at('card1', 'physfn/uevent', 'PCI_SLOT_NAME=0000:01:00.0'),
  ].join('')
  const { cards } = fact(gpuCards.parse({ list: answer(list), values: answer(values, { exitCode: 2 }) }))
  expect(cards).toMatchObject([
    { name: 'card0', address: '0000:01:00.0', device: '74a1', uniqueId: '1a2b3c4d5e6f7a8b', partition: 'SPX' },
    { name: 'card1', address: '0000:01:02.0', device: '74b5', physicalFunction: '0000:01:00.0' },
  ])
  expect(reason(gpuCards.parse({ list: answer(list), values: answer('', { exitCode: 2 }) }))).toMatch(/ids of a listed/)
})

test('amd-smi in the form of ROCm 7 and of ROCm 6, and rocm-smi with a warning before it', () => {
  const gpu = `{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X", "asic_serial": "0x1A2B"}, "bus": {"bdf": "0000:05:00.0"},
   "vbios": {"version": "022.040.003.041.000001"}, "board": {"product_serial": "692408000123"}, "partition": {"accelerator_partition": "SPX"}}`
  const expected = {
    address: '0000:05:00.0',
    name: 'AMD Instinct MI300X',
    serial: '692408000123',
    vbios: '022.040.003.041.000001',
    partition: 'SPX',
  }
  expect(fact(parseAmdSmi(`{"gpu_data": [${gpu}]}`)).gpus).toEqual([expected])
  expect(fact(parseAmdSmi(`[${gpu}]`)).gpus).toEqual([expected])
  expect(reason(parseAmdSmi('{"error": 1}'))).toMatch(/an unexpected format/)
  const old = `WARNING: AMD GPU device(s) is/are in a low-power state\n{"card0": {"Card Series": "AMD Instinct MI250X", "PCI Bus": "0000:C1:00.0", "Serial Number": "N/A", "Unique ID": "0x4d1a"}, "system": {"Driver version": "6.7.0"}}`
  expect(fact(parseRocmSmi(old)).gpus).toEqual([
    { address: '0000:c1:00.0', name: 'AMD Instinct MI250X', serial: '0x4d1a', vbios: null, partition: null },
  ])
})
