import { isDeepStrictEqual } from 'node:util'
import { diffLines, diffWordsWithSpace } from 'diff'
import type { VersionData } from './entities.ts'

export interface TextPart {
  change: 'same' | 'added' | 'removed'
  text: string
}

export interface FieldChange {
  /** In dotted form, such as `adapterConfig.timeoutSec`. */
  field: string
  /** Absent where the field was not there. */
  before?: unknown
  /** Absent where the field is gone. */
  after?: unknown
  /** Of two texts, what changed word by word; of very long or very different ones line by line. */
  diff?: TextPart[]
}

/** Above this many characters texts are compared by lines. */
const wordLimit = 200_000
/** Words or lines that may differ before a coarser comparison has to do; the work grows with its square. */
const maxEditLength = 2_000

/** Every field that differs from one state to another, in the order of the names. */
export function compareData(before: VersionData, after: VersionData): FieldChange[] {
  const changes: FieldChange[] = []
  const visit = (left: unknown, right: unknown, field: string) => {
    if (isDeepStrictEqual(left, right)) return
    if (isRecord(left) && isRecord(right)) {
      const names = new Set([...Object.keys(left), ...Object.keys(right)])
      for (const name of [...names].toSorted())
        visit(left[name], right[name], field === '' ? name : `${field}.${name}`)
      return
    }
    changes.push({
      field,
      ...(left !== undefined && { before: left }),
      ...(right !== undefined && { after: right }),
      ...(typeof left === 'string' && typeof right === 'string' && { diff: compareTexts(left, right) }),
    })
  }
  visit(before, after, '')
  return changes
}

/** What was taken out of a text and put into it; the parts that are not `removed` make up the second text. */
export function compareTexts(before: string, after: string): TextPart[] {
  const words =
    before.length + after.length > wordLimit
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength })
  const parts = words ?? diffLines(before, after, { maxEditLength })
  if (!parts) {
    return [
      { change: 'removed', text: before },
      { change: 'added', text: after },
    ]
  }
  return parts.map(({ value, added, removed }) => ({
    change: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
