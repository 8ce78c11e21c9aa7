import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandRange, importAnsible } from '../main/adapters/importers/ansible.ts'
import { importCsv, type Preview, parseJump } from '../main/adapters/importers/csv.ts'
import { importSshConfig } from '../main/adapters/importers/index.ts'
import { testUnless } from './support/needing.ts'

/** Line, outcome and reason, for lines that have something to say. */
const outcomesOf = ({ lines }: Preview): readonly string[] =>
  lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ line, outcome, why }) => `${line} ${outcome}${why === '' ? '' : `: ${why}`}`)
const accountsForAll = (text: string, { lines }: Preview): void => {
  expect(lines.map(({ text: one }) => one)).toEqual(
    text
      .replace(/\r?\n$/, '')
      .split(/\r?\n/)
      .slice(0, text === '' ? 0 : undefined),
  )
  expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))
}

const CONFIG = `# ours
Include conf.d/*
Host *
  User audit
Host gpu-1 gpu-2
  HostName %h.dc.example
  Port 2222
  IdentityFile ~/.ssh/audit
Host inner
  HostName 10.0.0.9
  ProxyJump gpu-1,root@edge.example:2200
Host odd
  ProxyCommand nc %h %p
Match host gpu-2
  Port 2223
Host BAD/NAME
`

