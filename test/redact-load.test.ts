import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'
import { expectLinear } from './support/growth.ts'
import { sampled } from './support/thorough.ts'

const dashes = '-----'

describe('a secret of any length is taken out whole', () => {
  const size = 16 * 1024 * 1024
  // The engine keeps a place to go back to for each turn of a loop, and has room for some millions of them.
  const secrets = [
    ['"command": "/bin/x ', 'a', '"', 'command-arguments'],
    ['"command": "/bin/x ', '\\a', '"', 'command-arguments'],
    ['command="', 'a', '"', 'key-option'],
    ['command="', '\\a', '"', 'key-option'],
    ['setenv A=', 'a', '\n', 'server-setting'],
    ['forcecommand ', 'a', '\n', 'server-setting'],
    ['password=', 'a', ' ', 'password'],
    ['password="', 'a ', '"', 'password'],
    ['psk: ', 'a', ' ', 'password'],
    ['psk: "', 'a ', '"', 'password'],
  ] as const
  test.each(sampled(secrets, 3))('%s%s…', (head, piece, end, kind) => {
    const text = `${head}${piece.repeat(size / piece.length)}`
    for (const whole of [text, `${text}${end}left`]) {
      const { bytes, classes } = redact(Buffer.from(whole))
      const masked = Buffer.from(bytes).toString()
      expect(classes).toEqual({ [kind]: 1 })
      const [begin, left] = [`${head}[redacted:${kind}]`, whole.slice(text.length)]
      const stars = masked.slice(begin.length, masked.length - left.length)
      expect([masked.slice(0, begin.length), masked.slice(masked.length - left.length)]).toEqual([begin, left])
      expect(stars === '*'.repeat(stars.length)).toBe(true)
    }
  })
})

describe('4 MiB that were made to be slow take seconds, not minutes', () => {
  const size = 4 * 1024 * 1024
  const pieces = [
    `${dashes}BEGIN PRIVATE KEY${dashes}`,
    `${dashes}BEGIN `,
    '0 8 crypt a ',
    ' crypt',
    '$6$a',
    '$1$',
    'eyJ-',
    'eyJaaaaaaaaaaaa.',
    'eyJ',
    'psk=',
    'psk ',
    'psk=   ',
    'a_',
    '_',
    'private key ',
    'internal_hash:a:',
    'authorization: bearer ',
    'ghp_',
    '0',
    ' ',
    '\n',
    'a',
  ]
  test.each(sampled(pieces, 8))('%j', (piece) => {
    const bytes = Buffer.alloc(size, piece)
    redact(bytes)
  })
})

describe('the work grows with the size of what a node sends', () => {
  test.each([
    'a',
    'a://',
    'https://a:',
    'a://:',
    'a@',
    '"command": "a ',
    '"command": "a\\',
    'command="',
    'command="\\',
    'command="a\\\n',
    'setenv a',
    'setenv a=',
    ' setenv',
    'forcecommand ',
    'a:x:0:0:',
    'a:x:0:0:b:/',
    'mysql -p',
    'mysql ',
    '--password ',
    '--password="',
    "--password '",
    'a-a-a-a-',
    '--a-a-a-a-',
    'pass:',
    'bearer ',
    'x-a-a-a-',
    'login a password ',
    'login a ',
    '{SHA}',
    'grub.pbkdf2.sha512.1.',
    'password=',
    'token=',
    'hf_',
    'password=\\"',
    "password='",
    'password=a"',
    'tool --password="a\\"',
    '--password \\\n',
    '"--password",\n',
    '--password a\\ ',
    'QUJD\n',
    'QUJDREVGR0hJSktM',
    `QUJDREVGR0hJSktM-----END PRIVATE `,
    'sk-',
    '(((((',
    '"""',
    'A_PASSWORD=',
    'A_KEY=a,',
    'A_',
    'aPassword: ',
    '<password>',
    '"auth":"',
    '?sig=',
    'u=a&p=',
    'user=a:',
    'iscsi:a:',
    'mysqladmin ',
    'htpasswd -b ',
    'nmcli psk ',
    'sqlplus a/',
    'sedutil-cli --a a ',
    'redis-cli AUTH ',
    'a:b@(',
    '<(echo ',
    'kinit <<<',
    ' -Dpassword=',
    'echo a',
    'echo a|',
    "identified by '",
    'SG.',
    's.',
    'aA1Q~',
    'eyJaaaaaaaa..',
    'v4.local.',
    'AQ',
    'enc a 0x',
    'on key 0 ',
    'cookie: a=',
    'LS0tLS1CRUdJTi',
    'LS0tLS1CRUdJTiBQUklWQVRFIEtFW',
    'b3BlbnNzaC1rZXktdjE',
    '-----BEGIN OpenVPN a-----',
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
    '\nPrivate-Lines: 1\n',
    '\na:aaaaaaaaaaaaa:1:a,',
    '-w /mysql -p ',
  ])('%j', (piece) => expectLinear((size) => redact(Buffer.alloc(size, piece)), 32_768))
})
