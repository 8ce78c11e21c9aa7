import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { collectNode } from '../main/app/collect/collect-node.ts'
import { run } from '../main/core/recording/probe.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { filesBelow } from './support/files-below.ts'
import { folderOfTest } from './support/folders.ts'
import { localTransport } from './support/local-transport.ts'
import { must } from './support/outcomes.ts'

const web = (rest: string): string => `https:${'//'}${rest}`
const timer = (description: string): string => `run-u1.timer loaded active waiting ${description}\n`

/** Lines as questions of the catalog get them from a node, `~` in place of a secret of its own. */
const ANSWERS: readonly string[] = [
  ...[
    `/usr/bin/curl -fsS ${web('hooks.slack.com/services/T0/B0/~')} -d done`,
    `/usr/bin/azcopy sync /srv ${web('acct.blob.core.windows.net/b?sv=2022-11-02&sig=~&se=2027-01-01')}`,
    `/usr/bin/rclone sync /srv b2:x --b2-key ~ --fast-list`,
    `/usr/bin/docker run --rm -e NGC_API_KEY=~ -e DB_PASSWORD=a,~ nvcr.io/x`,
    `/usr/bin/docker run --env=SECRET_KEY_BASE=~ web`,
    '/bin/sh -c "echo ~ | docker login nvcr.io -u $oauthtoken --password-stdin"',
    `/bin/sh -c "echo 'svc:~' | chpasswd"`,
    '/usr/bin/mysqldump -uroot -pvoilà~ db',
    '/usr/bin/psql -c "ALTER ROLE svc WITH PASSWORD \'~\'"',
    '/usr/bin/vault operator unseal ~',
    '/usr/sbin/hdparm --user-master u --security-unlock ~ /dev/sda',
    '/usr/sbin/sedutil-cli --setLockingRange 0 RW ~ /dev/nvme0',
    '/usr/bin/ipmitool user set password 2 ~',
    '/usr/sbin/iscsiadm -m node -o update -n node.session.auth.password -v ~',
    '/usr/bin/kubeadm join h:6443 --certificate-key ~',
    '/usr/local/bin/k3s agent -t ~ -s h',
    '/usr/bin/tailscale up --auth-key tskey-auth-~',
    '/usr/bin/ngc registry image pull nvapi-~',
    '/usr/bin/wandb login ~',
    '/usr/bin/openssl enc -aes-256-cbc -k ~ -in /srv/x',
    '/usr/bin/ssh-keygen -p -P ~ -N ~ -f /root/k',
    "/usr/bin/curl -H 'DD-API-KEY: ~' -H 'Cookie: sid=~' -b 'sid=~' --cert c.p12:~ h",
    "/usr/bin/curl -H 'Authorization: Splunk ~' h",
    '/usr/bin/restic --password-command "echo ~" backup /srv',
    '/usr/bin/htpasswd -b /etc/x svc ~',
    '/usr/bin/systemd-run -p SetCredential=db:~ /opt/tool',
  ].map(timer),
  '/etc/rsyslog.d/50.conf:action(type="omhttp" server="log.example" httpheaderkey="Authorization" httpheadervalue="Splunk ~" tls.cacert="/x")\n',
  '/etc/rsyslog.d/51.conf:action(type="omelasticsearch" server="log.example" uid="svc" pwd="~ ~" tls.cacert="/x")\n',
  '{"nftables": [{"rule": {"comment": "opened by curl -u svc:~ hook", "expr": []}}]}\n',
  `{"nftables": [{"rule": {"comment": "see ${web('acct.blob.core.windows.net/b?a=1\\u0026sig=~')}"}}]}\n`,
  'data UUID=0b8f7a3d-e2c3-4e71-9a55-c0ffee000002 none luks,pkcs11-uri=pkcs11:object=k;pin-value=~\n',
  'data /srv/data.img ~ luks,keyscript=/bin/echo\n',
  '/etc/profile.d/x.sh:export LICENSE_KEY=~ TMOUT=900\n',
  '/etc/pam.d/x\0auth sufficient pam_unix.so passphrase => "~"\n',
  '/etc/ssh/sshd_config:# PasswordAuthentication no, clientSecret: ~\n',
  '-w /srv/x -p wa -k SG.~.~\n',
  '|/opt/dump --sentry-dsn=https://~@sentry.example/1 --access-key ~ %P\n',
  '<process_name>serve <token>~</token> APP_KEY=base64:~</process_name>\n',
  '/root/.ssh/authorized_keys\0b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ~\n',
  `kube-config client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo~\n`,
]

test('of secrets in answers of a node nothing is in what a collection writes, in plain text or encoded', async () => {
  const root = folderOfTest('collect-secrets')
  const node = join(root, 'node')
  mkdirSync(node)
  const secrets: string[] = []
  const files = ANSWERS.map((line, at) => {
    const file = join(node, String(at))
    const text = line.replaceAll('~', () => {
      const secret = `Cnry${createHash('sha256').update(String(secrets.length)).digest('hex').slice(0, 28)}`
      secrets.push(secret)
      return secret
    })
    writeFileSync(file, text)
    return [`c${at}`, run(['cat', file])] as const
  })
  expect(secrets.length).toBeGreaterThanOrEqual(45)
  const out = join(root, 'out')
  const store = must(await openEvidenceStore(out, validator))
  const events: unknown[] = []
  const collected = await collectNode(
    {
      transport: localTransport(['sh', '-s']),
      store,
      clock: realClock,
      entropy: realEntropy,
      pause: realPause,
      catalog: catalogOf([probeOf('test.secrets', Object.fromEntries(files))]),
    },
    targetOf('node-1'),
    {
      run: 'r1',
      signal: new AbortController().signal,
      deadlineSeconds: 60,
      onEvent: (event) => void events.push(event),
      marks: { demo: false, synthetic: null },
      skip: new Set(),
      earlier: null,
      spreadSeconds: 0,
    },
  )
  const stored = [...filesBelow(out).map((file) => readFileSync(file, 'latin1')), JSON.stringify([events, collected])]
  const all = stored.join('\n')
  // Each answer is there, so the search could have found what it held.
  expect(all.match(/run-u1\.timer/g)?.length).toBeGreaterThanOrEqual(26)
  expect(all).toContain('[redacted:password]')
  const forms = (secret: string) => [
    secret,
    ...['hex', 'base64'].map((as) => Buffer.from(secret).toString(as as 'hex')),
  ]
  expect(secrets.filter((secret) => forms(secret).some((form) => all.includes(form.replace(/=+$/, ''))))).toEqual([])
})
