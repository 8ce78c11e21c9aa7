import type { Statement } from '../support/hosts/judge.ts'
import type { HostPlan } from '../support/hosts/lab.ts'

/** A host, what the fleet file says of it, and what is true of it. */
export interface MatrixHost extends HostPlan {
  /** Who may have an account, beside `bwaudit`. */
  readonly roster?: readonly string[]
  /** Declared services beside SSH on port 22. */
  readonly services?: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp'; readonly name: string }[]
  /** More nodes of the fleet that are this host, by the ports under which they are declared. */
  readonly alsoAt?: Readonly<Record<string, number>>
  /** Besides those of every host, or in their place. */
  readonly statements: readonly Statement[]
}

const holds = (check: string, because: string, undecidedIf?: string): Statement =>
  state(check, 'holds', because, undecidedIf)
const fails = (check: string, because: string, undecidedIf?: string): Statement =>
  state(check, 'fails', because, undecidedIf)
const open = (check: string, because: string): Statement => state(check, 'open', because)
const state = (check: string, truth: Statement['truth'], because: string, undecidedIf?: string): Statement => ({
  check,
  truth,
  because,
  ...(undecidedIf === undefined ? {} : { undecidedIf }),
})

const IN_CONTAINER = 'a host in a container lists no processes of the kernel, so that its list is not shown to be whole'
const RUNNING_SERVER = 'what the running server does may be out of reach of the questions'

/**
 * What no setup changes: base systems without these tools, on a computer whose hardware is not what the hosts are about. Nothing here
 * depends on the kernel, the drives or the processor below.
 */
export const EVERY_HOST: readonly Statement[] = [
  holds('evidence.collection-completeness', 'every question is answered, or concerns a program that is absent'),
  holds('evidence.host-identity', 'the fleet file pins the fingerprint of the host key'),
  holds('evidence.host-key-unique', 'its host key was made for it alone'),
  holds('audit.collector-self-record', 'sshd logs to the journal'),
  holds('audit.command-accountability', 'pam_loginuid is set up, and sudo logs to the journal'),
  holds('audit.log-continuity', 'one boot, one journal'),
  holds('audit.log-permissions', 'log files are as Debian makes them'),
  fails('audit.log-forwarding', 'nothing forwards logs', IN_CONTAINER),
  fails('audit.auditd-running', 'auditd is not installed'),
  fails('integrity.fim', 'no tool for it is installed', IN_CONTAINER),
  fails('integrity.malware-protection', 'no tool for it is installed', IN_CONTAINER),
  fails('availability.monitoring-agent', 'no agent is installed', IN_CONTAINER),
  holds('integrity.package-verify', 'no file of a package was changed'),
  holds('integrity.repo-signing', 'one signed source, as mmdebstrap writes it'),
  holds('time.audit-timestamps', 'the clock is that of the computer that collects'),
  holds('encryption.in-transit.remote-mounts', 'nothing is mounted over a network'),
  holds('encryption.in-transit.plaintext-listeners', 'only SSH listens'),
  holds('network.listening-ports', 'only SSH listens, and it is declared'),
  fails('network.host-firewall', 'the packet filter has no rules'),
  fails('network.kernel-params', 'redirects are accepted, and sources are not checked'),
  holds('access.unique-accounts', 'accounts as Debian makes them, and one for the collection'),
  holds('access.service-accounts', 'accounts of services have no shell'),
  holds('access.roster-match', 'only declared accounts can start a session'),
  holds('access.authorized-keys', 'one Ed25519 key, that of the collection'),
  holds('access.key-per-account', 'one key, that of the collection'),
  holds('access.sudo-policy', 'the group sudo is asked for a password; the drop-in allows exact reading commands'),
  fails('access.session-timeout', 'no TMOUT, and ClientAliveInterval is 0'),
  fails('access.sshd.root-login', 'Debian’s PermitRootLogin lets root in with a key', 'no key of root is in place now'),
  fails('access.sshd.password-auth', 'Debian’s PasswordAuthentication is yes'),
  fails('access.sshd.mfa', 'one factor opens a session'),
  fails('access.sshd.allow-list', 'no AllowUsers and no AllowGroups'),
  holds('access.pam.lockout', 'no local account has a password'),
  holds('access.pam.password-quality', 'no local account has a password'),
  open('vuln.patch-level', 'mmdebstrap removes the package lists'),
  open('vuln.reboot-required', 'the kernel is none of the installed ones'),
  open('audit.log-retention', 'the system was installed moments ago'),
]

