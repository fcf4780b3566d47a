type Groups = Record<string, Record<string, (...args: never[]) => Promise<unknown>>>

/** Functions in groups, whose code is loaded when the first of them is called. */
export function calledLater<G extends { [K in keyof G]: Groups[string] }>(load: () => Promise<G>): G {
  let loading: Promise<G> | undefined
  const call =
    (group: keyof G, name: string) =>
    async (...args: never[]) => {
      const groups = await (loading ??= load())
      return groups[group][name]?.(...args)
    }
  const groupOf = (group: keyof G) =>
    new Proxy({}, { get: (_, name) => (typeof name === 'string' ? call(group, name) : undefined) })
  return new Proxy({} as G, {
    get: (_, group) => (typeof group === 'string' ? groupOf(group as keyof G) : undefined),
  })
}
