import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'

/** As `eachMasked`, of text in UTF-8, as nodes print it; the marker of any class may stand in the place of a secret. */
function eachHidden(rows: readonly string[]): void {
  test.each(rows)('%s', (row) => {
    const masked = (text: string): string => Buffer.from(redact(Buffer.from(text)).bytes).toString()
    const once = masked(row.replaceAll(/[«»]/g, ''))
    const parts = row.split(/«[^»]*»/)
    const shown = once.split(/\[redacted:[a-z-]+\]/)
    expect(shown).toEqual(parts)
    expect(masked(once)).toBe(once)
  })
}

// The second byte of à, Š, Р and 堠 in UTF-8 is 0xA0, a blank of Latin-1 that no program of a node takes for one.
describe('passwords with letters outside of ASCII', () => {
  eachHidden([
    'mysql -p«voilà-hunter2» db',
    'tool --password «Šéhunter2» x',
    'DB_PASSWORD=«voilàhunter2» tool',
    'password="«à la carte»" x',
    'passphrase: «Россия-hunter2» x',
    'curl -u svc:«à-hunter2» host',
    `https:${'//'}«svc:à-hunter2»@host/x`,
    `https:${'//'}svc:«à/hunter2»@host/x`,
    'Authorization: Bearer «àhunter2hunter2» x',
    'login svc password «堠hunter2» x',
    'setenv LICENCE=«à hunter2»',
    'data UUID=0b8f7a3d «à-hunter2» luks',
    'sshpass -p "«voilà hunter2»" ssh host',
  ])
  test('other bytes stay as they are, also 0xA0', () => {
    const text = 'à token=x Š\n'
    expect(Buffer.from(redact(Buffer.from(text)).bytes).toString()).toBe('à token=[redacted:password] Š\n')
  })
})

// Put together from parts, so that no scanner takes them for real ones.
const X = ['Ca', 'na', 'ry', '0123456789', 'abcdefghij'].join('')
const HEX = 'c0ffee1154aabb22'.repeat(4)
const web = (rest: string): string => `https:${'//'}${rest}`
const dashes = '-'.repeat(5)

describe('addresses that open what they name', () => {
  eachHidden([
    `azcopy sync /srv ${web(`acct.blob.core.windows.net/c?sv=2022-11-02&sig=«${X}%3D»&se=2027-01-01`)}`,
    `{"url": "${web(`acct.blob.core.windows.net/c?sv=1\\u0026sig=«${X}»`)}"}`,
    `<url>${web(`acct.blob.core.windows.net/c?sv=1&amp;sig=«${X}»`)}</url>`,
    `curl ${web(`b.s3.amazonaws.com/k?X-Amz-Date=2026&X-Amz-Signature=«${HEX}»`)}`,
    `curl ${web(`storage.googleapis.com/k?X-Goog-Signature=«${HEX}»`)} -o x`,
    `curl '${web(`d1.cloudfront.net/k?Expires=1&Signature=«${X}~»&Key-Pair-Id=K1`)}'`,
    `curl ${web(`fn.azurewebsites.net/api/x?code=«${X}»`)}`,
    `curl -X POST ${web(`hooks.slack.com/services/«T0AAAAAA/B0AAAAAA/${X}»`)} -d x`,
    `curl ${web(`discord.com/api/webhooks/123456789012345678/«${X}»`)}`,
    `curl "${web(`org.webhook.office.com/webhookb2/«0b8f7a3d@0b8f/IncomingWebhook/${X}»`)}"`,
    `curl ${web(`api.telegram.org/bot«123456789:${X}»/sendMessage`)}`,
    `curl ${web(`hc-ping.com/«0b8f7a3d-e2c3-4e71-9a55-c0ffee000002»`)}`,
    `curl 'http:${'//'}influx:8086/write?db=x&u=svc&p=«${X}»'`,
    `netroot=iscsi:svc:«${X}»@10.0.0.1::3260::iqn.2026-01.example:x`,
    `curlftpfs -o user=svc:«${X}» host /mnt`,
  ])
  eachHidden([
    `curl ${web('mirror.example/x?arch=amd64&signature-type=pgp')}`,
    `netroot=iscsi:10.0.0.1::3260::iqn.2026-01.example:x`,
    `curl ${web('discord.com/api/v10/gateway')} ${web('hooks.slack.com')}`,
    'podman run --user=1000:1000 -o user=1000:1000',
  ])
})

