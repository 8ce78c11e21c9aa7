import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'
import { eachMasked, maskedText } from './support/masked-rows.ts'

// Put together from parts, so that no scanner takes them for real ones.
const dashes = '-'.repeat(5)
const base64 = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJK'
const hex = '0123456789abcdef'.repeat(4)
const web = (scheme: string): string => `${scheme}:${'//'}`

describe('values behind a name', () => {
  eachMasked('password', [
    ...[
      ...['password', 'passwd', 'passphrase', 'sshpass', 'pgpassword', 'pwd', 'psk', 'secret', 'authtok', 'community'],
      ...['api_key', 'apikey', 'auth_token', 'auth-token', 'access_token', 'secret_key', 'secretkey', 'account_key'],
      ...['shared_access_key', 'sharedaccesskey', 'secret_access_key', 'aws_secret_access_key', 'snmp_community'],
    ].flatMap((name) => [`${name}: «hunter2» x`, `${name.toUpperCase()} = «hunter2» x`]),
    ...[
      ...[
        'password',
        'passwd',
        'passphrase',
        'sshpass',
        'pgpassword',
        'secret',
        'token',
        'authtok',
        'api_key',
        'api-key',
      ],
      ...['secret_key', 'account_key', 'access_key', 'mysql_pwd', 'rediscli_auth', 'db_pass', 'root-pw', 'db-password'],
      ...['dbPassword', 'clientSecret', 'aws_session_token', 'STORAGE_ACCESS_KEY', 'x_a_b_c_token'],
    ].flatMap((name) => [`a ${name}=«x» y`, `${name} = «/x» y`, `${name}='«x»' y`]),
    'password="«two words»" more',
    "password='«two words»' more",
    `password="«it's here»" more`,
    `password='«say "x" y»' more`,
    'password="«a\\"b c»" more',
    'password="«a\\\\»" more',
    "password='«a\\»' more",
    'passphrase: "«two words»" more',
    `passphrase: "«it's here»" more`,
    'passphrase: "«say \\"x\\" y»" more',
    'passphrase: \'«say "x" y»\' more',
    `password=«it's» more`,
    'password=«two\\ words» more',
    "password=$'«it\\'s here»' more",
    'password=$"«two words»" more',
    `sh -c "PASSWORD=«x» tool"`,
    `sh -c 'PASSWORD=«x»; tool'`,
    'username=svc,password=«x»,uid=0',
    '["DB_PASSWORD=«x»","HOME=/root"]',
    '"{\\"password\\": \\"«two words»\\", \\"a\\": 1}"',
    '"{\\"secret\\":\\"«hunter2»\\"}"',
    '"PASSWORD=\\"«two words»\\" more"',
    `"PASSWORD=\\"«it's here»\\" more"`,
    `"PASSWORD=\\'«say "x" y»\\' more"`,
    '{"password": "«hunter2»", "a": 1}',
    '{"token": "«x»", "db-password" : "«/y»"}',
    `{'clientSecret':'«x»'}`,
    '"{\\"token\\":\\"«x»\\"}"',
    'psk="«two wor»',
    'psk="«two wor\\»',
    "psk=$'«two wor\\»",
    'psk: «abcd» x',
    'password=«x»\nuser=y',
    'password="«x»\nuser=y',
    // Words that are switches by themselves.
    ...['no more', 'true story', 'db x', 'filesx'].map((words) => `password="«${words}»" y`),
    'password=«on.the.road» x',
    'password=«no-more» x',
    'passphrase: «none.of.these» x',
    'passphrase: «enabled!x» x',
    'passphrase: "«never say»" x',
    'secret: «ALL-mine»',
    'secret=«ALL-mine»',
    // Placeholders have an end.
    'password=«*x9*» y',
    'password=«(x» y',
    'password=«<x» y',
    'password=«**x» y',
    'password=«10» token=«1x»',
    'login svc password «x» y',
    'machine host password «x» login svc',
    'account svc\n password «x»',
    `password=«${'x'.repeat(900)}» y`,
  ])
  eachMasked('password', [
    ...[
      ...['files', 'compat', 'db', 'sss', 'ldap', 'nis', 'winbind', 'systemd', 'sufficient', 'required', 'requisite'],
      ...['optional', 'include', 'substack', 'true', 'false', 'yes', 'no', 'on', 'off', 'none', 'null', 'enabled'],
      ...['disabled', 'never', 'prompt'],
    ].flatMap((word) => [`passwd=${word}`, `passwd: "${word}"`, `passwd: ${word.toUpperCase()} x`]),
    'passwd: files [NOTFOUND=return] sss',
    'passwd: files[NOTFOUND=return]',
    ...[',', ';', ':', ')', ']', '}', '|', '&', "'", '"'].map((end) => `(passwd: files${end}`),
    'passwd="files\nx',
    "passwd='files'",
    'passwd="files',
    'password=*** secret: ***** x',
    'token=<hidden> secret: <not set>',
    'password=(none) secret: (hidden)',
    'secret: [hidden] token=[a]',
    'passwd: ALL=(ALL) secret=ALL x',
    'password=0 password=1 token=0, token=1; token=1',
    'if token == x',
    'PASSWD: /usr/bin/id',
    'pwd=/root pwd: /root',
    'pwd=abc',
    'token: unexpected',
    'token: "unexpected"',
    '{"token": 5, "secret": null, "token": ""}',
    'passport=abcd surpass=abcd bypass: abcd compass=abcd',
    'my-password: abcd',
    'passwords=abcd tokens=abcd',
    'login svc passwords x',
    'login password',
    'password:',
    'password="" x',
    "password='' x",
    'PasswordAuthentication no',
    'password required pam_unix.so',
  ])
})

