/** A group that an analyst has described. */
export interface FoundSegment {
  name: string
  filters: Record<string, string>
  segmentType: string | undefined
  estimatedSize: number | null
}

/** The most groups that one analysis adds, and the most that is read of each. */
const mostSegments = 20
const mostFilters = 30
const longestValue = 1_000

/**
 * The groups in the text of an analysis: each heading of the second level is one, with what follows up to the next heading. Lines
 * such as `- Interests: baking` are filters, other text is the description.
 */
export function segmentsIn(text: string): FoundSegment[] {
  const found: FoundSegment[] = []
  let current: FoundSegment | undefined
  for (const line of text.slice(0, 200_000).split('\n')) {
    const heading = /^(#{1,6})\s+(\S.*)$/.exec(line)
    if (heading || /^---\s*$/.test(line)) {
      const name = heading?.[1]?.length === 2 ? plain(heading[2] ?? '').slice(0, 200) : ''
      current = undefined
      if (name === '' || found.length === mostSegments) continue
      current = { name, filters: {}, segmentType: undefined, estimatedSize: null }
      found.push(current)
    } else if (current) read(current, line.trim())
  }
  return found
}

function read(segment: FoundSegment, line: string): void {
  if (line === '') return
  const labelled = /^[-*+]\s+([^:]{1,60}):\s*(\S.*)$/.exec(line)
  const label = plain(labelled?.[1] ?? '')
  const value = plain(labelled?.[2] ?? '')
  if (/^(segment )?type$/i.test(label)) segment.segmentType = value.toLowerCase().replace(/[\s-]+/g, '_')
  else if (/^(estimated )?size$/i.test(label)) segment.estimatedSize = sizeIn(value)
  else if (label !== '') add(segment, keyOf(label), value)
  else add(segment, 'description', line.replace(/^[-*+]\s+/, ''))
}

function add({ filters }: FoundSegment, key: string, value: string): void {
  if (!Object.hasOwn(filters, key) && Object.keys(filters).length === mostFilters) return
  const known = Object.hasOwn(filters, key) ? `${filters[key]} ` : ''
  filters[key] = `${known}${value}`.slice(0, longestValue).replace(/[\uD800-\uDBFF]$/, '')
}

/** `Job title` becomes `jobTitle`. */
function keyOf(label: string): string {
  const words = label
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const key = words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
  return key === '' || key === '__proto__' ? 'description' : key
}

/** A whole number, or nothing: a range or a guess in words is none. */
function sizeIn(value: string): number | null {
  const digits = /^(?:about |around |~\s?)?(\d{1,3}(?:[,. ]\d{3})+|\d{1,9})(?:\s+\p{L}+)?$/u.exec(value)?.[1]
  return digits === undefined ? null : Math.min(Number(digits.replace(/[,. ]/g, '')), 2_000_000_000)
}

const plain = (text: string) => text.replace(/[*_`#]+/g, '').trim()
