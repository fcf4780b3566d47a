/** Endpoints behind a change, as the tests that are generated for each name them: `GET /tenant/v1/goals`. */
export interface ChangedEndpoints {
  /** The nearest to the change first. */
  endpoints: string[]
  /** How many more the change reaches. */
  endpointsLeft: number
}

/** So many are tried: each takes about a second, beside some twenty seconds for the installations that they share. */
const mostEndpoints = 12

/** What a file takes from another one. */
export interface Import {
  target: string
  /** As they are called in the file. */
  names: string[]
  /** What stands for the whole of the target. */
  namespace?: string
}

/**
 * The endpoints that a change reaches: all of a route table that was changed itself; of others those in whose definition
 * something is named that comes from the change.
 * @param distances along the imports from the changed files, by file
 */
export function endpointsBehind(
  distances: ReadonlyMap<string, number>,
  texts: ReadonlyMap<string, string>,
  importsOf: (file: string) => readonly Import[],
): ChangedEndpoints {
  const reached = new Map<string, Definition[]>()
  for (const [file, distance] of [...distances].sort(([, near], [, far]) => near - far)) {
    const all = definitionsIn(file, texts.get(file) ?? '')
    if (all.length === 0) continue
    const taken = importsOf(file).filter(({ target }) => distances.get(target) === distance - 1)
    const names = taken.flatMap((each) => each.names)
    // A surface that serves the endpoints of another one takes them as `dm.resolve`.
    const delegated = taken.flatMap(({ target, namespace }) =>
      (reached.get(target) ?? []).map(({ name }) => `${namespace}\\.${name}`),
    )
    const mentions = [...names, ...delegated].map((name) => new RegExp(`\\b${name}\\b`))
    const using = all.filter(({ text }) => mentions.some((mention) => mention.test(text)))
    // What no definition names is used beside them, and may matter to each.
    const isMeant = distance === 0 || (using.length === 0 && names.length > 0)
    reached.set(file, isMeant ? all : using)
  }
  const found = [...reached.values()].flat().map(({ endpoint }) => endpoint)
  return {
    endpoints: found.slice(0, mostEndpoints),
    endpointsLeft: Math.max(0, found.length - mostEndpoints),
  }
}

/** A pattern that fits the names of the generated tests of these endpoints and of no others. */
export function patternFor(endpoints: readonly string[]): string {
  const escaped = endpoints.map((endpoint) => endpoint.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return `^(?:${escaped.join('|')}) `
}

interface Definition {
  /** As the route table exports it. */
  name: string
  endpoint: string
  text: string
}

/** The endpoints that a route table declares. */
export function definitionsIn(file: string, source: string): Definition[] {
  const surface = /^packages\/core\/src\/surfaces\/(\w+)\//.exec(file)?.[1]
  if (surface === undefined) return []
  const prefix = surface === 'root' ? '' : `/${surface}/v1`
  return source.split(/^(?=export const )/m).flatMap((text) => {
    const name = /^export const (\w+)/.exec(text)?.[1] ?? ''
    return [...text.matchAll(/\broute: '([A-Z]+) ([^']+)'/g)].map(([, method, path]) => ({
      name,
      endpoint: `${method} ${prefix}${path}`,
      text,
    }))
  })
}