describe('variables of environments', () => {
  eachHidden([
    ...['DBPASS', 'PASS', 'PGPASS', 'ROOTPW', 'LDAP_BINDPW', 'SECRET_KEY_BASE', 'APP_KEY', 'RAILS_MASTER_KEY'].map(
      (name) => `${name}=«${X}» tool`,
    ),
    ...['NEW_RELIC_LICENSE_KEY', 'ENCRYPTION_KEY', 'B2_APPLICATION_KEY', 'SIGNING_KEY', 'VAULT_UNSEAL_KEY'].map(
      (name) => `docker run -e ${name}=«${X}» image`,
    ),
    ...['DB_CREDENTIALS', 'JWT_PRIVATE_KEY', 'OTP_SEED', 'GITHUB_PAT', 'OPENAI_APIKEY'].map(
      (name) => `${name}=«x:${X}»`,
    ),
    `DB_PASSWORD=«ab,${X}» tool`,
    `docker run -e DB_PASSWORD=«ab;${X}» image`,
    `A_TOKEN=«${X}»,B_TOKEN=«${X}»; export A_TOKEN`,
    `Environment=A_TOKEN=«${X}» B=1`,
    `["APP_KEY=«base64:${X}»","HOME=/root"]`,
    `APP_KEY="«base64:${X} x»" tool`,
    `'APP_KEY=«base64:${X}»' tool`,
    `DOCKER_AUTH_CONFIG={"auths":{"r.example":{"auth":"«${X}»"}}} tool`,
    `"{\\"auth\\":\\"«${X}»\\"}"`,
    `mount -o user=svc,pass=«${X}» //nas/share /mnt`,
    `SetCredential=db:«${X}»`,
    `systemd.set_credential=db:«${X}» quiet`,
    `vault write auth/approle/login role_id=a secret_id=«${X}»`,
    `data UUID=1 none luks,pkcs11-uri=pkcs11:object=k;pin-value=«${X}»`,
  ])
  eachHidden([
    'KEYFILE_PATTERN=/etc/keys/*.key',
    'PRIVATE_KEY=/etc/ssl/private/x.key SSL_KEY=/x.key',
    'TOKENIZERS_PARALLELISM=false BYPASS=1 COMPASS=yes PASS=0',
    'HF_TOKEN_PATH=/x PASSWORD_STORE_DIR=/x KEY=1 SSH_KEYS=2 MONKEY=no',
  ])
})

describe('headers', () => {
  eachHidden([
    ...['Splunk', 'GenieKey', 'SSWS', 'Key', 'Bot', 'OAuth', 'NTLM'].map(
      (scheme) => `curl -H 'Authorization: ${scheme} «${X}»' h`,
    ),
    `curl -H 'Authorization: «${X}»' h`,
    `curl -H 'Authorization: PBSAPIToken=«svc@pbs!t:${X}»' h`,
    ...['DD-API-KEY', 'Ocp-Apim-Subscription-Key', 'Circle-Token'].map((name) => `curl -H '${name}: «${X}»' h`),
    `curl -H 'Cookie: «a=1; session=${X}»' h`,
    `Set-Cookie: «sid=${X}; Secure»`,
    `curl -b 'sid=«${X}»' h`,
    `curl --cookie sid=«${X}» h`,
    `action(type="omhttp" httpheaderkey="Authorization" httpheadervalue="«Splunk ${X}»" tls="on")`,
  ])
  eachHidden(['curl -b cookies.txt h', 'authorization: required for all', 'Authorization: none', 'a cookie: no'])
})

