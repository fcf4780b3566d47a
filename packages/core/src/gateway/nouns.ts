/** What ids name whose parameter or path says it in other words than the domain. */
const otherNouns: Readonly<Record<string, string>> = {
  'api-keys': 'API key',
  blog: 'blog post',
  feed: 'item of the feed',
  itemId: 'item of the feed',
}

/**
 * What the id at a place of a path names, in the words of the domain: `activity` for the last part of `/activities/:id`. So that
 * what is no id at all is refused in the words that an unknown one is refused in.
 */
export function nounOf(path: string, parameter: string): string {
  const parts = path.split('/')
  const collection = parts[parts.indexOf(`:${parameter}`) - 1] ?? ''
  // Both kinds of templates are called `templateId`.
  const isNamedByPath = parameter === 'id' || parameter === 'templateId'
  const name = isNamedByPath ? collection : parameter
  return otherNouns[name] ?? spaced(isNamedByPath ? singular(name) : name.replace(/Id$/, ''))
}

const singular = (plural: string) => plural.replace(/ies$/, 'y').replace(/s$/, '')

const spaced = (name: string) =>
  name.replaceAll('-', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
