import type { HostPlan } from '../support/hosts/lab.ts'

/** A host whose configuration deviates, what the fleet file declares of it, and the steps of remediation that are run on it. */
export interface CarelessHost extends HostPlan {
  /** As `proven` of remediation in `checks.json` of a subject names it. */
  readonly distribution: string
  readonly declares: Readonly<Record<string, unknown>>
  readonly fixes: readonly Fix[]
}

/** A variant of the steps of one check, by its title, with the values that a person would set; once for each set of them. */
export interface Fix {
  readonly check: string
  readonly title: string
  /** Other checks that the same steps are to satisfy, as the data names them in alsoSettles with the same steps. */
  readonly also?: readonly string[]
  readonly values: readonly Readonly<Record<string, string>>[]
}

const fix = (check: string, title: string, ...values: readonly Readonly<Record<string, string>>[]): Fix => ({
  check,
  title,
  values: values.length > 0 ? values : [{}],
})

/** Where the computer below listens on the network of the hosts: for logs by TLS, and for the time. */
export const SERVER = { address: '10.88.0.1', name: 'loghost.example' } as const

/** Accounts, keys and rights as no one should leave them. The keys are named after their file in /root/keys. */
const ACCOUNTS = `
usermod --shell /bin/bash bwaudit
echo 'root:root' | chpasswd
mkdir /root/keys
for name in leaver shared eve; do ssh-keygen -q -t ed25519 -N '' -C "$name" -f "/root/keys/$name"; done
ssh-keygen -q -t rsa -b 1024 -N '' -C weak -f /root/keys/weak
ssh-keygen -q -t ed25519 -N '' -C renewed -f /root/keys/renewed
groupadd docker
for name in bob carol dave leaver twin nopass eve; do useradd --create-home --shell /bin/bash "$name"; done
own() {
  install -d -o "$1" -g "$1" -m 700 "/home/$1/.ssh"
  install -o "$1" -g "$1" -m 600 "/root/keys/$2.pub" "/home/$1/.ssh/authorized_keys"
}
own bob weak
own carol shared
own dave shared
own leaver leaver
own eve eve
echo 'bob:bob' | chpasswd
echo 'bob ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/bob
printf 'Defaults !use_pty\\nDefaults timestamp_timeout=60\\n' >/etc/sudoers.d/convenient
chmod 440 /etc/sudoers.d/*
gpasswd --add carol docker
usermod --non-unique --uid "$(id -u bob)" twin
passwd -q --delete nopass
usermod --shell /bin/bash games && echo 'games:games' | chpasswd
printf 'minlen = 6\\nenforcing = 0\\n' >>/etc/security/pwquality.conf`

const LOGINS = `
printf 'PermitRootLogin yes\\nPasswordAuthentication yes\\nMaxAuthTries 60\\nLogLevel QUIET\\n' >/etc/ssh/sshd_config.d/open.conf
sed -i '/pam_loginuid/d' /etc/pam.d/sshd
mkdir -p /boot/loader
printf 'timeout 3\\neditor yes\\n' >/boot/loader/loader.conf
mkdir -p /etc/systemd/system/getty@tty1.service.d
printf '[Service]\\nExecStart=\\nExecStart=-/sbin/agetty --autologin bob %%I\\n' >/etc/systemd/system/getty@tty1.service.d/autologin.conf`

/** Rotated logs reach back far enough, so that only the journal’s storage is against the retention of logs. */
const LOGS = `
systemctl -q enable rsyslog
sed -i 's/^#*Storage=.*/Storage=volatile/' /etc/systemd/journald.conf 2>/dev/null || true
printf '[Journal]\\nStorage=volatile\\n' >/etc/systemd/journald.conf
for days in 10 25 40; do
  install -m 640 -g adm /dev/null "/var/log/syslog.$days"
  touch -d "$days days ago" "/var/log/syslog.$days"
done
touch /var/log/auth.log && chmod 666 /var/log/auth.log`

/** A certificate that lasts. */
const CERTIFICATES = `
mkdir /root/tls
certificate() {
  name=$1
  shift
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@" -subj "/CN=careless" \\
    -addext 'subjectAltName=DNS:careless' -keyout "/root/tls/$name.key" -out "/root/tls/$name.crt" 2>/dev/null
}
certificate renewed -days 90`