describe('options and arguments that are passwords', () => {
  eachHidden([
    `curl --tlspassword «${X}» h`,
    `curl -E c.p12:«${X}» h`,
    `curl --cert c.p12:«${X}» h`,
    `http -a svc:«${X}» h`,
    `splunk add forward-server h -auth admin:«${X}»`,
    `openssl enc -aes-256-cbc -k «${X}» -in a`,
    `openssl enc -aes-256-cbc -K «${HEX}» -iv 00`,
    `ssh-keygen -t ed25519 -N «${X}» -f k`,
    `ssh-keygen -p -P «${X}» -N "«${X} x»" -f k`,
    `mysqladmin -u root password '«${X}»'`,
    `mysql -e "ALTER USER root IDENTIFIED BY '«${X}»'"`,
    `mysql -e "CREATE USER a IDENTIFIED WITH caching_sha2_password BY '«${X}»'"`,
    `psql -c "ALTER ROLE svc WITH ENCRYPTED PASSWORD '«${X}»'"`,
    `mysql -e "SET PASSWORD FOR x = PASSWORD('«${X}»')"`,
    `redis-server --requirepass «${X}» --masterauth «${X}»`,
    `sqlplus system/«${X}»@//db/orcl`,
    `rman target sys/«${X}»@db`,
    `cqlsh -u svc -p «${X}» h`,
    `cypher-shell -u neo4j -p «${X}»`,
    `arangosh --server.password «${X}»`,
    `jupyter lab --ServerApp.token «${X}»`,
    `kubectl create secret generic s --from-literal=key=«${X}»`,
    `kubeadm join h:6443 --certificate-key «${HEX}»`,
    `k3s agent -t «${X}»`,
    `consul agent -encrypt «${X}=»`,
    `vault operator unseal «${X}»`,
    `rabbitmqctl change_password svc «${X}»`,
    `rabbitmqctl -n x add_user svc «${X}»`,
    `htpasswd -b /etc/x svc «${X}»`,
    `htpasswd -nbB svc «${X}»`,
    `useradd -m -p «${X}» svc`,
    `ldappasswd -s «${X}» -D x`,
    `kadmin -p svc -w «${X}»`,
    `ipa-client-install -p admin -w «${X}»`,
    `veracrypt -t -p «${X}» --mount x`,
    `rclone sync a b --b2-key «${X}»`,
    `rclone sync a b --azureblob-key=«${X}»`,
    `aws configure set aws_secret_access_key «${X}»`,
    `az storage blob upload --account-key «${X}»`,
    `mc alias set m ${web('minio:9000')} svc «${X}»`,
    `ipmitool user set password 2 «${X}»`,
    `ipmitool -I lanplus -k «${X}» -H h`,
    `racadm -r h -u root -p «${X}» getsysinfo`,
    `racadm set iDRAC.Users.2.Password «${X}»`,
    `ipmipower -h bmc -u a -p «${X}» --stat`,
    `hdparm --user-master u --security-unlock «${X}» /dev/sda`,
    `sedutil-cli --setLockingRange 0 RW «${X}» /dev/sda`,
    `iscsiadm -m node -o update -n node.session.auth.password -v «${X}»`,
    `nmcli con modify lab wifi-sec.psk «${X}»`,
    `nmcli dev wifi connect lab password «${X}»`,
    `check_snmp -H h -C «${X}»`,
    `xfreerdp /u:svc /p:«${X}» /v:h`,
    `wandb login «${X}»`,
    `ngrok config add-authtoken «${X}»`,
    `netbird up --setup-key «${X}»`,
    `agent-auth -m h -P «${X}»`,
    `rabbitmqadmin -u svc -p «${X}» list`,
    `ncftpput -u svc -p «${X}» h`,
    `sendemail -xu svc -xp «${X}»`,
    `pkcs11-tool -l -p «${X}»`,
    `tpm2_unseal -c k -p «${X}»`,
    `keyctl add user k «${X}» @u`,
    `qemu-system-x86_64 -object secret,id=s0,data=«${X}» -m 1`,
    `echo svc:«${X}» | chpasswd`,
    `echo "svc:«${X}»" | sudo chpasswd`,
    `echo «${X}» | docker login -u svc --password-stdin r.example`,
    `echo -n '«${X}»' | cryptsetup open /dev/sdb x`,
    `chpasswd <<< svc:«${X}»`,
    `restic --password-command "«echo ${X}»" x`,
    `"password" => "«${X}»", 'secret' => '«${X}»'`,
    `<password>«${X}»</password>`,
    `clientSecret: «${X}»`,
    `dbPassword: "«${X} x»"`,
  ])
  eachHidden([
    `docker run -eAPI_KEY=«${X}» image`,
    `mvn -Dpassword=«${X}» x`,
    `gradle -PsigningPassword=«${X}» x`,
    `hadoop -Dfs.s3a.secret.key=«${X}» x`,
    `curl -x svc:«${X}@proxy:3128» h`,
    `curl --proxy svc:«${X}@proxy:3128» h`,
    `DATA_SOURCE_NAME="svc:«${X}»@(db:3306)/" mysqld_exporter`,
    `dsn=svc:«${X}»@tcp(db:3306)/x`,
    `redis-cli AUTH «${X}»`,
    `redis-cli AUTH default «${X}»`,
    `redis-cli -h db CONFIG SET requirepass «${X}»`,
    `python -c "os.environ['HF_TOKEN']='«${X}»'"`,
    `npm config set //r.example/:_password «${X}»`,
    `npm config set _auth=«${X}»`,
    `vault login «${X}»`,
    `vault token revoke «${X}»`,
    `cargo login «${X}»`,
    `bw unlock «${X}»`,
    `cloudflared service install «${X}»`,
    `grafana-cli admin reset-admin-password «${X}»`,
    `pulumi config set --secret «name» «${X}»`,
    `wg set wg0 private-key «${X}»`,
    `twine upload -u __token__ -p «${X}» x`,
    `redfishtool -r h -u root -p «${X}» Systems`,
    `doctl auth init -t «${X}»`,
    `gitlab-runner register -r «${X}»`,
    `influx query -t «${X}» q`,
    `netbird up -k «${X}»`,
    `ss-local -k «${X}» -p 8388`,
    `ccrypt -K «${X}» f`,
    `check_ldap -H h -P «${X}»`,
    `ttyd -c svc:«${X}» bash`,
    `openssl passwd -6 «${X}»`,
    `openssl passwd -salt ab «${X}»`,
    `gocryptfs -extpass "«echo ${X}»" a b`,
    `x11vnc -viewpasswd «${X}»`,
    `zfs load-key tank <<< «${X}»`,
    `openconnect --passwd-on-stdin h <<< '«${X}»'`,
    `wg set wg0 peer x preshared-key <(echo «${X})»`,
    `yes «${X}» | passwd root`,
    `smbclient //h/s «${X}» -U svc`,
  ])
  eachHidden([
    'curl -x proxy:3128 --proxy proxy.example:3128 h',
    'vault login -method=userpass username=svc',
    'wg set wg0 private-key /etc/wireguard/key',
    'smbclient //h/s -U svc',
    'docker pull image:1.2@sha256:00ff',
    'openssl passwd -6',
    'yes | apt install x; cat <<< text',
  ])
  eachHidden([
    'openssl req -key file -keyout x',
    'tpm2_unseal -c k -p session:s.ctx -P pcr:sha256:7',
    'curl -E c.pem --cert /etc/c.pem h',
    'sedutil-cli --query /dev/sda',
    'sedutil-cli --scan; ls /dev/sda',
    'echo done | tee x',
    'echo yes | apt install cryptsetup',
    'hdparm -I /dev/sda',
    'vault operator unseal',
    'kubectl create secret generic s --from-file=key=/x',
    'mysqladmin -u root password',
    'nmcli con up lab',
  ])
})

