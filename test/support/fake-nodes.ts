import { sha256 } from '../../main/core/base/digest.ts'
import { argvOf } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Capture, Recording } from '../../schemas/types.ts'
import { fakeCatalog } from './fake-catalog.ts'

/** Eight made-up nodes for tests of the window: the cast of the demo fleet, one hostile answer, one unreachable, one changed key. */
const METAL: Readonly<Record<string, string>> = {
  'cpu.flags': 'flags\t\t: fpu vme de pse tsc msr pae sse sse2 ht syscall nx avx512f\n',
  'dmi.identity': 'SYS-421GE-TNRT\n',
  'bmc.channel':
    'Device ID                 : 32\nManufacturer Name         : Supermicro\nProduct ID                : 7003 (0x1b5b)\n',
  'tenancy.sessions': 'NS         TYPE   USER\n4026531841 mnt    root\n4026532301 mnt    mortiz\n',
  'storage.lsblk':
    'NAME        TYPE  FSTYPE      MOUNTPOINT\nnvme0n1     disk\n└─nvme0n1p2 part  crypto_LUKS\n  └─data    crypt xfs         /data\n',
  'storage.swaps': 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n',
  'sshd.effective':
    'permitrootlogin no\npasswordauthentication no\nciphers chacha20-poly1305@openssh.com,aes256-gcm@openssh.com\n',
  'net.listeners': 'LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nLISTEN 0 511 0.0.0.0:443 0.0.0.0:*\n',
  'location.echo': 'rtt_ms=0.41\n',
  'accounts.local':
    'root:x:0:0:root:/root:/bin/bash\nmortiz:x:1000:1000::/home/mortiz:/bin/bash\njlin:x:1001:1001::/home/jlin:/bin/bash\n',
  'audit.status': 'enabled 2\nfailure 1\npid 812\n',
  'host.banner': 'Authorized use only.\n',
}

const GUEST = {
  ...METAL,
  'cpu.flags': 'flags\t\t: fpu vme de pse tsc msr hypervisor lahf_lm\n',
  'dmi.identity': 'Standard PC (Q35 + ICH9, 2009)\n',
  'bmc.channel': 'Could not open device at /dev/ipmi0: No such file or directory\n',
  'storage.lsblk': 'NAME   TYPE FSTYPE MOUNTPOINT\nvda    disk\n└─vda1 part ext4   /\n',
  'storage.swaps': 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/vda2 partition\t2097148\t\t0\t\t-2\n',
  'audit.status': 'enabled 0\n',
}

const HOSTILE =
  'Welcome <script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">\n' +
  '\u001b]0;owned\u0007\u001b[31mred\u001b[0m nul:\u0000 bell:\u0007 back:\u0008\u0008 del:\u007f c1:\u009b31m\n' +
  'bidi: \u202Egnp.exe\u202C zero\u200Bwidth \uFEFFbom \u2066isolate\u2069\n' +
  `${'A'.repeat(40_000)}\n`

export interface FakeNode {
  readonly name: string
  readonly answers: Readonly<Record<string, string | Uint8Array>> | null
  readonly privilege: 'sudo' | 'none'
  readonly fails?: { readonly code: 'ssh.unreachable' | 'ssh.host-key-changed'; readonly detail: string }
}

export const FAKE_NODES: readonly FakeNode[] = [
  { name: 'demo-gpu-01', privilege: 'sudo', answers: METAL },
  {
    name: 'demo-gpu-02',
    privilege: 'sudo',
    answers: { ...METAL, 'storage.lsblk': `${METAL['storage.lsblk']}nvme3n1p1   part  ext4        /scratch\n` },
  },
  { name: 'demo-guest-03', privilege: 'sudo', answers: GUEST },
  {
    name: 'demo-metal-04',
    privilege: 'sudo',
    answers: { ...METAL, 'bmc.channel': GUEST['bmc.channel'], 'location.echo': 'rtt_ms=142\n', 'host.banner': HOSTILE },
  },
  {
    name: 'demo-shared-05',
    privilege: 'sudo',
    answers: {
      ...METAL,
      'tenancy.sessions': `${METAL['tenancy.sessions']}4026532911 mnt    tenant-b-runner\n`,
      'accounts.local': `${METAL['accounts.local']}shared:x:1002:1002::/home/shared:/bin/bash\n`,
      'net.listeners': 'LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nLISTEN 0 511 0.0.0.0:9200 0.0.0.0:*\n',
    },
  },
  { name: 'demo-nosudo-06', privilege: 'none', answers: METAL },
  {
    name: 'demo-away-07',
    privilege: 'sudo',
    answers: null,
    fails: { code: 'ssh.unreachable', detail: 'connection refused' },
  },
  {
    name: 'demo-changed-08',
    privilege: 'sudo',
    answers: null,
    fails: { code: 'ssh.host-key-changed', detail: 'the node presented SHA256:Zk9…, on record is SHA256:Qm2…' },
  },
]

export const FAKE_TIME = '2026-11-20T09:12:00.000Z'

export const FAKE_SYNTHETIC = 'Synthetic: made up for tests of the window.'

/** Like the eight, as many as wanted: the first are the eight themselves, the others differ from one of them here and there. */
export const fakeNodes = (count: number): readonly FakeNode[] =>
  Array.from({ length: count }, (_, index) => {
    const node = FAKE_NODES[index % FAKE_NODES.length] as FakeNode
    return index < FAKE_NODES.length ? node : varied(node, index)
  })

