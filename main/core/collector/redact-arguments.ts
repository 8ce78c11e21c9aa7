import { anyValue, ofAssignment, type Rule } from './redact-parts.ts'

/** Words of the same command. */
const WORDS = '[^\\n|;&]{0,200}?'
/** No option, variable, redirection or marker. */
const NO_ARGUMENT = String.raw`(?!\[redacted:|[|&;<>-]|\$[A-Z{(])`

/** A password in a certain place behind a program, which has no option for it. */
const argument = (needs: readonly string[], before: string): Rule => ({
  class: 'password',
  needs,
  pattern: new RegExp(String.raw`((?<![\w.-])${before}(?:[\\$]{0,3}["'])?)${NO_ARGUMENT}${anyValue(1)}`, 'g'),
  rest: ofAssignment,
})

/** A password as a literal in quotation marks in a statement of SQL; the match leaves out the closing mark. */
const literal = (needs: readonly string[], before: string): Rule => ({
  class: 'password',
  needs,
  pattern: new RegExp(String.raw`((?<!\w)${before}\\{0,3}["'])${NO_ARGUMENT}${anyValue(1)}`, 'gi'),
  rest: ofAssignment,
})

/** Programs and options that read a password from a pipe or a text: `echo X | program`. */
const READS = String.raw`(?:(?:sudo )?(?:/\S{0,32}/)?(?:cryptsetup|kinit|smbpasswd|veracrypt|passwd)(?![\w.-])|[^|\n]{0,100}?(?:--password-stdin|--stdin|--passphrase-fd|sudo -\w{0,4}S(?!\w)|zfs load-key))`
const ECHO = String.raw`(?<![\w.-])(?:echo|printf|yes)(?: -[neE]{1,3})?(?: ["']?%s(?:\\n)?["']?)? ["']?`

