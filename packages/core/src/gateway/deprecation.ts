/** What is announced of an endpoint, or of a whole surface, that is going to be taken away. */
export interface Deprecation {
  /** Since when another one is to be used, `YYYY-MM-DD`. */
  since: string
  /** When it will be gone, `YYYY-MM-DD`; twelve months after `since` or later. */
  sunset: string
  /** Where to read what to do: a URL, or a path on this server. */
  link?: string
}

/**
 * Anyone who builds on an interface gets a year to leave it.
 * @throws Error on dates that are none, a sunset that comes too early, and a link that is none
 */
export function checkDeprecation(what: string, { since, sunset, link }: Deprecation): void {
  for (const date of [since, sunset]) {
    if (!isDate(date)) throw new Error(`${what}: deprecated has "${date}", which is no date YYYY-MM-DD`)
  }
  const earliest = `${Number(since.slice(0, 4)) + 1}${since.slice(4)}`
  if (sunset < earliest) {
    throw new Error(`${what}: is deprecated since ${since} and cannot be gone before ${earliest}`)
  }
  if (link !== undefined && !/^(?:https?:\/\/|\/)[^\s<>"]+$/.test(link)) {
    throw new Error(`${what}: deprecated has "${link}", which is no link`)
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  // An impossible day is taken for one of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and where to read more; names and values in turn. */
export function deprecationHeaders(deprecated: Deprecation | undefined): string[] {
  if (!deprecated) return []
  const { since, sunset, link } = deprecated
  const headers = ['Deprecation', `@${Date.parse(since) / 1_000}`, 'Sunset', new Date(sunset).toUTCString()]
  return link === undefined ? headers : [...headers, 'Link', `<${link}>; rel="deprecation"`]
}
