import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { BACKUP_TOOLS, type Stores } from '../operations/backup-tools.ts'
import { type BackupSettings, backupSettings, toolOfSettings } from '../probes/backup-settings.ts'
import { backupUnits } from '../probes/backup-units.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

export const encryptionAtRestBackupTarget = defineCheck({
  id: 'encryption.at-rest.backup-target',
  property: 'encryption-at-rest',
  expected: 'Every backup tool found on this node encrypts what it stores, by its design or by its settings.',
  limitations:
    'Based on the tools present and the names of their settings, not on inspection of a copy. Where one file names several repositories, one that is set to encrypt counts for the file. Settings given in the environment or at a server are not read. Who holds the key or passphrase, and whether the target itself encrypts, is not shown. Backups of a cluster and tools of a site’s own are not found.',
  requires: { units: backupUnits, settings: backupSettings },
  evaluate({ units: { units }, settings }) {
    const running = units.filter(({ tool }) => tool.isSnapshot !== true).map(({ tool }) => tool.name)
    const configured = settings.files.flatMap((file) => toolOfSettings(file) ?? [])
    const tools = [...new Set([...running, ...configured])].sort()
    if (tools.length === 0)
      return decide([
        unclear('No backup tool known to this catalog was found as a service or by its settings.', backupUnits),
      ])
    return decide(tools.map((name) => toolStep(name, settings, running.includes(name))))
  },
})

const STORES: ReadonlyMap<string, Stores> = new Map(BACKUP_TOOLS.map(({ name, stores }) => [name, stores]))

function toolStep(name: string, settings: BackupSettings, isService: boolean): DraftObservation {
  const seen = isService ? backupUnits : backupSettings
  switch (STORES.get(name)) {
    case 'encrypted':
      return supports(`${name} encrypts every repository, whatever its settings.`, seen)
    case 'as-is':
      return unclear(`${name} copies files unchanged: whether they are stored encrypted depends on the target.`, seen)
    case 'by-server':
      return unclear(`${name} is configured at its server: whether copies are encrypted is not visible here.`, seen)
    default:
      return settingsStep(name, settings)
  }
}

function settingsStep(name: string, { files, encrypting, clear }: BackupSettings): DraftObservation {
  const own = files.filter((file) => toolOfSettings(file) === name)
  const open = own.filter((file) => clear.includes(file))
  const ciphered = own.filter((file) => encrypting.includes(file) && !clear.includes(file))
  if (open.length > 0)
    return contradicts(`${name} is configured not to encrypt, in ${named(open, 5)}.`, backupSettings, 'clear')
  if (name === 'rclone' && ciphered.length > 0)
    return unclear(
      `rclone has a target that encrypts, in addition to the underlying one: ${named(ciphered, 5)}. Which of them a job writes to is not read.`,
      backupSettings,
      'encrypting',
    )
  if (own.length > 0 && ciphered.length === own.length)
    return supports(`${name} is set to encrypt, in ${named(ciphered, 5)}.`, backupSettings, 'encrypting')
  return unclear(
    own.length === 0
      ? `${name} encrypts where configured, and none of its settings were found.`
      : `${name} encrypts where configured, and not every one of its settings files configures it: ${named(own, 5)}.`,
    backupSettings,
    'files',
    'encrypting',
  )
}
