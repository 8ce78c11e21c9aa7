/** Limitation of typed names, and how to sign an entry. */
export const UnsignedNote = () => (
  <p className="quiet">
    Entries made here are not digitally signed: names are typed, not authenticated. To sign an entry, use{' '}
    <span className="mono">barewitness acceptance sign</span> on the command line.
  </p>
)