/** An sshd that lets in named users with keys, and only with current algorithms. */
const HARD_SSHD = `
cat >/etc/ssh/sshd_config.d/hard.conf <<END
PermitRootLogin no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitEmptyPasswords no
AllowUsers bwaudit anna
ClientAliveInterval 15
ClientAliveCountMax 3
MaxAuthTries 4
MaxSessions 4
LoginGraceTime 60
MaxStartups 10:30:60
KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org
Ciphers aes256-gcm@openssh.com,aes128-gcm@openssh.com
MACs hmac-sha2-512-etm@openssh.com,hmac-sha2-256-etm@openssh.com
HostKeyAlgorithms ssh-ed25519
END`
const ANNA = `
useradd --create-home --shell /bin/bash --groups sudo anna
install -d -o anna -g anna -m 700 /home/anna/.ssh
ssh-keygen -q -t ed25519 -N '' -C anna -f /root/anna
install -o anna -g anna -m 600 /root/anna.pub /home/anna/.ssh/authorized_keys
rm /root/anna /root/anna.pub`
const HARD_NETWORK = `
sysctl -qw net.ipv4.tcp_syncookies=1
for key in all default lo eth0; do
  sysctl -qw net.ipv4.conf.$key.rp_filter=1 net.ipv4.conf.$key.accept_source_route=0 net.ipv4.conf.$key.accept_redirects=0
  sysctl -qw net.ipv4.conf.$key.secure_redirects=0 net.ipv4.conf.$key.send_redirects=0 net.ipv4.conf.$key.log_martians=1
  sysctl -qw net.ipv6.conf.$key.accept_redirects=0 net.ipv6.conf.$key.accept_source_route=0
done
nft -f - <<END
table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    ct state established,related accept
    iif lo accept
    meta l4proto { icmp, ipv6-icmp } accept
    tcp dport 22 accept
  }
}
END`
const HARD_SSHD_STATEMENTS: readonly Statement[] = [
  holds('access.sshd.root-login', 'PermitRootLogin no'),
  holds('access.sshd.password-auth', 'PasswordAuthentication no and KbdInteractiveAuthentication no'),
  holds('access.sshd.allow-list', 'AllowUsers bwaudit anna'),
  holds('encryption.in-transit.ssh-algorithms', 'only curve25519, AES-GCM and SHA-2 are offered'),
]
/** A root that another server lets in by password, beside a hardened OpenSSH. */
const OPENED_BESIDE: readonly Statement[] = [
  fails('access.sshd.root-login', 'a server that runs lets root in by password', RUNNING_SERVER),
  fails('access.sshd.password-auth', 'a server that runs lets root in by password', RUNNING_SERVER),
  fails('access.sshd.mfa', 'one factor opens a session', RUNNING_SERVER),
  fails('access.sshd.allow-list', 'a server that runs names nobody', RUNNING_SERVER),
]
const ROOT_PASSWORD = `echo 'root:root' | chpasswd`
const WITH_PASSWORD: readonly Statement[] = [
  fails('access.pam.lockout', 'Debian’s PAM locks nobody out'),
  fails('access.pam.password-quality', 'pam_pwquality asks for 8 characters by default'),
]

