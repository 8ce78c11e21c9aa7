import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import { dueTimes, parseCadence } from '../../main/core/run-chain/cadence.ts'
import { cronBlock, windowsWord, withCronBlock } from '../../main/present/timers/task-scheduler.ts'
import { wakesOf, xmlText } from '../../main/present/timers/unit-input.ts'
import { quotedWord } from '../../main/present/timers/units.ts'
import { NOW, textsOf, units } from '../support/schedule.ts'

const CALL = 'run --schedule nightly --schedules /home/anna/.config/barewitness/schedules.json'
const HOSTILE = `/srv/a b/it's "50%" $HOME/\u00e4\u6f22`

test.each(['systemd', 'systemd-system', 'cron', 'launchd'] as const)('a job of root is reported as one: %s', (kind) => {
  const warnings = (user: string): readonly string[] => {
    const made = units(kind, {}, { user })
    return made.ok ? made.value.warnings : []
  }
  expect(warnings('root')[0]).toContain('The job runs as root, which is not required')
  expect(warnings('anna').join()).not.toContain('root')
})

describe('systemd', () => {
  test('of a user', () => {
    expect(textsOf(units('systemd', {}, { environment: { XDG_CONFIG_HOME: '/home/anna/my config' } }))).toEqual([
      `# Written by barewitness for the schedule nightly: every day at 02:30 in UTC.
[Unit]
Description=Barewitness, scheduled run of nightly

[Service]
Type=oneshot
Environment="XDG_CONFIG_HOME=/home/anna/my config"
ExecStart=/usr/bin/node /opt/barewitness/cli.js ${CALL}
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
`,
      `# Written by barewitness for the schedule nightly: every day at 02:30 in UTC.
# There may be more times here than runs, because of clock changes. The program checks whether a run is due.
[Unit]
Description=Barewitness, times of nightly

[Timer]
OnCalendar=*-*-* 02:30:00 UTC
AccuracySec=1s
Persistent=true
Unit=barewitness-nightly.service

[Install]
WantedBy=timers.target
`,
    ])
  })

  test('of the whole computer: an account, the network, and no writing into the system', () => {
    const [service = ''] = textsOf(units('systemd-system', { out: HOSTILE }))
    expect(service).toContain('\nUser=anna\n')
    expect(service).toContain('\nAfter=network-online.target\n')
    expect(service).toContain(
      `\nReadWritePaths="-/srv/a b/it's \\"50%%\\" $HOME/\u00e4\u6f22" -/home/anna/.config/barewitness\n`,
    )
  })

  test('a job that notifies by a program keeps set-user-id programs', () => {
    const [service = ''] = textsOf(units('systemd', { notify: [{ kind: 'command', argv: ['mail'] }] }))
    expect(service).not.toContain('NoNewPrivileges')
    expect(service).not.toContain('Restrict')
    expect(service).toContain('UMask=0077')
    expect(service).toContain('LimitCORE=0')
  })

  test('hostile paths: of the program through a shell, dollars doubled, percent signs doubled', () => {
    const [service = ''] = textsOf(units('systemd', {}, { program: [`${HOSTILE}/node`, `${HOSTILE}/cli.js`] }))
    expect(service).toContain(
      `\nExecStart=/bin/sh -c "exec \\"$$0\\" \\"$$@\\"" "/srv/a b/it's \\"50%%\\" $$HOME/\u00e4\u6f22/node" "/srv/a b/it's \\"50%%\\" $$HOME/\u00e4\u6f22/cli.js" run `,
    )
  })

  test('without catching up nothing is started late', () =>
    expect(textsOf(units('systemd', { catchUp: false }))[1]).not.toContain('Persistent'))

  test.each([
    ['every 6 hours at :15', 'UTC', ['*-*-* 00,06,12,18:15:00 UTC']],
    ['every monday at 02:30', 'UTC', ['Mon *-*-* 02:30:00 UTC']],
    ['on day 5 of every month at 23:59', 'UTC', ['*-*-05 23:59:00 UTC']],
    // systemd passes over a time that the clock jumps over; there it is due at the jump.
    ['every day at 02:30', 'Europe/Berlin', ['*-*-* 02:30:00 Europe/Berlin', '*-*-* 03:00:00 Europe/Berlin']],
  ])('%s in %s', (cadence, zone, lines) => {
    const timer = textsOf(units('systemd', { cadence, zone }))[1] ?? ''
    const found = [...timer.matchAll(/^OnCalendar=(.*)$/gm)].map(([, line]) => line)
    expect(found).toEqual(lines)
  })
})

