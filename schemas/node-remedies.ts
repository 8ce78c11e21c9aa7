/** What a person does in the window about a node that was not collected. */
export type NodeRemedy = 'collect-again' | 'compare-host-key' | 'edit-login'

const HOST_KEY: readonly string[] = ['ssh.host-key-changed', 'ssh.host-key-revoked', 'ssh.host-key-unknown']
/** Another try ends in the same way until the declared login is another one. */
const LOGIN: readonly string[] = [
  'ssh.auth-refused',
  'ssh.no-credential',
  'ssh.answer-needed',
  'ssh.no-common-algorithm',
  'ssh.client-missing',
]

/** The remedy for a failure, the same on every screen. */
export const remedyOf = (code: string): NodeRemedy =>
  HOST_KEY.includes(code) ? 'compare-host-key' : LOGIN.includes(code) ? 'edit-login' : 'collect-again'
