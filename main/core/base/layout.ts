import { isSha256, sha256 } from './digest.ts'

/**
 * Every path below an output folder, which is `--out` for the command line and the data folder for the window. All
 * code that writes, reads, backs up or deletes there takes the names from this file: a folder missing here cannot be
 * recognized as the program’s own.
 */

const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/

/** Whether every file system preserves this name and distinguishes it from every other such name. */
export const isSafeName = (name: string): boolean =>
  /^[a-z0-9]([a-z0-9._-]{0,178}[a-z0-9_-])?$/.test(name) && !DEVICES.test(name)

/** Folders directly in an output folder. */
export const FOLDERS = {
  /** `<run>/<node>/`: recordings; `sha256/`: their shared files. */
  evidence: 'evidence',
  /** `<fleet>/`: a run chain. */
  chains: 'chains',
  history: 'history',
  /** Period reports that were built and not yet saved elsewhere. */
  periods: 'periods',
  /** Exports that were built and not yet saved elsewhere. */
  exports: 'exports',
  /** `<schedule>/`: state between scheduled runs. */
  schedules: 'schedules',
  /** Documents of the register, named by digest. */
  documents: 'documents',
  inventories: 'inventories',
  registerEarlier: 'register-earlier',
  engagementEarlier: 'engagement-earlier',
  fleetEarlier: 'fleet-earlier',
  providerEarlier: 'provider-earlier',
  mappingsEarlier: 'mappings-earlier',
  /** Notes on runs of the window. */
  runs: 'runs',
  /** Lists of what was copied to an object store. */
  objectLists: 'object-lists',
  /** Team server: jobs of collectors, and recordings being delivered. */
  jobs: 'jobs',
  /** Team server: `<id>/`, the files of a pack shared with auditors; and one folder for each auditor. */
  sharedPacks: 'shared-packs',
  auditors: 'auditors',
  /** Declarations and documents of the demo fleet. */
  demo: 'demo',
  trust: 'trust',
  worksheets: 'worksheets',
  /** Copies of documents that are open in a viewer. */
  shown: 'shown',
  identities: 'identities',
  /** Passphrases for scheduled runs, one file for each identity. */
  schedulePassphrases: 'schedule-passphrases',
  /** Host key decisions of earlier versions. */
  hostKeys: 'host-keys',
} as const

/** Files directly in an output folder, or in the folder of the demo fleet. */
export const FILES = {
  register: 'register.json',
  engagement: 'engagement.json',
  engagementDraft: 'engagement-draft.json',
  provider: 'provider.json',
  mappings: 'mappings.json',
  location: 'location.json',
  sites: 'sites',
  fleet: 'fleet.json',
  settings: 'settings.json',
  tables: 'tables.json',
  recentPacks: 'recent-packs.json',
  /** Team server: actions of officers and auditors in the portal. */
  portal: 'portal.jsonl',
  /** The passphrase file of earlier versions; only read. */
  identityPassphrase: 'identity-passphrase',
} as const

/** A recording, on disk and in a pack. */
export const RECORDING = { header: 'recording.json', captures: 'captures.jsonl', blobs: 'sha256' } as const
/** A run chain. */
export const CHAIN = { chain: 'chain.json', entries: 'entries.jsonl', head: 'head.json' } as const
/** An outbox: planned, attempted and completed deliveries, and planned packs of a team server. */
export const OUTBOX = { journal: 'outbox.jsonl', packs: 'packs.jsonl' } as const
/** Jobs of collectors: their events, and below `folder` one folder for each recording being delivered. */
export const JOBS = {
  journal: 'jobs.jsonl',
  ended: 'jobs-before-database.jsonl',
  incoming: 'incoming',
  parts: 'parts',
  whole: 'recording',
} as const

/** The spool of a collector: one folder for each job, and what the server refused. */
export const SPOOL = {
  job: 'job.json',
  finished: 'finished.json',
  evidence: FOLDERS.evidence,
  refused: 'refused',
} as const
/** The schedules of a computer, next to its identities; of a team server, in the folder of each engagement. */
export const SCHEDULE_FILE = 'schedules.json'
/** A cache of the list of runs; rebuilt where it is missing. */
export const HISTORY_HEADS = 'heads.jsonl'

export const PACK_EXTENSION = '.barewitness.zip'

export const evidenceFolder = (root: string): string => `${root}/${FOLDERS.evidence}`
export const evidenceOfRun = (root: string, run: string): string => `${evidenceFolder(root)}/${run}`
export const recordingFolder = (root: string, run: string, node: string): string =>
  `${evidenceOfRun(root, run)}/${node}`
/** In a folder of evidence: where files shared by several recordings are stored once. */
export const pooledBlob = (evidence: string, digest: string): string =>
  `${evidence}/${RECORDING.blobs}/${digest.slice(0, 2)}/${digest}`

export const chainsFolder = (root: string): string => `${root}/${FOLDERS.chains}`
/** One chain for each fleet, so that fleets sharing a folder do not share a chain. */
export const chainFolderOf = (root: string, fleet: string): string =>
  `${chainsFolder(root)}/${isSafeName(fleet) ? fleet : `fleet-${sha256(fleet).slice(0, 24)}`}`
