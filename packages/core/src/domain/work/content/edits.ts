import { preview } from '../../../kernel/text.ts'
import { filledIn, outlinesOf, type TextPair } from '../../../kernel/versions/compare.ts'

/** How much of an edit is told, characters: all of it, and each place. */
const longest = 800
const longestPart = 120

/**
 * What was changed from one text to another, in a few words that an agent can learn from: `“mega deals” became “offers”;
 * took out “!!!”; added “Find your nearest shop”`. Empty when nothing but white space was changed. Of long texts, work for a
 * thread.
 */
export function describeEdit(before: string, after: string): string {
  const told: string[] = []
  let gone = ''
  let come = ''
  let length = 0
  let untold = 0
  const tell = () => {
    const line = lineFor(quoted(gone), quoted(come))
    gone = ''
    come = ''
    if (line === '') return
    if (length + line.length > longest) untold += 1
    else {
      told.push(line)
      length += line.length + 2
    }
  }
  for (const { change, text } of changesOf([before, after])) {
    if (change === 'removed') gone += text
    else if (change === 'added') come += text
    // A space between two changed words does not make two changes of them.
    else if (text.trim() === '' && (gone !== '' || come !== '')) {
      gone += text
      come += text
    } else tell()
  }
  tell()
  if (untold > 0) told.push(`and ${untold} more`)
  return told.join('; ')
}

function changesOf(pair: TextPair) {
  return outlinesOf([pair]).flatMap((outline) => filledIn(outline, pair).parts)
}

function lineFor(gone: string, come: string): string {
  if (gone === come) return ''
  if (gone === '') return `added ${come}`
  return come === '' ? `took out ${gone}` : `${gone} became ${come}`
}

function quoted(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain === '') return ''
  return `“${plain.length > longestPart ? `${preview(plain, longestPart)}…` : plain}”`
}

declare module '../../../kernel/in-thread.ts' {
  interface TextTasks {
    edit(pair: TextPair): ReturnType<typeof describeEdit>
  }
}
