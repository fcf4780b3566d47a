import fc from 'fast-check'
import { hostileNumbers, hostileValues, Written, write } from './hostile.ts'
import { hostileTexts } from './hostile-texts.ts'

type Path = readonly (string | number)[]

/** Anything that JSON can say, wrong or right. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 3, arbitrary: fc.constantFrom(...hostileNumbers) },
  { weight: 3, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)

type Change =
  | { kind: 'replace'; at: number; by: unknown }
  | { kind: 'drop'; at: number }
  | { kind: 'add'; at: number; name: string; by: unknown }
  | { kind: 'wrap'; at: number; in: 'list' | 'object' | 'text' }
  | { kind: 'double'; at: number }

const at = fc.nat(200)

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('replace' as const), at, by: junk }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      at,
      name: fc.constantFrom('role', 'tenantId', 'id', 'constructor', 'toString', '', 'a.b', '\u202e'),
      by: junk,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wrap' as const),
      at,
      in: fc.constantFrom('list' as const, 'object' as const, 'text' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('double' as const), at }) },
)

/** A value that is right but for one to three places. */
export function nearly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([whole, changes]) => changes.reduce(apply, whole))
}

/** Every place inside of a value, the whole first. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || value instanceof Written) return [path]
  const inside = Array.isArray(value) ? value.map((inner, i) => [i, inner] as const) : Object.entries(value)
  return [path, ...inside.slice(0, 30).flatMap(([key, inner]) => places(inner, [...path, key]))]
}

function apply(whole: unknown, what: Change): unknown {
  const all = places(whole)
  // The whole is one place of many: it is hit seldom, unless there is nothing else.
  const path = (all.length > 1 ? all.slice(1)[what.at % (all.length - 1)] : all[0]) ?? []
  return edit(whole, path, (old, host) => {
    switch (what.kind) {
      case 'replace':
        return what.by
      case 'drop':
        return undefined
      case 'add':
        return isPlain(old) ? { ...old, [what.name]: what.by } : isPlain(host) ? old : what.by
      case 'wrap':
        return what.in === 'list' ? [old] : what.in === 'object' ? { value: old } : write(old)
      case 'double':
        return Array.isArray(old)
          ? [...old, ...old]
          : new Written(`${write(old)},"twice":1,"twice":${write(old)}`)
    }
  })
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Written)

/** A copy with another value at `path`; undefined takes the place away. */
function edit(host: unknown, path: Path, by: (old: unknown, host: unknown) => unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined) return by(host, undefined)
  if (Array.isArray(host)) {
    return host
      .map((inner, i) => (i === first ? edit(inner, rest, by) : inner))
      .filter((inner) => inner !== undefined)
  }
  if (!isPlain(host)) return host
  return Object.fromEntries(
    Object.entries(host).map(([key, inner]) => [
      key,
      key === first ? (rest.length === 0 ? by(inner, host) : edit(inner, rest, by)) : inner,
    ]),
  )
}
