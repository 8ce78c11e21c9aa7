/** Object identifiers, by the document that assigns them. */
export const OID = {
  // RFC 5652
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  // RFC 5035
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  // RFC 5754, RFC 5758, RFC 4055
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  // ITU-T X.520
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  // RFC 5280
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  crlDistributionPoints: '2.5.29.31',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  // RFC 9336
  documentSigning: '1.3.6.1.5.5.7.3.36',
  // Ours, in the arc that needs no registration (ITU-T X.667): marks certificates made for a demonstration.
  demoMark: '2.25.212378689377661576969065633393711782433',
} as const