describe('credentials in addresses', () => {
  eachMasked('url-credentials', [
    `${web('https')}«svc:hunter2»@host/x`,
    `${web('postgresql')}«svc:hunter2»@db:5432/x`,
    `${web('redis')}«:hunter2»@mq`,
    `${web('https')}«svc:p@ss»@host/x`,
    `${web('https')}svc:«pa/ss»@host/x`,
    `a=${web('https')}«svc:a»@host,${web('ftp')}«svc:b»@host`,
    ...['http', 'https', 'ftp', 'ftps', 'dav', 'davs', 'HTTPS'].map((scheme) => `${web(scheme)}«tokenOnly»@host/x`),
    // Cut off before the at sign.
    `${web('https')}svc:«hunter2»`,
    `proxy ${web('postgres')}svc:«123456»`,
    `proxy ${web('postgres')}svc:«12x»`,
  ])
  eachMasked('url-credentials', [
    `${web('https')}host:8443/a@b`,
    `${web('https')}host:8443`,
    `${web('https')}host:8443?x`,
    `${web('https')}host:`,
    `${web('https')}svc:hunter2\n`,
    `${web('https')}svc:hunter2 x`,
    `${web('ssh')}git@host/x`,
    `${web('http')}[2001:db8::1]:80/x`,
    'svc@host:/x',
    'host:x@y',
  ])
})

