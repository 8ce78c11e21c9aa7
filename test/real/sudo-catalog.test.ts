import { expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { rootCommands, sudoersFor } from '../../main/core/collector/sudoers.ts'
import { runAsRoot } from '../../main/core/recording/probe.ts'
import { describeUnless } from '../support/needing.ts'
import { allowedBySudo, LOGIN, whyNoSudo } from '../support/sudo-lists.ts'

// The drop-in of the whole catalog against the real sudo: every line as it is, and every way to bend it.
const commands = rootCommands(catalog.probes, { liveTests: true })
const dropIn = sudoersFor(commands, { user: LOGIN })
const lines = [...new Map(commands.map(({ argv }) => [argv.join('\0'), argv.map(String)])).values()]
const programs = lines.map(([program = '']) => program)
const ask = (asked: readonly (readonly string[])[]): readonly boolean[] =>
  allowedBySudo(
    dropIn,
    asked.map((words) => ({ words })),
    programs,
  )
const granted = new Set(lines.map((words) => words.join(' ')))
const wrongly = (asked: readonly (readonly string[])[]): readonly string[] => {
  const bent = asked.filter((words) => !granted.has(words.join(' ')))
  const answers = ask(bent)
  return bent.filter((_, at) => answers[at] === true).map((words) => words.join(' '))
}

const changed = (words: readonly string[], at: number, word: string): readonly string[] => words.with(at, word)

describeUnless(whyNoSudo, 'the drop-in of the whole catalog', () => {
  test('allows every root command of the catalog', () => {
    const answers = ask(lines)
    expect(lines.filter((_, at) => answers[at] !== true).map((words) => words.join(' '))).toEqual([])
  })

  test.each<[string, (words: readonly string[]) => readonly (readonly string[])[]]>([
    ['one word more', (words) => ['-x', '/etc/shadow'].map((word) => [...words, word])],
    ['one word more in front', ([program = '', ...words]) => [[program, '--help', ...words]]],
    ['one word less', (words) => (words.length > 1 ? [words.slice(0, -1)] : [])],
    ['an empty word more', (words) => [[...words, '']]],
    ['no words at all', ([program = '']) => [[program]]],
    [
      'one word changed',
      (words) =>
        words.length > 1
          ? [changed(words, words.length - 1, `${words.at(-1)}x`), changed(words, 1, `x${words[1]}`)]
          : [],
    ],
    [
      'a path that climbs out',
      (words) =>
        words.flatMap((word, at) =>
          at > 0 && word.startsWith('/') ? [changed(words, at, `${word}/../../../../etc/shadow`)] : [],
        ),
    ],
    ['another program of that name', ([program = '', ...words]) => [[`/tmp/${program}`, ...words]]],
  ])('allows none with %s', (_, bend) => {
    expect(wrongly(lines.flatMap(bend))).toEqual([])
  })

  test('allows nothing of what would give away keys, write or change', () => {
    const abuse = [
      'dmsetup table --showkeys',
      'dmsetup remove_all',
      'cryptsetup luksDump --dump-volume-key /dev/sda1',
      'cryptsetup luksDump --disable-external-tokens --dump-json-metadata /etc/shadow',
      'cryptsetup luksDump --disable-external-tokens --dump-json-metadata /dev/sda/../../etc/shadow',
      'sshd -T -f /etc/shadow',
      'auditctl -D',
      'auditctl -e 0',
      'auditctl -R /etc/shadow',
      'nft flush ruleset',
      'nft -f /etc/shadow',
      'cvtsudoers -o /etc/x',
      'cvtsudoers -e -f json -o /etc/x /etc/sudoers',
      'cvtsudoers -e -f json /etc/shadow',
      'passwd -S -a root',
      'passwd -d root',
      'passwd root',
      'cat /etc/shadow',
      'grep . /etc/shadow',
      'head /etc/shadow',
      'dd if=/dev/sda of=/tmp/x',
      'dd if=/tmp/x of=/dev/sda',
      'stat /etc/shadow',
      'ss -K',
      'sh',
      'tee /etc/x',
      'id',
    ]
    expect(wrongly(abuse.map((line) => line.split(' ')))).toEqual([])
  })

  test('lets no caller bring an environment, another user, folder, root or shell', () => {
    const [first = []] = lines
    const options = ['-E', '--preserve-env=LD_PRELOAD', '-u bin', '-g root', '-s', '-i', '-D /tmp', '-R /tmp', '-b -E']
    const bent = [
      ...options.map((option) => ({
        before: 'export LD_PRELOAD=/tmp/x.so; ',
        words: [...option.split(' '), ...first],
        run: true,
      })),
      ...['LD_PRELOAD=/tmp/x.so', 'PATH=/tmp', 'LD_LIBRARY_PATH=/tmp'].map((setting) => ({
        words: [setting, ...first],
        run: true,
      })),
      { words: ['-e', '/etc/hosts'], run: true },
      { words: ['-s'], run: true },
      { words: ['-i'], run: true },
    ]
    const answers = allowedBySudo(dropIn, bent, programs)
    expect(bent.filter((_, at) => answers[at] === true).map(({ words }) => words.join(' '))).toEqual([])
  })

  test('takes a program from its own folders, for any path of the caller', () => {
    const before = 'ln -sf /bin/sh /mnt/id; PATH=/mnt:$PATH;'
    const own = sudoersFor([runAsRoot(['id', '-u'])], { user: LOGIN })
    const answers = allowedBySudo(own, [
      { before, words: ['id', '-u'] },
      { before, words: ['/mnt/id', '-u'] },
    ])
    expect(answers).toEqual([true, false])
  })
})