/** A web server with what should not be: a certificate of a year that ends within days, old versions, and a declared flow in clear text. */
const WEB = `
apt-get -qq -y install nginx-light >/dev/null
day() { date -u -d "$1" +%Y%m%d%H%M%SZ; }
certificate old -not_before "$(day '360 days ago')" -not_after "$(day '5 days')"
rm /etc/nginx/sites-enabled/default
install -d /etc/nginx/tls
install -m 644 /root/tls/old.crt /etc/nginx/tls/site.crt
install -m 600 /root/tls/old.key /etc/nginx/tls/site.key
cat >/etc/nginx/sites-enabled/site <<'END'
server {
  listen 443 ssl;
  ssl_certificate /etc/nginx/tls/site.crt;
  ssl_certificate_key /etc/nginx/tls/site.key;
  ssl_protocols TLSv1 TLSv1.1 TLSv1.2;
  ssl_ciphers ALL:@SECLEVEL=0;
}
END
cat >/etc/nginx/sites-enabled/flow <<'END'
server {
  listen 8443;
  root /var/www/html;
}
END
systemctl -q enable nginx vsftpd
printf '[Socket]\\nListenStream=23\\nAccept=yes\\n[Install]\\nWantedBy=sockets.target\\n' >/etc/systemd/system/telnet.socket
printf '[Service]\\nExecStart=-/bin/login\\nStandardInput=socket\\n' >/etc/systemd/system/telnet@.service
systemctl -q enable telnet.socket`

/** A backup that fails when the server starts and that its timer last started days ago, and settings that store copies in clear. */
const BACKUPS = `
printf '[Service]\\nType=oneshot\\nExecStart=/usr/bin/restic backup /etc\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/restic-backup.service
systemctl -q enable restic-backup.service
mkdir -p /var/lib/systemd/timers
touch -d '5 days ago' /var/lib/systemd/timers/stamp-restic-backup.timer
mkdir -p /etc/duply/site /etc/borgmatic
printf "GPG_KEY='disabled'\\nTARGET='file:///srv/copies'\\n" >/etc/duply/site/conf
printf 'repositories:\\n    - path: ssh://borg@vault.example/./server\\nencryption_passcommand: cat /root/borg-passphrase\\n' >/etc/borgmatic/config.yaml
install -m 600 /dev/null /root/restic-passphrase
head -c 24 /dev/urandom | base64 >/root/restic-passphrase`

const SOFTWARE = `
printf 'changed' >>/usr/bin/sudoreplay
echo 'deb [trusted=yes] http://10.88.0.1/debian ./' >/etc/apt/sources.list.d/own.list
install -m 4755 /bin/true /usr/local/bin/helper
mkdir /srv/ephi
echo 'tmpfs /srv/ephi tmpfs mode=700,size=16m 0 0' >>/etc/fstab`

/**
 * Packages are installed without what they only recommend, and without waiting for the drive; what cannot be reached is not tried again.
 */
const APT = `
echo 'APT::Install-Recommends "false";' >/etc/apt/apt.conf.d/99-container
echo 'Acquire::Retries "0";' >>/etc/apt/apt.conf.d/99-container
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/container`

/**
 * What the computer below allows its hosts: a container may not set the clock, so that chronyd only measures (-x). Names are resolved from
 * the file alone. AIDE watches settings only, so that it ends in time.
 */
const LIMITS = `
mkdir -p /etc/aide/aide.conf.d
printf '!/(bin|boot|home|lib|lib64|opt|root|run|sbin|srv|usr|var)\\n' >/etc/aide/aide.conf.d/00_container
mkdir -p /etc/systemd/system/chrony.service.d
cat >/etc/systemd/system/chrony.service.d/container.conf <<'END'
[Unit]
ConditionCapability=
[Service]
ExecStart=
ExecStart=!/usr/sbin/chronyd -x -F 0
END
echo '${SERVER.address} ${SERVER.name}' >>/etc/hosts
install -m 644 /dev/null /etc/ssl/loghost.pem`

const KEYS = '/root/keys'
const CERTIFICATE = { CERT: '/root/tls/renewed.crt', KEY: '/root/tls/renewed.key' } as const
const BACKUP = {
  REPOSITORY: '/srv/backup',
  PASSWORD_FILE: '/root/restic-passphrase',
  BACKUP_PATHS: '/etc /root',
} as const
const PORTS = { TCP_PORTS: '22, 443, 8443' } as const

/** Values that are known only in the host: the fingerprint of a key, and the line of a public one. */
export const FINGERPRINT = (name: string): string => `$(ssh-keygen -lf ${KEYS}/${name}.pub | cut -d' ' -f2)`
export const PUBLIC_KEY = (name: string): string => `$(cat ${KEYS}/${name}.pub)`

