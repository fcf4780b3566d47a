/** The most assets of one text that are looked at. */
export const mostReferences = 100

/** What a text begins the address of an asset with: `![words](asset:01J…)`. */
const referenceScheme = 'asset:'

/** How a text names an asset. */
export const referenceOf = (id: string) => `${referenceScheme}${id}`

/** Whether an address is that of an asset, or means to be. */
export const isReference = (url: string) => url.startsWith(referenceScheme)

/** Whether a text may name an asset, which is found out fast. */
export const namesAssets = (text: string) => text.includes(referenceScheme)

/** A ULID, in the one form in which ids are written. */
const reference = /asset:([0-7][0-9A-HJKMNP-TV-Z]{25})(?![0-9A-Za-z])/g

/**
 * The ids of the assets that a text names, each once, in the order of the text.
 * @returns at most one more than {@link mostReferences}
 */
export function idsNamedIn(text: string): string[] {
  const ids = new Set<string>()
  if (!namesAssets(text)) return []
  for (const [, id = ''] of text.matchAll(reference)) {
    ids.add(id)
    if (ids.size > mostReferences) break
  }
  return [...ids]
}
