import { describe, expect, test } from 'vitest'
import { readRecordedNode } from '../main/adapters/demo/recorded-node.ts'
import { captureOfFrame } from '../main/app/collect/captures.ts'
import { redact } from '../main/core/collector/redact.ts'
import type { RedactionClass } from '../main/core/collector/redact-parts.ts'
import { captureKey, defineProbe, known, readProbe, run } from '../main/core/recording/probe.ts'
import { FIXTURE_NODES, fixtureNames } from './support/fixtures.ts'
import { sampled } from './support/thorough.ts'

const masked = (text: string) => {
  const { bytes, classes } = redact(Buffer.from(text, 'latin1'))
  return { text: Buffer.from(bytes).toString('latin1'), classes }
}

// Put together from parts, so that no scanner takes them for real ones.
const X = ['Ca', 'na', 'ry', '0123456789', 'abcdefghij'].join('')
const upper = (length: number): string => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.repeat(4).slice(0, length)
const hex = (length: number): string => '0123456789abcdef'.repeat(16).slice(0, length)
const dashes = '-'.repeat(5)
const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'a'.repeat(43)}`
const url = (userinfo: string, rest = 'nas.example/share'): string => `https:${'//'}${userinfo}@${rest}`

/** Of each class: lines, and the secret in each that must not stay. */
const CLASSES: Readonly<Record<RedactionClass, readonly (readonly [line: string, secret: string])[]>> = {
  'account-comment': [
    [`eve:x:1001:1001:Eve, ${X}:/home/eve:/bin/sh`, X],
    [`svc:x:1:1:${X}:/var/empty:`, X],
    [`a:x:0:0:root:/root:/bin/sh\nb:x:7:7:${X}:/b:/bin/sh\n`, X],
  ],
  'command-arguments': [
    [`  { "command": "/usr/bin/mysqldump -p${X} db" },`, X],
    [`"command": "/usr/bin/tool \\"${X}\\" two"`, X],
    [`"command": "/opt/with\\\\ blank/tool ${X}"`, X],
    [`"command": "^/usr/bin/tool ${X}$"`, X],
  ],
  'key-option': [
    [`restrict,command="/bin/dump -p${X}",no-pty ${key}`, X],
    [`environment="API_TOKEN=${X}" ${key}`, X],
    [`command="echo \\"${X}\\" done" ${key}`, X],
    [`COMMAND="${X}`, X],
    [`command="a" environment="${X}"`, X],
    [`Environment="LICENCE=${X}"`, X],
  ],
  'server-setting': [
    [`setenv DB_URL=${X}`, X],
    [`port 22\nsetenv LICENCE=one ${X}\nusedns no`, X],
    [`/etc/ssh/sshd_config:SetEnv LICENCE="${X} two"`, X],
    [`forcecommand /bin/tool ${X}`, X],
    [`\tForceCommand = ${X}`, X],
    [`sshd -D -o SetEnv=LICENCE=${X}`, X],
    [`sshd -oForceCommand=/bin/tool ${X}`, X],
    [`forcecommand internal-sftp -d /${X}`, X],
  ],
  'url-credentials': [
    [`36 1 0:31 / /mnt rw - fuse ${url(`svc:${X}`)} rw`, X],
    [`proxy ${url(`svc:p@${X}`)}`, X],
    [`proxy ${url(`svc:pa/${X}`)}`, X],
    [`curlftpfs#ftp:${'//'}svc:${X}@host/`, X],
    [url(X), X],
    ...['ftp', 'ftps', 'dav', 'davs', 'http'].map((scheme) => [`${scheme}:${'//'}${X}@host/`, X] as const),
    [`amqp:${'//'}:${X}@mq`, X],
    [`postgresql:${'//'}app:${X}@db:5432/x`, X],
  ],
  'password-hash': [
    [`root:$y$j9T$abcdefgh$${X}${X}:1`, X],
    [`root:$6$saltsalt$${X}${X}:1`, X],
    [`u:$2b$12$${X}${X}`, X],
    ...['1', '2', '5', '7', 'gy', 'sha1', 'apr1', 'argon2id', 'argon2i', 'argon2d'].map(
      (scheme) => [`u:$${scheme}$saltsalt$${X}`, X] as const,
    ),
    ...['SHA256', 'SSHA384', 'SHA512', 'MD5', 'SMD5', 'CRYPT', 'SSHA'].map((scheme) => [`{${scheme}}${X}`, X] as const),
    [`root:${X.slice(0, 13)}:0:0:root`, X.slice(0, 13)],
    [`a:x:1:1:\nroot:_${X.slice(0, 19)}:0:0:`, X.slice(0, 19)],
    [`{SHA}${X}${X}=`, X],
    [
      `password_pbkdf2 root grub.pbkdf2.sha512.10000.${hex(64).toUpperCase()}.${hex(128).toUpperCase()}`,
      hex(64).toUpperCase(),
    ],
  ],
  'dm-key': [
    [`0 2097152 crypt aes-xts-plain64 ${hex(128)} 0 8:1 0`, hex(32)],
    [`root: 0 2097152 crypt aes-xts-plain64 ${hex(128)}`, hex(32)],
    ...['internal_hash', 'journal_crypt', 'journal_mac'].map(
      (option) => [`0 8 integrity 8:1 0 - J 1 ${option}:hmac(sha256):${hex(64)}`, hex(32)] as const,
    ),
  ],
  'wireguard-key': [
    [`PrivateKey = ${upper(43)}=`, upper(20)],
    [`PresharedKey=${upper(43)}=`, upper(20)],
  ],
  token: [
    ...['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_', 'github_pat_', 'glpat-', 'hf_', 'sk-', 'sk-ant-api03-'].map(
      (start) => [`use ${start}${X} here`, X] as const,
    ),
    ...['xoxb-', 'xoxp-', 'xapp-', 'sk_live_', 'rk_test_', 'npm_', 'pypi-Ag', 'dop_v1_', 'hvs.', 'AIza'].map(
      (start) => [`use ${start}${X} here`, X] as const,
    ),
    [`eyJhbGciOiJIUzI1NiJ9.${X}.${X}`, X],
    [`Authorization: Basic ${X}`, X],
    [`Proxy-Authorization: Bearer ${X}`, X],
    ['Authorization: Bearer short-one', 'short-one'],
    [`-H "bearer ${X}"`, X],
    ...['X-Vault-Token', 'X-Api-Key', 'Job-Token', 'Deploy-Token'].map((header) => [`${header}: ${X}`, X] as const),
    [`{"Private-Token": "${X}"}`, X],
  ],
  'cloud-key': [
    [`AK${'IA'}${upper(16)}`, upper(16)],
    [`key=AS${'IA'}${upper(16)} x`, upper(16)],
    [`aws_secret_access_key = ${'k'.repeat(40)}`, 'k'.repeat(40)],
  ],
  'private-key': [
    [`a\n${dashes}BEGIN PRIVATE KEY${dashes}\n${X}\n${dashes}END PRIVATE KEY${dashes}\nb`, X],
    [`${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${X}\n`, X],
    [`${dashes}BEGIN EC PRIVATE KEY${dashes}\n${X}\n${dashes}BEGIN CERTIFICATE${dashes}\nQUJD`, X],
    [`${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n${X}\n${'-'.repeat(20)}\n`, X],
    [`${dashes}BEGIN PRIVATE KEY${dashes}\\n${X}\\n${dashes}END PRIVATE KEY${dashes}`, X],
  ],
  password: [
    [`/usr/bin/mysqldump -u root -p${X} db`, X],
    [`sshpass -p ${X} ssh host`, X],
    [`curl -s -u svc:${X} host`, X],
    [`curl --user svc:${X} host`, X],
    [`/usr/bin/curl --proxy-user=svc:${X}`, X],
    [`tool --password ${X}`, X],
    [`tool --password=${X}`, X],
    [`tool --password "two ${X}" more`, X],
    [`tool --db-password='two ${X}'`, X],
    [`tool --token ${X}; next`, X],
    [`tool --api-key=${X}`, X],
    [`rclone --webdav-pass ${X}`, X],
    [`openssl enc -pass pass:${X}`, X],
    [`openssl rsa -passin pass:${X} -in key`, X],
    [`curl -usvc:${X} host`, X],
    [`ipmitool -H bmc -U admin -P ${X} mc info`, X],
    [`unzip -P ${X} file`, X],
    [`sqlcmd -P${X}`, X],
    [`mongodump -u svc -p ${X}`, X],
    [`ldapwhoami -w${X}`, X],
    [`snmpget -v2c -c ${X} host`, X],
    [`rpcclient -U svc%${X} host`, X],
    [`/usr/bin/mariadb-dump -p'${X}' db | sshpass -p'${X}' ssh host`, X],
    [`curl --proxy-user 'svc:${X}' host`, X],
    [`tool --client-secret ${X} --credential ${X}`, X],
    [`ldapsearch -D cn=x -w ${X}`, X],
    [`redis-cli -a ${X} ping`, X],
    [`smbclient -U svc%${X} x`, X],
    [`snmpget -v3 -A ${X} host`, X],
    [`7z a -p${X} file`, X],
    [`PGPASSWORD=${X} pg_dump`, X],
    ['DB_PASSWORD=abc x', 'abc'],
    ...['passwd', 'PGPASSWORD', 'sshpass', 'passphrase', 'secret', 'token', 'api-key', 'secret_key', 'accountkey'].map(
      (name) => [`${name}=abc`, 'abc'] as const,
    ),
    ...['passwd', 'pgpassword', 'sshpass', 'passphrase', 'pwd', 'psk', 'secret', 'api_key', 'auth-token'].map(
      (name) => [`${name}: ${X}`, X] as const,
    ),
    ...['access_token', 'secret-key', 'AccountKey', 'SharedAccessKey', 'rocommunity_community'].map(
      (name) => [`"${name}" : ${X}`, X] as const,
    ),
    [`passphrase: "two words ${X}"`, X],
    [`login svc password ${X}`, X],
    [`SSHPASS=${X}`, X],
    [`API_TOKEN=${X}`, X],
    [`token=${X}`, X],
    [`client_secret=/${X}`, X],
    [`apikey=${X}`, X],
    [`DefaultEndpointsProtocol=https;AccountKey=${X}==`, X],
    [`machine host login svc password ${X}`, X],
    [`password="${X} ${X}"`, X],
    [`secret=${X.repeat(40)}`, X],
    [`{"passphrase": "${X}"}`, X],
  ],
}

