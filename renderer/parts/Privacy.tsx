const KEPT: readonly { readonly what: string; readonly where: string }[] = [
  {
    what: 'Fleet and host keys',
    where: 'Names, addresses and logins of your nodes, and the host keys that you confirmed.',
  },
  {
    what: 'Evidence',
    where: 'What nodes answered, byte for byte, run by run. It may hold user names, addresses and serial numbers.',
  },
  {
    what: 'Exceptions and attachments',
    where: 'What people accepted or attached, with their names. Attached files are kept as copies.',
  },
  {
    what: 'Engagement and provider profile',
    where: 'What you declared before an audit, the provider’s own list, and the profile that you chose.',
  },
  { what: 'Sealed packs', where: 'Each export that you sealed here, also where you did not save it.' },
  { what: 'Signing keys', where: 'Encrypted with a passphrase. Settings, Identity says where each passphrase lies.' },
  { what: 'Trust', where: 'Certificates that you decided to trust, and how you verified them.' },
  { what: 'Worksheets', where: 'Your notes on packs that you reviewed. They never go into a pack.' },
  {
    what: 'Packs opened before',
    where: 'Names and places of the files, and the last chain of runs you saw. No contents.',
  },
  { what: 'Settings', where: 'What you set here.' },
]

/** What is contacted, and what is kept on this computer. */
export function Privacy() {
  return (
    <section aria-labelledby="privacy" className="settings-part">
      <h2 id="privacy">Privacy</h2>
      <p className="lead">
        Barewitness contacts only the nodes you list and the time-stamp authority you choose. No telemetry, no updates
        without asking.
      </p>
      <h3>What is kept on this computer</h3>
      <p className="prose">
        All of it lies in one folder, the application data of your account for Barewitness. It is not encrypted beyond
        what is said below: protect your disk as you protect the evidence.
      </p>
      <div className="scroll">
        <table className="told-table">
          <thead>
            <tr>
              <th scope="col">Kept</th>
              <th scope="col">What it holds</th>
            </tr>
          </thead>
          <tbody>
            {KEPT.map(({ what, where }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{where}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3>What leaves it</h3>
      <p className="prose">
        Packs and files that you save yourself, the questions to your nodes, and the digest of a seal to the time-stamp
        authority. Nothing else.
      </p>
    </section>
  )
}