const ACCESS_FIXES: readonly Fix[] = [
  fix('access.authorized-keys', 'Replace the weak key', {
    KEY_FILE: '/home/bob/.ssh/authorized_keys',
    FINGERPRINT: FINGERPRINT('weak'),
    NEW_KEY: PUBLIC_KEY('renewed'),
  }),
  fix('access.key-per-account', 'Remove the key from all accounts but one', {
    KEY_FILE: '/home/dave/.ssh/authorized_keys',
    FINGERPRINT: FINGERPRINT('shared'),
  }),
  fix('access.console-and-boot', 'Close the editor of systemd-boot', { LOADER_CONF: '/boot/loader/loader.conf' }),
  fix('access.console-and-boot', 'Close a console that opens without a password', {
    UNIT_FILE: '/etc/systemd/system/getty@tty1.service.d/autologin.conf',
  }),
  fix('access.pam.lockout', 'Lock accounts with pam_faillock'),
  fix('access.pam.password-quality', 'Require long passwords'),
  fix('access.roster-match', 'Close an account that was not approved', { ACCOUNT: 'eve' }),
  fix('access.service-accounts', 'Close a service account', { ACCOUNT: 'games' }),
  fix('access.leaver-accounts', 'Close the account of a person who left', { ACCOUNT: 'leaver' }),
  fix('access.unique-accounts', 'Lock an account without a password', { ACCOUNT: 'nopass' }),
  fix('access.unique-accounts', 'Give an account an id of its own', {
    ACCOUNT: 'twin',
    NEW_UID: '4001',
    OLD_UID: 'bob',
  }),
  fix('access.session-timeout', 'End idle sessions with the session manager'),
  fix('access.sshd.allow-list', 'Limit SSH to a group', { ACCOUNTS: 'bwaudit bob carol' }),
  fix('access.sshd.connection-limits', 'Limit attempts, time and sessions'),
  fix('access.sshd.password-auth', 'Refuse passwords'),
  fix('access.sshd.root-login', 'Refuse root'),
  fix('access.sudo-policy', 'Require a password', { SUDO_FILE: '/etc/sudoers.d/bob' }),
  fix('access.sudo-policy', 'Set time, terminal and log of sudo'),
  fix('access.sudo-policy', 'Take an account out of a group with root rights', { ACCOUNT: 'carol', GROUP: 'docker' }),
]

const SYSTEM_FIXES: readonly Fix[] = [
  fix('vuln.patch-level', 'Install updates'),
  fix('audit.collector-self-record', 'Log logins'),
  fix('audit.command-accountability', 'Set the login id at each SSH login'),
  fix('audit.log-forwarding', 'Forward with rsyslog over TLS', {
    LOG_SERVER: SERVER.name,
    LOG_CA: '/etc/ssl/loghost.pem',
  }),
  fix('audit.log-permissions', 'Take write access from others'),
  fix('audit.log-retention', 'Keep the journal on disk'),
  { ...fix('backup.job-status', 'Back up daily with restic', BACKUP), also: ['backup.freshness'] },
  fix('encryption.at-rest.backup-target', 'Encrypt with duply', {
    SETTINGS: '/etc/duply/site/conf',
    GPG_KEY: '0123456789ABCDEF',
  }),
  fix('backup.immutability', 'Require append-only repositories (borgmatic)', {
    SETTINGS: '/etc/borgmatic/config.yaml',
  }),
  fix('inventory.ephi-paths', 'Move the path from memory to storage', { EPHI_PATH: '/srv/ephi' }),
  fix('encryption.in-transit.ssh-algorithms', 'Offer current algorithms'),
  fix('encryption.in-transit.cert-validity', 'Install a renewed certificate', {
    NEW_CERT: CERTIFICATE.CERT,
    NEW_KEY: CERTIFICATE.KEY,
    CERT_FILE: '/etc/nginx/tls/site.crt',
    KEY_FILE: '/etc/nginx/tls/site.key',
    UNIT: 'nginx.service',
  }),
  fix('encryption.in-transit.tls-listeners', 'Limit nginx to current versions', {
    SITE_FILE: '/etc/nginx/sites-enabled/site',
  }),
  fix('encryption.in-transit.ephi-flows', 'Serve the flow over TLS with nginx', {
    ...CERTIFICATE,
    SITE_FILE: '/etc/nginx/sites-enabled/flow',
    PORT: '8443',
  }),
  fix('encryption.in-transit.plaintext-listeners', 'Stop the service', { UNIT: 'telnet.socket' }),
  fix('network.listening-ports', 'Stop the service', { UNIT: 'vsftpd.service' }),
  fix('integrity.fim', 'Install AIDE and check daily'),
  fix('integrity.package-verify', 'Keep the evidence, then reinstall the package', {
    PACKAGE: 'sudo',
    CHANGED_FILE: '/usr/bin/sudoreplay',
  }),
  fix('integrity.repo-signing', 'Require signatures of a source', {
    SOURCE_FILE: '/etc/apt/sources.list.d/own.list',
    KEYRING: '/usr/share/keyrings/debian-archive-keyring.gpg',
  }),
  fix('integrity.setuid-files', 'Take the bit away', { PROGRAM: '/usr/local/bin/helper' }),
  fix('network.host-firewall', 'Drop what no rule permits', PORTS),
  fix('network.egress-policy', 'Filter both directions', { ...PORTS, TCP_OUT: '80, 443, 6514' }),
  fix('network.kernel-params', 'Set them for every interface'),
  fix('time.sync', 'Synchronize with chrony', { TIME_SERVER: SERVER.address }),
]

