import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'
import { eachMasked, maskedText } from './support/masked-rows.ts'

describe('long options', () => {
  eachMasked('password', [
    'tool --password «hunter2» --verbose',
    'tool --password=«hunter2» --verbose',
    '--password «hunter2»',
    'tool -password «x» y',
    'tool --PASSWORD «x» y',
    'tool --passwd «x»',
    'tool --passphrase «x»',
    'tool --pass «x»',
    'tool --pwd «x»',
    'plink -pw «x» host',
    'tool --psk «x»',
    'tool --token «x»',
    'tool --secret «x»',
    'tool --api-key «x»',
    'tool --apikey «x»',
    'tool --access_key «x»',
    'tool --secret-key «x»',
    'tool --auth-key «x»',
    'tool --credential «x» --credentials «y»',
    'tool --a-b-c-d-password «x»',
    'imapsync --password1 «x» --password2 «y»',
    'pkcs11-tool --login --pin «1234» --so-pin=«5678»',
    'keytool -keypass «x» -storepass «y» -srcstorepass «z» -destkeypass «w»',
    'tool --password=«a» --token=«b»',
    'tool --password «12:34» x',
    '(tool --password «x»)',
    '`tool --password «x»`',
    '(--password «x»)',
    'sh -c "tool --password «x»" y',
    "sh -c 'tool --password=«x»' y",
    'tool --token «x»; next',
    'tool --token=«x», next',
    'openssl rsa -passin pass:«hunter2» -in key',
    'pass:«hunter2»',
    'openssl rsa -passin "pass:«two words»" -in key',
    'curl --user svc:«x» host',
    'curl --user=svc:«x» host',
    'curl --proxy-user svc:«x» host',
    'curl --PROXY-USER=svc:«x» host',
    'skopeo copy --src-creds svc:«x» --dest-creds=svc:«y» a b',
    'skopeo inspect --creds svc:«x» a',
  ])
})

describe('values in quotation marks', () => {
  eachMasked('password', [
    'tool --password "«two words»" more',
    "tool --password '«two words»' more",
    "tool --password='«two words»' more",
    'tool --password="«two words»" more',
    'tool --password "« two»" more',
    'tool --password="« two»" more',
    `tool --password "«it's here»" more`,
    `tool --password='«say "x" y»' more`,
    'tool --password "«a\\"b c»" more',
    'tool --password "«a\\\\»" more --token "«b»"',
    "tool --password '«a\\»' more",
    "tool --password $'«it\\'s here»' more",
    'tool --password=$"«two words»" more',
    'tool "--password=«two words»" more',
    "tool '--password=«two words»' more",
    "tool $'--password=«two words»' more",
    'ExecStart="tool --password \\"«two words»\\" more" x',
    'tool --password "«a --token b»" c',
    'tool --password "«a ; b»" --token «c»',
    "mysql -p'«two words»' db",
    'mysql -p"«two words»" db',
    "curl -u 'svc:«two words»' host",
    'tool --password «two\\ words» more',
    'tool --password="«-x»" --token=«-y»',
    `tool --password '«-x»' more`,
    'tool --password "«(x y»" more',
    // Cut off: all that is left of it.
    'tool --password "«two wor»',
    "tool --password='«two wor»",
    'ExecStart="tool --password \\"«two wor»',
    'tool "--password=«two wor»',
  ])
  test('a quotation mark that is cut off, or that a backslash ends, takes the line and not the next one', () =>
    expect(maskedText('tool --password "a b\nuser root\n--token "a\\')).toBe(
      'tool --password "[redacted:password]\nuser root\n--token "[redacted:password]',
    ))
})

