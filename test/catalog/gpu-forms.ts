import type { PciDevice } from '../../main/catalog/hardware/pci/probes.ts'

/** An answer of nvidia-smi -q -x in the order that drivers 470 to 595 print, with what a test wants to say of its GPUs. */
export interface GpuForm {
  readonly id?: string
  readonly name?: string
  readonly mode?: string
  readonly host?: string | null
  readonly serial?: string
  readonly uuid?: string
  readonly part?: string
  readonly mig?: string
  readonly slices?: string
  readonly total?: string
  readonly chassis?: string
  readonly c2c?: string
  readonly licence?: string
  readonly fabric?: string
  readonly processes?: string
}

export const gpuXml = (...gpus: readonly GpuForm[]): string =>
  `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<driver_version>570.172.08</driver_version>
	<attached_gpus>${gpus.length}</attached_gpus>
${gpus.map(block).join('')}</nvidia_smi_log>
`

const block = (form: GpuForm, index: number): string => `	<gpu id="${form.id ?? `0000000${index}:01:00.0`}">
		<product_name>${form.name ?? 'NVIDIA H100 PCIe'}</product_name>
		<mig_mode>
			<current_mig>${form.mig ?? 'Disabled'}</current_mig>
			<pending_mig>${form.mig ?? 'Disabled'}</pending_mig>
		</mig_mode>
		<mig_devices>
			${form.slices ?? 'None'}
		</mig_devices>
		<serial>${form.serial ?? `165022301234${index}`}</serial>
		<uuid>${form.uuid ?? `GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e9${index}`}</uuid>
		<vbios_version>96.00.74.00.0D</vbios_version>
		<board_part_number>${form.part ?? '900-21010-0000-000'}</board_part_number>
		<platformInfo>
			<chassis_serial_number>${form.chassis ?? 'N/A'}</chassis_serial_number>
			<slot_number>N/A</slot_number>
		</platformInfo>
		<c2c_mode>${form.c2c ?? 'N/A'}</c2c_mode>
		<gpu_virtualization_mode>
			<virtualization_mode>${form.mode ?? 'None'}</virtualization_mode>
			<host_vgpu_mode>N/A</host_vgpu_mode>
			<vgpu_heterogeneous_mode>N/A</vgpu_heterogeneous_mode>
		</gpu_virtualization_mode>
${form.licence === undefined ? '' : `		<vgpu_software_licensed_product>\n${form.licence}\n		</vgpu_software_licensed_product>\n`}		<pci>
			<pci_device_id>233110DE</pci_device_id>
			<pci_gpu_link_info>
				<pcie_gen>
					<max_link_gen>5</max_link_gen>
					<current_link_gen>5</current_link_gen>
					<max_device_link_gen>5</max_device_link_gen>
${form.host === null ? '' : `					<max_host_link_gen>${form.host ?? '5'}</max_host_link_gen>\n`}				</pcie_gen>
				<link_widths>
					<max_link_width>16x</max_link_width>
					<current_link_width>16x</current_link_width>
				</link_widths>
			</pci_gpu_link_info>
		</pci>
		<fb_memory_usage>
			<total>${form.total ?? '81559 MiB'}</total>
			<reserved>551 MiB</reserved>
			<used>1 MiB</used>
		</fb_memory_usage>
		<compute_mode>Default</compute_mode>
		<ecc_mode>
			<current_ecc>Enabled</current_ecc>
		</ecc_mode>
		<fabric>
			<state>${form.fabric ?? 'N/A'}</state>
			<status>${form.fabric === undefined ? 'N/A' : 'Success'}</status>
			<cliqueId>N/A</cliqueId>
			<clusterUuid>N/A</clusterUuid>
		</fabric>
		<processes>
${form.processes ?? ''}		</processes>
	</gpu>

`

/** A slice as driver 575 lists one on an A100 under KVM, with its own memory and, with some drivers, its own id. */
export const slice = (instance: number, mib: number): string => `<mig_device>
				<index>0</index>
				<gpu_instance_id>${instance}</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<device_attributes>
					<shared>
						<multiprocessor_count>60</multiprocessor_count>
					</shared>
				</device_attributes>
				<uuid>MIG-0f9a1c1e-0000-5000-8000-00000000000${instance}</uuid>
				<fb_memory_usage>
					<total>${mib} MiB</total>
					<used>298 MiB</used>
				</fb_memory_usage>
			</mig_device>`

const LEGEND = `
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
`

/** A two-socket server with eight B300 and nine adapters, driver 590: two GPUs and two adapters of it. */
export const TOPOLOGY_B300 = `\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m
GPU0\t X \tNV18\tPXB\tNODE\t0-63,128-191\t0\t\tN/A
GPU1\tNV18\t X \tNODE\tPXB\t0-63,128-191\t0\t\tN/A
NIC0\tPXB\tNODE\t X \tNODE\t\t\t\t
NIC1\tNODE\tPXB\tNODE\t X \t\t\t\t
${LEGEND}
NIC Legend:

  NIC0: mlx5_10
  NIC1: mlx5_bond_0

`

/** A cloud guest with two GPUs on its root bus. */
export const TOPOLOGY_FLAT_GUEST = `\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID
GPU0\t X \tPIX\t0-47\t0\t\tN/A
GPU1\tPIX\t X \t0-47\t0\t\tN/A
${LEGEND}`

/** As printed up to driver 470, where adapters stand under their own names; copied from a terminal, so with blanks. */
export const TOPOLOGY_OLD = `        GPU0    GPU1    mlx5_0  CPU Affinity    NUMA Affinity
GPU0     X      NV12    PIX     0-47    0
GPU1    NV12     X      SYS     48-95   1
mlx5_0  PIX     SYS      X
`

/** A PCI function, with the bridges above it; its root bus is that of the outermost one. */
export const pci = (address: string, ids: string, above: readonly string[] = [], kind = '030200'): PciDevice => ({
  address,
  vendor: ids.slice(0, 4),
  device: ids.slice(5),
  subsystemVendor: '10de',
  subsystemDevice: '0000',
  class: kind,
  driver: 'nvidia',
  above,
  root: `${(above[0] ?? address).slice(0, 7)}`,
  maxLinkSpeed: 32,
  maxLinkWidth: 16,
  virtualFunctions: 0,
})
