/** What a name that was typed here is worth, and how a key is added. */
export const UnsignedNote = () => (
  <p className="quiet">
    Entries made here are unsigned: names are typed, and no key stands behind them. On the command line,{' '}
    <span className="mono">barewitness acceptance sign</span> adds keys.
  </p>
)