describe.each(Object.entries(CLASSES))('class %s', (kind, rows) => {
  test.each(rows)('%s', (line, secret) => {
    const { text, classes } = masked(line)
    expect(text).not.toContain(secret)
    expect(classes).toEqual({ [kind]: expect.any(Number) })
    expect(masked(text)).toEqual({ text, classes: {} })
  })
})

describe('nothing harmless is taken', () => {
  test.each([
    `${hex(64)}  /usr/sbin/sshd`,
    `SHA256:${'A'.repeat(43)}`,
    'UUID=01234567-89ab-cdef-0123-456789abcdef',
    `${key} comment`,
    `sk-ssh-ed25519@openssh.com AAAA${'b'.repeat(60)}`,
    'hostkeyalgorithms sk-ecdsa-sha2-nistp256-cert-v01@openssh.com,sk-ssh-ed25519-cert-v01@openssh.com',
    `PublicKey = ${upper(43)}=`,
    'Serial Number: S6S2NS0T123456',
    'gpu-01.example.org',
    'ssh://git@example.org/repo',
    'nas.example:/export/data',
    'svc@nas.example:/data',
    'https://nas.example:8443/a@b',
    'http://[2001:db8::1]:80/x',
    'setenv TMOUT 900',
    'forcecommand none',
    'forcecommand internal-sftp',
    'acceptenv LANG\nacceptenv LC_*',
    'eve:x:1001:1001::/home/eve:/bin/sh',
    '/sys/class/net/lo/address:00:00:00:00:00:00',
    'sudo:x:27:anna,ben',
    'docker run -p 8080:80 -u 1000:1000 image',
    'mkdir -p /var/lib/data',
    'ssh -p 2222 host',
    'mysql -u root -p db',
    'ps -u svc:x',
    'mysql -u root; mkdir -pv x',
    'mysqldump db | tar -cpf x',
    'psql -p 5432 -w db',
    'grep -P pattern file',
    'curl -u 1000:1000 x',
    'tool --password-file /etc/tool --token-ttl 5',
    'tool --password $DB_PASSWORD --token',
    'tool --password --verbose',
    'password=true token=none',
    'token=<hidden> token=ALL token=1 token=0',
    'passwd: ALL=(ALL)',
    '(root) PASSWD: /usr/bin/id',
    ...['files', 'compat', 'db', 'sss', 'ldap', 'nis', 'winbind', 'systemd', 'sufficient', 'required', 'requisite'].map(
      (word) => `passwd=${word}`,
    ),
    ...['optional', 'include', 'substack', 'true', 'false', 'yes', 'no', 'on', 'off', 'none', 'null', 'enabled'].map(
      (word) => `passwd=${word}`,
    ),
    ...['disabled', 'never', 'prompt', '<hidden>', '(hidden)'].map((word) => `passwd=${word}`),
    'pwd=/root',
    'auth required pam_unix.so use_authtok authtok_type=x',
    'password requisite pam_pwquality.so retry=3',
    '"command": "/usr/bin/id"',
    '"command": "ALL"',
    `${dashes}BEGIN PUBLIC KEY${dashes}\n${'QUJD'.repeat(20)}\n${dashes}END PUBLIC KEY${dashes}`,
    `${dashes}BEGIN CERTIFICATE${dashes}\n${'QUJD'.repeat(20)}\n`,
    'rclone-remote:bucket /mnt fuse.rclone rw',
    'disk-AAAABBBBCCCCDDDDEEEE',
    'Environment=PATH',
  ])('%s', (line) => expect(masked(line)).toEqual({ text: line, classes: {} }))

  /** What is asked for with arguments, and what only looks like a password. */
  const EXPECTED = [
    'sudoers.rules/rules command-arguments',
    'authorized-keys/keys key-option',
    'boot.loader-password/settings password',
    'sudo.log/entries password',
  ]
  test('of the answers of recorded nodes only what is a value of a command or a key', () => {
    const found = sampled(fixtureNames(), 20).flatMap((node) =>
      [...readRecordedNode(FIXTURE_NODES, node).answers].flatMap(([key, { stdout, stderr }]) =>
        [stdout, stderr].flatMap((bytes) => Object.keys(redact(bytes).classes).map((kind) => `${key} ${kind}`)),
      ),
    )
    expect(found.filter((one) => !EXPECTED.includes(one))).toEqual([])
  })
})

