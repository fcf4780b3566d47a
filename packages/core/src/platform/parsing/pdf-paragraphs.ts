import { edgesOf, joinLines, type Segment } from './pdf-lines.ts'

/** A paragraph of a page, or an item of a list. */
export interface Paragraph {
  text: string
  /** Of the text, in points. */
  size: number
  lines: number
  /** Of its first baseline. */
  y: number
  isItem: boolean
}

const bullet = /^[•◦▪●○■□‣⁃∙·–—*-]\s+(?=\S)/u
const numbering = /^(?:\d{1,3}|[a-zA-Z])[.)]\s+(?=\S)/

/** The lines of one column as paragraphs: by the steps between them, their size, what they begin with and where they end. */
export function paragraphsOfLines(lines: readonly Segment[]): Paragraph[] {
  const { left, right } = edgesOf(lines)
  const usual = usualStep(lines)
  const paragraphs: Segment[][] = []
  let last: Segment | undefined
  for (const line of lines) {
    if (last && isContinued({ last, line, left, right, usual, first: paragraphs.at(-1)?.[0] }))
      paragraphs.at(-1)?.push(line)
    else paragraphs.push([line])
    last = line
  }
  return paragraphs.flatMap(toParagraph)
}

interface Place {
  first: Segment | undefined
  last: Segment
  line: Segment
  /** The edges of the column. */
  left: number
  right: number
  usual: number
}

function isContinued({ first, last, line, left, right, usual }: Place): boolean {
  const step = line.y - last.y
  if (step <= 0 || step > usual * 1.35 || Math.abs(line.size - last.size) > last.size / 10) return false
  if (bullet.test(line.text) || numbering.test(line.text)) return false
  const isItem = first !== undefined && (bullet.test(first.text) || numbering.test(first.text))
  if (isItem) return line.left > first.left + line.size / 2
  const isIndented = line.left > left + line.size * 0.8 && last.left < left + line.size * 0.3
  const isLastLine = last.right < right - (right - left) / 4 && /[.!?:]["'”’)]*$/.test(last.text)
  return !isIndented && !isLastLine
}

/** The step between most lines that follow each other. */
function usualStep(lines: readonly Segment[]): number {
  const steps = lines.flatMap((line, at) => {
    const step = line.y - (lines[at - 1]?.y ?? line.y)
    return step > 0 && step < line.size * 2 ? [step] : []
  })
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? (lines[0]?.size ?? 0) * 1.3
}

function toParagraph(lines: readonly Segment[]): Paragraph[] {
  const [first] = lines
  if (!first) return []
  const text = joinLines(lines.map((line) => line.text))
  const isBullet = bullet.test(text)
  const isItem = isBullet || numbering.test(text)
  return [
    {
      text: isBullet ? text.replace(bullet, '- ') : text,
      size: first.size,
      lines: lines.length,
      y: first.y,
      isItem,
    },
  ]
}
