import type { AdTexts } from '../changes/entities.ts'

/** What keeps a text from being an ad, by the line that it is about, from 1. */
export interface LineProblem {
  line: number
  message: string
}

type Part = keyof AdTexts

/** What Google takes of an ad for searches. Widths as `adWidth` counts them. */
const rules: Record<Part, { one: string; least: number; most: number; width: number }> = {
  headlines: { one: 'headline', least: 3, most: 15, width: 30 },
  descriptions: { one: 'description', least: 2, most: 4, width: 90 },
}

/** A longer text is no ad copy; characters. */
const longestText = 50_000
/** A longer line holds none of them, and none is looked at letter by letter. */
const longestLine = 1_000
/** So many problems are told at once. */
const mostProblems = 20

interface Entry {
  line: number
  text: string
}

/**
 * The ad for searches that a text holds: a list of headlines below the heading “Headlines”, and one of descriptions below “Descriptions”;
 * what stands below other headings is no part of it. See docs/ads.md for what is taken.
 * @returns with `problems`, in the order of lines, where it holds no ad that Google would take
 */
export function searchAdOf(markdown: string): { texts: AdTexts; problems: LineProblem[] } {
  if (markdown.length > longestText) {
    const message = `the text has more than ${longestText} characters`
    return { texts: { headlines: [], descriptions: [] }, problems: [{ line: 1, message }] }
  }
  const { entries, problems } = listsOf(markdown)
  const take = (part: Part): string[] => {
    problems.push(...problemsOf(part, entries[part]))
    return entries[part].map(({ text }) => text)
  }
  const texts = { headlines: take('headlines'), descriptions: take('descriptions') }
  return { texts, problems: problems.toSorted((a, b) => a.line - b.line).slice(0, mostProblems) }
}

function listsOf(markdown: string): { entries: Record<Part, Entry[]>; problems: LineProblem[] } {
  const entries: Record<Part, Entry[]> = { headlines: [], descriptions: [] }
  const begun = new Map<Part, number>()
  const problems: LineProblem[] = []
  let part: Part | undefined
  for (const [at, text] of markdown.split(/\r?\n/).entries()) {
    const line = at + 1
    if (/^ {0,3}#{1,6}\s/.test(text)) {
      part = partBelow(text)
      const first = part && begun.get(part)
      if (part && first === undefined) begun.set(part, line)
      else if (part && first !== undefined) {
        const message = `${part} are in line ${first} already: one text holds one ad`
        problems.push({ line, message })
        part = undefined
      }
    } else if (/^ {0,3}---\s*$/.test(text)) part = undefined
    else if (part && text.trim() !== '') {
      const item = itemOf(text)
      if (typeof item === 'string') entries[part].push({ line, text: item })
      else problems.push({ line, message: item?.problem ?? `this is no item of the list of ${part}` })
    }
  }
  return { entries, problems }
}

/** Which list a heading stands above. */
function partBelow(heading: string): Part | undefined {
  if (heading.length > longestLine) return undefined
  const [, name] = /^ {0,3}#{1,6}\s+[*_]*(headlines|descriptions)[*_]*:?[*_]*\s*#*\s*$/i.exec(heading) ?? []
  return name?.toLowerCase() as Part | undefined
}

/** What an item of a list says, without emphasis around it and the count of its letters behind it; undefined for another line. */
function itemOf(line: string): string | { problem: string } | undefined {
  if (line.length > longestLine) return { problem: 'it is far too long' }
  const [, written] = /^ {0,3}(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)$/.exec(line) ?? []
  if (written === undefined) return undefined
  const item = oneLine(unmarked(oneLine(written)))
  const [, words, count] = /^(.*\S) ?\((\d{1,3})(?: characters)?\)$/.exec(item) ?? []
  if (words === undefined) return item
  const text = unmarked(words)
  if ([text.length, Array.from(text).length, adWidth(text)].includes(Number(count))) return text
  return { problem: `the number in brackets is not its length, which is ${adWidth(text)}: leave it out` }
}

const oneLine = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim()

const unmarked = (text: string) => /^(\*\*|__|[*_`])(.+)\1$/.exec(text)?.[2] ?? text

function problemsOf(part: Part, entries: readonly Entry[]): LineProblem[] {
  const { one, least, most, width } = rules[part]
  const problems: LineProblem[] = []
  const seen = new Map<string, number>()
  for (const [at, { line, text }] of entries.entries()) {
    const twin = seen.get(text.toLowerCase())
    const message =
      at >= most
        ? `this is ${one} ${at + 1}, and an ad has at most ${most}`
        : (obstacleIn(text) ??
          (adWidth(text) > width
            ? `this ${one} has ${adWidth(text)} characters, and at most ${width} are shown`
            : twin === undefined
              ? undefined
              : `this ${one} is that of line ${twin} once more`))
    if (message !== undefined) problems.push({ line, message })
    seen.set(text.toLowerCase(), line)
    if (at >= most) break
  }
  if (entries.length < least) {
    const there =
      entries.length === 0 ? `there are none below a heading “${part}”` : `there are ${entries.length}`
    problems.push({
      line: entries.at(-1)?.line ?? 1,
      message: `an ad has at least ${least} ${part}, and ${there}`,
    })
  }
  return problems
}

/** Letters that no one sees and that turn others round; joiners inside a word are letters of some scripts. */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u
/** What reviewers see otherwise than readers: marks of Markdown and of HTML, and names of characters. */
const marks = /[*`<>[\]\\]|&#?\w{1,30};/

/** Why letters of an item cannot be those of an ad. */
function obstacleIn(text: string): string | undefined {
  // What Google puts into braces' place, no one has approved.
  if (/[{}]/.test(text)) return 'braces have Google put something in their place, so there can be none'
  if (hidden.test(text)) return 'it has letters that cannot be seen'
  const mark = marks.exec(text)?.[0]
  return mark === undefined ? undefined : `“${mark}” is a mark of Markdown, and ads are plain text`
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u

/** How long a text is as Google counts it: letters of scripts with wide letters, and symbols, count as two. */
export function adWidth(text: string): number {
  let width = 0
  for (const letter of text) width += wide.test(letter) ? 2 : 1
  return width
}
