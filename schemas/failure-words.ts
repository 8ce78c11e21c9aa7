/** Closed list of failures with an external cause, and “bug” for internal errors. Window, command line and PDF print these texts. */
export const FAILURE_CODES = [
  'input.refused',
  'input.not-found',
  'access.refused',
  'access.ended',
  'call.unfinished',
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
  'run.not-opened',
  'run.not-evaluated',
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
  'chain.changed',
  'pack.unreadable',
  'pack.unsafe',
  'pack.repacked',
  'pack.altered',
  'pack.unverified',
  'pack.demo',
  'pack.stopped',
  'verification.busy',
  'rules.refused',
  'register.unreadable',
  'attachment.altered',
  'engagement.unreadable',
  'notice.undelivered',
  'delivery.failed',
  'server.unreachable',
  'database.unreachable',
  'objects.unreachable',
  'objects.refused',
  'objects.altered',
  'job.lease-ended',
  'job.completed',
  'job.not-delivered',
  'sealing.refused',
  'sealing.unanswered',
  'bug',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** What happened (at most 12 words), the effect on the evidence (20), and what to do (25). */
interface FailureWords {
  readonly title: string
  readonly meaning: string
  readonly next: string
  /** Next step in the window, where `next` names an option or file that does not apply there. */
  readonly nextInWindow?: string
  /** Next step on the page of a team server, where it differs from the window. */
  readonly nextOnServer?: string
}

export const failureWords: Readonly<Record<FailureCode, FailureWords>> = {
  'input.refused': {
    title: 'Invalid input',
    meaning: 'Nothing further was collected or written.',
    next: 'Correct the value shown, then try again.',
  },
  'input.not-found': {
    title: 'File or folder not found',
    meaning: 'Nothing further was collected or written.',
    next: 'Check the path and its read permission.',
  },
  'access.refused': {
    title: 'Not available on this server',
    meaning: 'Nothing was changed.',
    next: 'Read the reason shown. Ask the person who manages roles and engagements if you need access.',
  },
  'access.ended': {
    title: 'Signed out',
    meaning: 'Nothing was changed.',
    next: 'Sign in again, then repeat the step.',
  },
  'call.unfinished': {
    title: 'No result in time',
    meaning: 'The server continues the step, and stores what belongs to it.',
    next: 'Repeat the step: the server does not begin it again, and gives its result. The audit log has how it ended.',
  },
  'ssh.unreachable': {
    title: 'Node unreachable',
    meaning: 'Not collected in this run.',
    next: 'Check address, port and route from this computer, then collect again.',
  },
  'ssh.lost': {
    title: 'SSH connection lost',
    meaning: 'Output received so far is kept; the rest is not collected.',
    next: 'Resume the run. If it recurs, check the node’s SSH log.',
  },
  'ssh.timed-out': {
    title: 'SSH connection timed out',
    meaning: 'Output received so far is kept; the rest is not collected.',
    next: 'Check node load and network, then resume the run.',
  },
  'ssh.host-key-unknown': {
    title: 'Host key not verified',
    meaning: 'Login was not attempted; nothing was collected.',
    next: 'Compare the fingerprint with the provider’s list or the console, then run the command shown.',
    nextInWindow:
      'Compare the fingerprint with the provider’s list or the console, then confirm it under Nodes, Host keys.',
  },
  'ssh.host-key-changed': {
    title: 'Host key changed',
    meaning: 'Login was not attempted. A different machine may be answering at this address.',
    next: 'Confirm the change with the node’s owner before you record the new key.',
  },
  'ssh.host-key-revoked': {
    title: 'Host key revoked',
    meaning: 'Login was not attempted; nothing was collected.',
    next: 'Obtain the current host key from the node’s owner.',
  },
  'ssh.auth-refused': {
    title: 'Login refused',
    meaning: 'Nothing was collected. One attempt was made, to avoid account lockout.',
    next: 'Check the account name and its authorized keys.',
  },
  'ssh.no-credential': {
    title: 'No usable SSH key',
    meaning: 'Login was not attempted; nothing was collected.',
    next: 'Set identityFile in the fleet file, or load a key into an SSH agent.',
    nextInWindow: 'Choose a private key under Declarations, or load a key into an SSH agent.',
  },
  'ssh.passphrase-needed': {
    title: 'SSH key is encrypted',
    meaning: 'Login was not attempted; nothing was collected.',
    next: 'Load the key into an SSH agent, or run in a terminal and enter the passphrase.',
    nextInWindow: 'Load the key into an SSH agent, then collect again.',
  },
  'ssh.answer-needed': {
    title: 'Interactive login required',
    meaning: 'No secret was sent, and nothing was collected.',
    next: 'Run in a terminal, or allow the account to log in with a key only.',
    nextInWindow: 'Allow the account to log in with a key only.',
  },
  'ssh.no-common-algorithm': {
    title: 'No common SSH algorithm',
    meaning: 'Login was not attempted. The built-in client has no post-quantum key exchange.',
    next: 'Install OpenSSH here, or set “transport: openssh” for the node.',
    nextInWindow: 'Install OpenSSH on this computer, or select it as the SSH client of the node under Declarations.',
  },
  'ssh.jump-failed': {
    title: 'Jump host connection failed',
    meaning: 'The node was not reached; nothing was collected from it.',
    next: 'Check the login to the jump host and its AllowTcpForwarding setting.',
  },
  'ssh.client-missing': {
    title: 'OpenSSH client not found',
    meaning: 'The node requires it and was not collected.',
    next: 'Install the OpenSSH client on this computer.',
  },
  'ssh.channel-refused': {
    title: 'Command execution refused',
    meaning: 'Login succeeded, but no command could be run.',
    next: 'Check the account’s shell and forced commands, or use “collect --script”.',
    nextInWindow: 'Check the account’s shell and forced commands, then collect again.',
  },
  'collector.no-answer': {
    title: 'Collector did not start',
    meaning: 'Login succeeded, but a forced command or restricted shell ran instead.',
    next: 'Use an account with a POSIX shell, or use “collect --script”.',
    nextInWindow: 'Use an account with a POSIX shell and no forced command.',
  },
  'collector.truncated': {
    title: 'Collection interrupted',
    meaning: 'Output received so far is kept; the rest is not collected.',
    next: 'Resume the run.',
  },
  'collector.garbled': {
    title: 'Unreadable collector output',
    meaning: 'The unreadable part is not collected.',
    next: 'Open the raw output; look for programs on the node that write to the session.',
  },
  'collector.output-too-large': {
    title: 'Output limit exceeded',
    meaning: 'Reading stopped. Truncated output never satisfies a check.',
    next: 'Identify the command shown, then resume the run.',
  },
  'collector.timed-out': {
    title: 'Collection timed out',
    meaning: 'Output received so far is kept; the rest is not collected.',
    next: 'Check node load, then resume the run.',
  },
  'collector.restarted': {
    title: 'Node restarted during collection',
    meaning: 'Output from before and after the restart does not describe one state.',
    next: 'Resume the run; commands from before the restart are run again.',
  },
  'collector.sudo-slow': {
    title: 'Sudo too slow',
    meaning:
      'The remaining privileged commands were not run and are not collected. All other commands had finished before.',
    next: 'Check what sudo waits for, often the node’s own host name (add it to /etc/hosts). Then resume the run.',
  },
  'run.cancelled': {
    title: 'Run cancelled',
    meaning: 'Collected evidence is kept; the rest is not collected.',
    next: 'Resume with “run --resume”.',
    nextInWindow: 'Collect the missing evidence.',
  },
  'run.not-opened': {
    title: 'Run not opened',
    meaning: 'The run that was shown before is still shown. Nothing stored was changed.',
    next: 'Choose the run again to open it.',
  },
  'run.not-evaluated': {
    title: 'Results not evaluated',
    meaning:
      'The evaluation was cancelled. Results of an earlier day are not shown: evidence may have become stale since, and risk acceptances may have ended. Stored evidence is unchanged.',
    next: 'Evaluate the results again. Every screen that shows results does so when it is opened.',
  },
  'recording.invalid': {
    title: 'Invalid recording',
    meaning: 'It is not used as evidence.',
    next: 'Check that the folder contains recording.json, captures.jsonl and sha256/.',
  },
  'recording.altered': {
    title: 'Recording altered',
    meaning: 'Stored bytes do not match their SHA-256 digest; the recording is not used.',
    next: 'Restore the folder from a backup, or collect again.',
  },
  'store.failed': {
    title: 'Write failed',
    meaning: 'Previously stored evidence is unchanged.',
    next: 'Check path, permissions and free space, then try again.',
  },
  'identity.missing': {
    title: 'No signing identity',
    meaning: 'Nothing was sealed.',
    next: 'Create one with “barewitness identity create”.',
    nextInWindow: 'Create one under Settings, Signing identities.',
    nextOnServer: 'Ask the signer to start the sealer on their computer, then try again.',
  },
  'identity.passphrase-wrong': {
    title: 'Wrong passphrase',
    meaning: 'Nothing was sealed.',
    next: 'Try again. A lost passphrase cannot be recovered.',
  },
  'identity.exists': {
    title: 'Signing identity already exists',
    meaning: 'Nothing was changed.',
    next: 'Choose another name.',
  },
  'identity.unreadable': {
    title: 'Signing identity unreadable',
    meaning: 'Nothing was sealed.',
    next: 'Restore its folder from a backup, or create a new identity.',
  },
  'key.refused': {
    title: 'Unsuitable key or certificate',
    meaning: 'Nothing was sealed or imported.',
    next: 'Use P-256 or RSA of at least 2048 bits, a certificate that permits signing, and the complete chain.',
  },
  'token.unavailable': {
    title: 'Security token unavailable',
    meaning: 'Nothing was sealed.',
    next: 'Check the token, module path, label and PIN, and that pkcs11js is installed.',
  },
  'timestamp.unreachable': {
    title: 'Time-stamp authority unreachable',
    meaning: 'The seal is valid but has no independent time.',
    next: 'Run “barewitness timestamp add” later, or export the request with --export-tsq.',
    nextInWindow: 'Export again when the authority can be reached, or select another under Settings.',
  },
  'timestamp.refused': {
    title: 'Time-stamp request rejected',
    meaning: 'The seal is valid but has no independent time.',
    next: 'Read the authority’s reason; contact it or choose another.',
  },
  'timestamp.wrong': {
    title: 'Invalid time-stamp response',
    meaning: 'The response was discarded; the seal has no independent time.',
    next: 'Choose another authority, then run “barewitness timestamp add”.',
    nextInWindow: 'Select another authority under Settings, then export again.',
  },
  'revocation.unavailable': {
    title: 'Revocation data unavailable',
    meaning: 'The report stays at its current PAdES level (no long-term validation data).',
    next: 'Supply CRLs with --crl and issuers with --certificate, then run “barewitness timestamp add”.',
    nextInWindow: 'Add the certificates of the authority under Settings, Trusted signers, then export again.',
  },
  'pdf.unsuitable': {
    title: 'Unsupported PDF',
    meaning: 'The file was not changed.',
    next: 'Use an unmodified report written by Barewitness.',
  },
  'chain.broken': {
    title: 'Run chain inconsistent',
    meaning: 'Nothing was appended. Earlier packs are unaffected.',
    next: 'Restore the chain folder from a backup, or start a new chain and inform your auditors.',
  },
  'chain.changed': {
    title: 'Run chain changed meanwhile',
    meaning: 'Nothing was sealed: the pack would not have stated the entries that were made while it was signed.',
    next: 'Export again.',
  },
  'pack.unreadable': {
    title: 'Not an evidence pack',
    meaning: 'Nothing in the file was accepted.',
    next: 'Ask the sender for the file again.',
  },
  'pack.unsafe': {
    title: 'Unsafe archive',
    meaning: 'The file was not opened; nothing was written to this computer.',
    next: 'Inform the sender and request a new pack.',
  },
  'pack.repacked': {
    title: 'Archive repacked by another program',
    meaning: 'Not read: other programs may interpret it differently. Sealed files are not altered by repacking alone.',
    next: 'Unpack it and verify the folder, or ask the sender for the original file.',
  },
  'pack.altered': {
    title: 'Pack altered after sealing',
    meaning: 'Do not rely on the files and results listed below.',
    next: 'Ask the sender for the original pack.',
  },
  'pack.unverified': {
    title: 'Pack not verified',
    meaning: 'Nothing of it was sent or planned.',
    next: 'Run “verify” with the certificate of the signer; it states the result of each check.',
  },
  'pack.demo': {
    title: 'Demo data is not sent',
    meaning: 'Nothing of it was sent or planned, and it is not tried again.',
    next: 'None needed. To try an integration, run “send” with --allow-demo; every item is then marked as demo data.',
    nextInWindow: 'None needed. Packs of runs that are not a demo are sent.',
  },
  'pack.stopped': {
    title: 'Verification stopped',
    meaning: 'Nothing of this file is shown. A pack that was open before stays open.',
    next: 'Open the file again to verify it.',
  },
  'verification.busy': {
    title: 'Too many verifications at once',
    meaning: 'Nothing was verified. A pack that was open before stays open.',
    next: 'Wait until another verification has ended, then try again. You can also download the pack and verify it on your own computer.',
  },
  'rules.refused': {
    title: 'Kept rules refused',
    meaning:
      'The rules that this program keeps for the file are not those of the release, so nothing was concluded from them.',
    next: 'Install Barewitness again from its publisher, then verify the file again.',
  },
  'register.unreadable': {
    title: 'Register unreadable',
    meaning: 'Nothing was changed. No entry can be added and no pack sealed until it is repaired.',
    next: 'Correct the line shown, or restore the latest copy from “register-earlier”.',
    nextInWindow: 'Restore the latest copy from “register-earlier”, or a backup.',
  },
  'attachment.altered': {
    title: 'Document missing or altered',
    meaning: 'Nothing was sealed or opened.',
    next: 'Withdraw the document and attach the file again.',
  },
  'engagement.unreadable': {
    title: 'Engagement file unreadable',
    meaning: 'It has no effect and nothing can be sealed until it is repaired.',
    next: 'Restore the latest copy from the “-earlier” folder, or import the file again.',
  },
  'notice.undelivered': {
    title: 'Notification not delivered',
    meaning: 'The run and its evidence are unaffected.',
    next: 'Correct the setting shown; delivery is retried at the next scheduled run.',
  },
  'delivery.failed': {
    title: 'Item not delivered',
    meaning: 'The pack is unaffected. The item stays in the outbox.',
    next: 'Correct the setting shown, then run “send” again; it continues with what is left.',
    nextInWindow: 'Correct the setting shown in the integrations file. The next scheduled run tries again.',
  },
  'server.unreachable': {
    title: 'Team server unreachable',
    meaning:
      'A collector keeps finished recordings in its spool folder and delivers them later. A sealer signs nothing meanwhile.',
    next: 'Check address, certificate and route of the team server. Collectors and sealers try again by themselves.',
  },
  'database.unreachable': {
    title: 'Database unreachable',
    meaning: 'Nothing was changed. Jobs that were confirmed are kept.',
    next: 'Try again in a minute. If it recurs, check that PostgreSQL runs and accepts this server.',
  },
  'objects.unreachable': {
    title: 'Object store unreachable',
    meaning: 'What is stored there is unchanged. New evidence is in the folder of the engagement alone.',
    next: 'Check that the store runs and that this computer reaches it. The team server tries again by itself.',
  },
  'objects.refused': {
    title: 'Object store unsuitable or access refused',
    meaning: 'No further evidence is copied to it. What is stored there is unchanged.',
    next: 'Correct what is shown: bucket with Object Lock, credentials, or clock. Then copy again.',
  },
  'objects.altered': {
    title: 'Folder and object store differ',
    meaning: 'One of both lost or changed evidence after it was copied.',
    next: 'Verify the folder against the store. The stored files can be restored into an empty folder.',
  },
  'job.lease-ended': {
    title: 'Lease ended',
    meaning: 'The job may have been handed to another collector. The first complete recording is kept.',
    next: 'No action is needed. If it recurs, check the connection between collector and server.',
  },
  'job.completed': {
    title: 'Job already completed',
    meaning: 'The run holds another recording of this node. This one was not added to the run.',
    next: 'Keep it or delete it: the collector moved it to the folder “refused” in its spool.',
  },
  'job.not-delivered': {
    title: 'No recording from a collector',
    meaning: 'Not collected in this run so far. A recording that arrives later is added to it.',
    next: 'Check that a collector of the zone of this node is running and reaches the server.',
  },
  'sealing.refused': {
    title: 'The signer did not sign',
    meaning: 'Nothing was sealed or recorded. The evidence is unchanged.',
    next: 'Ask the signer for the reason, then try again.',
  },
  'sealing.unanswered': {
    title: 'No answer from the signer’s computer',
    meaning: 'Nothing was sealed or recorded. The evidence is unchanged.',
    next: 'Start “barewitness sealer” on the signer’s computer and confirm the request there, then try again.',
    nextInWindow:
      'Ask the signer to start the sealer on their computer and to confirm the request there. Then try again.',
  },
  bug: {
    title: 'Internal error',
    meaning: 'This is a defect in Barewitness. Stored evidence is kept.',
    next: 'Report it with the technical details shown.',
  },
}

/** The next step after a failure, for a person in the window. */
export const nextInWindow = (code: FailureCode): string => failureWords[code].nextInWindow ?? failureWords[code].next

/** The next step after a failure, for a person on the page of a team server. */
export const nextOnServer = (code: FailureCode): string => failureWords[code].nextOnServer ?? nextInWindow(code)
