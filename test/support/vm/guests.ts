/** A guest that QEMU boots, and what the isolation argument must say about it. */
export interface Guest {
  readonly name: string
  /** How it is made to look, in words. */
  readonly looks: string
  readonly concealed: boolean
  readonly firmware: 'seabios' | 'ovmf'
  readonly args: readonly string[]
  /** Bytes of a SMBIOS table that QEMU is given as a file: its own options set the bit “System is a virtual machine”. */
  readonly table?: Uint8Array
}

const TEXTS: readonly string[] = [
  'type=0,vendor=American Megatrends Inc.,version=3.4,date=10/27/2023,release=5.22',
  'type=1,manufacturer=Supermicro,product=SYS-420GP-TNR,version=0123456789,serial=S456789X2C01234,sku=To be filled,family=Family',
  'type=2,manufacturer=Supermicro,product=X12DPG-OA6,version=1.01,serial=WM22CS600123',
  'type=3,manufacturer=Supermicro,version=0123456789,serial=C4290FK33N50123',
]
const PARTS: readonly string[] = [
  'type=4,sock_pfx=CPU,manufacturer=Intel(R) Corporation,version=Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz,max-speed=4000,current-speed=2600',
  'type=17,loc_pfx=P1-DIMM,bank=P0_Node0,manufacturer=Samsung,serial=H0KE0002,part=M393A8G40BB4-CWE,speed=3200',
]
const smbios = (tables: readonly string[]): readonly string[] => tables.flatMap((table) => ['-smbios', table])

/** SMBIOS 3.6, 7.1: BIOS information of a server’s maker, without the bit “System is a virtual machine” (extension byte 2, bit 4). */
const BIOS_TABLE = Buffer.concat([
  Buffer.from([
    0, 24, 0, 0, 1, 2, 0x00, 0xf0, 3, 0xff, 0x80, 0x98, 0x8b, 0x3f, 0x01, 0, 0, 0, 0x03, 0x0d, 5, 22, 0xff, 0xff,
  ]),
  Buffer.from('American Megatrends Inc.\x003.4\x0010/27/2023\0\0', 'latin1'),
])

/** A default guest, and guests dressed up as a server by QEMU’s own flags, each more than the one before. */
export const GUESTS: readonly Guest[] = [
  {
    name: 'vm-default',
    looks: 'QEMU’s default machine',
    concealed: false,
    firmware: 'seabios',
    args: ['-machine', 'pc', '-smp', '2', '-nic', 'user,model=virtio-net-pci,restrict=on'],
  },
  {
    name: 'vm-dressed-texts',
    looks: 'the hypervisor flag hidden, and a server maker’s texts in SMBIOS',
    concealed: true,
    firmware: 'seabios',
    args: [
      ...['-machine', 'q35', '-cpu', 'Skylake-Server,-hypervisor', '-smp', '2'],
      ...['-nic', 'user,model=e1000e,mac=3c:ec:ef:12:34:56,restrict=on'],
      ...smbios(TEXTS),
    ],
  },
  {
    name: 'vm-dressed-tables',
    looks:
      'also no hypervisor signature, other names in ACPI, UEFI, modules and slots in SMBIOS, NVMe, a management controller',
    concealed: true,
    firmware: 'ovmf',
    args: [
      ...['-machine', 'q35,x-oem-id=SUPERM,x-oem-table-id=SMCI--MB'],
      ...['-cpu', 'Skylake-Server,-hypervisor,tcg-cpuid=off', '-smp', '2,sockets=2,cores=1'],
      ...['-nic', 'user,model=e1000e,mac=3c:ec:ef:12:34:56,restrict=on'],
      ...['-device', 'pcie-root-port,id=port1,chassis=1,slot=1'],
      ...[
        '-drive',
        'if=none,id=disk,driver=null-co,size=8G',
        '-device',
        'nvme,drive=disk,serial=S64GNE0R123456,bus=port1',
      ],
      ...['-device', 'ipmi-bmc-sim,id=bmc', '-device', 'isa-ipmi-kcs,bmc=bmc,irq=5'],
      ...smbios([...TEXTS, ...PARTS]),
    ],
  },
  {
    name: 'vm-dressed-topology',
    looks:
      'also two memory nodes, a microcode revision, fast links on its ports, an IOMMU, another maker’s vendor ids on the devices',
    concealed: true,
    firmware: 'ovmf',
    args: [
      ...['-machine', 'q35,kernel-irqchip=split,x-oem-id=SUPERM,x-oem-table-id=SMCI--MB'],
      ...['-cpu', 'Skylake-Server,-hypervisor,tcg-cpuid=off,ucode-rev=0xd00037500000000,phys-bits=46'],
      ...['-smp', '4,sockets=2,cores=2', '-object', 'memory-backend-ram,id=m0,size=512M'],
      ...['-object', 'memory-backend-ram,id=m1,size=512M', '-numa', 'node,memdev=m0,cpus=0-1'],
      ...['-numa', 'node,memdev=m1,cpus=2-3', '-numa', 'dist,src=0,dst=1,val=20'],
      ...['-device', 'intel-iommu,intremap=off'],
      ...['-device', 'pcie-root-port,id=port1,chassis=1,slot=1,x-speed=16,x-width=16'],
      ...['-drive', 'if=none,id=disk,driver=null-co,size=8G'],
      ...['-device', 'nvme,drive=disk,serial=S64GNE0R123456,bus=port1,use-intel-id=on'],
      ...['-nic', 'user,model=e1000e,mac=3c:ec:ef:12:34:56,restrict=on'],
      ...['-device', 'ipmi-bmc-sim,id=bmc', '-device', 'isa-ipmi-kcs,bmc=bmc,irq=5'],
      ...smbios([...TEXTS.slice(1), ...PARTS]),
    ],
    table: BIOS_TABLE,
  },
]
