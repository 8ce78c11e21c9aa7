/** Everything that can go wrong and is no fault of ours, a closed list, and “bug” for what is. The window, the command line and the PDF say it in these words. */
export const FAILURE_CODES = [
  'input.refused',
  'input.not-found',
  'ssh.unreachable',
  'ssh.lost',
  'ssh.timed-out',
  'ssh.host-key-unknown',
  'ssh.host-key-changed',
  'ssh.host-key-revoked',
  'ssh.auth-refused',
  'ssh.no-credential',
  'ssh.passphrase-needed',
  'ssh.answer-needed',
  'ssh.no-common-algorithm',
  'ssh.jump-failed',
  'ssh.client-missing',
  'ssh.channel-refused',
  'collector.no-answer',
  'collector.truncated',
  'collector.garbled',
  'collector.output-too-large',
  'collector.timed-out',
  'collector.restarted',
  'collector.sudo-slow',
  'run.cancelled',
  'recording.invalid',
  'recording.altered',
  'store.failed',
  'identity.missing',
  'identity.passphrase-wrong',
  'identity.exists',
  'identity.unreadable',
  'key.refused',
  'token.unavailable',
  'timestamp.unreachable',
  'timestamp.refused',
  'timestamp.wrong',
  'revocation.unavailable',
  'pdf.unsuitable',
  'chain.broken',
  'pack.unreadable',
  'pack.unsafe',
  'pack.repacked',
  'pack.altered',
  'seal.invalid',
  'register.unreadable',
  'attachment.altered',
  'engagement.unreadable',
  'notice.undelivered',
  'bug',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** What happened, what it means for the evidence, what to do next. */
export interface FailureWords {
  readonly title: string
  readonly meaning: string
  readonly next: string
}

export const failureWords: Readonly<Record<FailureCode, FailureWords>> = {
  'input.refused': {
    title: 'The input was not accepted',
    meaning: 'Nothing further was collected or written.',
    next: 'Correct what is named, then run the command again.',
  },
  'input.not-found': {
    title: 'The file or folder was not found',
    meaning: 'Nothing further was collected or written.',
    next: 'Check the path and the permissions of the file.',
  },
  'ssh.unreachable': {
    title: 'We could not reach the node',
    meaning: 'There is no evidence from this node in this run; it counts as not collected.',
    next: 'Check the address, the port and the route from this computer, then collect what is missing.',
  },
  'ssh.lost': {
    title: 'The connection ended early',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Collect what is missing. If it happens again, look at the server’s SSH log.',
  },
  'ssh.timed-out': {
    title: 'The node did not answer in time',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Check the load on the node and the network, then collect what is missing.',
  },
  'ssh.host-key-unknown': {
    title: 'The node’s host key is not known',
    meaning: 'We did not log in, so nothing was collected from it.',
    next: 'Compare the shown fingerprint with one from your provider or console, then record it with the shown command.',
  },
  'ssh.host-key-changed': {
    title: 'The node’s host key is not the one on record',
    meaning: 'We did not log in. Another machine may be answering at this address.',
    next: 'Ask the owner of the node whether the key was replaced. Record the new key only after verifying it.',
  },
  'ssh.host-key-revoked': {
    title: 'The node’s host key is marked as revoked',
    meaning: 'We did not log in.',
    next: 'Ask the owner of the node for its current host key.',
  },
  'ssh.auth-refused': {
    title: 'The node refused our login',
    meaning: 'Nothing was collected from it. We tried once, so that no account gets locked.',
    next: 'Check the user name and the key that the node accepts.',
  },
  'ssh.no-credential': {
    title: 'There was no usable key or agent for this node',
    meaning: 'We did not try to log in.',
    next: 'Name an identity file in the fleet file, or load the key into an SSH agent.',
  },
  'ssh.passphrase-needed': {
    title: 'The key file is protected by a passphrase',
    meaning: 'We did not log in.',
    next: 'Load the key into an SSH agent, or run the command on a terminal and type the passphrase.',
  },
  'ssh.answer-needed': {
    title: 'The node asks for something that a person has to type, and nobody was there',
    meaning: 'Nothing was typed or sent for it, and nothing was collected.',
    next: 'Run the command on a terminal, or let the account log in with a key alone.',
  },
  'ssh.no-common-algorithm': {
    title: 'The node offers no algorithm that this client has',
    meaning: 'We did not log in. Servers that offer only post-quantum key exchange need the system ssh program.',
    next: 'Install the OpenSSH client on this computer, or set “transport: openssh” for the node.',
  },
  'ssh.jump-failed': {
    title: 'The jump host did not let us through',
    meaning: 'There is no evidence from this node in this run.',
    next: 'Check the login on the jump host and whether it allows forwarding.',
  },
  'ssh.client-missing': {
    title: 'The system ssh program was not found',
    meaning: 'This node needs it and was not collected.',
    next: 'Install the OpenSSH client on this computer.',
  },
  'ssh.channel-refused': {
    title: 'The node refused to run the collector',
    meaning: 'Login worked, but no question could be put.',
    next: 'Check the account’s shell and any forced command, or use “collect --script” on the node.',
  },
  'collector.no-answer': {
    title: 'The account runs something else than our questions',
    meaning: 'Login worked, but a forced command or a special shell answered instead.',
    next: 'Use an account with an ordinary shell, or use “collect --script” on the node.',
  },
  'collector.truncated': {
    title: 'The node stopped answering part way',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Collect what is missing.',
  },
  'collector.garbled': {
    title: 'The node’s answer could not be read as ours',
    meaning: 'The unreadable part counts as not collected.',
    next: 'Look at the raw answer; something on the node may be writing into the session.',
  },
  'collector.output-too-large': {
    title: 'The node sent more than the agreed limit',
    meaning: 'We stopped reading. A cut answer supports nothing.',
    next: 'Look at which question it was, and collect what is missing.',
  },
  'collector.timed-out': {
    title: 'The collection took longer than allowed',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Check the load on the node, then collect what is missing.',
  },
  'collector.restarted': {
    title: 'The node restarted in the middle of this run',
    meaning: 'Its answers are from before and after the restart, and do not describe one state of it.',
    next: 'Resume the run: what was answered before the restart is asked again.',
  },
  'collector.sudo-slow': {
    title: 'Questions through sudo took too long on the node',
    meaning:
      'Questions that need root were not asked after that and count as not collected. All others were asked before.',
    next: 'Look at what sudo waits for on the node: often its own host name, which a line in /etc/hosts resolves. Then collect what is missing.',
  },
  'run.cancelled': {
    title: 'You stopped the run',
    meaning: 'What was collected is kept; the rest counts as not collected.',
    next: 'Resume with “run --resume”.',
  },
  'recording.invalid': {
    title: 'This is not a recording we can read',
    meaning: 'It supports nothing.',
    next: 'Check that the folder holds recording.json, captures.jsonl and sha256/.',
  },
  'recording.altered': {
    title: 'Stored bytes do not match their digest',
    meaning: 'The recording was altered or damaged after collection and supports nothing.',
    next: 'Restore the folder from a copy, or collect again.',
  },
  'store.failed': {
    title: 'The evidence could not be written',
    meaning: 'What was stored before is untouched.',
    next: 'Check the path, its permissions and the free space, then run the command again.',
  },
  'identity.missing': {
    title: 'There is no signing identity',
    meaning: 'Nothing was sealed.',
    next: 'Create one with “barewitness identity create”.',
  },
  'identity.passphrase-wrong': {
    title: 'The passphrase does not open the identity',
    meaning: 'Nothing was sealed.',
    next: 'Try again; there is no way to recover a lost passphrase.',
  },
  'identity.exists': {
    title: 'An identity of that name exists',
    meaning: 'Nothing was changed.',
    next: 'Choose another name.',
  },
  'identity.unreadable': {
    title: 'The files of the identity cannot be read',
    meaning: 'Nothing was sealed.',
    next: 'Restore its folder from a copy, or create a new identity.',
  },
  'key.refused': {
    title: 'This key or certificate cannot seal',
    meaning: 'Nothing was sealed or imported.',
    next: 'Use a P-256 or RSA key of at least 2048 bits, with a certificate that may sign documents and its whole chain.',
  },
  'token.unavailable': {
    title: 'The security token did not answer as needed',
    meaning: 'Nothing was sealed.',
    next: 'Check that the token is plugged in, that the named module, label and PIN are right, and that the optional module pkcs11js is built.',
  },
  'timestamp.unreachable': {
    title: 'The time-stamp authority did not answer',
    meaning: 'The seal stands without a time by somebody else; what was sealed is kept.',
    next: 'Run “barewitness seal” on the file later, or carry a query to the authority with --export-tsq.',
  },
  'timestamp.refused': {
    title: 'The time-stamp authority refused the query',
    meaning: 'The seal stands without a time by somebody else; what was sealed is kept.',
    next: 'Look at the authority’s reason, and ask it or choose another one.',
  },
  'timestamp.wrong': {
    title: 'The time-stamp is not an answer to what was asked',
    meaning: 'It was thrown away. The seal stands without a time by somebody else.',
    next: 'Do not rely on this authority. Choose another one, then run “barewitness seal” on the file.',
  },
  'revocation.unavailable': {
    title: 'Revocation lists could not be had for every certificate',
    meaning: 'The report cannot carry what its long-term check takes, and stays at the level before.',
    next: 'Name the missing lists with --crl, and issuers that are not in the file with --certificate; then run “barewitness seal” on it.',
  },
  'pdf.unsuitable': {
    title: 'This PDF is not in the form that we write',
    meaning: 'Nothing was added to it.',
    next: 'Use a report that Barewitness wrote, as it was written.',
  },
  'chain.broken': {
    title: 'The chain of runs does not fit together',
    meaning: 'Nothing was added to it. Earlier packs are untouched.',
    next: 'Restore the chain’s folder from a copy, or begin a new chain and tell your auditors why.',
  },
  'pack.unreadable': {
    title: 'This is not a pack we can read',
    meaning: 'Nothing in it was accepted.',
    next: 'Ask the sender for the file again.',
  },
  'pack.unsafe': {
    title: 'The archive is built in a way that can harm its reader',
    meaning: 'We refused to open it; nothing was written to this computer.',
    next: 'Tell the sender, and ask for a fresh pack.',
  },
  'pack.repacked': {
    title: 'The archive was packed again by another program',
    meaning:
      'That by itself changes nothing that was sealed. Such an archive is not read, because two programs may take it differently.',
    next: 'Unpack it, and verify the folder. Or ask the sender for the file as it was written.',
  },
  'pack.altered': {
    title: 'The pack is not as it was sealed',
    meaning: 'The named files and findings cannot be relied on.',
    next: 'Ask the sender for the original pack.',
  },
  'seal.invalid': {
    title: 'The seal does not verify',
    meaning: 'The pack cannot be tied to its signer.',
    next: 'Ask the sender for the original pack.',
  },
  'register.unreadable': {
    title: 'The list of exceptions and records cannot be read',
    meaning: 'Nothing was changed. Until it can be read, nothing is added to it and nothing is sealed.',
    next: 'Correct the named line, or put back the latest copy from the folder “register-earlier” beside it.',
  },
  'attachment.altered': {
    title: 'A stored record is missing or is not what was attached',
    meaning: 'Nothing was sealed or opened.',
    next: 'Withdraw that record and attach the file again.',
  },
  'engagement.unreadable': {
    title: 'What was declared about this fleet cannot be read',
    meaning: 'Nothing was changed. Until it can be read, it counts nowhere and nothing is sealed.',
    next: 'Put back the latest copy from the folder beside the named file that ends on “-earlier”, or import the file again.',
  },
  'notice.undelivered': {
    title: 'A notice did not reach whom it was for',
    meaning: 'The run and its evidence are untouched by that.',
    next: 'Correct what is named; the notice is kept and sent again with the next planned run.',
  },
  bug: {
    title: 'Barewitness made a mistake',
    meaning: 'This is our fault, not the node’s. What was stored is kept.',
    next: 'Report it with the technical detail.',
  },
}
