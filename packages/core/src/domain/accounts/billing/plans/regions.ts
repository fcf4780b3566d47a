/** Where prices differ. A region's code is also what `customRegionId` names. */
export const regions = {
  US: { currency: 'USD' },
  IN: { currency: 'INR' },
  GB: { currency: 'GBP' },
  EU: { currency: 'EUR' },
  JP: { currency: 'JPY' },
  KW: { currency: 'KWD' },
} as const
export type Region = keyof typeof regions
export const regionCodes = Object.keys(regions) as Region[]

/** Currencies that something can cost, each counted in its smallest unit. */
export const currencies = [...new Set(regionCodes.map((code) => regions[code].currency))]
export type Currency = (typeof regions)[Region]['currency']

const union = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'

const regionByCountry = new Map<string, Region>([
  ['US', 'US'],
  ...['IN', 'JP', 'KW'].map((country) => [country, country as Region] as const),
  ...['GB', 'GG', 'IM', 'JE'].map((country) => [country, 'GB'] as const),
  ...union.split(' ').map((country) => [country, 'EU'] as const),
])

/** The region whose prices a country pays; a country without one of its own pays those of the US. */
export function regionOf(country: string | null | undefined): Region {
  return regionByCountry.get((country ?? '').toUpperCase()) ?? 'US'
}

export function isRegion(code: string): code is Region {
  return Object.hasOwn(regions, code)
}

const assigned = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`
const countries: ReadonlySet<string> = new Set(assigned.split(/\s+/))

/** True for a code that ISO 3166-1 alpha-2 assigns, in upper case. */
export function isCountry(code: string): boolean {
  return countries.has(code)
}