export const chainStart = (chainFolder: string): string => `${chainFolder}/${CHAIN.chain}`

export const historyFolder = (root: string): string => `${root}/${FOLDERS.history}`

/** Where `run` writes the pack of a run and its accompanying files. */
export const exportFolder = (root: string, run: string): string => `${root}/${run}`
/** Where the window builds exports, before a person chooses where to save them. */
export const draftName = (handle: string): string => `${FOLDERS.exports}/${handle}`
/** The same for period reports. */
export const periodDraftName = (handle: string): string => `${FOLDERS.periods}/${handle}`
/** The folder of exports, each in a folder of its own. */
export const sealedExports = (root: string): string => `${root}/${FOLDERS.exports}`
/** The same for period reports. */
export const sealedPeriods = (root: string): string => `${root}/${FOLDERS.periods}`
export const packNameOf = (run: string): string => `${run}${PACK_EXTENSION}`
export const packIn = (folder: string, run: string): string => `${folder}/${packNameOf(run)}`
export const packOfRun = (root: string, run: string): string => packIn(exportFolder(root, run), run)
/** A redacted copy has a folder of its own, because files next to the pack are easily sent along with it. */
export const handOutName = (run: string): string => `hand-out/${run}.parts-withheld${PACK_EXTENSION}`
/**
 * Where a finished archive is stored until the run chain names it. The name contains the start of the chain id: one
 * run can be exported into one folder through two chains, and each must find only its own archive.
 */
export const preparedPath = (pack: string, chain: string): string => `${pack}.${chain.slice(0, 16)}.prepared`

interface ScheduleName {
  readonly out: string
  readonly name: string
}

/** The schema restricts the name, so that no path leads out of the folder. */
const scheduleFolder = ({ out, name }: ScheduleName): string => `${out}/${FOLDERS.schedules}/${name}`
/** Locked while a run of the schedule is in progress. */
export const runningFolder = (schedule: ScheduleName): string => `${scheduleFolder(schedule)}/running`
export const scheduleState = (schedule: ScheduleName): string => `${scheduleFolder(schedule)}/state.json`
export const scheduleAttempts = (schedule: ScheduleName): string => `${scheduleFolder(schedule)}/attempts.jsonl`

/**
 * Where declarations and documents of a fleet are stored. Those of the demo fleet are separate, so that they never mix
 * with real ones.
 */
export const shelfPath = (root: string, demo: boolean): string => (demo ? `${root}/${FOLDERS.demo}` : root)
/** A file of the window, or of the shelf of a fleet. */
export const fileIn = (folder: string, file: keyof typeof FILES): string => `${folder}/${FILES[file]}`
export const folderIn = (root: string, folder: keyof typeof FOLDERS): string => `${root}/${FOLDERS[folder]}`
export const fleetPath = (root: string): string => fileIn(root, 'fleet')
/** Names of identities are restricted, so that no path leads out of the folder. */
export const schedulePassphrasePath = (root: string, identity: string): string =>
  `${root}/${FOLDERS.schedulePassphrases}/${identity}`
/** The file of a document in the register. */
export const documentPath = (folder: string, digest: string): string => `${folder}/${FOLDERS.documents}/${digest}`
export const inventoryPath = (shelf: string, digest: string): string => `${shelf}/${FOLDERS.inventories}/${digest}`

/**
 * Next to the fleet file, where the command line looks for it as well: a scheduled run trusts exactly what a person
 * decided in the window.
 */
export const decisionsPath = (fleetFile: string): string => `${fleetFile}.known_hosts`
/** Next to a fleet file saved by the window: the files that it names. */
export const declaredFolder = (fleetFile: string): string => `${fleetFile}.declared`
/** The names of those that the window writes itself. */
export const DECLARED_FILES = { engagement: 'engagement.yaml', provider: 'provider.yaml' } as const
/** Next to a fleet file: the expected hardware of its nodes. */
export const hardwarePath = (fleetFile: string): string => `${fleetFile}.hardware.json`
export const runNotePath = (root: string, run: string): string => `${root}/${FOLDERS.runs}/${run}.json`
export const anchorsPath = (root: string): string => `${root}/${FOLDERS.trust}/anchors.json`
export const seenHeadPath = (root: string, chain: string): string => `${root}/${FOLDERS.trust}/heads/${chain}.json`
export const worksheetPath = (root: string, digest: string): string => `${root}/${FOLDERS.worksheets}/${digest}.json`

/** Whether a name is that of a folder of the program, and therefore cannot be that of a run. */
export const isOwnFolder = (name: string): boolean =>
  Object.values<string>(FOLDERS).includes(name) || name === RECORDING.blobs

/**
 * Left out of a backup: keys and passphrases, copies for viewers, the demo fleet, and everything that can be rebuilt.
 */
