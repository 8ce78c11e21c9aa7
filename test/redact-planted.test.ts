import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskedText } from './support/masked-rows.ts'
import { times } from './support/thorough.ts'

const dashes = '-'.repeat(5)
const letters = [...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz']
const digits = [...'23456789']
const signs = [...'!#%^*_+=.:~?']

/** Texts that begin with a letter and are too long to stand elsewhere by chance; none ends with what may close brackets around it. */
const secretOf = (characters: readonly string[], least = 12, most = 40): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...letters),
      fc.array(fc.constantFrom(...characters), { minLength: least, maxLength: most }),
      fc.constantFrom(...letters),
    )
    .map(([first, middle, last]) => first + middle.join('') + last)

/** As long as tokens and hashes are. */
const plain = secretOf([...letters, ...digits], 20)
const bare = secretOf([...letters, ...digits, ...signs])
const upper = secretOf([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'], 60, 60).map((text) => text.toUpperCase())
const withBlanks = secretOf([...letters, ...digits, ...signs, ' ', ' ', ',', ';', '(', '|', '-', '/', '$', '&'])

/** A secret, and how it is written where quotation marks may stand. */
interface Written {
  readonly secret: string
  readonly text: string
}

const inDouble = (secret: string): Written => ({ secret, text: `"${secret}"` })
const inSingle = (secret: string): Written => ({ secret, text: `'${secret}'` })
const value: fc.Arbitrary<Written> = fc.oneof(
  bare.map((secret) => ({ secret, text: secret })),
  bare.map(inDouble),
  bare.map(inSingle),
  withBlanks.map(inDouble),
  withBlanks.map(inSingle),
  withBlanks.map((secret) => inDouble(`${secret}\\"${secret}`)),
  withBlanks.map((secret) => inDouble(`${secret}'${secret}`)),
  withBlanks.map((secret) => inSingle(`${secret}"${secret}`)),
)

const written = (of: fc.Arbitrary<Written>, ...places: readonly string[]): fc.Arbitrary<Written> =>
  fc
    .tuple(of, fc.constantFrom(...places))
    .map(([{ secret, text }, place]) => ({ secret, text: place.replace('~', () => text) }))
const asIs = (of: fc.Arbitrary<string>, ...places: readonly string[]): fc.Arbitrary<Written> =>
  written(
    of.map((secret) => ({ secret, text: secret })),
    ...places,
  )

/** A secret of each class where it is found, `~` in its place. */
const PLANTED: readonly fc.Arbitrary<Written>[] = [
  written(
    value,
    ...['tool --password ~', 'tool --db-password=~', '/opt/tool --token ~', 'tool --client-secret=~', 'tool -pass ~'],
    ...['mysql -uroot -p~ db', '/usr/bin/mysqldump -p~', 'sshpass -p ~ ssh host', 'sshpass -p~ ssh host', '7z a -p~ x'],
    ...['docker login -u svc -p ~', 'ldapsearch -xw ~ -D cn=x', 'redis-cli -a ~ ping', 'zip -erP ~ a b'],
    ...['unzip -P ~ a', 'snmpget -v2c -c ~ host', 'ipmitool -U admin -P ~ mc info', 'mongodump -u svc -p ~'],
    ...['DB_PASSWORD=~ tool', 'env PGPASSWORD=~ psql', 'export API_TOKEN=~', 'MYSQL_PWD=~ mysql', 'SMTP_PASS=~ x'],
    ...['passphrase = ~', 'psk=~', 'clientSecret=~', 'api_key = ~'],
    ...['vault operator unseal ~', 'htpasswd -nb svc ~', 'rabbitmqctl add_user svc ~', 'mysqladmin -u a password ~'],
    ...['hdparm --security-unlock ~ /dev/sda', 'ssh-keygen -N ~ -f k', 'openssl enc -k ~', 'racadm -u root -p ~ x'],
    ...['kubeadm join --certificate-key ~', 'redis-server --requirepass ~', 'arangosh --server.password ~'],
    ...['DBPASS=~ tool', 'SECRET_KEY_BASE=~ x', 'PASS=~ x', 'DB_CREDENTIALS=~ x'],
  ),
  asIs(
    bare,
    ...['curl -u svc:~ host', 'curl -sSu svc:~ host', "curl --user 'svc:~' host", 'curl -usvc:~ host'],
    ...['smbclient -U svc%~ //a/b', 'openssl rsa -passin pass:~ -in key', 'skopeo inspect --creds svc:~ a'],
    ...['machine host login svc password ~', 'setenv LICENCE=~', '"command": "/opt/tool ~"', '"password": "~"'],
    ...[`command="/bin/dump ~",no-pty ssh-ed25519 AAAA`, 'environment="LICENCE=~"', 'forcecommand /opt/tool ~'],
  ),
  asIs(
    plain,
    ...['https', 'postgresql', 'amqp', 'redis', 'ftp'].map((scheme) => `${scheme}:${'//'}svc:~@host.example/x`),
    ...['sig', 'X-Amz-Signature', 'X-Goog-Signature'].map((name) => `https:${'//'}host.example/x?a=1&${name}=~&b=2`),
    `https:${'//'}hooks.slack.com/services/T0/B0/~`,
    ...['nvapi-~', 'tskey-auth-~', 'dckr_pat_~', 'glrt-~', 'gsk_~', 'ya29.~', 'DHHC-1:00:~:', 'DD-API-KEY: ~'],
    ...['Authorization: Splunk ~', 'Authorization: ~', 'Cookie: sid=~', 'wandb login ~', 'systemd.set_credential=a:~'],
    ...['hf_~', 'ghp_~', 'glpat-~', 'xoxb-~', 'sk-ant-~', 'npm_~', 'hvs.~', 'Authorization: Bearer ~', 'X-Api-Key: ~'],
    ...['$6$salt$~', '$y$j9T$~', '{SSHA}~', 'aws_secret_access_key = ~', 'AWS_SECRET_ACCESS_KEY=~'],
  ),
  asIs(plain, `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n~\n${dashes}END RSA PRIVATE KEY${dashes}`),
  asIs(
    upper.map((text) => text.slice(0, 43)),
    'PrivateKey = ~=',
    'preshared key: ~=',
  ),
  asIs(
    upper.map((text) => text.slice(0, 16)),
    `AK${'IA'}~`,
    `AS${'IA'}~`,
  ),
  asIs(
    fc.array(fc.constantFrom(...'123456789abcdef'), { minLength: 64, maxLength: 64 }).map((all) => all.join('')),
    '0 2097152 crypt aes-xts-plain64 ~ 0 8:1 0',
    'internal_hash:hmac(sha256):~',
  ),
]

/** What stands around: quotation marks are closed, and no option is left waiting for its value. */
const around = fc
  .array(
    fc.constantFrom(
      ...['x', '/usr/bin/id', '-v', '--verbose', '--config=/etc/x', '"a b"', "'c d'", 'KEY=1', '|', ';', '&&', '\n'],
      ...[
        '\\\n',
        '\t',
        '(',
        ')',
        'host.example:22',
        'mysql',
        'curl',
        '-p',
        '#',
        'tool:',
        '-u svc',
        '>x',
        '2>&1',
        '$HOME',
      ],
    ),
    { maxLength: 8 },
  )
  .map((words) => words.join(' '))

/** How the whole is put into another text. */
const wrapped = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `ExecStart=-/bin/sh ${text}`,
  (text) => `Nov 27 00:00:00 host sudo: root : COMMAND=${text}`,
  (text) => `  ${text}\r\nnext`,
  // Only where nothing in it ends the quotation or would be written in another way, and lines of files of their own in no JSON.
  (text) => (text.includes("'") ? text : `sh -c '${text}'`),
  (text) => (/["\\]/.test(text) ? text : `sh -c "${text}"`),
  (text) => (/[\\\n\t]|command|environment/.test(text) ? text : `{"cmd": ${JSON.stringify(text)}, "user": "root"}`),
)

/** What of a secret is left: any eight characters of it in a row. */
function leftOf(secret: string, text: string): readonly string[] {
  const parts = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8))
  return parts.filter((part) => text.includes(part))
}

test.each(PLANTED.map((planted, at) => [at, planted] as const))(
  'nothing is left of a secret among other words, also where the text is cut off (%i)',
  (_, planted) => {
    fc.assert(
      fc.property(
        around,
        planted,
        around,
        wrapped,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (before, one, after, wrap, cut) => {
          for (const between of ['\n', ' ']) {
            const text = wrap([before, one.text, after].join(between))
            const end = text.indexOf(one.secret.slice(0, 8)) + Math.ceil(cut * one.secret.length)
            for (const of of [text, text.slice(0, end)]) expect(leftOf(one.secret, maskedText(of))).toEqual([])
          }
        },
      ),
      { numRuns: times(300, 20_000) },
    )
  },
)
