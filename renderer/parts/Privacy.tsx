const KEPT: readonly { readonly what: string; readonly where: string }[] = [
  {
    what: 'Fleet and host keys',
    where: 'Names, addresses and accounts of your nodes, and confirmed host keys.',
  },
  {
    what: 'Evidence',
    where: 'Captures of each run, unchanged. They may contain user names, addresses and serial numbers.',
  },
  {
    what: 'Risk acceptances and documents',
    where: 'Risk acceptances, control decisions and documents with the names of people, and copies of added files.',
  },
  {
    what: 'Engagement and provider profile',
    where: 'Engagement, provider inventory, and the selected provider profile.',
  },
  { what: 'Sealed packs', where: 'Every export that was sealed here, including unsaved drafts.' },
  {
    what: 'Signing identities',
    where: 'Encrypted with a passphrase. Settings, Signing identities shows where each passphrase is stored.',
  },
  { what: 'Trusted signers', where: 'Trusted certificates, and how you verified them.' },
  { what: 'Worksheets', where: 'Your notes on reviewed packs. They are never included in a pack.' },
  {
    what: 'Recent packs',
    where: 'File names and paths, and the last run chain you saw. No contents.',
  },
  { what: 'Settings', where: 'Settings of this window.' },
]

/** Network connections, and data stored on this computer. */
export function Privacy() {
  return (
    <section aria-labelledby="privacy" className="settings-part">
      <h2 id="privacy">Privacy</h2>
      <p className="lead">
        Barewitness contacts only the nodes you list and the time-stamp authority you choose. No telemetry and no
        automatic updates.
      </p>
      <h3>Data on this computer</h3>
      <p className="prose">
        All data is stored in one folder, the Barewitness application data of your account. It is not encrypted except
        as stated below: protect the disk as you protect the evidence.
      </p>
      <div className="scroll">
        <table className="told-table">
          <thead>
            <tr>
              <th scope="col">Data</th>
              <th scope="col">Content</th>
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
      <h3>Data sent</h3>
      <p className="prose">
        Commands to your nodes, and the digest of a seal to the time-stamp authority. You decide where to save packs and
        files. Nothing else is sent.
      </p>
    </section>
  )
}
