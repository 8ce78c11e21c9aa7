/**
 * Bytes reserved for the signature: its hexadecimal form takes twice as many. Enough for every public time-stamp
 * authority tested.
 */
export const SIGNATURE_BYTES = 16384
/** Placeholder for the real numbers, as wide as the widest of them. */
export const BYTE_RANGE_PLACEHOLDER = '[0 9999999999 9999999999 9999999999]'

/** The parts of pdfkit that its types omit. pdfkit is pinned, and the PDF/A test fails if they change. */
interface Internals {
  readonly ref: (data: object) => { readonly end: () => void }
  readonly page: { readonly annotations: unknown[]; readonly dictionary: unknown }
  readonly _root: { readonly data: Record<string, unknown> }
  _acroform?: { readonly fonts: object; readonly defaultFont: string }
}

/**
 * Reserves space for one certifying signature on the current page: an invisible field (ISO 32000-1, 12.7.4.5 and 12.8)
 * that allows form filling and signing after it (DocMDP, P 2), so that time-stamps can be added. No appearance stream:
 * a zero-size widget needs none, and with one a later time-stamp reads as a change. `initForm` is not used: it sets
 * NeedAppearances, which PDF/A forbids (ISO 19005-3, 6.4.1).
 */
export function addSignaturePlaceholder(doc: PDFKit.PDFDocument, at: string, reason: string): void {
  const inner = doc as unknown as Internals
  const signature = inner.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.CAdES.detached',
    ByteRange: [0, 9999999999, 9999999999, 9999999999],
    Contents: Buffer.alloc(SIGNATURE_BYTES),
    M: new Date(at),
    Reason: new String(reason),
    Reference: [
      { Type: 'SigRef', TransformMethod: 'DocMDP', TransformParams: { Type: 'TransformParams', P: 2, V: '1.2' } },
    ],
  })
  const widget = inner.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    T: new String('seal'),
    TU: new String('Signature of the signer of this report'),
    V: signature,
    F: 132,
    Rect: [0, 0, 0, 0],
    P: inner.page.dictionary,
  })
  inner.page.annotations.push(widget)
  inner._acroform = { fonts: {}, defaultFont: 'none' }
  inner._root.data.AcroForm = inner.ref({ Fields: [widget], SigFlags: 3, DR: { Font: {} } })
  inner._root.data.Perms = { DocMDP: signature }
  signature.end()
  widget.end()
}