/** An account that was last used long ago, by the record that Debian 12 keeps (lastlog(8): time, line and host by user id). */
const STALE = `
useradd --create-home --shell /bin/bash old
echo 'old:old' | chpasswd
perl -e 'open F, "+>>", "/var/log/lastlog"; truncate F, 0; seek F, 292 * $ARGV[0], 0; close F;
  open F, "+<", "/var/log/lastlog"; seek F, 292 * $ARGV[0], 0; print F pack("l a32 a256", time - 200 * 86400, "pts/0", "desk")' "$(id -u old)"`

/** The distribution asks for a restart; what stands for the kernel file names the kernel below, which runs. */
const RESTART = `
echo '' >"/boot/vmlinuz-$(uname -r)"
printf '[Service]\\nType=oneshot\\nExecStart=/bin/sh -c "rm /etc/systemd/system/multi-user.target.wants/asked.service; touch /run/reboot-required"\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/asked.service
systemctl -q enable asked.service`

export const CARELESS: readonly CarelessHost[] = [
  {
    name: 'careless',
    suite: 'trixie',
    canInstall: true,
    setsNetwork: true,
    distribution: 'Debian 13 (trixie)',
    setup: `${APT}${LIMITS}${ACCOUNTS}${LOGINS}${LOGS}${CERTIFICATES}${WEB}${BACKUPS}${SOFTWARE}`,
    declares: {
      roster: ['root', 'bwaudit'],
      accounts: [
        { account: 'bob', kind: 'person', administrator: true },
        ...['carol', 'dave', 'twin', 'nopass'].map((account) => ({ account, kind: 'person' })),
        { account: 'leaver', kind: 'person', until: '2026-01-31' },
      ],
      services: [22, 443, 8443].map((port) => ({ port, protocol: 'tcp', name: `port ${port}` })),
      ephiPaths: ['/srv/ephi'],
      ephiFlows: [{ port: 8443, protocol: 'tcp', name: 'records' }],
      sudo: true,
    },
    fixes: [...ACCESS_FIXES, ...SYSTEM_FIXES],
  },
  {
    name: 'copied',
    suite: 'bookworm',
    canInstall: true,
    distribution: 'Debian 12 (bookworm)',
    hostKeyOf: 'careless',
    setup: `${APT}${STALE}${CERTIFICATES}${RESTART}`,
    declares: { roster: ['root', 'bwaudit', 'old'], sudo: true },
    fixes: [
      fix('access.stale-accounts', 'Close an account that is not used', { ACCOUNT: 'old' }),
      fix('evidence.host-key-unique', 'Make new host keys'),
      fix('availability.monitoring-agent', 'Run the node exporter over TLS', CERTIFICATE),
      fix('vuln.reboot-required', 'Restart'),
    ],
  },
  {
    name: 'unprivileged',
    suite: 'trixie',
    distribution: 'Debian 13 (trixie)',
    setup: 'mv /etc/sudoers.d/barewitness /root/collection.sudoers',
    declares: { roster: ['root', 'bwaudit'], sudo: true },
    fixes: [
      fix('evidence.collection-completeness', 'Install the sudo rules of the collection', {
        SUDOERS: '/root/collection.sudoers',
      }),
    ],
  },
]