describe('cron', () => {
  test('one block between marks, with nothing that holds for other lines', () => {
    expect(textsOf(units('cron', {}, { environment: { XDG_CONFIG_HOME: `/it's` } }))).toEqual([
      `# BEGIN barewitness nightly
# Written by barewitness: every day at 02:30 in UTC. The program checks whether a run is due; cron mails its output.
30 2 * * * XDG_CONFIG_HOME='/it'"'"'s' /usr/bin/node /opt/barewitness/cli.js ${CALL}
@reboot XDG_CONFIG_HOME='/it'"'"'s' /usr/bin/node /opt/barewitness/cli.js ${CALL}
# END barewitness nightly
`,
    ])
  })

  test.each([
    ['every 6 hours at :15', 'UTC', 'UTC', ['15 0,6,12,18 * * *']],
    ['every sunday at 02:30', 'UTC', 'UTC', ['30 2 * * 0']],
    ['every friday at 02:30', 'UTC', 'UTC', ['30 2 * * 5']],
    ['on day 5 of every month at 02:30', 'UTC', 'UTC', ['30 2 5 * *']],
    ['every day at 12:00', 'Europe/Berlin', 'UTC', ['0 10,11 * * *']],
    ['every monday at 01:00', 'Europe/Berlin', 'America/New_York', ['0 19,20 * * 0']],
    ['on day 1 of every month at 01:00', 'Europe/Berlin', 'UTC', ['0 0 1 * *', '0 23 30 * *', '0 23 31 * *']],
  ])('%s in %s, on a computer in %s', (cadence, zone, host, lines) => {
    const made = units('cron', { cadence, zone, catchUp: false }, { zone: host })
    const times = (textsOf(made)[0] ?? '').split('\n').flatMap((line) => /^(\d.*?) \/usr/.exec(line)?.[1] ?? [])
    expect(times).toEqual(lines)
    const warned =
      made.ok && made.value.warnings.some((text) => text.includes(`only this computer’s time zone, ${host}`))
    expect(warned).toBe(zone !== host)
  })

  test('a percent sign keeps its backslash inside quotes; a backslash of the path is refused', () => {
    expect(textsOf(units('cron', {}, { file: '/50% of/all.json' }))[0]).toContain(` --schedules '/50\\% of/all.json'\n`)
    for (const file of ['/a\\b', '/a\nb', `/${'x'.repeat(1000)}`])
      expect(units('cron', {}, { file })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('blocks of other schedules and lines of other people stay as they are', () => {
    const own = '# mine\nMAILTO=anna\n5 4 * * * true'
    const one = textsOf(units('cron'))[0] ?? ''
    const other = textsOf(units('cron', { name: 'nightly-2' }))[0] ?? ''
    const both = withCronBlock(withCronBlock(own, 'nightly-2', other), 'nightly', one)
    expect(both).toBe(`${own}\n${other}${one}`)
    expect(cronBlock(both, 'nightly')).toBe(one)
    expect(withCronBlock(both, 'nightly-2', null)).toBe(`${own}\n${one}`)
    expect(withCronBlock(both, 'nightly', one.replace('30 2', '40 2'))).toBe(
      `${own}\n${other}${one.replace('30 2', '40 2')}`,
    )
    expect(withCronBlock(own, 'nightly', null)).toBe(own)
    expect(cronBlock('# BEGIN barewitness nightly\n', 'nightly')).toBeNull()
  })
})

describe('launchd', () => {
  test('a property list', () => {
    expect(
      textsOf(units('launchd', { cadence: 'every 12 hours at :05', catchUp: false }, { file: '/a & <b>' })),
    ).toEqual([
      `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by barewitness: every 12 hours at :05 in UTC. The program checks whether a run is due. -->
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.barewitness.nightly</string>
  <key>ProgramArguments</key>
  <array>
    <string>/usr/bin/node</string>
    <string>/opt/barewitness/cli.js</string>
    <string>run</string>
    <string>--schedule</string>
    <string>nightly</string>
    <string>--schedules</string>
    <string>/a &amp; &lt;b&gt;</string>
  </array>
  <key>StartCalendarInterval</key>
  <array>
    <dict><key>Hour</key><integer>0</integer><key>Minute</key><integer>5</integer></dict>
    <dict><key>Hour</key><integer>12</integer><key>Minute</key><integer>5</integer></dict>
  </array>
  <key>ProcessType</key><string>Background</string>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`,
    ])
  })

  test('sunday is 0, catching up runs at login, and another zone is a warning', () => {
    const made = units('launchd', { cadence: 'every sunday at 12:00', zone: 'Europe/Berlin' })
    const [text = ''] = textsOf(made)
    expect(text).toContain('<key>Weekday</key><integer>0</integer><key>Hour</key><integer>10</integer>')
    expect(text).toContain('<key>Weekday</key><integer>0</integer><key>Hour</key><integer>11</integer>')
    expect(text).toContain('<key>RunAtLoad</key><true/>')
    expect(made).toMatchObject({ value: { warnings: [expect.any(String), expect.stringContaining('Europe/Berlin')] } })
    expect(units('launchd', {}, { file: '/a\u0001' })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })
})

describe('Task Scheduler', () => {
  const program = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\bw\\cli.js'] as const
  const by = { program, file: 'C:\\Users\\Anna Ä\\schedules.json', user: 'CLINIC\\anna' }
  test('a task; hours are a repetition', () => {
    expect(textsOf(units('task-scheduler', { cadence: 'every 6 hours at :15' }, by))[0]?.split('\r\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-16"?>',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      '  <RegistrationInfo>',
      '    <Description>Written by barewitness for the schedule nightly: every 6 hours at :15 in UTC. The program checks whether a run is due.</Description>',
      '  </RegistrationInfo>',
      '  <Triggers>',
      '    <CalendarTrigger><Repetition><Interval>PT6H</Interval><Duration>P1D</Duration><StopAtDurationEnd>false</StopAtDurationEnd></Repetition><StartBoundary>2026-11-21T00:15:00</StartBoundary><Enabled>true</Enabled><ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay></CalendarTrigger>',
      '  </Triggers>',
      '  <Principals>',
      '    <Principal id="Author"><UserId>CLINIC\\anna</UserId><LogonType>S4U</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>',
      '  </Principals>',
      '  <Settings>',
      '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
      '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
      '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
      '    <StartWhenAvailable>true</StartWhenAvailable>',
      '    <Enabled>true</Enabled>',
      '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
      '  </Settings>',
      '  <Actions Context="Author">',
      '    <Exec><Command>C:\\Program Files\\nodejs\\node.exe</Command><Arguments>C:\\bw\\cli.js run --schedule nightly --schedules &quot;C:\\Users\\Anna Ä\\schedules.json&quot;</Arguments></Exec>',
      '  </Actions>',
      '</Task>',
      '',
    ])
  })

  test.each([
    ['every day at 02:30', '<ScheduleByDay>'],
    ['every sunday at 02:30', '<DaysOfWeek><Sunday /></DaysOfWeek>'],
    ['on day 28 of every month at 02:30', '<DaysOfMonth><Day>28</Day></DaysOfMonth><Months><January /><February />'],
  ])('%s', (cadence, part) => {
    const [text = ''] = textsOf(units('task-scheduler', { cadence }, by))
    expect(text).toContain('<StartBoundary>2026-11-21T02:30:00</StartBoundary>')
    expect(text).toContain(part)
    expect(text).not.toContain('<Repetition>')
  })

  test.each(['C:\\%TEMP%\\a', 'C:\\$(Arg0)', 'C:\\a\nb'])('a path that it would read as something else: %j', (file) =>
    expect(units('task-scheduler', {}, { ...by, file })).toMatchObject({ ok: false, error: { code: 'input.refused' } }),
  )

  test('words of a command line read back as Windows reads them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
        expect(windowsArguments(words.map(windowsWord).join(' '))).toEqual(words)
      }),
    )
  })
})