/** Passwords that programs take as arguments, from the manual page of each, and from texts that are piped to them. */
export const ARGUMENT_RULES: readonly Rule[] = [
  literal(
    ['identified'],
    String.raw`identified[ \t]{1,8}(?:with[ \t]{1,8}\S{1,64}[ \t]{1,8})?(?:by|as)[ \t]{1,8}(?:password[ \t]{1,8})?`,
  ),
  literal(['password'], String.raw`(?:with|encrypted)[ \t]{1,8}password[ \t]{1,8}`),
  literal(['password('], String.raw`password\([ \t]{0,8}`),
  literal(['set password'], String.raw`set password for \S{1,128}[ \t]{0,8}=[ \t]{0,8}`),
  argument(['mysqladmin', 'mariadb-admin'], `(?:mysqladmin|mariadb-admin) ${WORDS}(?<= )password `),
  argument(['rabbitmqctl'], `rabbitmqctl ${WORDS}(?<= )(?:add_user|change_password|authenticate_user) \\S{1,128} `),
  argument(
    ['htpasswd'],
    String.raw`htpasswd (?:-\w{1,16} ){0,4}-(?=\w{0,8}b)(?=\w{0,8}n)\w{1,8} (?:-\w{1,16} ){0,4}[^\s-]\S{0,128} `,
  ),
  argument(
    ['htpasswd'],
    String.raw`htpasswd (?:-\w{1,16} ){0,4}-(?=\w{0,8}b)(?!\w{0,8}n)\w{1,8} (?:-\w{1,16} ){0,4}[^\s-]\S{0,256} \S{1,128} `,
  ),
  argument(['ipmitool'], `ipmitool ${WORDS}(?<= )user (?:set|test) password \\d{1,3} (?:(?:16|20) )?`),
  argument(['racadm'], `racadm ${WORDS}(?<= )set iDRAC\\.Users\\.\\d{1,3}\\.Password `),
  argument(['operator unseal'], 'vault operator unseal '),
  argument(['wandb login'], 'wandb login (?:--\\S{1,64} ){0,4}'),
  argument(['authtoken'], 'ngrok (?:config )?(?:add-)?authtoken '),
  {
    class: 'password',
    needs: ['sqlplus', 'expdp', 'impdp', 'sqlldr', 'rman'],
    pattern: new RegExp(
      String.raw`((?<![\w.-])(?:sqlplus|expdp|impdp|sqlldr|rman) (?:${WORDS} )?["']?[\w$#]{1,30}/)(?!\[redacted:|/)[^\s"'@/]{1,128}(?=@|["'\s]|$)`,
      'g',
    ),
  },
  argument(['mc '], String.raw`mc (?:--\S{1,64} ){0,4}(?:alias set|config host add) \S{1,128} \S{1,512} \S{1,256} `),
  argument(['configure set'], String.raw`configure set \S{0,60}(?:secret_access_key|session_token) `),
  argument(['keyctl add'], String.raw`keyctl add \S{1,64} \S{1,256} `),
  argument(['auth.password'], String.raw`node\.session\.auth\.password(?:_in)?["']? {1,8}(?:-v|--value)[ =]{1,8}`),
  argument(['nmcli'], String.raw`nmcli ${WORDS}(?<=[ .])(?:psk|password|wep-key\d|pin) `),
  argument(['data='], String.raw`-object secret,[^\s"']{0,128}data=`),
  argument(['freerdp', 'rdesktop'], `(?:[xw]lfreerdp3?|xfreerdp3?|sdl-freerdp3?|rdesktop) ${WORDS}(?<= )/(?:p|gp):`),
  argument(['chpasswd'], String.raw`chpasswd(?: -\S{1,32}){0,4} ?<<< ?["']?[^\s:"']{1,64}:`),
  argument(
    ['redis-cli'],
    `redis-cli (?:${WORDS} )?(?:AUTH|auth) (?![\\w-]{1,64} \\[redacted:)(?:[\\w-]{1,64} (?=[^\\s-]))?`,
  ),
  argument(['redis-cli'], `redis-cli (?:${WORDS} )?(?:CONFIG SET|config set) (?:requirepass|masterauth) `),
  argument(['npm'], String.raw`npm config set \S{0,200}(?:_password|_auth|_authToken) `),
  argument(
    ['login', 'vault token', 'bw unlock', 'cloudflared', 'reset-admin-password'],
    '(?:(?:vault|cargo) login|vault token (?:lookup|revoke|renew)|bw unlock|cloudflared service install|reset-admin-password) (?=[^\\s=]{1,4096}(?:\\s|$))',
  ),
  argument(['pulumi'], String.raw`pulumi config set --secret \S{1,128} `),
  argument(['private-key'], String.raw`wg set [\w.-]{1,16} private-key (?![/<])`),
  argument(['openssl passwd'], String.raw`openssl passwd (?:-[1-6] |-apr1 |-aixmd5 |-salt \S{1,64} ){0,4}`),
  argument(['smbclient'], String.raw`smbclient ["']?(?://|\\\\)\S{1,256} `),
  argument(
    ['<<<'],
    `(?:load-key|padd|cryptsetup|kinit|--passwd?-on-stdin|--password-stdin|--stdin|--passphrase-fd)(?:${WORDS} )?(?: \\d)?<<< ?`,
  ),
  {
    class: 'password',
    needs: ['<('],
    pattern: new RegExp(
      String.raw`(<\((?:echo|printf)(?: -[neE]{1,3})?(?: ["']?%s["']?)? ["']?)${NO_ARGUMENT}[^\s"']{1,512}`,
      'g',
    ),
  },
  {
    class: 'password',
    needs: ['sedutil-cli'],
    pattern: new RegExp(
      String.raw`((?<![\w.-])sedutil-cli (?:-[a-z]{1,8} )?--[A-Za-z0-9]{1,40} (?:[A-Za-z0-9]{1,8} ){0,3})${NO_ARGUMENT}[^\s/-]\S{0,255}(?= /dev/|$)`,
      'g',
    ),
  },
  {
    class: 'password',
    needs: ['chpasswd'],
    pattern: new RegExp(
      String.raw`(${ECHO}[^\s:"'|]{1,64}:)${NO_ARGUMENT}[^"'|\n]{1,256}?(?=["']?[ \t]{0,8}\|[ \t]{0,8}(?:sudo )?(?:/\S{0,32}/)?chpasswd)`,
      'g',
    ),
  },
  {
    class: 'password',
    needs: ['echo', 'printf', 'yes'],
    pattern: new RegExp(
      String.raw`(${ECHO})${NO_ARGUMENT}[^"'|\n]{1,256}?(?=["']?[ \t]{0,8}\|[ \t]{0,8}${READS})`,
      'g',
    ),
  },
]
