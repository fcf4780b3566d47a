/** A piece of JSON as it is written, right or wrong. */
export class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Numbers at the edge of what databases and JavaScript hold, and some that are none. */
export const hostileNumbers: readonly (number | Written)[] = [
  0,
  -1,
  0.1,
  1.5,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  9_007_199_254_740_991,
  9_223_372_036_854_776_000,
  1e21,
  1e300,
  5e-324,
  ...[
    '-0',
    '9007199254740993',
    '1e400',
    '-1e400',
    '1E+2',
    '1.0',
    '0.1e1',
    '0000001',
    '-',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
  ].map((text) => new Written(text)),
]

/** Values of the wrong kind, and objects with names that JavaScript knows. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  new Written('{"then":1}'),
  { toJSON: 1 },
  { constructor: { prototype: { admin: true } } },
  { '': '' },
  { $ne: null },
  new Written('{"__proto__":{"role":"super_admin"}}'),
  new Written('{"\\u005f_proto__":[]}'),
  new Written('{"a":1,"a":2}'),
  new Written('[1,]'),
  new Written('undefined'),
  new Written("'single'"),
  new Written('"\\ud800"'),
  new Written('"\\u0000"'),
  new Written('"\t"'),
  new Written(`${'['.repeat(63)}${']'.repeat(63)}`),
  new Written(`${'{"a":'.repeat(62)}1${'}'.repeat(62)}`),
  new Written(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  Array.from({ length: 3_000 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i])),
]

/** JSON, except that what is `Written` stands as it is. */
export function write(value: unknown): string {
  if (value instanceof Written) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`)
      .join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
