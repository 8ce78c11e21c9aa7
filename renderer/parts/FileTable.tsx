import type { ExportedFileView } from '../../schemas/ipc-packs.ts'
import { bytes, visible } from '../text.ts'
import { Copy } from './Copy.tsx'

/** Files with size and digest, for the recipient to compare. */
export function FileTable({ label, files }: { readonly label: string; readonly files: readonly ExportedFileView[] }) {
  return (
    <div className="scroll">
      <table className="files">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" className="amount">
              Size
            </th>
            <th scope="col">Digest (SHA-256)</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ name, size, sha256 }) => (
            <tr key={name}>
              <th scope="row" className="source">
                {visible(name)}
              </th>
              <td className="number amount">{bytes(size)}</td>
              <td className="mono fingerprint digest">{sha256}</td>
              <td>
                <Copy text={sha256} what={`the digest of ${visible(name)}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