const NOT_BACKED_UP: readonly string[] = [
  FOLDERS.identities,
  FOLDERS.schedulePassphrases,
  FOLDERS.shown,
  FOLDERS.demo,
  FOLDERS.objectLists,
  FILES.identityPassphrase,
  FILES.recentPacks,
]
/** Files that a person stores beside them, such as `fleet-berlin.json`, and folders of earlier versions of a file. */
const DECLARED = /^(register|engagement|fleet|schedules)[a-z-]*(\.json)?$/

/** Whether a backup includes a file or folder directly in an output folder. */
export function isBackedUp(name: string): boolean {
  if (NOT_BACKED_UP.includes(name)) return false
  const isOwn = isOwnFolder(name) || Object.values<string>(FILES).includes(name)
  return isOwn || DECLARED.test(name) || [decisionsPath(FILES.fleet), hardwarePath(FILES.fleet)].includes(name)
}

/**
 * Not evidence: this program’s notes on its own work, deliveries in progress, and working papers of auditors, which
 * auditors may delete.
 */
const NOT_EVIDENCE: readonly string[] = [
  FOLDERS.jobs,
  FOLDERS.objectLists,
  FOLDERS.auditors,
  FILES.settings,
  FILES.tables,
]

/** Whether a file or folder directly in an output folder is copied to an object store. */
export const isCopied = (name: string): boolean => isBackedUp(name) && !NOT_EVIDENCE.includes(name)

/** The local copy of a list of an object store, by its name there. */
export const objectListPath = (root: string, key: string): string =>
  `${root}/${FOLDERS.objectLists}/${key.split('/').at(-1) ?? ''}`

/** For a path in the evidence of a run, the run and the rest of the path; null for other paths. */
export function inEvidence(path: string): { readonly run: string; readonly below: readonly string[] } | null {
  const [top, run = '', ...below] = path.split('/')
  return top === FOLDERS.evidence && run !== '' && run !== RECORDING.blobs ? { run, below } : null
}

/** Whether a path belongs to an export that a person saves elsewhere and then discards. */
export const isExportDraft = (path: string): boolean => path.startsWith(`${FOLDERS.exports}/`)

const TRACE = new RegExp(`^${FOLDERS.history}/(.+)\\.(?:unsealed|[0-9a-f]{64})\\.json$`)

/** The run whose evidence, trace or export a path belongs to; null for everything else. */
export function runOf(path: string): string | null {
  const run = inEvidence(path)?.run ?? TRACE.exec(path)?.[1]
  if (run !== undefined) return run
  const [top = '', ...below] = path.split('/')
  return below.length > 0 && !isOwnFolder(top) ? top : null
}

/** Whether a path is that of a captured output in a recording. */
export const isBlobOfRun = (path: string): boolean => {
  const [digest, folder] = inEvidence(path)?.below.toReversed() ?? []
  return folder === RECORDING.blobs && isSha256(digest ?? '')
}

/** Whether a file can be rebuilt from others: the cache of the history, and hard links in recordings. */
export const isRebuilt = (path: string): boolean =>
  path.split('/').at(-1) === HISTORY_HEADS || path.startsWith(`${FOLDERS.evidence}/${RECORDING.blobs}/`)

/** Maximum length of the name of an organization or a run in a file name, in characters. */
const LONGEST = 48

/** Letters without a Unicode decomposition, and their spelling in ASCII. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
}

/**
 * A name as a part of a file name: only ASCII letters, digits and hyphens, which every file system preserves. A name
 * that is lost entirely or in part ends in the start of its digest, so that two names stay distinct.
 */
function partOf(name: string): string {
  const spelled = name
    .replaceAll(/[ßæÆœŒøØłŁđĐ]/g, (letter) => SPELLED[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
  const kept = spelled.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  const isWhole = kept !== '' && kept.length <= LONGEST && !/\p{L}/u.test(spelled.replaceAll(/[A-Za-z]/g, ''))
  if (isWhole) return kept
  return [kept.slice(0, LONGEST - 9).replace(/-+$/, '') || 'organization', sha256(name).slice(0, 8)].join('-')
}

interface Named {
  /** The organization stated in the engagement, otherwise the fleet. */
  readonly organization: string
  /** The evaluation date of a run, or the first and last day of a period, as ISO 8601. */
  readonly dates: readonly string[]
}

/** The prefix of all files of one export that people receive, such as `Acme_2026-11-22`. */
export const filePrefix = ({ organization, dates }: Named): string =>
  [partOf(organization), ...dates.map((date) => date.slice(0, 10))].join('_')

/** The same with the run, where another run of that day already has files in the folder. */
export const prefixWithRun = (prefix: string, run: string): string => `${prefix}_${partOf(run)}`

/** The name of a file for people; `kind` is such as `report.pdf`. */
export const fileNamed = (prefix: string, kind: string): string => `${prefix}_${kind}`

/** Its presence shows that a prefix is taken. */
export const REPORT = 'report.pdf'
/** The report as one HTML file. */
export const HTML_REPORT = 'report.html'

/** Whether a path stays below its folder on any operating system. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 1000 &&
  !/^[A-Za-z]:|[\\\p{Cc}]/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