describe('tokens by the marks of their issuers', () => {
  eachHidden([
    ...['nvapi-', 'SWMTKN-1-', 'tskey-auth-', 'dckr_pat_', 'glptt-', 'gldt-', 'glrt-', 'glsa_', 'ATATT3x'].map(
      (mark) => `Pull «${mark}${X}» x`,
    ),
    ...['shpat_', 'sntrys_', 'NRAK-', 'whsec_', 'r8_', 'gsk_', 'ya29.', 'GOCSPX-', 'AGE-SECRET-KEY-1'].map(
      (mark) => `Pull «${mark}${X}» x`,
    ),
    ...['xoxc-', 'xoxd-', 'v4.local.', 'v2.public.', 'pplx-', 'xai-'].map((mark) => `Pull «${mark}${X}» x`),
    `Mail «SG.${X}.${X}» x`,
    `Azure «AbC8Q~${X}${X}» y`,
    `vault «s.${'aBcD2345'.repeat(3)}» x`,
    `Pull «eyJhbGciOiJkaXIiLCJlbmMi..AAAAAAAAAAAAAAAA.${X}.${X}» x`,
    `Pull «eyJhbGciOiJSU0EtT0FFUCJ9.${X}.AAAAAAAAAAAAAAAA.${X}.${X}». Next`,
    `rbd map p/i --id x --key «AQ${'BcD4'.repeat(9)}==»`,
    `nvme gen-key: DHHC-1:00:«${X}${X}»:`,
    `NVMeTLSkey-1:01:«${X}${X}»:`,
    `ip xfrm state add spi 1 enc 'cbc(aes)' «0x${HEX}»`,
    `\tauth-trunc hmac(sha256) «0x${HEX}» 96\n\taead rfc4106(gcm(aes)) «0x${HEX}» 128`,
    `ip macsec add macsec0 tx sa 0 pn 1 on key 01 «${HEX.slice(0, 32)}»`,
  ])
  eachHidden([
    'v4.local.example hosts.local s.example',
    `sha256 ${Buffer.from(HEX.slice(0, 32)).toString('base64')}`,
    'enc cbc(aes) <<Keys hidden>>',
    'SG.Example r8_x nvapi- tskey-x',
  ])
})

