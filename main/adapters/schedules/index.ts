import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Timers } from '../../core/schedule/store.ts'
import { createTimers, runProgram } from './os-timers.ts'

/** The timers of this computer. `config` is our folder below the user's settings. */
export function hostTimers(config: string): Timers {
  const { username, uid } = userInfo()
  const { XDG_CONFIG_HOME: xdg, USERDOMAIN: domain } = process.env
  const { platform } = process
  return createTimers(
    {
      platform,
      folders: {
        systemd: join(xdg ?? join(homedir(), '.config'), 'systemd/user'),
        'systemd-system': '/etc/systemd/system',
        launchd: join(homedir(), 'Library/LaunchAgents'),
        'task-scheduler': join(config, 'tasks'),
      },
      lingering: '/var/lib/systemd/linger',
      uid: uid < 0 ? null : uid,
      host: {
        // Read when it is needed: the first use of Intl takes some ten milliseconds, of every command.
        get zone() {
          return Intl.DateTimeFormat().resolvedOptions().timeZone
        },
        user: platform === 'win32' && domain !== undefined ? `${domain}\\${username}` : username,
        // Without it, a job would look for identities and schedules elsewhere than the person who added it.
        environment: xdg === undefined || platform === 'win32' ? {} : { XDG_CONFIG_HOME: xdg },
      },
    },
    runProgram,
  )
}
