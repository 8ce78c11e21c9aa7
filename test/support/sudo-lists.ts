import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteWord } from '../../main/core/collector/script.ts'

export const LOGIN = 'bwlist'

const works = (script: string): boolean =>
  spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', script]).status === 0

const isAbsent = (program: string): boolean =>
  ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].every((folder) => !existsSync(join(folder, program)))

/** Why sudo cannot be asked here, or null. For the name of a skipped test. */
export const whyNoSudo: string | null =
  process.getuid?.() !== 0
    ? 'needs root'
    : spawnSync('sudo', ['-V']).status !== 0
      ? 'sudo is absent'
      : works('d=$(mktemp -d); trap "rmdir $d" EXIT; mount -t overlay overlay -o lowerdir=/usr/sbin:$d /usr/sbin')
        ? null
        : 'overlays cannot be mounted here'

/**
 * Asks the real sudo which of these command lines the login may run, under this drop-in. Nothing is run, and nothing on this machine
 * changes: the login, the drop-in and stand-ins for programs that are absent exist in a mount namespace only. Each line is the words
 * after `sudo -n -l`, or, with `run`, after `sudo -n`; only lines that must be refused may be put so. `before` is shell text that may
 * write below /mnt, which is empty there and goes with the namespace.
 */
export function allowedBySudo(
  dropIn: string,
  lines: readonly { readonly words: readonly string[]; readonly before?: string; readonly run?: boolean }[],
  programs: readonly string[] = [],
): readonly boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'bw-sudo-'))
  try {
    chmodSync(folder, 0o755)
    const put = (name: string, text: string, mode: number): void => {
      writeFileSync(join(folder, name), text)
      chmodSync(join(folder, name), mode)
    }
    for (const name of ['sudoers.d', 'sbin']) mkdirSync(join(folder, name), { mode: 0o755 })
    put('passwd', `${readFileSync('/etc/passwd', 'utf8')}${LOGIN}:x:4300:4300:test:/tmp:/bin/sh\n`, 0o644)
    put('shadow', `${readFileSync('/etc/shadow', 'utf8')}${LOGIN}:*:19000:0:99999:7:::\n`, 0o640)
    put('sudoers.d/barewitness', dropIn.replaceAll(/logfile="[^"]*"/g, `logfile="${folder}/sudo.log"`), 0o440)
    for (const program of new Set(programs.filter(isAbsent))) put(`sbin/${program}`, '#!/bin/sh\nexit 0\n', 0o755)
    const asked = lines.map(
      ({ words, before = '', run = false }, at) =>
        `${before} sudo -n ${run ? '' : '-l -- '}${words.map(quoteWord).join(' ')} >/dev/null 2>&1; echo ${at} $?`,
    )
    put('cases', `${asked.join('\n')}\n`, 0o644)
    const inside = [
      ...['passwd', 'shadow', 'sudoers.d'].map((name) => `mount --bind ${folder}/${name} /etc/${name}`),
      `mount -t overlay overlay -o lowerdir=/usr/sbin:${folder}/sbin /usr/sbin`,
      'mount -t tmpfs -o mode=1777 tmpfs /mnt',
      `exec su -s /bin/sh ${LOGIN} -c 'exec sh ${folder}/cases'`,
    ]
    const said = execFileSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', inside.join('\n')], {
      encoding: 'utf8',
    })
    const answers = said.split('\n').filter((line) => line !== '')
    if (answers.length !== lines.length) throw new Error(`sudo answered ${answers.length} of ${lines.length}: ${said}`)
    return answers.map((line) => line.split(' ')[1] === '0')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
