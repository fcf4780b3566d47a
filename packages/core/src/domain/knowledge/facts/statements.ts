import { currencyIn, type FactValue, readValues } from './values.ts'
import { basicWords } from './words.ts'

/** A sentence, a part of one or a row of a table that says something which is right or wrong. */
export interface FactStatement {
  /** As it stands in the text. */
  text: string
  values: FactValue[]
  /** What it is about: its words in their basic forms, without those that tell little. */
  words: string[]
  /** The words of the headings above it. */
  about: string[]
  /** Of a part of a sentence: the words of the other parts. */
  nearby: string[]
}

/** How much of a text is looked at, characters. */
const mostText = 200_000
const longestSentence = 1_000

/** The statements of a Markdown text with values, in their order. The work grows with the text. */
export function statementsOf(markdown: string, heading = ''): FactStatement[] {
  const statements: FactStatement[] = []
  let about = basicWords(heading)
  let columns: string[] = []
  for (const line of markdown.slice(0, mostText).split('\n')) {
    const title = /^\s{0,3}#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (title !== undefined) about = basicWords(`${heading} ${title}`)
    const cells = cellsOf(line)
    if (cells?.every((cell) => /^:?-+:?$/.test(cell))) continue
    if (cells && columns.length === 0) columns = cells
    else if (!cells) columns = []
    const sentences = cells ? [rowOf(cells, columns)] : sentencesOf(title ?? line)
    for (const sentence of sentences) {
      const parts = cells ? [sentence] : partsOf(sentence)
      const nearby = parts.length > 1 ? basicWords(sentence) : []
      for (const text of parts) {
        const { values, rest } = readValues(text)
        if (values.length > 0)
          statements.push({
            text: cells?.join(' | ') ?? text.trim(),
            values,
            words: basicWords(rest),
            about,
            nearby,
          })
      }
    }
  }
  return statements
}

function cellsOf(line: string): string[] | undefined {
  const row = line.trim()
  if (!row.startsWith('|') || row.length > 4 * longestSentence) return undefined
  return row
    .slice(1, row.endsWith('|') ? -1 : undefined)
    .split('|')
    .map((cell) => cell.trim())
}

/** A row as a sentence: a bare number under `Price (EUR)` is a price in euros. */
function rowOf(cells: readonly string[], columns: readonly string[]): string {
  return cells
    .map((cell, at) => {
      const column = columns[at] ?? ''
      if (!/^\d[\d.,]*$/.test(cell)) return cell
      const unit = currencyIn(column) ?? /[([]\s*([\p{L}%]{1,12})\s*[)\]]/u.exec(column)?.[1]
      return unit ? `${cell} ${unit}` : cell
    })
    .join(', ')
}

function sentencesOf(line: string): string[] {
  const text = line
    .replace(/^\s*(?:[-*+>]|\d{1,3}[.)])\s+/, '')
    .replace(/[*_`~]/g, '')
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, '$1')
    .trim()
  return text.split(/(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"“„«])/u).filter((each) => each.length <= longestSentence)
}

/** A sentence with several values of one kind is taken apart, so that each value stands with its own words. */
function partsOf(sentence: string): string[] {
  const kinds = readValues(sentence).values.map(({ kind, unit }) => `${kind} ${unit}`)
  if (new Set(kinds).size === kinds.length) return [sentence]
  return sentence.split(/;\s+|,\s+(?:and\s+|but\s+|or\s+)?(?=\D)|\s+(?:and|but|while|whereas)\s+(?=\D)/u)
}
