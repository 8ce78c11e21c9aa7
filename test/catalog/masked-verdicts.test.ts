import { describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { redact } from '../../main/core/collector/redact.ts'
import { captureKey, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { checks, fixtures, probes } from '../support/evaluated.ts'
import { sampled } from '../support/thorough.ts'

// Put together from parts, so that no scanner takes them for real ones.
const X = ['Ca', 'nary', '0123456789'].join('')
const dashes = '-'.repeat(5)
const key = (kind: string): string => `${dashes}${kind} PRIVATE KEY${dashes}`

const inFile = (...lines: readonly string[]): string => lines.map((line) => `/etc/ssh/sshd_config:${line}\n`).join('')

/** Where a node’s owner could put something that is masked, so that lines or values which speak against a claim go with it. */
const PLANTED: Readonly<Record<string, readonly ((text: string) => string)[]>> = {
  'sshd.effective/settings': [
    (text) => `setenv LICENCE=${X} permitrootlogin no\nforcecommand /bin/x ${X}\n${text}`,
    (text) => `banner ${key('BEGIN')}\n${text}`,
    (text) => text.replace('permitrootlogin', `permitrootlogin password=${X} `),
  ],
  'sshd.contexts/rootPublic': [(text) => `setenv A=${key('BEGIN')}\n${text}\nbanner ${key('END')}`],
  'sshd.conditions/settings': [
    (text) =>
      text + inFile(`# Match ${key('BEGIN')}`, 'Match User a', 'PasswordAuthentication yes', `# Match ${key('END')}`),
    (text) =>
      `${text}\n/etc/ssh/sshd_config:Match User a SetEnv A=${X}\n/etc/ssh/sshd_config:  PasswordAuthentication yes\n`,
  ],
  'authorized-keys/keys': [
    (text) => text.replaceAll(/\0(?=ssh-|ecdsa-|sk-)/g, `\0command="${'x'.repeat(17_000)}${X}" `),
    (text) => text.replaceAll(/\0(?=ssh-|ecdsa-|sk-)/g, `\0command="${X} `),
    (text) => text.replaceAll(/\0(?=ssh-|ecdsa-|sk-)/g, `\0environment="A=${X}",restrict `),
  ],
  'accounts.local/passwd': [(text) => text.replaceAll(/^([^:\n]+:[^:\n]*:\d+:\d+:)/gm, `$1password=${X}`)],
  'sudoers.rules/rules': [
    (text) => text.replaceAll(/"command": "\/[^" ]*/g, `$& --password ${X}`),
    (text) => text.replaceAll('"command": "ALL"', `"command": "/bin/sh -c ${X}"`),
  ],
  'storage.mounts/mountinfo': [
    (text) => `${text}99 1 0:99 / /mnt/nas rw - nfs4 nas://svc:${X}@host:/share rw,sec=sys\n`,
    (text) => `${text}99 1 0:99 / /mnt/nas rw - cifs //host/share rw,password=${X},seal\n`,
  ],
  'rsyslog.forwarding/lines': [
    (text) => `${text}/etc/rsyslog.conf:*.* action(type="omfwd" target="https:${'//'}a:${X}@h" pwd="${X}")\n`,
  ],
  'ssh.processes/processes': [(text) => text.replaceAll(/(sshd: [^\n]*|sshd -D)/g, `$1 -o SetEnv=A=${X} -f /other`)],
  'session.timeout/shell': [(text) => `${text}/etc/profile:export DB_PASSWORD=${X} TMOUT=0\n`],
  'pam.stack/arguments': [(text) => text.replaceAll('.so', `.so secret=${X}`)],
}

const RANK = {
  satisfied: 2,
  informational: 1,
  'not-applicable': 1,
  inconclusive: 0,
  'not-tested': 0,
  'not-satisfied': 0,
} as const

/** Verdicts that rest on one answer, given as these bytes; masked classes are stated as the collector states them. */
function verdicts(
  node: (typeof fixtures)[number],
  place: string,
  stdout: Uint8Array,
  masked: CapturedAnswer['meta']['masked'],
): ReadonlyMap<string, keyof typeof RANK> {
  const before = node.captures.get(place)
  if (before === undefined) throw new Error(`${node.name} has no answer at ${place}`)
  const stream = { sha256: sha256(stdout), size: stdout.length }
  const meta = { ...before.meta, stdout: stream, ...(masked === undefined ? {} : { masked }) }
  const captures = new Map(node.captures).set(place, { ...before, meta, stdout })
  const readings = new Map(node.readings)
  const asked = probes.filter(({ id, commands }) =>
    Object.keys(commands).some((name) => captureKey(id, name) === place),
  )
  for (const probe of asked) readings.set(probe.id, readProbe(probe, captures))
  const reads = ({ requires, optional = {} }: (typeof checks)[number]): boolean =>
    [...Object.values(requires), ...Object.values(optional)].some(({ id }) => asked.some((probe) => probe.id === id))
  return new Map(checks.filter(reads).map((check) => [check.id, conclude(check, readings, node.context).verdict]))
}

describe.each(Object.entries(PLANTED))('what is masked in %s makes no verdict better', (place, plants) => {
  const holders = sampled(
    fixtures.filter(({ captures }) => captures.get(place)?.meta.status === 'done'),
    3,
  )
  test.each(plants.map((change, index) => [index + 1, change] as const))('way %i', (_, change) => {
    let masked = 0
    for (const node of holders) {
      const text = Buffer.from(node.captures.get(place)?.stdout ?? []).toString('latin1')
      const raw = Buffer.from(change(text), 'latin1')
      const { bytes, classes, count } = redact(raw)
      masked += count
      const [open, hidden] = [verdicts(node, place, raw, undefined), verdicts(node, place, bytes, classes)]
      const better = [...hidden].filter(([check, verdict]) => RANK[verdict] > RANK[open.get(check) ?? 'not-tested'])
      expect(better, node.name).toEqual([])
    }
    expect(masked).toBeGreaterThan(0)
  })
})