const HARDENED_BOOKWORM: Pick<MatrixHost, 'setup' | 'network' | 'roster' | 'statements'> = {
  setup: `${HARD_SSHD}${ANNA}
usermod --shell /bin/bash bwaudit
printf 'TMOUT=600\\nreadonly TMOUT\\nexport TMOUT\\n' >/etc/profile.d/tmout.sh
printf '\\nTMOUT=600\\nreadonly TMOUT\\nexport TMOUT\\n' >>/etc/bash.bashrc
mkdir -p /var/log/journal`,
  network: HARD_NETWORK,
  roster: ['anna'],
  statements: [
    ...HARD_SSHD_STATEMENTS,
    holds(
      'access.session-timeout',
      'a fixed TMOUT of 600 seconds; sshd drops silent clients',
      'shells that TMOUT does not bind may remain',
    ),
    holds('network.host-firewall', 'policy drop on input, exceptions for SSH and answers'),
    holds('network.kernel-params', 'every one is set on every interface'),
    fails('access.sshd.mfa', 'a key alone opens a session'),
    fails('evidence.host-key-unique', 'this host and its clone have one host key'),
  ],
}

export const MATRIX: readonly MatrixHost[] = [
  { name: 'hardened', suite: 'bookworm', ...HARDENED_BOOKWORM },
  {
    name: 'careless',
    suite: 'bookworm',
    setup: `
${ROOT_PASSWORD}
printf 'PermitRootLogin yes\\nPermitEmptyPasswords yes\\nMaxAuthTries 60\\n' >/etc/ssh/sshd_config.d/open.conf
useradd --create-home --shell /bin/bash test && passwd -q --delete test
useradd --create-home --shell /bin/bash bob && echo 'bob:bob' | chpasswd
echo 'bob ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/bob
echo 'toor:x:0:0::/root:/bin/bash' >>/etc/passwd
echo 'toor:*:19000:0:99999:7:::' >>/etc/shadow
usermod --shell /bin/bash games && echo 'games:games' | chpasswd
install -d -o bob -g bob -m 700 /home/bob/.ssh
ssh-keygen -q -t rsa -b 1024 -N '' -C weak -f /root/weak
install -o bob -g bob -m 600 /root/weak.pub /home/bob/.ssh/authorized_keys
sed -i '/pam_pwquality/d' /etc/pam.d/common-password
touch /var/log/auth.log && chmod 666 /var/log/auth.log
echo 'deb [trusted=yes] http://10.88.0.1/debian ./' >/etc/apt/sources.list.d/own.list
echo '*.* @10.88.0.1' >/etc/rsyslog.d/own.conf
systemctl enable rsyslog vsftpd rpcbind.socket
printf '[Socket]\\nListenStream=23\\nAccept=yes\\n[Install]\\nWantedBy=sockets.target\\n' >/etc/systemd/system/telnet.socket
printf '[Service]\\nExecStart=-/bin/login\\nStandardInput=socket\\n' >/etc/systemd/system/telnet@.service
systemctl enable telnet.socket`,
    statements: [
      fails('access.sshd.root-login', 'PermitRootLogin yes'),
      fails('access.unique-accounts', 'toor has user id 0, test has an empty password'),
      fails('access.service-accounts', 'games has a shell and a password'),
      fails('access.roster-match', 'bob, test, toor and games are not declared'),
      fails('access.authorized-keys', 'bob’s key is RSA of 1024 bits'),
      holds('access.key-per-account', 'each key opens one account', 'home folders elsewhere are not searched for keys'),
      fails('access.sudo-policy', 'bob may do anything without a password'),
      fails('access.pam.lockout', 'nobody is locked out'),
      fails('access.pam.password-quality', 'no rule for new passwords'),
      fails('audit.log-permissions', 'anybody can write to auth.log'),
      fails('audit.log-forwarding', 'logs go out in clear'),
      fails('integrity.repo-signing', 'a source is trusted without a signature'),
      fails('encryption.in-transit.plaintext-listeners', 'telnet and FTP'),
      fails('network.listening-ports', 'FTP, telnet and portmapper are not declared'),
      fails('access.stale-accounts', 'undeclared accounts that nobody ever used', 'accounts made moments ago'),
    ],
  },
  {
    name: 'dropbear',
    suite: 'bookworm',
    setup: `${HARD_SSHD}
${ROOT_PASSWORD}
systemctl mask ssh.service
echo 'd /run/sshd 0755 root root' >/etc/tmpfiles.d/sshd.conf
mkdir -p /etc/dropbear
dropbearconvert openssh dropbear /etc/ssh/ssh_host_ed25519_key /etc/dropbear/key
cat >/etc/systemd/system/dropbear.service <<END
[Service]
ExecStart=/usr/sbin/dropbear -F -p 22 -r /etc/dropbear/key
[Install]
WantedBy=multi-user.target
END
systemctl enable dropbear.service`,
    statements: [
      ...OPENED_BESIDE,
      ...WITH_PASSWORD,
      holds('access.authorized-keys', 'one Ed25519 key, that of the collection', RUNNING_SERVER),
      holds('access.key-per-account', 'one key, that of the collection', RUNNING_SERVER),
      fails('access.session-timeout', 'no TMOUT'),
      holds('audit.collector-self-record', 'dropbear logs to the journal', 'its words are not those of OpenSSH'),
      fails('audit.command-accountability', 'Debian’s dropbear sets no login id'),
    ],
  },
  {
    name: 'second',
    suite: 'bookworm',
    ready: [22, 2222],
    setup: `${HARD_SSHD}${ANNA}
${ROOT_PASSWORD}
printf 'Port 2222\\nPermitRootLogin yes\\nPasswordAuthentication yes\\nUsePAM yes\\nPidFile /run/sshd2.pid\\nHostKey /etc/ssh/ssh_host_ed25519_key\\n' >/etc/ssh/sshd2_config
cat >/etc/systemd/system/ssh2.service <<END
[Unit]
After=ssh.service
[Service]
ExecStart=/usr/sbin/sshd -D -f /etc/ssh/sshd2_config
[Install]
WantedBy=multi-user.target
END
systemctl enable ssh2.service`,
    roster: ['anna'],
    services: [{ port: 2222, protocol: 'tcp', name: 'second SSH' }],
    alsoAt: { 'second-by-2222': 2222 },
    statements: [
      fails(
        'evidence.host-identity',
        'one server has two names in this fleet',
        'which of the two names is meant is not known',
      ),
      ...OPENED_BESIDE,
      ...WITH_PASSWORD,
      holds('access.authorized-keys', 'Ed25519 keys of two accounts', RUNNING_SERVER),
      holds('access.key-per-account', 'each key opens one account', RUNNING_SERVER),
      fails('encryption.in-transit.ssh-algorithms', 'the second server offers what OpenSSH 9.2 does by default'),
    ],
  },
  {
    name: 'options',
    suite: 'trixie',
    setup: `${HARD_SSHD}
${ROOT_PASSWORD}
echo 'SSHD_OPTS="-o PermitRootLogin=yes -o PasswordAuthentication=yes -o AllowUsers=root -o AllowUsers=bwaudit"' >/etc/default/ssh`,
    statements: [
      ...OPENED_BESIDE.filter(({ check }) => check !== 'access.sshd.allow-list'),
      holds('access.sshd.allow-list', 'AllowUsers on the command line names two accounts', RUNNING_SERVER),
      holds('access.authorized-keys', 'one Ed25519 key, that of the collection', RUNNING_SERVER),
      holds('access.key-per-account', 'one key, that of the collection', RUNNING_SERVER),
      ...WITH_PASSWORD,
    ],
  },
  {
    name: 'links',
    suite: 'sid',
    setup: `${HARD_SSHD}
useradd --create-home --shell /bin/bash eve && useradd --create-home --shell /bin/bash mallory
install -d -o eve -g eve -m 700 /home/eve/.ssh && install -d -o mallory -g mallory -m 700 /home/mallory/.ssh
ssh-keygen -q -t rsa -b 1024 -N '' -C weak -f /root/weak
install -d -m 755 /srv/k && install -m 644 /root/weak.pub /srv/k/eve
ln -s /srv/k/eve /home/eve/.ssh/authorized_keys
ln /srv/k/eve /home/mallory/.ssh/authorized_keys
useradd --create-home --home-dir /srv/carol --shell /bin/bash carol
ln -s /srv/carol /home/carol && usermod --home /home/carol carol`,
    roster: ['eve', 'mallory', 'carol'],
    statements: [
      holds('access.sshd.root-login', 'PermitRootLogin no'),
      holds('access.sshd.password-auth', 'PasswordAuthentication no'),
      holds('access.sshd.allow-list', 'AllowUsers bwaudit anna'),
      fails(
        'access.authorized-keys',
        'the link leads to an RSA key of 1024 bits, and so does a second name of it',
        'links need not be followed',
      ),
      fails('access.key-per-account', 'a link and a second name lead to one key', 'links need not be followed'),
    ],
  },
  {
    name: 'forwarded',
    suite: 'bookworm',
    setup: 'true',
    network: `nft -f - <<END
table ip nat {
  chain prerouting {
    type nat hook prerouting priority -100;
    tcp dport 8080 dnat to 10.88.0.200:80
  }
}
END`,
    statements: [
      holds(
        'encryption.in-transit.plaintext-listeners',
        'only SSH listens',
        'what is behind the forwarded port is not known',
      ),
      fails(
        'network.listening-ports',
        'port 8080 is forwarded and not declared',
        'the rule names no listener of this node',
      ),
    ],
  },
  {
    name: 'slow-sudo',
    suite: 'trixie',
    setup: `echo '127.0.0.1 localhost' >/etc/hosts
echo 'nameserver 10.88.0.250' >/etc/resolv.conf`,
    statements: [
      fails(
        'evidence.collection-completeness',
        'questions that need root are not answered in time',
        'what is not answered is named',
      ),
      ...[
        ...['access.sshd.root-login', 'access.sshd.password-auth', 'access.sshd.mfa', 'access.sshd.allow-list'],
        ...['access.session-timeout', 'network.host-firewall', 'integrity.fim', 'integrity.malware-protection'],
      ].map((check) => fails(check, 'as on every host', 'root-only questions time out')),
      ...[
        ...['access.authorized-keys', 'access.key-per-account', 'access.sudo-policy'],
        ...['access.pam.lockout', 'access.pam.password-quality'],
        ...[
          'audit.command-accountability',
          'access.unique-accounts',
          'access.service-accounts',
          'audit.log-permissions',
        ],
        ...[
          'network.listening-ports',
          'encryption.in-transit.plaintext-listeners',
          'audit.collector-self-record',
          'audit.log-continuity',
          'integrity.package-verify',
          'time.audit-timestamps',
        ],
      ].map((check) => holds(check, 'as on every host', 'root-only questions time out')),
    ],
  },
  {
    name: 'c-shell',
    suite: 'trixie',
    setup: `${HARD_SSHD}
usermod --shell /bin/csh bwaudit
printf 'TMOUT=600\\nreadonly TMOUT\\nexport TMOUT\\n' >/etc/profile.d/tmout.sh`,
    statements: [
      ...HARD_SSHD_STATEMENTS,
      fails(
        'access.session-timeout',
        'csh does not know TMOUT, and autologout is not set',
        'which shells obey is not decided for each',
      ),
    ],
  },
  {
    name: 'restricted',
    suite: 'bullseye',
    setup: `
ln -sf bash /bin/rbash
usermod --shell /bin/rbash bwaudit`,
    statements: [
      fails('vuln.eol', 'long-term support of Debian 11 ended on 2026-08-31'),
      holds('integrity.package-verify', 'no file of a package was changed'),
    ],
  },
  {
    name: 'crowd',
    suite: 'trixie',
    setup: `${HARD_SSHD}
ssh-keygen -q -t ed25519 -N '' -C one -f /root/one && ssh-keygen -q -t rsa -b 2048 -N '' -C weak -f /root/weak
for number in $(seq 1 5000); do
  echo "user$number:x:$((number + 5000)):$((number + 5000))::/home/user$number:/bin/bash" >&3
  echo "user$number:*:19000:0:99999:7:::" >&4
  echo "user$number:x:$((number + 5000)):" >&5
done 3>>/etc/passwd 4>>/etc/shadow 5>>/etc/group
for number in 1 2 3; do mkdir -p /home/user$number/.ssh && cp /root/one.pub /home/user$number/.ssh/authorized_keys; done
mkdir -p /home/user4999/.ssh && cp /root/weak.pub /home/user4999/.ssh/authorized_keys
echo 'user5001:x:10000:10000::/home/user5001:/bin/bash' >>/etc/passwd
echo 'user5001:*:19000:0:99999:7:::' >>/etc/shadow`,
    statements: [
      ...HARD_SSHD_STATEMENTS,
      fails('access.unique-accounts', 'user5000 and user5001 share a user id'),
      fails('access.roster-match', '5,001 accounts are not declared'),
      fails('access.authorized-keys', 'one key is RSA of 2048 bits'),
      fails('access.key-per-account', 'one key opens three accounts'),
    ],
  },
  {
    name: 'socket',
    suite: 'trixie',
    setup: `${HARD_SSHD}
systemctl disable ssh.service && systemctl enable ssh.socket`,
    statements: [
      ...[...HARD_SSHD_STATEMENTS, holds('access.authorized-keys', 'one Ed25519 key')].map((one) => ({
        ...one,
        undecidedIf: 'systemd holds the port, and starts a server for each connection',
      })),
    ],
  },
  {
    name: 'matching',
    suite: 'bookworm',
    setup: `${HARD_SSHD}${ROOT_PASSWORD.replace(/^/, '\n')}
cat >/etc/ssh/sshd_config.d/inner.conf <<END
Match Address 10.88.0.0/24
  PermitRootLogin yes
  PasswordAuthentication yes
  AllowUsers *
END`,
    statements: [
      fails(
        'access.sshd.root-login',
        'a Match block lets root in from one network',
        'which addresses matter is not known',
      ),
      fails(
        'access.sshd.password-auth',
        'a Match block allows passwords from one network',
        'which addresses matter is not known',
      ),
      fails(
        'access.sshd.allow-list',
        'a Match block allows everybody from one network',
        'which addresses matter is not known',
      ),
      ...WITH_PASSWORD,
    ],
  },
  {
    name: 'authority',
    suite: 'bookworm',
    setup: `${HARD_SSHD}
ssh-keygen -q -t ed25519 -N '' -C authority -f /root/authority && install -m 644 /root/authority.pub /etc/ssh/authority.pub
printf '#!/bin/sh\\n' >/usr/local/bin/more-keys && chmod 755 /usr/local/bin/more-keys
printf 'TrustedUserCAKeys /etc/ssh/authority.pub\\nAuthorizedKeysCommand /usr/local/bin/more-keys\\nAuthorizedKeysCommandUser nobody\\n' >/etc/ssh/sshd_config.d/authority.conf`,
    statements: [
      ...HARD_SSHD_STATEMENTS,
      open('access.authorized-keys', 'keys come from a program, and certificates of an authority are taken'),
      open('access.key-per-account', 'keys come from a program, and certificates of an authority are taken'),
      fails('access.sshd.mfa', 'a key alone opens a session', 'what the authority asks for is not visible'),
    ],
  },
  { name: 'clone', suite: 'bookworm', hostKeyOf: 'hardened', ...HARDENED_BOOKWORM },
]
