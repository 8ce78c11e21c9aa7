import { createHash } from 'node:crypto'
import { namesOfContainer } from './podman.ts'

/**
 * A secret planted on a host. `reached`: the catalog asks for the line that it stands in, so that only masking keeps it out of what is
 * stored; `kept`: no question prints it, since the question is cut or never put.
 */
export interface Canary {
  readonly name: string
  readonly secret: string
  readonly fate: 'reached' | 'kept'
}

/** What a host is given, by sh as its root before it boots, and which secrets stand in it. */
export interface Planted {
  readonly canaries: readonly Canary[]
  readonly setup: string
  readonly network: string
}

/** No one's secret: made from the name of the place, and recognised by nothing but itself. */
const secretOf = (name: string): string => `Cnry${createHash('sha256').update(name).digest('hex').slice(0, 28)}`
/** The same in the alphabet of access keys. */
const upperOf = (name: string): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return [...createHash('sha256').update(name).digest().subarray(0, 16)].map((byte) => letters[byte % 32]).join('')
}

/** The same as 32 bytes in base64, as WireGuard and munge have them. */
const keyOf = (name: string): string => createHash('sha256').update(name).digest('base64')

const dashes = '-'.repeat(5)
const pem = (kind: string, secret: string): string =>
  `${dashes}BEGIN ${kind}PRIVATE KEY${dashes}\n${secret}${'QUJD'.repeat(8)}\n${dashes}END ${kind}PRIVATE KEY${dashes}`
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'a'.repeat(43)}`

type Place = readonly [
  name: string,
  fate: Canary['fate'],
  path: string,
  lines: (secret: string) => string,
  make?: (name: string) => string,
]

/** The files of a host that hold secrets, and lines as their manual pages show them. Lines are added to what is there. */
const PLACES: readonly Place[] = [
  // Asked for, and masked.
  ['sshd SetEnv', 'reached', '/etc/ssh/sshd_config', (x) => `SetEnv LICENCE=${x}`],
  [
    'sshd SetEnv, quoted',
    'reached',
    '/etc/ssh/sshd_config.d/more.conf',
    (x) => `AuthorizedKeysCommand /usr/bin/true --bind-password ${x} %u\nAuthorizedKeysCommandUser nobody`,
  ],
  [
    'sshd ForceCommand in a block',
    'reached',
    '/etc/ssh/sshd_config',
    (x) => `Match Address 10.0.0.0/24\n  ForceCommand /usr/bin/tool -x ${x}\n  SetEnv LICENCE=inner\n`,
  ],
  [
    'authorized_keys command',
    'reached',
    '/root/.ssh/authorized_keys',
    (x) => `command="/bin/dump -p${x}",no-pty ${KEY} c`,
  ],
  [
    'authorized_keys command, escaped',
    'reached',
    '/root/.ssh/authorized_keys',
    (x) => `restrict,command="echo \\"${x}\\"" ${KEY}`,
  ],
  ['authorized_keys environment', 'reached', '/root/.ssh/authorized_keys', (x) => `environment="LICENCE=${x}" ${KEY}`],
  [
    'sudoers mysqldump',
    'reached',
    '/etc/sudoers.d/canary',
    (x) => `bwvisible ALL=(root) NOPASSWD: /usr/bin/mysqldump -p${x}`,
  ],
  ['sudoers curl', 'reached', '/etc/sudoers.d/canary', (x) => `bwvisible ALL=(root) /usr/bin/curl -u svc\\:${x}`],
  [
    'sudoers unknown program',
    'reached',
    '/etc/sudoers.d/canary',
    (x) => `Cmnd_Alias CANARY = /opt/tool ${x}\nbwvisible ALL=(root) CANARY`,
  ],
  ['shell profile', 'reached', '/etc/profile.d/canary.sh', (x) => `export DB_PASSWORD=${x} TMOUT=900`],
  [
    'rsyslog pwd',
    'reached',
    '/etc/rsyslog.d/canary.conf',
    (x) => `*.* action(type="omfwd" target="log.example" uid="svc" pwd="${x}")`,
  ],
  [
    'rsyslog address',
    'reached',
    '/etc/rsyslog.d/canary.conf',
    (x) => `*.* action(type="omhttp" target="https:${'//'}svc:${x}@log.example")`,
  ],
  ['journald comment', 'reached', '/etc/systemd/journald.conf', (x) => `# token=${x}`],
  ['crypttab comment', 'reached', '/etc/crypttab', (x) => `# passphrase: ${x}`],
  [
    'description of a failed unit',
    'reached',
    '/etc/systemd/system/canary-failed.service',
    (x) => `[Unit]\nDescription=Sync with --password ${x}\n[Service]\nExecStart=/bin/false`,
  ],
  [
    'description of a timer',
    'reached',
    '/etc/systemd/system/canary.timer',
    (x) => `[Unit]\nDescription=/usr/bin/curl -u svc:${x} https:${'//'}up.example\n[Timer]\nOnCalendar=yearly`,
  ],
  [
    'description with a token of Hugging Face',
    'reached',
    '/etc/systemd/system/canary-hf.timer',
    (x) => `[Unit]\nDescription=Pull hf_${x}\n[Timer]\nOnCalendar=yearly`,
  ],
  [
    'description with a token of GitHub',
    'reached',
    '/etc/systemd/system/canary-gh.timer',
    (x) => `[Unit]\nDescription=Pull ghp_${x}\n[Timer]\nOnCalendar=yearly`,
  ],
  [
    'description with an access key',
    'reached',
    '/etc/systemd/system/canary-aws.timer',
    (x) => `[Unit]\nDescription=Pull AK${'IA'}${x}\n[Timer]\nOnCalendar=yearly`,
    upperOf,
  ],
  [
    'description with a bearer',
    'reached',
    '/etc/systemd/system/canary-bearer.timer',
    (x) => `[Unit]\nDescription=Push Authorization: Bearer ${x}\n[Timer]\nOnCalendar=yearly`,
  ],
  ['PAM argument', 'reached', '/etc/pam.d/canary', (x) => `auth optional pam_unix.so secret=${x}`],
  ['rules of access', 'reached', '/etc/security/access.conf', (x) => `+:ALL:LOCAL # password=${x}`],
  // As files: the kernel gives no control over audit to a host in a process namespace of its own (kernel/audit.c, audit_netlink_ok); test/real/audit-canary.test.ts loads a rule.
  ['key of an audit rule', 'reached', '/etc/audit/rules.d/canary.rules', (x) => `-w /etc/passwd -p wa -k token=${x}`],
  // Cut in the question, or never asked for.
  ['comment behind a key', 'kept', '/root/.ssh/authorized_keys', (x) => `${KEY} ${x}`],
  ['sudoers comment', 'kept', '/etc/sudoers.d/canary', (x) => `# root password ${x}`],
  ['sshd_config comment', 'kept', '/etc/ssh/sshd_config.d/more.conf', (x) => `# ${x}`],
  ['environment', 'kept', '/etc/environment', (x) => `API_TOKEN=${x}`],
  ['proxy of the environment', 'kept', '/etc/environment', (x) => `http_proxy=http:${'//'}svc:${x}@proxy.example`],
  [
    'proxy of apt',
    'kept',
    '/etc/apt/apt.conf.d/99canary',
    (x) => `Acquire::http::Proxy "http:${'//'}svc:${x}@proxy.example";`,
  ],
  [
    'apt source',
    'kept',
    '/etc/apt/sources.list.d/canary.list',
    (x) => `deb https:${'//'}svc:${x}@repo.example/debian trixie main`,
  ],
  ['apt auth.conf', 'kept', '/etc/apt/auth.conf.d/canary.conf', (x) => `machine repo.example login svc password ${x}`],
  [
    'unit Environment',
    'kept',
    '/etc/systemd/system/canary-environment.service',
    (x) =>
      `[Service]\nEnvironment="API_TOKEN=${x}"\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target`,
  ],
  [
    'argument of a process',
    'kept',
    '/etc/systemd/system/canary-argument.service',
    (x) => `[Service]\nExecStart=/bin/sh -c "sleep infinity # --password ${x}"\n[Install]\nWantedBy=multi-user.target`,
  ],
  [
    'system crontab',
    'kept',
    '/etc/cron.d/canary',
    (x) => `PASSWORD=${x}\n0 3 * * * root /usr/bin/curl -u svc:${x} https:${'//'}up.example`,
  ],
  ['crontab of an account', 'kept', '/var/spool/cron/crontabs/bwvisible', (x) => `0 3 * * * /bin/dump -p${x}`],
  ['fstab', 'kept', '/etc/fstab', (x) => `//nas.example/share /mnt cifs noauto,username=svc,password=${x} 0 0`],
  ['cifs credentials', 'kept', '/etc/cifs-credentials', (x) => `username=svc\npassword=${x}`],
  ['davfs secrets', 'kept', '/etc/davfs2/secrets', (x) => `https:${'//'}nas.example svc ${x}`],
  ['docker login', 'kept', '/root/.docker/config.json', (x) => `{"auths":{"r.example":{"auth":"${x}"}}}`],
  [
    'docker proxy',
    'kept',
    '/etc/docker/daemon.json',
    (x) => `{"data-root": "/srv/docker", "proxies": {"http-proxy": "http:${'//'}svc:${x}@proxy.example"}}`,
  ],
  ['containerd registry', 'kept', '/etc/containerd/config.toml', (x) => `[plugins.registry.auth]\n  password = "${x}"`],
  [
    'audit remote comment',
    'kept',
    '/etc/audit/audisp-remote.conf',
    (x) => `remote_server = log.example\n# password ${x}`,
  ],
  [
    'audit log',
    'kept',
    '/var/log/audit/audit.log',
    (x) =>
      `type=EXECVE msg=audit(1795600000.000:1): argc=3 a0="mysql" a1="-p${x}" a2="db"\ntype=PROCTITLE msg=audit(1795600000.000:1): proctitle=${Buffer.from(`mysql\0-p${x}\0db`).toString('hex').toUpperCase()}`,
  ],
  [
    'journal upload address',
    'kept',
    '/etc/systemd/journal-upload.conf',
    (x) => `[Upload]\nURL=https:${'//'}svc:${x}@log.example`,
  ],
  ['LUKS key file', 'kept', '/etc/cryptsetup-keys.d/data.key', (x) => x],
  ['TLS key', 'kept', '/etc/ssl/private/canary.key', (x) => pem('', x)],
  ['SSH key of root', 'kept', '/root/.ssh/id_canary', (x) => pem('OPENSSH ', x)],
  ['SSH key of an account', 'kept', '/home/bwvisible/.ssh/id_rsa', (x) => pem('RSA ', x)],
  ['shell history', 'kept', '/root/.bash_history', (x) => `mysql -u root -p${x}`],
  ['netrc', 'kept', '/root/.netrc', (x) => `machine h login svc password ${x}`],
  ['pgpass', 'kept', '/root/.pgpass', (x) => `db:5432:*:svc:${x}`],
  ['my.cnf', 'kept', '/root/.my.cnf', (x) => `[client]\npassword=${x}`],
  ['AWS credentials', 'kept', '/root/.aws/credentials', (x) => `[default]\naws_secret_access_key = ${x}`],
  ['kubeconfig', 'kept', '/root/.kube/config', (x) => `users:\n- user:\n    token: ${x}`],
  ['user-data', 'kept', '/var/lib/cloud/instance/user-data.txt', (x) => `#cloud-config\npassword: ${x}`],
  ['instance data', 'kept', '/run/cloud-init/instance-data-sensitive.json', (x) => `{"password": "${x}"}`],
  ['WireGuard', 'kept', '/etc/wireguard/wg0.conf', (x) => `[Interface]\nPrivateKey = ${x}`, keyOf],
  [
    'NetworkManager',
    'kept',
    '/etc/NetworkManager/system-connections/lab.nmconnection',
    (x) => `[wifi-security]\npsk=${x}`,
  ],
  ['wpa_supplicant', 'kept', '/etc/wpa_supplicant/wpa_supplicant.conf', (x) => `network={\n psk="${x}"\n}`],
  ['chrony keys', 'kept', '/etc/chrony/chrony.keys', (x) => `1 SHA256 HEX:${x}`],
  ['snmpd', 'kept', '/etc/snmp/snmpd.conf', (x) => `rocommunity ${x}`],
  ['IPsec', 'kept', '/etc/ipsec.secrets', (x) => `: PSK "${x}"`],
  ['munge', 'kept', '/etc/munge/munge.key', (x) => x, keyOf],
  ['restic', 'kept', '/etc/restic/env', (x) => `RESTIC_PASSWORD=${x}`],
  ['borgmatic', 'kept', '/etc/borgmatic/config.yaml', (x) => `encryption_passphrase: ${x}`],
  ['rclone', 'kept', '/root/.config/rclone/rclone.conf', (x) => `[nas]\npass = ${x}`],
  ['git credentials', 'kept', '/root/.git-credentials', (x) => `https:${'//'}svc:${x}@git.example`],
  [
    'PAM argument of another module',
    'kept',
    '/etc/pam.d/canary',
    (x) => `auth optional pam_mysql.so user=svc passwd=${x}`,
  ],
  ['kdump target', 'kept', '/etc/default/kdump-tools', (x) => `FTP="svc:${x}@dump.example"`],
  ['session environment', 'kept', '/home/bwaudit/.ssh/environment', (x) => `API_TOKEN=${x}`],
  ['said at login', 'kept', '/home/bwaudit/.ssh/rc', (x) => `echo token=${x}\necho token=${x} >&2`],
]