describe('keys in other forms', () => {
  const pem = (kind: string): string => `${dashes}BEGIN ${kind}${dashes}\n${X}\n`
  eachHidden([
    `x\n«${dashes}BEGIN OpenVPN Static key V1${dashes}\n${HEX}\n${HEX}\n${dashes}END OpenVPN Static key V1${dashes}»\ny`,
    `«---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "a-b"\n${X}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----»\ny`,
    `Public-Lines: 1\nAAAA\nPrivate-Lines: 1\n«${X}\n»Private-MAC: 00`,
    ...['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'].map(
      (kind) => `client-key-data: «${Buffer.from(pem(kind)).toString('base64')}»\nx`,
    ),
    `/root/.ssh/authorized_keys\0«b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ${X}»`,
    'wheel:«aaJ1Ytj6cXrWk»:10:anna,ben\nusers:x:100:',
    'data /srv/data.img «hunter2» luks,keyscript=/bin/echo',
  ])
  eachHidden([
    `client-certificate-data: ${Buffer.from(pem('CERTIFICATE')).toString('base64')}`,
    'data /srv/data.img /etc/keys/data.key luks',
    'data /srv/data.img none luks',
  ])
})

// Facts that checks read, in lines that hold words of secrets or names of programs that take them.
describe('what is no secret', () => {
  eachHidden([
    '-w /bin/login -p x -k logins',
    '-w /srv/mongo -p rwa -k phi',
    '/etc/audit/rules.d/x.rules:-w /usr/sbin/usermod -p x -k identity',
    '-w /usr/bin/sshpass -p wa\n-w /etc/mysql -p wa -k password',
    '-a always,exit -F dir=/srv/mongo -F perm=rwa -F key=token',
    'svc_secret:x:0:0::/root:/bin/bash\ncommunity:$6:1001:1001::/home/community:/bin/sh',
    'community:x:1005:alice,ben\nsecret:*:100:\npasswd:!:101:ben\npsk::102:',
    'password requisite pam_pwquality.so retry=3 authtok_type=',
    'data UUID=1 none luks,token-timeout=10,password-cache=yes,tpm2-pin=yes',
    'rd.luks.options=token-timeout=30s,password-echo=no',
    'name=admin,secret=<hidden>,acl',
    '{ "passwd_tries": 3 },\n{ "passprompt": "Password: " },\n{ "authenticate": false }',
    'AuthorizedKeysCommand /usr/bin/sss_ssh_authorizedkeys %u\nAllowUsers secret@10.0.0.1 token',
    'TMOUT=900; readonly TMOUT; export TMOUT',
    'ENCRYPT_METHOD YESCRYPT\nPASS_MAX_DAYS 90',
    '$DefaultNetstreamDriverKeyFile /etc/ssl/private/key.pem',
    'action(type="omrelp" target="x" tls="on" tls.myprivkey="/etc/rsyslog/keys/key.pem")',
  ])
  eachHidden(['{"comment": "<password>"}, {"rule": 1}, {"comment": "</password>"}'])
  eachHidden(['-w /srv/mongo -p «hunter2» -k phi', 'export DB_PASSWORD=«x»;readonly TMOUT=900'])
})
