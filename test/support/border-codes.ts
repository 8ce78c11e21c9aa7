/** A part of what the source draws as one country, by where it lies: south, west, north, east. */
export interface Split {
  readonly of: string
  readonly box: readonly [number, number, number, number]
  readonly codes: readonly string[]
}

/** Land that the source gives to one state, and that others hold or claim, too. Corners as [latitude, longitude]. */
export interface Overlay {
  readonly why: string
  readonly codes: readonly string[]
  readonly corners: readonly (readonly [number, number])[]
}

const box = (south: number, west: number, north: number, east: number): Overlay['corners'] => [
  [south, west],
  [south, east],
  [north, east],
  [north, west],
]

/**
 * Codes of shapes whose name in world-atlas is not the one that we use, or that have no code of their own, or that several states hold
 * or claim: then every one of them is listed, the one that the source stands for first. A verdict may name a country too many, and
 * never one too few. What has an entry of its own in ISO 3166-1 is a country of its own.
 */
export const SHAPES: Readonly<Record<string, readonly string[]>> = {
  Akrotiri: ['GB', 'CY'],
  'Antigua and Barb.': ['AG'],
  'Ashmore and Cartier Is.': ['AU'],
  Baikonur: ['KZ', 'RU'],
  'Bajo Nuevo Bank': ['CO', 'HN', 'JM', 'NI', 'US'],
  'Bosnia and Herz.': ['BA'],
  'Br. Indian Ocean Ter.': ['IO', 'MU'],
  'British Virgin Is.': ['VG'],
  'Cayman Is.': ['KY'],
  'Central African Rep.': ['CF'],
  'Clipperton I.': ['FR'],
  Congo: ['CG'],
  'Cook Is.': ['CK'],
  'Coral Sea Is.': ['AU'],
  "Côte d'Ivoire": ['CI'],
  'Cyprus U.N. Buffer Zone': ['CY', 'TR'],
  'Dem. Rep. Congo': ['CD'],
  Dhekelia: ['GB', 'CY'],
  'Dominican Rep.': ['DO'],
  'Eq. Guinea': ['GQ'],
  'Faeroe Is.': ['FO'],
  'Falkland Is.': ['FK'],
  'Fr. Polynesia': ['PF'],
  'Fr. S. Antarctic Lands': ['TF'],
  'Heard I. and McDonald Is.': ['HM'],
  'Indian Ocean Ter.': ['AU', 'CC', 'CX'],
  Kosovo: ['XK', 'RS'],
  Macedonia: ['MK'],
  'Marshall Is.': ['MH'],
  'N. Cyprus': ['CY', 'TR'],
  'N. Mariana Is.': ['MP'],
  'Norfolk Island': ['NF'],
  Palestine: ['PS', 'IL'],
  'Pitcairn Is.': ['PN'],
  'S. Geo. and the Is.': ['GS'],
  'S. Sudan': ['SS'],
  'Saint Helena': ['SH'],
  'Scarborough Reef': ['PH', 'CN', 'TW'],
  'Serranilla Bank': ['CO', 'HN', 'JM', 'NI', 'US'],
  'Siachen Glacier': ['IN', 'PK'],
  'Sint Maarten': ['SX'],
  'Solomon Is.': ['SB'],
  Somaliland: ['SO'],
  'Spratly Is.': ['VN', 'BN', 'CN', 'MY', 'PH', 'TW'],
  'St-Barthélemy': ['BL'],
  'St-Martin': ['MF'],
  'St. Kitts and Nevis': ['KN'],
  'St. Pierre and Miquelon': ['PM'],
  'St. Vin. and Gren.': ['VC'],
  'São Tomé and Principe': ['ST'],
  'Turks and Caicos Is.': ['TC'],
  Turkey: ['TR'],
  'U.S. Minor Outlying Is.': ['UM'],
  'U.S. Virgin Is.': ['VI'],
  'USNB Guantanamo Bay': ['US', 'CU'],
  'United States of America': ['US'],
  Vatican: ['VA'],
  'W. Sahara': ['EH', 'MA'],
  'Wallis and Futuna Is.': ['WF'],
  eSwatini: ['SZ'],
  Åland: ['AX'],
}