/** A name that has to be found, so that finding nothing means something. */
export const VISIBLE = 'bwvisible'

/** Everything that is planted, and the scripts that plant it. */
export function plant(): Planted {
  const canaries: Canary[] = []
  const secret = (name: string, fate: Canary['fate'], make = secretOf): string => {
    const value = make(name)
    canaries.push({ name, secret: value, fate })
    return value
  }
  const files = PLACES.map(
    ([name, fate, path, lines, make]) =>
      `mkdir -p '${path.replace(/\/[^/]*$/, '')}'\ncat >>'${path}' <<'CANARY'\n${lines(secret(name, fate, make))}\nCANARY`,
  )
  const mountUnit = `[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount -t tmpfs https:${'//'}svc:${secret('mount source', 'kept')}@nas.example/share /mnt
[Install]
WantedBy=multi-user.target`
  // Given to a container when the host has booted.
  for (const name of namesOfContainer) secret(name, 'kept')
  const commandLine = `[Service]
Type=oneshot
ExecStart=/bin/mount --bind /etc/canary-cmdline /proc/cmdline
[Install]
WantedBy=multi-user.target`
  const setup = `
useradd --create-home --shell /bin/bash --comment '${secret('comment of an account', 'kept')}' ${VISIBLE}
usermod -p '$6$saltsalt$${secret('password hash', 'kept')}${'a'.repeat(54)}' ${VISIBLE}
mkdir -p /root/.ssh
${files.join('\n')}
chmod 440 /etc/sudoers.d/canary
chmod 644 /home/bwaudit/.ssh/rc /etc/cron.d/canary
chown -R ${VISIBLE}: /home/${VISIBLE}
visudo -cq
echo 'ro quiet api_token=${secret('kernel command line', 'kept')} console=tty0' >/etc/canary-cmdline
cat >/etc/systemd/system/canary-mount.service <<'CANARY'
${mountUnit}
CANARY
cat >/etc/systemd/system/canary-cmdline.service <<'CANARY'
${commandLine}
CANARY
sed -i '$ a [Install]\\nWantedBy=multi-user.target' /etc/systemd/system/canary-failed.service
sed -i '$ a [Install]\\nWantedBy=timers.target' /etc/systemd/system/canary*.timer
for timer in canary canary-hf canary-gh canary-aws canary-bearer; do
  printf '[Service]\\nExecStart=/bin/true\\n' >/etc/systemd/system/$timer.service
done
systemctl -q enable canary-failed.service canary-environment.service canary-argument.service canary-mount.service canary-cmdline.service
systemctl -q enable canary.timer canary-hf.timer canary-gh.timer canary-aws.timer canary-bearer.timer`
  const network = `nft add table inet canary
nft add chain inet canary input '{ type filter hook input priority 0; policy accept; }'
nft add rule inet canary input counter comment '"token=${secret('comment of a packet filter', 'reached')}"'`
  return { canaries, setup, network }
}