describe('an ssh configuration', () => {
  const installed = existsSync('/usr/bin/ssh')
  testUnless(
    installed ? null : 'the OpenSSH client is not installed',
    'hosts with the settings that ssh gives',
    async () => {
      const preview = await importSshConfig(CONFIG)
      accountsForAll(CONFIG, preview)
      expect(preview.nodes).toEqual([
        { name: 'gpu-1', address: 'gpu-1.dc.example', port: 2222, user: 'audit', identityFile: '~/.ssh/audit' },
        { name: 'gpu-2', address: 'gpu-2.dc.example', port: 2222, user: 'audit', identityFile: '~/.ssh/audit' },
        { name: 'odd', address: 'odd', user: 'audit', transport: 'openssh' },
        { name: 'edge.example', address: 'edge.example', port: 2200, user: 'root', jumpOnly: true },
        { name: 'inner', address: '10.0.0.9', user: 'audit', jump: ['gpu-1', 'edge.example'] },
      ])
      expect(outcomesOf(preview)).toEqual([
        '1 skipped',
        '2 problem: Include is not followed; import that file as well',
        '3 skipped: “*” is a pattern, not a host',
        '4 read: a setting of the hosts above',
        '5 added',
        '6 read: a setting of the hosts above',
        '7 read: a setting of the hosts above',
        '8 read: a setting of the hosts above',
        '9 added: with jump host “edge.example”',
        '10 read: a setting of the hosts above',
        '11 read: a setting of the hosts above',
        '12 added: has a ProxyCommand: left to the system ssh program and your own configuration',
        '13 read: a setting of the hosts above',
        '14 skipped: Match sets conditions and does not name a host',
        '15 read: a setting of the hosts above',
        '16 problem: “BAD/NAME” is not a host name',
      ])
    },
  )

  test('no command of the file is ever run', async () => {
    const mark = `/tmp/barewitness-never-${process.pid}`
    const preview = await importSshConfig(
      `Match exec "touch ${mark}"\n  Port 1\n"Match" exec "touch ${mark}"\nMatch=exec "touch ${mark}"\nMatch host a exec "touch ${mark}"\n  Port 2\nHost a\n  HostName 192.0.2.1\n  LocalCommand touch ${mark}\n`,
    )
    expect(existsSync(mark)).toBe(false)
    expect(preview.nodes).toMatchObject([{ name: 'a', address: '192.0.2.1' }])
    expect(outcomesOf(preview).filter((line) => !line.includes('a setting of'))).toEqual([
      '1 skipped: Match exec runs a command, which an import does not do',
      '4 skipped: Match exec runs a command, which an import does not do',
      '5 skipped: Match exec runs a command, which an import does not do',
      installed ? '7 added' : '7 added: settings read without ssh itself',
    ])
    const path = process.env.PATH
    process.env.PATH = ''
    const without = await importSshConfig(
      `Match exec "touch ${mark}"\nHost a\n  HostName 192.0.2.1\n  Port 2200\n`,
    ).finally(() => {
      process.env.PATH = path
    })
    expect(existsSync(mark)).toBe(false)
    expect(without.nodes).toMatchObject([{ name: 'a', address: '192.0.2.1', port: 2200 }])
    expect(without.lines[1]).toMatchObject({ outcome: 'added', why: 'settings read without ssh itself' })
  })

  testUnless(
    installed ? null : 'the OpenSSH client is not installed',
    'a line that ssh refuses is named in its words, and costs no other host',
    async () => {
      const config =
        'Host bastion\n  HostName 10.0.0.1\nHots typo\n  User x\nHost b\n  HostName 10.0.0.2\n  Port abc\nHost c\n  HostName 10.0.0.3\n'
      const preview = await importSshConfig(config)
      expect(preview.nodes.map(({ name }) => name)).toEqual(['bastion', 'c'])
      const problems = preview.lines.filter(({ outcome }) => outcome === 'problem')
      expect(problems.map(({ line }) => line)).toEqual([3, 4, 5, 7])
      expect(problems[0]?.why).toContain('Bad configuration option: Hots')
      expect(problems[3]?.why).toMatch(/bad port/i)
    },
  )

  test('what is under a misspelled Host is no setting of the host above it', async () => {
    const preview = await importSshConfig(
      'Host a\n  Port 2222\nHots b\n  HostName 192.0.2.9\n  User x\nHost c\n  Usr anna\n  User y\n',
    )
    const [a, c] = preview.nodes
    expect([a?.name, a?.address, a?.port, a?.user === 'x']).toEqual(['a', 'a', 2222, false])
    expect([c?.name, c?.user]).toEqual(['c', 'y'])
    const outcomes = preview.lines.flatMap(({ line, outcome }) => (outcome === 'problem' ? [line] : []))
    expect(outcomes).toEqual([3, 4, 5, 7])
  })

  test('settings that IgnoreUnknown covers are none of our business', async () => {
    const preview = await importSshConfig('IgnoreUnknown Use*\nUseSomething yes\nHost a\n  HostName 10.0.0.1\n')
    expect(preview.lines.every(({ outcome }) => outcome !== 'problem')).toBe(true)
  })

  test('Include is followed in the user’s own file: patterns, nesting, and what comes after it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bw-include-'))
    try {
      writeFileSync(join(folder, '1.conf'), 'Host one\n  HostName 10.0.0.1\n')
      writeFileSync(join(folder, '2.conf'), `Include ${folder}/deep/*.conf\nHost two\n  HostName 10.0.0.2\n`)
      mkdirSync(join(folder, 'deep'))
      writeFileSync(join(folder, 'deep', 'x.conf'), 'Host three\n  HostName 10.0.0.3\n')
      writeFileSync(join(folder, 'loop'), `Include ${folder}/loop\n`)
      const config = `Include ${folder}/?.conf\nUser audit\nHost own\n  HostName 10.0.0.9\n  Include ${folder}/1.conf\n`
      const preview = await importSshConfig(config, [], true)
      expect(preview.nodes.map(({ name, address, user }) => [name, address, user])).toEqual([
        ['one', '10.0.0.1', 'audit'],
        ['three', '10.0.0.3', 'audit'],
        ['two', '10.0.0.2', 'audit'],
        ['own', '10.0.0.9', 'audit'],
      ])
      expect(preview.lines.filter(({ file }) => file === undefined).map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
      expect(preview.lines.find(({ node }) => node === 'three')).toMatchObject({
        file: join(folder, 'deep', 'x.conf'),
        line: 1,
      })
      // In a block for one host it is told and not followed; elsewhere, without leave, so it is anywhere.
      expect(preview.lines.at(-1)).toMatchObject({ line: 5, outcome: 'problem' })
      expect((await importSshConfig(config)).nodes.map(({ name }) => name)).toEqual(['own'])
      const loop = await importSshConfig(`Include ${folder}/loop\nHost a\n`, [], true)
      expect(loop.nodes.map(({ name }) => name)).toEqual(['a'])
      expect(loop.lines.filter(({ outcome }) => outcome === 'problem')).toHaveLength(1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('what is in the fleet already is reported', async () => {
    const preview = await importSshConfig('Host a\n  HostName 192.0.2.1\nHost b\n', [
      { name: 'a', address: '192.0.2.1' },
      { name: 'other', address: 'b' },
    ])
    expect(preview.nodes).toEqual([])
    expect(outcomesOf(preview).filter((line) => line.includes('already'))).toEqual([
      '1 already',
      '3 already: “other” has this address and port',
    ])
  })
})

describe('a table', () => {
  test('the line of headings is read where every column is used', () => {
    const outcomes = (heading: string) => outcomesOf(importCsv(`${heading}\ngpu-01,192.0.2.1,audit\n`))[0]
    expect(outcomes('name,address,user')).toBe('1 read: names of the columns')
    expect(outcomes('name,address,rack')).toBe('1 skipped: names of the columns; not used: rack')
  })

  test('columns by name, every line accounted for', () => {
    const text = `\uFEFFName;IP Address;Port;Login;Sudo;Jump host;Rack
Gpu 01;192.0.2.1;2222;audit;yes;;7
gpu-02;192.0.2.2;;;no;bastion;
# note

;192.0.2.3;;;;;
bad;192.0.2.4;ssh;;;;
bad;192.0.2.4;22;;maybe;;
bad;not an address;22;;;;
short;192.0.2.5
gpu-02;192.0.2.9;;;;;
bastion;198.51.100.1;;;;;
`
    const preview = importCsv(text)
    expect(preview.nodes).toEqual([
      { name: 'gpu-01', address: '192.0.2.1', port: 2222, user: 'audit', sudo: true },
      { name: '192.0.2.3', address: '192.0.2.3' },
      { name: 'gpu-02', address: '192.0.2.9' },
      { name: 'bastion', address: '198.51.100.1' },
    ])
    expect(outcomesOf(preview)).toEqual([
      '1 skipped: names of the columns; not used: Rack',
      '2 added',
      '3 problem: “gpu-02” has this name and another address, port or jump host',
      '4 skipped',
      '6 added',
      '7 problem: port must be a whole number, not “ssh”',
      '8 problem: sudo must be yes or no, not “maybe”',
      '9 problem: address is “not an address”, which is not a host name or address',
      '10 problem: has 2 columns, not 7',
      '11 added',
      '12 added',
    ])
  })
  test('no address column, and no table', () => {
    expect(outcomesOf(importCsv('a,b\n1,2\n'))[0]).toBe(
      '1 problem: no column is the address; assign it, or name it “address”',
    )
    // One line that cannot be read costs no other.
    expect(outcomesOf(importCsv('address\n"open\n'))[1]).toContain('2 problem: has a quotation mark that is not closed')
  })
})

const INI = `mail.example
[gpu]
gpu[01:03].example ansible_user=root ansible_port=2222
special ansible_host=192.0.2.9 ansible_ssh_private_key_file="~/.ssh/my key" # note
local ansible_connection=local
[gpu:vars]
ansible_user=audit
ansible_become=true
[behind]
inner ansible_ssh_common_args='-o ProxyJump=jump@bastion.example:2200'
gpu01.example
[dc:children]
gpu
behind
[dc:vars]
ansible_ssh_private_key_file=/keys/dc
[db]
db ansible_host={{ secret }}
db[1:
`

describe('an Ansible inventory', () => {
  test('INI', () => {
    const preview = importAnsible(INI)
    accountsForAll(INI, preview)
    expect(preview.nodes).toEqual([
      { name: 'mail.example', address: 'mail.example' },
      {
        name: 'gpu01.example',
        address: 'gpu01.example',
        port: 2222,
        user: 'root',
        identityFile: '/keys/dc',
        sudo: true,
        role: 'gpu',
      },
      {
        name: 'gpu02.example',
        address: 'gpu02.example',
        port: 2222,
        user: 'root',
        identityFile: '/keys/dc',
        sudo: true,
        role: 'gpu',
      },
      {
        name: 'gpu03.example',
        address: 'gpu03.example',
        port: 2222,
        user: 'root',
        identityFile: '/keys/dc',
        sudo: true,
        role: 'gpu',
      },
      { name: 'special', address: '192.0.2.9', user: 'audit', identityFile: '~/.ssh/my key', sudo: true, role: 'gpu' },
      { name: 'bastion.example', address: 'bastion.example', port: 2200, user: 'jump', jumpOnly: true },
      { name: 'inner', address: 'inner', identityFile: '/keys/dc', role: 'behind', jump: ['bastion.example'] },
    ])
    expect(outcomesOf(preview)).toEqual([
      '1 added',
      '2 skipped: group “gpu”',
      '3 added',
      '4 added',
      '5 skipped: “local” is reached by local, not by SSH',
      '6 skipped: vars of group “gpu”',
      '7 skipped: variable of group “gpu”',
      '8 skipped: variable of group “gpu”',
      '9 skipped: group “behind”',
      '10 added: with jump host “bastion.example”',
      '11 skipped: “gpu01.example” is the host of line 3',
      '12 skipped: children of group “dc”',
      '13 skipped: group “gpu” belongs to “dc”',
      '14 skipped: group “behind” belongs to “dc”',
      '15 skipped: vars of group “dc”',
      '16 skipped: variable of group “dc”',
      '17 skipped: group “db”',
      '18 problem: has words that are not key=value; ansible_host of “db” is a template, which only Ansible can expand',
      '19 problem: the range in “db[1:” could not be read',
    ])
  })

  test('YAML', () => {
    const text = `all:
  vars:
    ansible_user: audit
  children:
    gpu:
      hosts:
        gpu[1:2]:
          ansible_port: 2222
        gpu3:
          ansible_host: 192.0.2.3
          ansible_password: !vault |
            $ANSIBLE_VAULT;1.1;AES256
      vars:
        ansible_become: yes
    other:
      hosts:
        gpu3:
      surprise: 1
`
    const preview = importAnsible(text)
    accountsForAll(text, preview)
    expect(preview.nodes).toEqual([
      { name: 'gpu1', address: 'gpu1', port: 2222, user: 'audit', sudo: true, role: 'gpu' },
      { name: 'gpu2', address: 'gpu2', port: 2222, user: 'audit', sudo: true, role: 'gpu' },
      { name: 'gpu3', address: '192.0.2.3', user: 'audit', sudo: true, role: 'gpu' },
    ])
    expect(outcomesOf(preview).filter((line) => /problem|added|host of/.test(line))).toEqual([
      '7 added',
      '9 added',
      '11 problem: “ansible_password” is encrypted by a vault',
      '17 skipped: “gpu3” is the host of line 9',
      '18 problem: “surprise” is not one of hosts, children and vars',
    ])
  })

  test.each([
    ['#!/usr/bin/python3\nprint()', 'script'],
    ['$ANSIBLE_VAULT;1.1;AES256\n6162', 'vault'],
    ['plugin: amazon.aws.aws_ec2\nregions: [x]\n', 'plugin'],
    ['{"_meta": {"hostvars": {}}}', 'dynamic'],
    ['all: [\n', 'line'],
  ])('%j is refused with the reason', (text, word) => {
    const preview = importAnsible(text)
    expect(preview.nodes).toEqual([])
    expect(preview.lines[0]).toMatchObject({ outcome: 'problem', why: expect.stringContaining(word) })
  })

  test('ranges', () => {
    expect(expandRange('w[01:03]')).toEqual(['w01', 'w02', 'w03'])
    expect(expandRange('w[8:10:2]-[a:b]')).toEqual(['w8-a', 'w8-b', 'w10-a', 'w10-b'])
    expect(expandRange('plain')).toEqual(['plain'])
    for (const bad of ['w[1:', 'w[3:1]', 'w[1:99999999]', 'w[a:9]', 'w[1:2000][1:2000]'])
      expect([bad, expandRange(bad)]).toEqual([bad, null])
  })
})

test('jump words', () => {
  expect(parseJump('me@host:22')).toEqual({ user: 'me', host: 'host', port: 22 })
  expect(parseJump('ssh://[2001:db8::1]:2200')).toEqual({ host: '[2001:db8::1]', port: 2200 })
  for (const bad of ['', 'a b', '@', 'x:y:z']) expect(parseJump(bad)).toBeNull()
})

test('any text is imported or refused, never thrown at, and every line is accounted for', async () => {
  const lines = fc
    .array(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          '[a]',
          '[a:vars]',
          '[a:children]',
          'Host a',
          'a: {hosts: {b: }}',
          'all:',
          '  hosts:',
          '    x[1:3]:',
          'name,address',
          'x,y',
          'k=v',
          '"',
        ),
      ),
    )
    .map((all) => all.join('\n'))
  fc.assert(
    fc.property(lines, (text) => {
      for (const preview of [importCsv(text), importAnsible(text)])
        expect(preview.lines.map(({ line }) => line)).toEqual(preview.lines.map((_, index) => index + 1))
    }),
  )
  await fc.assert(
    fc.asyncProperty(lines, async (text) => void (await importSshConfig(`Match exec x\n${text}`))),
    { numRuns: 30 },
  )
})