/** What ISO 3166-1 lists apart and the source draws as part of a state is both; and land that the source gives to one of several states. */
export const SPLITS: readonly Split[] = [
  { of: 'France', box: [2, -55, 6, -51], codes: ['GF', 'FR'] },
  { of: 'France', box: [14.2, -61.4, 15.1, -60.6], codes: ['MQ', 'FR'] },
  { of: 'France', box: [15.6, -62, 16.7, -60.9], codes: ['GP', 'FR'] },
  { of: 'France', box: [-22, 55, -20, 56], codes: ['RE', 'FR'] },
  { of: 'France', box: [-13.2, 44.8, -12.4, 45.5], codes: ['YT', 'FR'] },
  { of: 'Norway', box: [74, 5, 82, 40], codes: ['SJ', 'NO'] },
  { of: 'Norway', box: [70.5, -10, 71.5, -7], codes: ['SJ', 'NO'] },
  { of: 'Norway', box: [-55, 3, -54, 4], codes: ['BV', 'NO'] },
  { of: 'Netherlands', box: [10, -70, 20, -60], codes: ['BQ', 'NL'] },
  { of: 'New Zealand', box: [-10, -174, -8, -170], codes: ['TK', 'NZ'] },
  { of: 'Indian Ocean Ter.', box: [-13, 96, -11, 98], codes: ['CC', 'AU'] },
  { of: 'Indian Ocean Ter.', box: [-12, 105, -10, 107], codes: ['CX', 'AU'] },
  { of: 'Russia', box: [44.2, 32.3, 46.4, 36.8], codes: ['RU', 'UA'] },
  { of: 'China', box: [15.5, 111, 17.3, 113], codes: ['CN', 'TW', 'VN'] },
]

/** Drawn wide rather than close: within them each of the states is named beside those that the source draws. */
export const OVERLAYS: readonly Overlay[] = [
  {
    why: 'the south-east of Ukraine that Russia occupies or claims',
    codes: ['UA', 'RU'],
    corners: [
      [45.7, 31.4],
      [45.7, 36.8],
      [46.8, 38.4],
      [48.5, 40.3],
      [50.2, 40.3],
      [50.2, 37.8],
      [49.2, 36.9],
      [48.3, 36.4],
      [48.3, 35],
      [47.8, 33.2],
      [47, 31.7],
    ],
  },
  { why: 'the Crimea', codes: ['UA', 'RU'], corners: box(44.2, 32.3, 46.3, 36.8) },
  { why: 'Abkhazia', codes: ['GE', 'RU'], corners: box(42.3, 39.9, 43.7, 42.2) },
  { why: 'South Ossetia', codes: ['GE', 'RU'], corners: box(41.9, 43.4, 42.8, 44.7) },
  { why: 'Kashmir and the Aksai Chin', codes: ['IN', 'CN', 'PK'], corners: box(32.2, 72.9, 37.2, 80.4) },
  { why: 'Arunachal Pradesh', codes: ['IN', 'CN'], corners: box(26.6, 91.5, 29.6, 97.5) },
  { why: 'the Golan', codes: ['IL', 'SY'], corners: box(32.6, 35.5, 33.45, 36) },
  { why: 'Jerusalem', codes: ['IL', 'PS'], corners: box(31.68, 35.1, 31.9, 35.35) },
  {
    why: 'Western Sahara, also west of the berm',
    codes: ['EH', 'MA'],
    corners: [
      [27.7, -13.3],
      [27.7, -8.6],
      [25.9, -8.6],
      [25.9, -11.9],
      [23.4, -11.9],
      [23, -12.9],
      [21.2, -12.9],
      [20.7, -17],
      [21.3, -17.3],
      [24, -16.4],
      [26.2, -14.7],
    ],
  },
  { why: 'Halaib and Bir Tawil', codes: ['EG', 'SD'], corners: box(21.6, 33, 23.3, 37.4) },
  { why: 'Abyei', codes: ['SD', 'SS'], corners: box(9.2, 27.5, 10.6, 29.3) },
  { why: 'Kafia Kingi', codes: ['SD', 'SS'], corners: box(8.5, 23.5, 10.1, 25.2) },
  { why: 'the Ilemi triangle', codes: ['KE', 'ET', 'SS'], corners: box(4.1, 34.8, 5.7, 36.4) },
  { why: 'Kunashir', codes: ['RU', 'JP'], corners: box(43.6, 145.4, 44.6, 146.7) },
  { why: 'Shikotan and Habomai', codes: ['RU', 'JP'], corners: box(43.3, 145.85, 43.95, 147) },
  { why: 'Iturup', codes: ['RU', 'JP'], corners: box(44.3, 146.7, 45.6, 149) },
]
