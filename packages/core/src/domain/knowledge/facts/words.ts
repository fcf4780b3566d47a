import { normalize } from '../../../kernel/text.ts'

/** Words that stand beside a value and say nothing of what it is the value of. */
const untelling = new Set(
  `a about after all also always am an and any are around as at available be because been before begin being both but by call can cost costs could
  day deliver do does down each email every few for from get gets give gives has have having her here his how i if in into is it its just last
  let make makes many mail may me more most much my never new next no not now of off offer offers on once one only open or order our out over
  own per pay pays phone price priced prices same sell sells she should since so some start starts still such take takes tel telephone than that the their
  them then there these they this those through time to too total under until up us use very was we were what when where which while
  who will with within without would write year you your`.split(/\s+/),
)

/** The words of a text that tell what it is about, in their basic forms, each once. */
export function basicWords(text: string): string[] {
  const words = normalize(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.filter((word) => word.length > 1 && !isUntelling(word)).map(basicForm))]
}

/** Whether a word, in small letters, says nothing of what a sentence is about. */
export const isUntelling = (word: string) => untelling.has(word)

const sameOffice: Readonly<Record<string, string>> = {
  founder: 'found',
  founders: 'found',
  cofounder: 'found',
  owner: 'own',
  owners: 'own',
}

function basicForm(word: string): string {
  const office = sameOffice[word]
  if (office !== undefined) return office
  const one = word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
  if (one.length < 4) return one
  return (one.length < 5 ? one : one.replace(/(?:ing|ed)$/, '')).replace(/e$/, '')
}
