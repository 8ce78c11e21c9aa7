import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HostKeys, ScannedKey } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { decisionComment } from '../../core/fleet/host-key-list.ts'
import { fingerprintOf, hostId, keyType, knownHostsLine, parseKnownHosts } from '../../core/fleet/known-hosts.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { decideHostKey, listPath, loadTrust } from './host-key.ts'
import { findSsh, shownKeyFile, writeSetup } from './openssh-config.ts'
import { startSsh, watch } from './openssh-transport.ts'
import { createSsh2Transport } from './ssh2-transport.ts'

/**
 * Host keys for a person's decision: shown before any login, compared with what is on record, and recorded with the
 * reason.
 */
export function createHostKeys(): HostKeys {
  const ssh2 = createSsh2Transport()
  return {
    scan: async (target, signal) => {
      if (target.transport === 'openssh') return await scanWithOpenssh(target, signal)
      const scanned = await ssh2.scan(target, signal)
      if (scanned.ok) return ok(describe(scanned.value))
      return scanned.error.code === 'ssh.no-common-algorithm' && findSsh() !== null
        ? await scanWithOpenssh(target, signal)
        : scanned
    },
    decide: async (target, key) => {
      const trust = await loadTrust(target.trust)
      return trust.ok ? decideHostKey(trust.value, target.node.address, target.node.port, key.blob) : trust
    },
    record,
  }
}

const describe = (blob: Uint8Array): ScannedKey => ({
  type: keyType(blob) ?? 'unknown',
  fingerprint: fingerprintOf(blob),
  blob,
})

/**
 * The key exchange of the system ssh program, which ends at the host key: no file lists it, and a script of ours
 * records it.
 */
async function scanWithOpenssh(target: ConnectTarget, signal: AbortSignal): Promise<Outcome<ScannedKey>> {
  const ssh = findSsh()
  if (ssh === null) return fail('ssh.client-missing', 'no ssh program in PATH')
  const setup = await writeSetup(ssh, target, { scan: true })
  if (!setup.ok) return setup
  let shown = ''
  const child = startSsh(ssh, [...setup.value.args, 'exit'])
  const stop = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  const { log } = await watch(child, {
    ...setup.value,
    remove: async () => {
      shown = await readFile(shownKeyFile(setup.value), 'utf8').catch(() => '')
      await setup.value.remove()
    },
  }).ended
  signal.removeEventListener('abort', stop)
  const blob = Buffer.from(shown.trim().split(' ')[1] ?? '', 'base64')
  if (keyType(blob) !== null) return ok(describe(blob))
  if (signal.aborted) return fail('run.cancelled', 'while reading the host key')
  return fail(log?.failure.code ?? 'ssh.lost', log?.failure.detail ?? 'the ssh program reported nothing')
}

/**
 * Writes a decision into the application's known_hosts file, with the date and the reason as its comment. An earlier
 * decision on a key of the same type for the same host is replaced: a host must not have two. The file is replaced
 * completely or not at all. A list that the key was compared with is stored next to the file first, so that no decision
 * names a missing list.
 */
async function record(
  file: string,
  target: ConnectTarget,
  key: ScannedKey,
  howVerified: string,
  list?: { readonly text: string; readonly line: number },
): Promise<Outcome<null>> {
  const { address, port } = target.node
  try {
    const digest = list === undefined ? null : sha256(new TextEncoder().encode(list.text))
    if (list !== undefined && digest !== null) {
      const kept = listPath(file, digest)
      await mkdir(dirname(kept), { recursive: true })
      await writeFile(`${kept}.new`, list.text, { mode: 0o644 })
      await rename(`${kept}.new`, kept)
    }
    const text = await readFile(file, 'utf8').catch(() => '')
    const mine = hostId(address, port)
    const replaced = new Set(
      parseKnownHosts(text).flatMap(({ line, marker, hosts, type }) =>
        marker === null && hosts === mine && type === key.type ? [line] : [],
      ),
    )
    const kept = text.split('\n').filter((line, index) => line !== '' && !replaced.has(index + 1))
    const day = new Date().toISOString().slice(0, 10)
    const comment = decisionComment({
      day,
      words: howVerified,
      list: list === undefined || digest === null ? null : { sha256: digest, line: list.line },
    })
    const lines = [...kept, knownHostsLine(address, port, key.blob, comment)]
    await writeFile(`${file}.new`, `${lines.join('\n')}\n`, { mode: 0o644 })
    await rename(`${file}.new`, file)
    return ok(null)
  } catch (problem) {
    return fail('store.failed', `${file}: ${(problem as NodeJS.ErrnoException).code ?? 'not written'}`)
  }
}