function varied(node: FakeNode, index: number): FakeNode {
  const name = `node-${String(index + 1).padStart(4, '0')}`
  if (node.answers === null) return { ...node, name }
  const changes: Record<string, string> = {
    'host.banner': `Authorized use only. This is ${name}.\n`,
    'location.echo': `rtt_ms=0.${(index % 80) + 10}\n`,
    ...(index % 7 === 0 ? { 'audit.status': 'enabled 0\n' } : {}),
    ...(index % 11 === 0 ? { 'sshd.effective': 'permitrootlogin yes\nciphers aes128-cbc,aes256-ctr\n' } : {}),
    ...(index % 13 === 0 ? { 'storage.swaps': 'Filename Type Size Used Priority\n/swapfile file 2097148 0 -2\n' } : {}),
  }
  return { ...node, name, answers: { ...node.answers, ...changes } }
}

const LONGEST_LINE = 50 * 1024 * 1024
const PIECE = 1024 * 1024

/** Whose failure attacks whoever tells of it: an address of this node is read as a message. */
export const hostileAway = (): FakeNode => ({
  name: 'hostile-away-98',
  privilege: 'sudo',
  answers: null,
  fails: {
    code: 'ssh.unreachable',
    detail: 'refused by <img src=x onerror="document.title=\'owned\'">\u001b]0;owned\u0007 \u202Egnp.exe',
  },
})

/**
 * A node whose every answer is made to harm whoever shows it: one line of 50 MB, one of 1 MiB of nothing but control characters, and
 * 200,000 lines in less than 1 MiB.
 */
export const hostileNode = (): FakeNode => ({
  name: 'demo-hostile-99',
  privilege: 'sudo',
  answers: {
    ...METAL,
    'dmi.identity': HOSTILE,
    'bmc.channel': `Manufacturer Name         : <img src=x onerror="document.title='owned'">\u202Egnp.exe\n${HOSTILE}`,
    'tenancy.sessions': `${METAL['tenancy.sessions']}4026532911 mnt    tenant-b<script>alert(1)</script>\u001b[2J\u202E\n`,
    'accounts.local': Buffer.concat([
      Buffer.from(METAL['accounts.local'] ?? ''),
      Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x00, 0x0a]),
      Buffer.from(HOSTILE),
    ]),
    'net.listeners': '\u001b'.repeat(PIECE),
    'location.echo': '\u001b[m0\n'.repeat(200_000),
    'host.banner': Buffer.concat([
      Buffer.from('\u001b]0;owned\u0007'),
      Buffer.alloc(LONGEST_LINE, 'A'),
      Buffer.from('\n'),
    ]),
  },
})

/** A public key as on the wire, made from a name. No one has its private half. */
export function fakeHostKey(name: string): Uint8Array {
  const text = (bytes: Uint8Array): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  return new Uint8Array(Buffer.concat([text(Buffer.from('ssh-ed25519')), text(Buffer.from(sha256(name), 'hex'))]))
}

/** SHA-256 of a name in the form of an SSH fingerprint: 43 characters of base64. */
const fakeFingerprint = (text: string): string =>
  `SHA256:${Buffer.from(sha256(text), 'hex').toString('base64').slice(0, 43)}`

export function fakeRecording(node: FakeNode, run: string): LoadedRecording {
  const captures = fakeCatalog.probes.flatMap((probe) =>
    Object.keys(probe.commands).map((command) => captured(node, probe.id, command)),
  )
  const failure = node.fails ?? null
  const recording: Recording = {
    schema: 'barewitness.recording/1',
    id: node.name,
    run,
    node: { name: node.name, address: '127.0.0.1', port: 22, user: 'bwaudit', sudo: node.privilege === 'sudo' },
    hostKey:
      failure === null
        ? {
            type: 'ssh-ed25519',
            fingerprint: fakeFingerprint(node.name),
            trust: { how: 'demo', detail: 'made for the demo' },
          }
        : null,
    session: failure === null ? { transport: 'replay', authMethod: 'publickey', privilege: node.privilege } : null,
    collector: { version: '0.1.0', catalogVersion: fakeCatalog.version, catalogDigest: '0'.repeat(64) },
    startedAt: FAKE_TIME,
    endedAt: FAKE_TIME,
    clock: failure === null ? { offsetSeconds: 0.02, uncertaintySeconds: 0.01 } : null,
    outcome: { status: failure !== null ? 'failed' : node.privilege === 'none' ? 'partial' : 'complete', failure },
    demo: true,
    synthetic: FAKE_SYNTHETIC,
  }
  return { recording, captures: failure === null ? captures : [] }
}

function captured(node: FakeNode, probe: string, command: string): CapturedAnswer {
  const spec = fakeCatalog.probes.find(({ id }) => id === probe)?.commands[command]
  const argv = spec === undefined ? [] : argvOf(spec)
  const root = spec?.kind === 'run' && spec.as === 'root'
  const denied = root && node.privilege === 'none'
  const answer = denied ? '' : (node.answers?.[probe] ?? '')
  const stdout = typeof answer === 'string' ? new TextEncoder().encode(answer) : answer
  const stderr = new Uint8Array()
  const meta: Capture = {
    probe,
    command,
    argv,
    source: 'node',
    privilege: root && !denied ? 'sudo' : 'user',
    status: denied ? 'not-run' : 'done',
    exitCode: denied ? null : 0,
    startedAt: FAKE_TIME,
    durationMs: 4,
    stdout: { sha256: sha256(stdout), size: stdout.length },
    stderr: { sha256: sha256(stderr), size: 0 },
  }
  return { meta, stdout, stderr }
}