describe('by their marks and places', () => {
  eachMasked('token', [
    ...[
      'ghp_',
      'gho_',
      'ghr_',
      'ghs_',
      'ghu_',
      'github_pat_',
      'glpat-',
      'xapp-',
      'sk_live_',
      'rk_live_',
      'sk_test_',
    ].map((mark) => `use «${mark}${upper}» x`),
    ...[
      'hf_',
      'npm_',
      'pypi-Ag',
      'doo_v1_',
      'dop_v1_',
      'dor_v1_',
      'hvb.',
      'hvs.',
      'hvr.',
      'AIza',
      'sk-',
      'sk-ant-',
    ].map((mark) => `use «${mark}${upper}» x`),
    ...['a', 'b', 'e', 'o', 'p', 'r', 's'].map((letter) => `use «xox${letter}-${upper}» x`),
    'export HF=«hf_abcd»',
    `use «ghp_${'a'.repeat(15)}»`,
    `use «eyJhbGciOiJI.${base64.slice(0, 20)}.${base64.slice(0, 20)}» x`,
    `use «eyJhbGciOiJI.${base64.slice(0, 20)}»`,
    ...['Bearer', 'Basic', 'Token', 'ApiKey', 'Negotiate'].map((scheme) => `Authorization: ${scheme} «hunter22» x`),
    `"authorization" = "bearer «hunter22»"`,
    `x bearer «${upper}» x`,
    ...['x-api-key', 'X-Vault-Token', 'x-a-b-c-token', 'private-token', 'job-token', 'deploy-token'].map(
      (header) => `${header}: «hunter22» x`,
    ),
  ])
  eachMasked('token', [
    `use ghp_${'a'.repeat(15)} x`,
    'use hf_abc',
    'hf_transfer is a package',
    `sk-ssh-${upper} sk-ecdsa-${upper}`,
    `xghp_${upper} task-${upper}`,
    'use eyJhbGciOiJI.QUJDREVGR0 x',
    'Authorization: Bearer short x',
    'Authorization: Digest hunter22',
    'the bearer of this x',
    'x-token: short',
    'ax-token: hunter22',
  ])
  eachMasked('cloud-key', [`x AK${'IA'}${upper.slice(0, 15)} y`, `x AK${'IA'}${upper.slice(0, 17)} y`])
  eachMasked('cloud-key', [
    `x «AK${'IA'}${upper.slice(0, 16)}» y`,
    `x «AS${'IA'}${upper.slice(0, 16)}» y`,
    `x «AK${'IA'}ABCD»`,
    `x «AK${'IA'}${upper.slice(0, 15)}»`,
    `aws_secret_access_key = «${'k'.repeat(40)}» y`,
    `"SecretAccessKey": "«${'k'.repeat(40)}»"`,
  ])
  eachMasked('password', [`AWS_SECRET_ACCESS_KEY=«${'k'.repeat(20)}»`, `"SecretAccessKey": "«${'k'.repeat(20)}»`])
  eachMasked('wireguard-key', [
    `PrivateKey = «${upper}=» y`,
    `preshared-key: «${upper}=»`,
    `private key: "«${upper.slice(0, 42)}»"`,
    'PrivateKey = «abcd»',
    `PrivateKey = «${'a'.repeat(41)}»`,
  ])
  eachMasked('wireguard-key', [
    'private key: (hidden)',
    'PrivateKey = abcd x',
    'PrivateKey = /etc/key',
    `PublicKey = ${upper}=`,
  ])
  // crypttab(5): a script such as echo prints the third field, which so can be a passphrase itself.
  eachMasked('dm-key', [
    'data UUID=0b8f7a3d-e2c3-4e71-9a55-c0ffee000002 «hunter2» luks,keyscript=/bin/echo',
    'data\tUUID="0b8f7a3d-e2c3-4e71-9a55-c0ffee000002"\t«correct-horse,battery» \tluks,discard',
    'root none x\ndata /dev/nvme0n1p3 «hunter2»\nmore PARTUUID=0b8f7a3d-02 none luks',
    '# data LABEL=crypt «hunter2» luks\r\n',
    'data PARTUUID=0b8f7a3d-02 «hunter2»\nmore PARTLABEL=crypt «hunter2» luks',
  ])
  eachMasked('dm-key', [
    'luks-os UUID=6c1e64be-1f9c-4b0a-9d0f-3a9f5b1c2d01 none luks,discard,tpm2-device=auto',
    'paused UUID=cccccccc-cccc-cccc-cccc-cccccccccccc - luks,fido2-device=auto',
    'luks-data /dev/sdb /etc/keys/data.key luks',
    'away /dev/sdc /key.bin:LABEL=stick luks',
    'stick /dev/sdd LABEL=keys luks,keyfile-size=4096',
    'stick /dev/sdd UUID=6c1e-64be luks,keyfile-size=4096',
    'asked /dev/sde none',
    'asked /dev/sde -',
    'swap0 /dev/sdl /dev/urandom swap',
    '# <target name>\t<source device>\t\t<key file>\t<options>',
    'tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0',
    '/dev/sda1 /boot ext4 rw,relatime 0 0',
    'see /dev/sda of this node for more',
  ])
  eachMasked('password-hash', [
    ...[
      '1',
      '2',
      '2a',
      '2b',
      '2x',
      '2y',
      '5',
      '6',
      '7',
      'y',
      'gy',
      'sha1',
      'apr1',
      'argon2id',
      'argon2i',
      'argon2d',
    ].map((scheme) => `u:«$${scheme}$saltsalt$${upper}»:1`),
    'u:«$6$salt»',
    `u:«$6$${'a'.repeat(19)}»`,
    ...['SHA', 'SSHA', 'SHA256', 'SHA384', 'SSHA512', 'MD5', 'SMD5', 'CRYPT'].map((name) => `{${name}}«${upper}» x`),
    '{SSHA}«abcd»',
    `{SSHA}«${upper.slice(0, 15)}»`,
    `grub.pbkdf2.sha512.10000.«${hex}.${hex}» x`,
    'eve:«aaJ1Ytj6cXrWk»:1001:1001::/home/eve:/bin/sh',
    'a:x:1:1:\neve:«_aJ1Ytj6cXrWkaaJ1Ytj»:1001:1001:',
  ])
  eachMasked('password-hash', [
    `u:$6$${'a'.repeat(19)} x`,
    "awk '{print $1$2$3}' $5$ $6$",
    'u:$9$saltsalt$hashhashhash',
  ])
  eachMasked('private-key', [
    `x\n«${base64}\n${base64}\n${dashes}END PRIVATE KEY${dashes}»\ny`,
    `- «${base64}\r\n${base64}\r\n${dashes}END OPENSSH PRIVATE KEY${dashes}»\ny`,
    `"«${base64}\\n${dashes}END PGP PRIVATE KEY BLOCK${dashes}»"`,
  ])
  eachMasked('private-key', [
    `${base64}\n${dashes}END CERTIFICATE${dashes}`,
    `short\n${dashes}END PRIVATE KEY${dashes}`,
  ])
})