/** CommandLineToArgvW, of what follows the program. */
function windowsArguments(line: string): readonly string[] {
  const words: string[] = []
  for (let at = 0; at < line.length; at += 1) {
    let word = ''
    let quoted = false
    for (; at < line.length && (quoted || line[at] !== ' '); at += 1) {
      const [slashes = ''] = /^\\*/.exec(line.slice(at)) ?? []
      const isQuote = line[at + slashes.length] === '"'
      if (slashes !== '') {
        word += isQuote ? slashes.slice(0, Math.floor(slashes.length / 2)) : slashes
        at += slashes.length - 1
        if (isQuote && slashes.length % 2 === 1) {
          word += '"'
          at += 1
        }
      } else if (isQuote) quoted = !quoted
      else word += line[at]
    }
    words.push(word)
  }
  return words
}

describe('quoting', () => {
  /** As systemd reads one quoted word: C escapes, then specifiers, then (of a command) variables. */
  const systemdReads = (text: string, of: 'command' | 'setting'): string => {
    const inner = text.startsWith('"') ? text.slice(1, -1) : text
    const names: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"' }
    const unescaped = inner.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex?: string, one = '') =>
      hex === undefined ? (names[one] ?? `?${one}`) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
    const specified = unescaped.replaceAll(/%(.?)/g, (_, one) => (one === '%' ? '%' : '?'))
    return of === 'command' ? specified.replaceAll(/\$(.?)/g, (_, one) => (one === '$' ? '$' : '?')) : specified
  }
  test.each(['command', 'setting'] as const)('any word reads back, in a %s of systemd', (of) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (word) => {
        const quoted = quotedWord(word, of)
        expect(systemdReads(quoted, of)).toBe(word)
        expect(quoted).not.toMatch(/[\n\r]/)
        expect(/^"(?:[^"\\]|\\.)*"$|^[^\s"'\\]+$/.test(quoted)).toBe(true)
      }),
    )
  })

  test('any path that a crontab can hold reads back through cron and a shell', () => {
    const path = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map((text) => `/${text.replaceAll(/[\u0000-\u001f\u007f\\]/g, '')}`)
    fc.assert(
      fc.property(path, (file) => {
        const line = textsOf(units('cron', { catchUp: false }, { file }))[0]?.split('\n')[2] ?? ''
        // cron: an unescaped percent sign ends the command.
        const command = line.replace(/^30 2 \* \* \* /, '')
        expect(command).not.toMatch(/(?<!\\)%/)
        expect(shellWords(command.replaceAll('\\%', '%')).at(-1)).toBe(file)
      }),
    )
  })

  test('any text reads back from XML, or is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const made = xmlText(text)
        if (made === null) {
          expect(text).toMatch(/[\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/u)
          return
        }
        expect(made).not.toMatch(/[<>"\n\r\t]/)
        const names: Readonly<Record<string, string>> = {
          amp: '&',
          lt: '<',
          gt: '>',
          quot: '"',
          '#9': '\t',
          '#10': '\n',
          '#13': '\r',
        }
        expect(made.replaceAll(/&([a-z0-9#]+);/g, (_, name) => names[name] ?? '?')).toBe(text)
      }),
    )
  })
})

/** Words of a POSIX shell that knows only blanks and both kinds of quotes. */
const shellWords = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two ?? ''),
  )