describe('short options, by program', () => {
  const MYSQL =
    'mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlbinlog mysqlsh mysqlshow mysqlslap mysqlpump mysql_upgrade mariadb mariadb-dump mariadb-admin mariadb-import mariadb-check mariadb-backup mariabackup mariadb-binlog mariadb-show xtrabackup 7z 7za 7zr 7zz rar unrar'
  const MONGO = 'mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongofiles sshpass'
  const CAPITAL = 'sqlcmd bcp isql tsql ipmitool mosquitto_pub mosquitto_sub zip unzip zipcloak'
  const LDAP = 'ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapmodrdn ldapcompare'
  const SNMP = 'snmpget snmpgetnext snmpwalk snmpset snmpbulkget snmpbulkwalk snmptable snmptrap'
  const SAMBA = 'smbclient rpcclient smbget smbcacls samba-tool net winexe'
  const each = (names: string, row: (name: string) => string): readonly string[] => names.split(' ').map(row)
  eachMasked('password', [
    ...each(MYSQL, (name) => `${name} -p«hunter2» -p word`),
    ...each(MONGO, (name) => `${name} -p«hunter2» -p «word»`),
    ...each(CAPITAL, (name) => `${name} -P«hunter2» -P «word» -p x`),
    ...each(LDAP, (name) => `${name} -w«hunter2» -w «word» -W x`),
    ...each(SNMP, (name) => `${name} -v2c -c«one» -c «two» -A «three» -X «four» -a SHA -x AES`),
    ...each(SAMBA, (name) => `${name} -U svc%«one» -Usvc%«two» --user svc%«three» --user=svc%«four» -u a%b`),
    'docker login -u svc -p «hunter2» r.example',
    'redis-cli -a «hunter2» ping',
    'wbinfo -a svc%«hunter2»',
    'lftp -u svc,«hunter2» host',
    'curl -u svc:«one» -U svc:«two» -usvc:«three» -Usvc:«four» host',
    'curl -sSfu svc:«one» -kLusvc:«two» host',
    'ldapsearch -xLLLw «hunter2» -xw«two»',
    'zip -erP «hunter2» a b',
    '/usr/bin/mysql -p«hunter2»',
    'Description=mysql -p«hunter2»',
    'X=$(mysql -p«hunter2» db)',
    'X=`mysql -p«hunter2» db`',
    'ExecStart=-/usr/bin/mysql -p«hunter2»',
    "sh -c 'mysql -p«hunter2»' x",
    'mysql -u root -p«one» | sshpass -p «two» ssh host',
    'mysql --password=«a&» -p«b»',
    'redis-cli "-a" "«hunter2»" ping',
    'mysql tool -pass «hunter2» x',
    'tool "--token", "«--password»", "«x»"',
  ])
})

describe('more than one line', () => {
  eachMasked('password', [
    'ExecStart=/usr/bin/tool --password \\\n  «hunter2» \\\n  --verbose\nUser=root',
    'mysql \\\n  -p«hunter2» \\\n  db\n',
    'tool --password \\\n"«two words»" \\\n x',
    '["mysql", "-p«hunter2»", "-p«two words»"]',
    '{"--password", "«hunter2»"}',
    '"Args": [\n  "--password",\n  "«hunter2»",\n  "--verbose"\n],\n',
    "[\n  '--password',\n  '«hunter2»'\n]",
    'a\n\ntool --password «x»\nb',
  ])
})

describe('what is no password', () => {
  eachMasked('password', [
    'tool --password\nnext line',
    'mysql -u root\nmkdir -pv x',
    'mysql -p«x»; mkdir -pv y',
    "mysql -p'«x y»'; mkdir -pv y",
    'mysql -u root| mkdir -pv y',
    'mysql -u root | mkdir -pv y',
    'mysql -u root && mkdir -pv y',
    'mysql -u root & mkdir -pv y',
    'tool --password; next',
    'tool --password | tee x',
    'mysql --password < dump.sql',
    'mysql --password > dump.sql',
    'mysql -u root -p',
    '(mysql -u root -p)',
    'sh -c "mysql -u root -p" && other "x"',
    'tool --password "" x',
    "tool --password '' x",
    'tool --password= x',
    'tool "--password=" x',
    'tool --password="" x',
    'tool --password $DB_PASSWORD x',
    `tool --password ${'$'}{DB_PASSWORD} x`,
    'tool --password "$DB_PASSWORD" x',
    'tool --password=$DB_PASSWORD x',
    'tool --password $(cat /etc/x) y',
    'tool --password `cat /etc/x` y',
    'tool --password <password> x',
    'tool --password [redacted:password] x',
    'tool --password true --token=false --secret yes --passwd no --pass none',
    'tool --password --verbose',
    'tool --password -v x',
    'tool --password-file x --token-ttl 5 --user svc',
    'curl --user svc host',
    'curl -u svc host',
    'curl -u svc: host',
    'curl -u 1000:1000 host',
    'curl -u svc:$PASSWORD host',
    'curl -H Upgrade:x -XPUT:x host',
    'docker run --user 1000:1000 -p 8080:80 image',
    'docker run --user=1000:1000 image',
    'lftp -u svc host',
    'smbclient -U svc x',
    'grep -P x -w y -U a%b',
    'mysqlx -px',
    'not-mysql -px',
    'mysql.conf -px',
    'openssl rsa -passin file:/etc/key',
    'a pass: 12 tests, bypass:12',
    'compass --bypass x --compass y',
    'ssh -p 2222 host',
    'a-p --passwords x --xpassword y',
  ])
})

test('the marker takes the place of as many characters as the password alone has', () => {
  const marker = '[redacted:password]'
  const masked = (length: number) => maskedText(`${'tool '.repeat(300)}--db-password '${'b'.repeat(length)}' x`)
  expect(masked(1023)).toBe(`${'tool '.repeat(300)}--db-password '${marker}' x`)
  expect(masked(1024)).toBe(`${'tool '.repeat(300)}--db-password '${marker.padEnd(1024, '*')}' x`)
  expect(maskedText(masked(5000))).toBe(masked(5000))
})

test('each password is counted', () =>
  expect(redact(Buffer.from('mysql -pa --password=b --token c')).classes).toEqual({ password: 3 }))