describe('a value of any length is taken out whole', () => {
  test.each([
    ['"command": "/bin/x ', 'a', '"', 'command-arguments'],
    ['"command": "/bin/x ', 'a\\"', '"', 'command-arguments'],
    ['command="', 'a', '"', 'key-option'],
    ['setenv A=', 'a', '\n', 'server-setting'],
    ['forcecommand ', 'a', '\n', 'server-setting'],
    ['Authorization: Bearer ', 'a', ' ', 'token'],
    ['bearer ', 'a', ' ', 'token'],
    ['x-token: ', 'a', ' ', 'token'],
    ['hvb.', 'a', ' ', 'token'],
    ['login a password ', 'a', ' ', 'password'],
    ['password=', 'a', ' ', 'password'],
    ['password="', 'a ', '"', 'password'],
    ["password='", 'a ', "'", 'password'],
    ["password=$'", 'a ', "'", 'password'],
    ['password=\\"', 'a ', '\\"', 'password'],
    ['psk: ', 'a', ' ', 'password'],
    ['psk: "', 'a\\"', '"', 'password'],
  ] as const)('%s…', (head, piece, end, kind) => {
    const { classes, bytes } = redact(Buffer.from(`${head}${piece.repeat(10_000)}${end}left`))
    const text = Buffer.from(bytes).toString()
    expect(classes).toEqual({ [kind]: 1 })
    expect(text.replace(/\*+/, '')).toBe(
      `${kind === 'token' && head === 'hvb.' ? '' : head}[redacted:${kind}]${end}left`,
    )
    expect(maskedText(text)).toBe(text)
  })
})