test('no due time of any cadence is without a start, on a computer in any zone', () => {
  const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']
  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
  const cadence = fc.oneof(
    time.map((at) => `every day at ${at}`),
    time.map((at) => `every sunday at ${at}`),
    fc.tuple(fc.integer({ min: 1, max: 28 }), time).map(([day, at]) => `on day ${day} of every month at ${at}`),
    fc
      .tuple(fc.constantFrom(1, 4), fc.nat(59))
      .map(([hours, at]) => `every ${hours} hours at :${String(at).padStart(2, '0')}`),
  )
  fc.assert(
    fc.property(cadence, fc.constantFrom(...ZONES), fc.constantFrom(...ZONES), (words, zone, host) => {
      const parsed = parseCadence(`${words} in ${zone}`)
      const offset = zones(host)
      if (parsed === null || offset === null) throw new Error(words)
      const wakes = wakesOf(parsed, zones, host, NOW) ?? []
      for (const due of dueTimes(parsed, zones, '2026-12-01T00:00:00Z', '2027-04-15T00:00:00Z') ?? []) {
        const local = new Date(Date.parse(due) + offset(Date.parse(due)))
        const fits = wakes.some(
          ({ weekday, day, hours, minute }) =>
            hours.includes(local.getUTCHours()) &&
            minute === local.getUTCMinutes() &&
            (weekday === null || weekday % 7 === local.getUTCDay()) &&
            (day === null || day === local.getUTCDate()),
        )
        expect(fits, `${words} in ${zone} on ${host}: ${due}`).toBe(true)
      }
    }),
    { numRuns: 25 },
  )
})

test('what is no cadence and no zone is refused', () => {
  expect(units('cron', { cadence: 'now and then' })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  expect(units('cron', { zone: 'Mars/Olympus' })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
})
