/**
 * Puts what differs from one time to the next in a form that does not: ids are counted in the order in which they are first
 * seen, tokens are cut, and everything answers in a millisecond.
 */
export function createStable(): <T>(value: T) => T {
  const known = new Map<string, string>()
  const counted = (id: string) => {
    const found = known.get(id) ?? `01KNVWS2R0${String(known.size + 1).padStart(16, '0')}`
    known.set(id, found)
    return found
  }
  return (value) => {
    const text = JSON.stringify(value)
      .replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, counted)
      .replace(/"latencyMs":[\d.]+/g, '"latencyMs":1')
      .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOi…')
      .replace(/API key …\w{4}/g, 'API key …x4Tn')
    return JSON.parse(text) as typeof value
  }
}