describe('what was taken out stays visible to a reader', () => {
  test('a line does not become shorter than what programs read', () => {
    const long = `command="${'x'.repeat(20_000)}" ${key}`
    expect(masked(long).text.length).toBeGreaterThan(16_384)
  })
  test('a long secret leaves as many characters, a short one the marker alone', () => {
    const marker = '[redacted:server-setting]'
    const left = (length: number) => masked(`setenv A=${'b'.repeat(length - 9)}`).text
    expect(left(1023)).toBe(`setenv A=${marker}`)
    expect(left(1024)).toBe(`setenv A=${marker.padEnd(1024, '*')}`)
  })
  test('an unclosed quotation mark stays unclosed', () =>
    expect(masked(`command="abc ${key}`).text).toBe('command="[redacted:key-option]'))
  test('classes are counted, each by itself', () =>
    expect(masked(`setenv A=${X}\ntoken=${X} token=${X}\n${url(`a:${X}`)}`).classes).toEqual({
      'server-setting': 1,
      password: 2,
      'url-credentials': 1,
    }))
  test('all together are counted, and classes stand in one order', () => {
    const { count, classes } = redact(Buffer.from(`${url(`a:${X}`)}\ntoken=${X} token=${X}\nsetenv A=${X}`))
    expect(count).toBe(4)
    expect(Object.keys(classes)).toEqual(['password', 'server-setting', 'url-credentials'])
  })
})

test('an answer of which a private key was taken out is not read', () => {
  const command = run(['cat', '/etc/x'])
  const probe = defineProbe({
    id: 'a.b',
    title: '',
    why: '',
    commands: { c: command },
    parse: ({ c }) => known(c.text),
  })
  const planned = { index: 0, probe: 'a.b', command: 'c', run: command, live: false }
  const reading = (stdout: string) => {
    const frame = { index: 0, exitCode: 0, notRun: false, noPath: false, notAsked: false, stdout: Buffer.from(stdout) }
    const rest = { stderr: new Uint8Array(), startedUptime: 0, endedUptime: 0, heardMs: null }
    const times = { startedAt: '2026-01-01T00:00:00.000Z', firstUptime: 0, privilege: 'root' } as const
    return readProbe(probe, new Map([[captureKey('a.b', 'c'), captureOfFrame(planned, { ...frame, ...rest }, times)]]))
  }
  const line = 'PermitRootLogin yes\n'
  expect(reading(line)).toEqual(known(line))
  expect(reading(`# ${dashes}BEGIN PRIVATE KEY${dashes}\n${line}# ${dashes}END PRIVATE KEY${dashes}\n`).ok).toBe(false)
})
