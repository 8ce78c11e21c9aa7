/** Sentences of the settings that depend on where the engine runs. */
interface SettingsWords {
  /** What a time-stamp is for. */
  readonly stampPurpose: string
  /** What the time-stamp authority receives. */
  readonly stampData: string
  /** When the address of the authority is used. */
  readonly stampTest: string
  readonly contacts: string
  readonly storedTitle: string
  readonly stored: string
  readonly sent: string
}

const PURPOSE =
  'A time-stamp authority signs the digest of a seal and its time (RFC 3161 time-stamp). Without one, a pack states only the time of'

const HERE: SettingsWords = {
  stampPurpose: `${PURPOSE} this computer.`,
  stampData:
    'A 32-byte digest, and the network address of this computer. No evidence, names or report. The request is sent only during sealing, and only if you choose it there.',
  stampTest:
    'The address is tested during sealing only, because Barewitness makes no connection that you did not start. If the authority does not respond, the pack is sealed without a time-stamp, and you are notified before you save it.',
  contacts:
    'Barewitness contacts only the nodes you list, the time-stamp authority you choose, and the receivers you enter in a schedule. No telemetry and no automatic updates.',
  storedTitle: 'Data on this computer',
  stored:
    'All data is stored in one folder, the Barewitness application data of your account. It is not encrypted except as stated below: protect the disk as you protect the evidence.',
  sent: 'Commands to your nodes, the digest of a seal to the time-stamp authority, and notifications and packs of scheduled runs to the receivers of their schedule. You decide where to save packs and files. Nothing else is sent.',
}

const ON_SERVER: SettingsWords = {
  stampPurpose: `${PURPOSE} the server.`,
  stampData:
    'A 32-byte digest, and the network address of the server, which makes the request. No evidence, names or report. The request is sent only during sealing, and only if it is chosen there.',
  stampTest:
    'The server uses the address during sealing only. If the authority does not respond, the pack is sealed without a time-stamp, and you are notified before you save it.',
  contacts:
    'The server contacts the nodes of the engagement, the time-stamp authority that is set here, and what its configuration names, such as the identity provider. No telemetry and no automatic updates.',
  storedTitle: 'Data on the server',
  stored:
    'All data of an engagement is stored in its folder on the server, and copied to an object store where the configuration names one. Barewitness does not encrypt it: the disk needs the protection of the evidence.',
  sent: 'Commands to nodes and collectors, what is to be signed to sealers, and the digest of a seal to the time-stamp authority. Other systems receive what the configuration of the server states.',
}

/** The sentences of the window, or those of the pages of a team server. */
export const settingsWords = (onServer: boolean): SettingsWords => (onServer ? ON_SERVER : HERE)
