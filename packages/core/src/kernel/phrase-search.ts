/** Says how often each phrase stands in a text, by the phrase's index. */
export type PhraseSearch = (text: string) => number[]

const wordCharacter = /[\p{L}\p{N}]/u

/**
 * Searches texts for all phrases in one pass (Aho and Corasick), so that the work grows with the text and not with the text
 * times the phrases. Each place counts once for a phrase, and only where it is no part of a longer word.
 * @param phrases in the form in which they stand in the texts; an empty one is nowhere
 * @param maxCount from this count on a phrase is not counted any further
 */
export function createPhraseSearch(phrases: readonly string[], maxCount: number): PhraseSearch {
  const trie = createTrie(phrases)
  return (text) => {
    const counts = phrases.map(() => 0)
    const freeFrom = phrases.map(() => 0)
    const shorter = trie.shorter.slice()
    /** The longest phrase at a node or among its endings that is still counted; 0 where there is none. */
    const counted = (node: number): number => {
      if (node === 0 || (counts[trie.phraseAt[node] as number] as number) < maxCount) return node
      const next = counted(shorter[node] as number)
      shorter[node] = next
      return next
    }
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = trie.step(node, text.charCodeAt(at))
      let found = counted(trie.longest[node] as number)
      if (found === 0) continue
      const end = at + 1
      // What ends here ends with the same letter, which the next one makes a part of a longer word.
      if (isWordBefore(text, end) && isWordAt(text, end)) continue
      for (; found !== 0; found = counted(shorter[found] as number)) {
        const phrase = trie.phraseAt[found] as number
        const start = end - (phrases[phrase] as string).length
        if (start < (freeFrom[phrase] as number)) continue
        if (isWordBefore(text, start) && isWordAt(text, start)) continue
        counts[phrase] = (counts[phrase] as number) + 1
        freeFrom[phrase] = end
      }
    }
    return counts
  }
}

interface Trie {
  /** From a node with the next code unit to the node of the longest beginning of a phrase that now ends here. */
  step(node: number, unit: number): number
  /** By node: the node of the longest phrase that ends there, itself included; 0 for none. */
  longest: number[]
  /** By the node of a phrase: the node of the next shorter phrase that ends with it. */
  shorter: number[]
  /** By the node of a phrase: its index; -1 for other nodes. */
  phraseAt: number[]
}

function createTrie(phrases: readonly string[]): Trie {
  const letters = new Map<number, number>()
  for (const phrase of phrases)
    for (let at = 0; at < phrase.length; at += 1) {
      const unit = phrase.charCodeAt(at)
      if (!letters.has(unit)) letters.set(unit, letters.size)
    }
  const width = letters.size
  const children = new Map<number, number>()
  const phraseAt = [-1]
  const levels: Array<Array<{ node: number; parent: number; letter: number }>> = []
  for (const [index, phrase] of phrases.entries()) {
    let node = 0
    for (let at = 0; at < phrase.length; at += 1) {
      const letter = letters.get(phrase.charCodeAt(at)) as number
      let child = children.get(node * width + letter)
      if (child === undefined) {
        child = phraseAt.push(-1) - 1
        children.set(node * width + letter, child)
        const level = (levels[at] ??= [])
        level.push({ node: child, parent: node, letter })
      }
      node = child
    }
    // Of two phrases that are the same, the first is the one that is counted.
    if (node !== 0 && phraseAt[node] === -1) phraseAt[node] = index
  }
  const fallback = [0]
  const longest = [0]
  const shorter = [0]
  const follow = (from: number, letter: number): number => {
    for (let node = from; ; node = fallback[node] as number) {
      const child = children.get(node * width + letter)
      if (child !== undefined) return child
      if (node === 0) return 0
    }
  }
  // From the root outwards: what a node falls back to is shorter than itself.
  for (const { node, parent, letter } of levels.flat()) {
    const fall = parent === 0 ? 0 : follow(fallback[parent] as number, letter)
    fallback[node] = fall
    shorter[node] = longest[fall] as number
    longest[node] = phraseAt[node] === -1 ? (longest[fall] as number) : node
  }
  return {
    step(node, unit) {
      const letter = letters.get(unit)
      return letter === undefined ? 0 : follow(node, letter)
    },
    longest,
    shorter,
    phraseAt,
  }
}

/** Whether a letter or a digit begins at a place of a text. */
function isWordAt(text: string, at: number): boolean {
  return at < text.length && isWord(text.codePointAt(at) as number)
}

/** Whether a letter or a digit ends right before a place of a text. */
function isWordBefore(text: string, at: number): boolean {
  if (at === 0) return false
  const unit = text.charCodeAt(at - 1)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff && at > 1
  return isWord(isLowHalf ? (text.codePointAt(at - 2) as number) : unit)
}

function isWord(codePoint: number): boolean {
  if (codePoint < 128)
    return (
      (codePoint >= 97 && codePoint <= 122) ||
      (codePoint >= 65 && codePoint <= 90) ||
      (codePoint >= 48 && codePoint <= 57)
    )
  return wordCharacter.test(String.fromCodePoint(codePoint))
}
