import { masked } from './parsed-query.ts'

/** Words that say that a reason or a message follows. */
const openings = [
  /[\s,;:–—-]*\b(?:because|since (?=it |they |there |this |he |she |we )|saying|as (?=it is|they are|there ))\s*(?:that\s|of\s)?[\s:]*/i,
  /[\s,;:–—-]*\b(?:with|and|add|leave)\s+(?:the\s|a\s|this\s|my\s)?(?:note|comment|reason|message|feedback|words?)\b\s*(?:that\s|is\s|of\s|saying\s)?[\s:,–—-]*/i,
  /[\s,;:–—-]*\b(?:note|comment|reason|message|feedback)\s*[:=–—-]+\s*/i,
  /\s*:\s+/,
  /\s+(?:-|–|—)+\s+/,
]

/** A verdict without a word of introduction: "reject it, the tone is off". */
const clause = /\s*[,;.]\s+(?!(?:please|pls|and|then|for|of|at|thanks|thank)\b)/i

export interface Cut {
  head: string
  note?: string
}

/**
 * Parts what is asked from what is said along with it, so that nothing in a reason is taken for a request.
 * @param loose whether what follows a comma or a full stop is a reason too
 */
export function cutNote(raw: string, loose: boolean): Cut {
  const view = masked(raw)
  const cuts = [...openings, ...(loose ? [clause] : [])].flatMap((form) => {
    const found = form.exec(view)
    if (!found || found.index === 0) return []
    const head = raw.slice(0, found.index)
    const note = bare(raw.slice(found.index + found[0].length))
    // One word before it is a greeting or the verb alone: then the rest is what is meant.
    const enough = head.trim().split(/\s+/).length > 1 && (form !== clause || note.split(' ').length > 1)
    return enough && note !== '' ? [{ at: found.index, head, note }] : []
  })
  const first = cuts.toSorted((a, b) => a.at - b.at)[0]
  return first ? { head: first.head, note: first.note } : { head: raw }
}

/** Without quotation marks around all of it, and without what only leads over to it. */
export function bare(text: string): string {
  const trimmed = text.replace(/^[\s:,;–—-]+/, '').trim()
  return /^(["“„«'‘]).+["”“»'’]$/su.test(trimmed) ? trimmed.slice(1, -1).trim() : trimmed
}
