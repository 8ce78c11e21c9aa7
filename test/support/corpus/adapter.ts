import { argvOf, type Command, type Probe } from '../../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../../main/core/recording/recording.ts'
import { mendProcessors, mendTopology, putConsequences } from './consequences.ts'
import { type CapturedFile, capturedFiles } from './files.ts'
import { isAcpiTable, putAcpi, putAcpidump, putTable } from './from-acpi.ts'
import { putCpuid, putLscpu, putMsr, putSignature } from './from-cpu.ts'
import { putDmidecode, putIdentityFiles } from './from-dmi.ts'
import { putNvidiaText, putNvidiaTopology, putNvidiaXml } from './from-gpu.ts'
import { putKernelLog, putLstopo } from './from-kernel.ts'
import { isSmallList, putGrepped, putListings, putSmallList } from './from-lists.ts'
import { putContainer, putHypervisorBuses, putIpmitool, putMarks, putXenDomains } from './from-marks.ts'
import { NOTES } from './from-notes.ts'
import { putLspci } from './from-pci.ts'
import { putTimes } from './from-times.ts'
import { placeOf, putTree } from './from-tree.ts'
import { putUdev } from './from-udev.ts'
import { type Kind, kindOf } from './kinds.ts'
import { answer } from './shell.ts'
import { createNode, type Printed, printed, type VirtualNode } from './virtual-node.ts'

/** Notes about things that stand on the functions of the bus, which come first. */
const ON_FUNCTIONS: readonly string[] = ['pci_link.txt', 'netdev.txt']

/**
 * A case's folder, or the folders of several captures of one machine, as the machine it was captured on: trees first, then texts in the form of the commands that ask for the same, what is
 * most exact before what merely implies it. Of two that tell the same, the first is kept.
 */
export function nodeOfCase(...folders: readonly string[]): VirtualNode {
  const node = createNode()
  const files = folders.flatMap(capturedFiles)
  putTree(node, files)
  const texts = files.filter(({ path, target }) => target === null && placeOf(path) === null)
  const kinds = new Map<CapturedFile, Kind | null>(texts.map((file) => [file, kindOf(file)]))
  const of = (kind: Kind): readonly string[] => texts.filter((file) => kinds.get(file) === kind).map(({ text }) => text)
  const named = (name: string): string | null => texts.find((file) => file.name === name)?.text ?? null

  for (const text of of('cpuinfo')) node.file('/proc/cpuinfo', text)
  mendProcessors(node, Number(named('nproc.txt') ?? '0'))
  mendTopology(node)
  for (const [name, put] of Object.entries(NOTES)) {
    const text = ON_FUNCTIONS.includes(name) ? null : named(name)
    if (text !== null) put(node, text)
  }
  for (const file of texts) if (isSmallList(file.name)) putSmallList(node, file.name, file.text)
  for (const text of of('identity')) putIdentityFiles(node, text)
  for (const text of of('dmidecode')) putDmidecode(node, text)
  putLspci(node, of('lspci'))
  for (const text of of('udev')) putUdev(node, text)
  putCpuid(node, of('cpuid'))
  for (const text of of('signature')) putSignature(node, text)
  putMsr(node, of('msr'))
  for (const text of of('lstopo')) putLstopo(node, text)
  for (const text of of('lscpu')) putLscpu(node, text)
  for (const text of of('times')) putTimes(node, text)
  for (const text of of('kernel-log')) putKernelLog(node, text)
  for (const text of of('nvidia-xml')) putNvidiaXml(node, text)
  for (const text of of('nvidia-text')) putNvidiaText(node, text)
  for (const text of of('nvidia-topology')) putNvidiaTopology(node, text)
  for (const text of of('lsblk')) node.program('lsblk', (argv) => (argv.includes('-J') ? printed(text) : null))
  for (const text of of('ip-link'))
    node.program('ip', (argv) => (argv.join(' ') === 'ip -d -j link show' ? printed(text) : null))
  for (const text of of('ipmitool')) putIpmitool(node, text)
  if (of('xen-domains').length > 0) putXenDomains(node)
  for (const text of of('acpidump')) putAcpidump(node, text)
  for (const { bytes, name } of texts) if (isAcpiTable(bytes)) putTable(node, bytes, name)
  putAcpi(node, {
    list: of('acpi-list')[0] ?? null,
    profile: named('acpi_pm_profile.txt'),
    hypervisorId: named('acpi_facp_hvid.txt'),
    words: named('dsdt_strings.txt'),
    messages: of('kernel-log')[0] ?? null,
  })
  for (const name of ON_FUNCTIONS) {
    const text = named(name)
    if (text !== null) NOTES[name]?.(node, text)
  }
  for (const text of of('grepped')) putGrepped(node, text)
  for (const { text } of texts) putListings(node, text)
  putConsequences(node)
  putHypervisorBuses(node)
  putMarks(node)
  putContainer(node)
  return node
}

/** What the machine answers to every command of these probes, by probe and command; no entry where the capture does not hold it. */
export function answersOf(node: VirtualNode, probes: readonly Probe<unknown>[]): ReadonlyMap<string, CapturedAnswer> {
  const answers = new Map<string, CapturedAnswer>()
  for (const probe of probes) {
    const found = Object.entries(probe.commands).flatMap(([name, command]) => {
      const output = command.kind === 'run' ? answer(node, command) : null
      return output === null ? [] : [captured(probe.id, name, command, output)]
    })
    // A live test was made in whole or not at all: half of one would read as a test whose answer was lost.
    if (probe.live === true && found.length < Object.keys(probe.commands).length) continue
    for (const one of found) answers.set(`${probe.id}/${one.meta.command}`, one)
  }
  return answers
}

function captured(
  probe: string,
  name: string,
  command: Command,
  { stdout, stderr, exitCode }: Printed,
): CapturedAnswer {
  const errors = Buffer.from(stderr)
  const stream = { sha256: '0'.repeat(64), size: stdout.length }
  return {
    meta: {
      probe,
      command: name,
      argv: argvOf(command),
      source: 'node',
      privilege: 'root',
      status: 'done',
      exitCode,
      startedAt: '2026-11-20T09:12:00.000Z',
      durationMs: 1,
      stdout: stream,
      stderr: { ...stream, size: errors.length },
    },
    stdout,
    stderr: errors,
  }
}
