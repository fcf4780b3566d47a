/** Sequences that a terminal obeys: colours, cursor moves, titles of windows, links. */
const escapes = /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\[?[0-?]*[ -/]*[@-~]?)/g

/** What cannot be seen: control characters, marks that turn the direction of writing, spaces without width. */
const unseen = /[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]+/gu

/**
 * Text from any author as one line that is safe to print: nothing in it moves a cursor, turns the direction of writing
 * or ends the line.
 * @param longest characters; what is longer is cut and ends with an ellipsis
 */
export function plain(text: string, longest = Number.POSITIVE_INFINITY): string {
  const line = text
    .toWellFormed()
    .replace(/\t|\r|\n|\u0085|\u2028|\u2029/g, ' ')
    .replace(escapes, '')
    .replace(unseen, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= longest) return line
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A title or a name inside a sentence: in quotation marks that nothing in it can close. */
export function quoted(text: string): string {
  return `"${plain(text.replace(/["“”„«»]/g, '’'), 80)}"`
}

/** `1 approval`, `3 approvals`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** How long something takes or has taken, as `12 min`, `5 h` or `3 d`. */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}

/** US dollars with cents; what is less than a cent is shown with its millionths. */
export function dollars(usd: number): string {
  return `$${usd > 0 && usd < 0.01 ? usd.toFixed(6) : usd.toFixed(2)}`
}

/** An instant to the minute, in UTC. */
export function minuteOf(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** A name of the system for people: `social_writer` is `social writer`. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}

/** With a capital letter at its beginning. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
