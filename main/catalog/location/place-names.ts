/**
 * Codes of airports, and what operators make of them, that are in names of machines for the city where a data center is. Only codes that
 * are no words of the trade; a name is never more than a hint.
 */
const CITIES: Readonly<Record<string, readonly string[]>> = {
  US: 'iad dca atl bos bwi clt cle cmh dfw den dtw ewr hou iah jfk lga lax las mci mia msp ord pdx phl phx pit rdu san sea sfo sjc slc smf stl tpa'.split(
    ' ',
  ),
  CA: ['yyz', 'yul', 'yvr', 'yyc', 'yow'],
  MX: ['qro', 'mex'],
  BR: ['gru', 'vcp'],
  GB: ['lhr', 'lon', 'lcy'],
  IE: ['dub'],
  FR: ['cdg', 'sbg', 'rbx'],
  NL: ['ams'],
  BE: ['bru'],
  DE: ['fra', 'muc', 'txl', 'dus', 'fsn', 'nbg'],
  CH: ['zrh', 'gva'],
  AT: ['vie'],
  IT: ['mxp', 'fco'],
  ES: ['mad', 'bcn'],
  SE: ['arn'],
  FI: ['hel'],
  NO: ['osl'],
  DK: ['cph'],
  PL: ['waw'],
  JP: ['nrt', 'hnd', 'kix'],
  KR: ['icn'],
  HK: ['hkg'],
  TW: ['tpe'],
  SG: ['sgp'],
  IN: ['bom', 'blr', 'maa', 'hyd'],
  AU: ['syd', 'mel', 'per'],
  ZA: ['jnb', 'cpt'],
  AE: ['dxb'],
}

const COUNTRY_OF = new Map(
  Object.entries(CITIES).flatMap(([country, codes]) => codes.map((code) => [code, country] as const)),
)

/** The part of a name that is such a code, with or without a number behind it; null where there is none, or where they disagree. */
export function countryInName(name: string): { readonly country: string; readonly code: string } | null {
  const codes = name
    .slice(0, 255)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part.replace(/\d{1,4}[a-z]?$/, ''))
    .flatMap((code) => {
      const country = COUNTRY_OF.get(code)
      return country === undefined ? [] : [{ country, code }]
    })
  const [first] = codes
  return first !== undefined && codes.every(({ country }) => country === first.country) ? first : null
}
