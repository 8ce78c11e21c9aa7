import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'

const redacted = (text: string): string => Buffer.from(redact(Buffer.from(text)).bytes).toString()
const hex = (length: number): string => '0123456789abcdef'.repeat(64).slice(0, length)
const dashes = '-----'
const pem = (kind: string): string =>
  `${dashes}BEGIN ${kind}${dashes}\nProc-Type: 4,ENCRYPTED\n\n${'QUJD'.repeat(40)}\n${dashes}END ${kind}${dashes}`

describe('what is taken away', () => {
  test.each([
    [`a\n${pem('PRIVATE KEY')}\nb`, 'a\n[redacted:private-key]\nb'],
    [`a\n${pem('OPENSSH PRIVATE KEY')}\nb`, 'a\n[redacted:private-key]\nb'],
    [`${pem('RSA PRIVATE KEY')}\n${pem('EC PRIVATE KEY')}`, '[redacted:private-key]\n[redacted:private-key]'],
    [`${dashes}BEGIN PGP PRIVATE KEY BLOCK${dashes}\nabc`, '[redacted:private-key]'],
    [`root:$6$saltsalt$${'a'.repeat(86)}:19000:0`, 'root:[redacted:password-hash]:19000:0'],
    [`root:$y$j9T$abcdefgh$${'b'.repeat(43)}:1`, 'root:[redacted:password-hash]:1'],
    [`u:$5$rounds=5000$salt$${'c'.repeat(43)}:1`, 'u:[redacted:password-hash]:1'],
    [`u:$1$salt$${'d'.repeat(22)}:1`, 'u:[redacted:password-hash]:1'],
    [`u:$2b$12$${'e'.repeat(53)}:1`, 'u:[redacted:password-hash]:1'],
    ['eve:aaJ1Ytj6cXrWk:1001:1001::/home/eve:/bin/sh', 'eve:[redacted:password-hash]:1001:1001::/home/eve:/bin/sh'],
    ['$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo', '[redacted:password-hash]'],
    [
      `luks-1: 0 2097152 crypt aes-xts-plain64 ${hex(128)} 0 8:1 32768 1 allow_discards\n`,
      'luks-1: 0 2097152 crypt aes-xts-plain64 [redacted:dm-key] 0 8:1 32768 1 allow_discards\n',
    ],
    [
      `0 2097152 crypt capi:authenc(hmac(sha256),xts(aes))-random ${hex(192)} 0 8:1 0`,
      '0 2097152 crypt capi:authenc(hmac(sha256),xts(aes))-random [redacted:dm-key] 0 8:1 0',
    ],
    [
      `i: 0 100 integrity 8:1 0 32 J 3 internal_hash:hmac(sha256):${hex(64)} journal_mac:hmac(sha256):${hex(64)} x`,
      'i: 0 100 integrity 8:1 0 32 J 3 internal_hash:hmac(sha256):[redacted:dm-key] journal_mac:hmac(sha256):[redacted:dm-key] x',
    ],
    [`PrivateKey = ${'A'.repeat(43)}=\n`, 'PrivateKey = [redacted:wireguard-key]\n'],
    [`  preshared key: ${'A'.repeat(43)}=`, '  preshared key: [redacted:wireguard-key]'],
    [`t=eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(30)}.${'b'.repeat(43)} x`, 't=[redacted:token] x'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted:token]'],
    [`aws_secret_access_key = ${'k'.repeat(40)}`, 'aws_secret_access_key = [redacted:cloud-key]'],
    [`{"SecretAccessKey":"${'k'.repeat(40)}"}`, '{"SecretAccessKey":"[redacted:cloud-key]"}'],
    ['psk="correct horse"', 'psk="[redacted:password]"'],
    ['wpa_passphrase=hunter2hunter2', 'wpa_passphrase=[redacted:password]'],
    ['{"password": "hunter22", "a": 1}', '{"password": "[redacted:password]", "a": 1}'],
    ['mysql -u root DB_PASSWORD=hunter22 x', 'mysql -u root DB_PASSWORD=[redacted:password] x'],
  ])('%s', (text, expected) => {
    expect(redacted(text)).toBe(expected)
  })

  test('a private key whose end was cut off', () => {
    expect(redacted(pem('PRIVATE KEY').slice(0, 100))).toBe('[redacted:private-key]')
  })
})

describe('what stays exactly as it was', () => {
  test.each([
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'a'.repeat(43)} user@host`,
    `256 SHA256:${'A'.repeat(43)} root@host (ED25519)`,
    `${hex(64)}  /usr/sbin/sshd`,
    'UUID: 01234567-89ab-cdef-0123-456789abcdef',
    `DM_UUID=CRYPT-LUKS2-${hex(32)}-cryptroot`,
    `luks-1: 0 2097152 crypt aes-xts-plain64 :64:logon:cryptsetup:01234567-89ab-cdef-0123-456789abcdef-d0 0 8:1 32768\n`,
    `luks-1: 0 2097152 crypt aes-xts-plain64 ${'0'.repeat(128)} 0 8:1 32768\n`,
    'null: 0 2097152 crypt cipher_null-ecb - 0 8:1 0\n',
    `v: 0 100 verity 1 8:1 8:2 4096 4096 100 1 sha256 ${hex(64)} ${hex(64)}\n`,
    'PasswordAuthentication no\npermitemptypasswords no\n',
    'passwd:         files systemd sss\nshadow: files\n',
    'passwd: winbind ldap compat\n',
    'alice ALL=(ALL) NOPASSWD: /usr/bin/id, PASSWD: /usr/bin/apt, PASSWD: ALL\n',
    'password [success=1 default=ignore] pam_unix.so obscure use_authtok try_first_pass yescrypt\n',
    'root P 2026-01-01 0 99999 7 -1\nroot:x:0:0::/root:/bin/bash\n',
    `${dashes}BEGIN CERTIFICATE${dashes}\n${'QUJD'.repeat(40)}\n${dashes}END CERTIFICATE${dashes}\n`,
    `interface: wg0\n  public key: ${'A'.repeat(43)}=\n  listening port: 51820\n`,
    `  private key: (hidden)\n`,
    'Password expires\t: never\npwd=/root\nsecret: none\n',
    "awk '{print $1$2$3}' $1$2 costs $5$ and $6$\n",
    'flags : fpu vme de pse tsc msr pae mce cx8 apic sep mtrr',
  ])('%s', (text) => {
    const bytes = Buffer.from(text)
    expect(redact(bytes)).toEqual({ bytes, count: 0, classes: {} })
  })

  test('bytes that are no text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const result = redact(bytes)
        if (result.count === 0) expect(result.bytes).toBe(bytes)
      }),
    )
  })
})

const word = fc.constantFrom(
  pem('PRIVATE KEY'),
  `${dashes}BEGIN PRIVATE KEY${dashes}`,
  '$6$',
  '$y$',
  'a'.repeat(43),
  hex(64),
  ' 0 8 crypt aes-xts-plain64 ',
  'eyJabcdefghij.',
  'psk=',
  'password: "',
  ' ',
  '\n',
  '=',
)
test('a second pass finds nothing more', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const once = redact(Buffer.from(words.join('')))
      expect(redact(once.bytes).count).toBe(0)
    }),
    { numRuns: 300 },
  )
})
