import { Parser } from 'htmlparser2'
import { createHtmlBlocks } from './html-blocks.ts'
import type { HtmlBlock } from './html-frames.ts'
import { createHtmlHead, type HtmlHead } from './html-head.ts'
import { createBlockList } from './limits.ts'

/** What was found in HTML. */
export interface ScannedHtml {
  head: HtmlHead
  blocks: HtmlBlock[]
  /** How many elements and attributes it has. */
  nodes: number
  /** How many elements are within each other at most. */
  depth: number
}

/** The attributes that are looked at. Others are not kept: an element can have millions of them. */
const attributesRead = new Set(
  'aria-hidden charset colspan content hidden href lang name open property rel role start style xml:lang'.split(
    ' ',
  ),
)

/**
 * Goes through HTML once, without a tree of it in memory.
 * @param html as a whole or in parts
 * @param url where it is from, if that is known
 * @throws ParseFault `too_deep` or `too_large`
 */
export function scanHtml(html: string | Iterable<string>, url?: string): ScannedHtml {
  const builder = createHtmlBlocks(createBlockList())
  const head = createHtmlHead(url)
  let nodes = 0
  let open = 0
  let depth = 0
  let begun: { tag: string; attributes: Record<string, string> } | undefined
  /** Opens the element whose attributes are complete, as something else follows. */
  const settle = () => {
    if (!begun) return
    const { tag, attributes } = begun
    begun = undefined
    head.open(tag, attributes)
    builder.open(tag, attributes)
  }
  const parser = new Parser({
    onopentagname(tag) {
      settle()
      nodes += 1
      open += 1
      depth = Math.max(depth, open)
      begun = { tag, attributes: {} }
    },
    onattribute(name, value) {
      nodes += 1
      if (begun && attributesRead.has(name)) begun.attributes[name] ??= value
    },
    ontext(text) {
      settle()
      head.text(text)
      builder.text(text)
    },
    oncomment(text) {
      settle()
      builder.comment(text)
    },
    onclosetag(tag) {
      settle()
      open -= 1
      head.close(tag)
      builder.close(tag)
    },
  })
  for (const part of typeof html === 'string' ? [html] : html)
    for (let at = 0; at < part.length; at += 65_536) parser.write(part.slice(at, at + 65_536))
  parser.end()
  return { head: head.end(), blocks: builder.end(), nodes, depth }
}
